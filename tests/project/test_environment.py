"""The three statements of the environment agree: pyproject, lock and conda file."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text()
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
# conda's name where it differs from the Python package's
CONDA_NAMES = {"matplotlib-base": "matplotlib", "parasail-python": "parasail"}


def locked(python):
    """Map names to versions of the lock for one Python version."""
    found = {}
    for name, version, marker in re.findall(
        r"^([a-z0-9][a-z0-9_.-]*)==([^ ;\\]+)(?: ; ([^\\]*))?", LOCK, re.MULTILINE
    ):
        place = {"python_full_version": f"{python}.0", "sys_platform": "linux",
                 "platform_machine": "x86_64"}  # fmt: skip
        if not marker or Marker(marker.strip()).evaluate(place):
            found[name] = version
    return found


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [
        Requirement(r) for r in project["dependencies"] + project["optional-dependencies"]["dev"]
    ]


CONDA_VERSIONS = {
    CONDA_NAMES.get(name, name): version
    for name, _, version in (
        entry.partition("=") for entry in CONDA if isinstance(entry, str) and "=" in entry
    )
}


@pytest.mark.parametrize("requirement", declared(), ids=lambda r: r.name)
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_lock_satisfies_what_the_project_declares(requirement, python):
    assert requirement.specifier.contains(locked(python)[requirement.name])


def test_conda_file_names_what_the_project_declares():
    assert CONDA_VERSIONS.keys() - {"python"} == {requirement.name for requirement in declared()}


@pytest.mark.parametrize("name", sorted(CONDA_VERSIONS.keys() - {"python"}))
def test_conda_versions_are_the_locked_ones(name):
    version = locked(CONDA_VERSIONS["python"])[name]
    assert CONDA_VERSIONS[name] == ".".join(version.split(".")[:2])


def test_lock_is_hashed_and_names_no_index():
    pins = re.findall(r"^[a-z0-9][^\n]*==", LOCK, re.MULTILINE)
    blocks = re.split(r"^(?=[a-z0-9])", LOCK, flags=re.MULTILINE)
    assert len(pins) > 50
    assert all("--hash=sha256:" in block for block in blocks if "==" in block)
    assert "://" not in LOCK
    assert "--index" not in LOCK
    assert "--find-links" not in LOCK
