"""config/own-data.yaml: a template that works as its comments say."""

import re
import shutil
from pathlib import Path

import pytest

from gramworks.config import read_config
from gramworks.plan import Plan

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "config" / "own-data.yaml"


@pytest.fixture
def project(folder, command, table):
    """A folder with the template and a study of the user's that it names."""
    Path("my.csv").write_text(table())
    assert command("new", "my.csv", "--target", "label")[0] == 0
    Path("config/studies").mkdir(parents=True)
    shutil.copy(TEMPLATE, "config")
    shutil.copy(ROOT / "config/studies/smoke.yaml", "config/studies")
    return folder


def test_it_runs_the_study_that_was_made(project, command):
    status, out, err = command("check", "config/own-data.yaml")
    assert (status, err) == (0, "")
    assert out.startswith("my: 1 data sets")


def test_its_options_are_options(project):
    path = project / "config" / "own-data.yaml"
    text = path.read_text()
    whole = re.sub(r"(?m)^# (?=[a-z_]+: )", "", text)
    assert whole != text
    path.write_text(whole.replace("  - my ", "  - my\n  - smoke "))
    config = read_config(path)
    assert config.repeats == 3
    assert config.gram_memory_mb == 2048
    plan = Plan(config, project)
    assert set(plan.studies) == {"my", "smoke"}
    assert {method for study, _, method in plan.pairs if study == "my"} == set(config.methods)


def test_before_there_is_a_study_it_says_so(folder, command):
    Path("config/studies").mkdir(parents=True)
    shutil.copy(TEMPLATE, "config")
    status, _, err = command("check", "config/own-data.yaml")
    assert status == 1
    assert "no study 'my' in config/studies or own/studies" in err
