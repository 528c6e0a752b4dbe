"""The workflow on a real SLURM: equal scores, jobs that are killed, a head process that is."""

import pytest

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(3600)]

STUDY = """
name: tiny
title: A tiny study
datasets: {iris: {}, iris-two: {}}
splits: {kind: random-fraction, test: 0.2, repeats: 2}
kernels: {K1: linear}
methods:
  svm: {settings: {C: 1, kernel: K1}, datasets: [iris]}
  majority: {datasets: [iris-two]}
  much-memory: {datasets: [iris-two]}
metrics: [test-accuracy-percent]
"""
# Together with the engine's processes this is above what is asked for a small job at first, and
# below the double of it.
HELD_MB = 700
MUCH_MEMORY = f'''
"""A method that holds much memory for some seconds."""

import time

import numpy as np

from gramworks.fields import StrictModel
from gramworks.problem import Outcome

NAME = "much-memory"
SUMMARY = "The first class for all points"
REFERENCE = "-"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")


class Params(StrictModel):
    """None."""


def fit(problem, params):
    held = np.ones({HELD_MB} << 17)
    time.sleep(4)
    return Outcome(predictions=np.zeros(len(problem.test_rows), dtype=int) + int(held[0] - 1))
'''


# What is compared; the report is the smoke test's.
SCORES = ("--until", "merge")


def tiny(project):
    (project.folder / "config/studies/tiny.yaml").write_text(STUDY)
    (project.folder / "config.yaml").write_text("studies: [tiny]\n")
    (project.folder / "src/gramworks/methods/much_memory.py").write_text(MUCH_MEMORY)
    return project


def fits_on(cluster, dataset, states):
    """List the cluster's jobs that fit on a data set: number, state, memory in MB."""
    found = []
    for line in cluster.jobs("%i %T %m %k"):
        number, state, memory, comment = line.split(None, 3)
        if comment.startswith(f"rule_fit_wildcards_tiny_{dataset}_") and state in states:
            found.append((number, state, int(memory.removesuffix("M"))))
    return sorted(found, key=lambda job: int(job[0]))


def test_smoke_has_the_scores_of_a_local_run(cluster, new_project):
    local = new_project("local")
    remote = new_project("remote", cluster, SBATCH_PARTITION="chosen")
    smoke = ("--configfile", "config/smoke.yaml")
    local.run(*smoke)
    # Draws of the smoke test take a second, so that they share jobs, too.
    shared = ("--groups", "fit=draws", "--group-components", "tables=4", "draws=12")
    output = remote.run(*smoke, *shared)
    wanted = local.merged_scores()
    assert wanted
    assert remote.merged_scores() == wanted
    assert (remote.folder / "results/report/index.html").is_file()
    # All jobs went to the cluster, but those that are said to stay.
    jobs = cluster.jobs("%T %P %k")
    assert {tuple(line.split()[:2]) for line in jobs} == {("COMPLETED", "chosen")}
    assert any("rule_tables" in line for line in jobs)
    assert any("rule_draws" in line for line in jobs)
    assert not any(rule in line for line in jobs for rule in ("fetch", "merge", "report"))
    assert "No wall time information" not in output
    assert "No job memory information" not in output


def test_killed_jobs_are_run_again_with_more_memory_where_it_was_short(cluster, new_project):
    local, remote = tiny(new_project("local")), tiny(new_project("remote", cluster))
    local.run(*SCORES)
    run = remote.start(*SCORES)
    [(number, *_)] = remote.wait_for(run, lambda: fits_on(cluster, "iris", {"RUNNING"})[:1])
    cluster.ask("scancel", number)
    remote.finish(run)
    assert remote.merged_scores() == local.merged_scores()
    assert ",failed," not in "".join(text.decode() for text in remote.merged_scores().values())
    ended = {"CANCELLED", "COMPLETED", "FAILED", "OUT_OF_MEMORY"}
    states = [(state, job) for job, state, _ in fits_on(cluster, "iris", ended)]
    assert ("CANCELLED", number) in states
    assert states[-1][0] == "COMPLETED"
    memory = {state: size for _, state, size in fits_on(cluster, "iris-two", ended)}
    [short] = memory.keys() - {"COMPLETED"}
    assert short in ("FAILED", "OUT_OF_MEMORY")
    assert memory["COMPLETED"] == 2 * memory[short]


def test_kill_of_the_head_process_then_the_documented_resume(cluster, new_project):
    local, remote = tiny(new_project("local")), tiny(new_project("remote", cluster))
    local.run(*SCORES)
    run = remote.start(*SCORES)
    remote.wait_for(run, lambda: fits_on(cluster, "iris", {"RUNNING"}))
    remote.kill(run)
    assert remote.merged_scores() != local.merged_scores()
    # As in docs/slurm.md: cancel what still runs, unlock, the same command.
    cluster.ask("scancel", "--me")
    cluster.wait_until_idle()
    remote.run("--unlock")
    remote.run(*SCORES)
    assert remote.merged_scores() == local.merged_scores()
