"""What jobs are predicted to take: by the size that a recipe leaves, and on a cluster."""

import re
from pathlib import Path

import pytest

from gramworks.config import load_config
from gramworks.errors import ConfigError
from gramworks.methods.registry import load_method
from gramworks.plan import Plan
from gramworks.planning import costs
from gramworks.planning.command import CLUSTER_MINUTES
from gramworks.planning.jobs import jobs_of

ROOT = Path(__file__).parents[2]
STUDY = """
name: tiny
title: A tiny study
datasets: {pima: {}, ida-banana: {recipe: first-100-rows}}
splits: {kind: labelled, sizes: [10], repeats: 3}
kernels: {K1: linear}
methods: {svm: {}, cluster-kernel: {settings: {rank: 2}}, nystroem-ridge: {settings: {rank: 50}}}
metrics: [test-accuracy-percent]
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    (folder / "config" / "studies").mkdir(parents=True)
    (folder / "config" / "studies" / "tiny.yaml").write_text(STUDY)
    return Plan(load_config({"studies": ["tiny"], "sources": "any"}), folder)


def test_a_recipe_that_keeps_fewer_rows_takes_less(plan):
    jobs = jobs_of(plan)
    found = costs.costs_of(plan, jobs)
    megabytes = {
        job.wildcards["dataset"]: found[job.output].disk_mb for job in jobs if job.rule == "gram"
    }
    assert megabytes["ida-banana"] == pytest.approx(8 * 100**2 / 2**20)
    assert megabytes["pima"] == pytest.approx(8 * 768**2 / 2**20)
    learned = {
        job.wildcards["method"]: found[job.output].disk_mb
        for job in jobs
        if job.rule == "learn" and job.wildcards["dataset"] == "pima"
    }
    assert learned["cluster-kernel"] == pytest.approx(8 * 768**2 / 2**20)
    assert learned["nystroem-ridge"] == pytest.approx(8 * 50 * (768 + 50) / 2**20)
    seconds = {
        (job.rule, job.wildcards["dataset"]): found[job.output].seconds
        for job in jobs
        if job.rule in ("gram", "learn")
    }
    for rule in ("gram", "learn"):
        assert seconds[rule, "ida-banana"] < seconds[rule, "pima"]


def test_jobs_of_unknown_memory_count_with_what_they_ask_for(plan):
    found = costs.costs_of(plan, jobs_of(plan))
    for job in jobs_of(plan):
        assert (found[job.output].memory_mb > 400) == (job.rule not in costs.HEAD_NODE)


def test_small_jobs_share_a_job_of_the_cluster(plan):
    jobs = jobs_of(plan)
    here, there = (costs.costs_of(plan, jobs, cluster=cluster) for cluster in (False, True))
    more = {"head": 0.0, "small": 0.0, "long": 0.0}
    for job in jobs:
        kind = "head" if job.rule in costs.HEAD_NODE else "small"
        kind = "long" if job.rule in ("learn", "fit") else kind
        more[kind] += there[job.output].seconds - here[job.output].seconds + costs.ENGINE_JOB
    number = sum(job.rule in ("learn", "fit") for job in jobs)
    assert more["small"] == pytest.approx(costs.CLUSTER_JOB)  # two data sets, one group
    assert more["long"] == pytest.approx(number * costs.CLUSTER_JOB)
    assert more["head"] == pytest.approx(
        costs.ENGINE_JOB * sum(job.rule in costs.HEAD_NODE for job in jobs)
    )


def test_the_cluster_is_that_of_the_profile():
    profile = (ROOT / "profiles/slurm/config.yaml").read_text("utf-8")
    assert float(re.search(r"minutes_a_job=([\d.]+)", profile)[1]) == CLUSTER_MINUTES
    assert int(re.search(r"tables: (\d+)", profile)[1]) == costs._MEMBERS
    rules = (ROOT / "workflow/rules/common.smk").read_text("utf-8")
    local = re.search(r"localrules:\n((?:    \w+,\n)+)", rules)[1]
    assert set(re.findall(r"\w+", local)) - {"all"} == set(costs.HEAD_NODE)


@pytest.mark.parametrize(
    "wrong",
    [{"fit": "two"}, {"fit": float("nan")}, {"fit": 1000}, {"fit": -3}, {"fit": None},
     {"fit": True}, {"fitt": 1}, 2, "fit", [2.0]],
)  # fmt: skip
def test_a_growth_that_is_none_is_refused(monkeypatch, wrong):
    method = load_method("svm")
    monkeypatch.setattr(method.module, "GROWTH", wrong)
    with pytest.raises(ConfigError, match=r"methods/svm\.py: GROWTH is .*; state a power from 0"):
        method.growth("fit")
    monkeypatch.setattr(method.module, "GROWTH", {"fit": 1})
    assert (method.growth("fit"), method.growth("learn")) == (1, 3)
