"""What `gramworks plan` predicts, against what the engine does."""

import re

import pytest

pytestmark = pytest.mark.workflow


def counted(text):
    """Read jobs by rule off the engine's table or off the plan's first line."""
    table = re.search(r"Job stats:\njob +count\n[- ]+\n((?:\w+ +\d+\n)+)", text)
    if table:
        pairs = [line.split() for line in table[1].splitlines()]
        return {rule: int(n) for rule, n in pairs if rule not in ("all", "total")}
    inside = re.search(r"from nothing \((.*)\)", text)[1]
    return {rule: int(n) for n, rule in (pair.split() for pair in inside.split(", "))}


def test_the_planned_jobs_are_those_of_the_engine(project):
    project.edit("config/studies/tiny.yaml", "chunk: 2", "predictions: 2")
    project.edit(
        "config/studies/tiny.yaml", "  majority: {}",
        "  cluster-kernel: {settings: {rank: 2}}\n  majority: {}",
    )  # fmt: skip
    project.edit("config/studies/tiny.yaml", "{iris-two: {}}", "{iris-two: {}, two-moons: {}}")
    made = project.gramworks("plan", "--cores", "2")
    assert made.returncode == 0, made.stderr
    assert counted(made.stdout) == counted(project.run("--dry-run"))
    assert "measured by an earlier run: 0 of" in made.stdout


def test_a_finished_run_is_planned_by_what_it_took(done, tmp_path):
    made = done.gramworks("plan", "--cores", "2", "--nodes", "3", "--plot", str(tmp_path / "s.svg"))
    assert made.returncode == 0, made.stderr
    known, timed = map(int, re.search(r"earlier run: (\d+) of (\d+) jobs", made.stdout).groups())
    assert known == timed
    assert "wall time on 6 cores" in made.stdout
    assert (tmp_path / "s.svg").read_text().startswith("<?xml")
    made = done.gramworks("plan", "--save-rates")
    assert made.returncode == 0, made.stderr
    rates = (done.folder / "results/rates.csv").read_text()
    assert "fit,tiny,iris-two,svm," in rates
    # rates change how draws are cut, which leaves scores as they were
    before = done.scores("svm")
    done.run()
    assert done.scores("svm") == before
