"""The profile by itself, as the engine reads it: what the environment changes, what it repeats."""

from pathlib import Path

import pytest
import yaml
from snakemake.profiles import ProfileConfigFileParser

PROFILES = Path(__file__).parents[2] / "profiles"
VARIABLES = ("SBATCH_PARTITION", "SBATCH_ACCOUNT", "SBATCH_TIMELIMIT")


@pytest.fixture
def profile(monkeypatch):
    """Read the profile with some of sbatch's variables set."""

    def read(**given):
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        with open(PROFILES / "slurm/config.yaml") as stream:
            return ProfileConfigFileParser().parse(stream)

    return read


def test_partition_account_and_time_come_from_the_variables_of_sbatch(profile):
    plain = profile()
    named = {item.partition("=")[0] for item in plain["default-resources"]}
    assert named == {"mem_mb", "runtime"}
    assert "set-resources" not in plain
    given = profile(SBATCH_PARTITION="long", SBATCH_ACCOUNT="lab", SBATCH_TIMELIMIT="90")
    assert {"slurm_partition=long", "slurm_account=lab"} <= set(given["default-resources"])
    assert set(given["set-resources"]) == {
        "fit:runtime=90 * attempt",
        "learn:runtime=90 * attempt",
    }


def test_it_repeats_the_default_profile_whose_place_it_takes(profile):
    default = yaml.safe_load((PROFILES / "default/config.yaml").read_text())
    found = profile()
    assert default
    for key, value in default.items():
        assert found[key] == (value if isinstance(value, list) else str(value)), key


def test_what_does_not_work_on_a_cluster_is_not_in_it(profile):
    found = profile(SBATCH_PARTITION="long")
    assert found["executor"] == "slurm"
    assert not any("array" in key for key in found)
    # Without a number of cores a group asks for the sum of its members' threads.
    assert int(found["cores"]) >= 1
    assert found["group-components"] == ["tables=4"]
    assert int(found["retries"]) == 2
