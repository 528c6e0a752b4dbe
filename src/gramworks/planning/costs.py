"""What each job of a run takes: measured by an earlier run, or estimated."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

from gramworks.methods.registry import load_method
from gramworks.parts import part_seconds, rates_of
from gramworks.plan_holdings import held_numbers
from gramworks.plan_resources import PlanResources
from gramworks.planning.jobs import Job
from gramworks.planning.schedule import Cost
from gramworks.rates import estimate

if TYPE_CHECKING:
    from gramworks.plan import Plan

ENGINE_START = 5.0
"""Seconds in which the workflow engine reads the project and orders jobs."""
ENGINE_JOB = 0.1
"""Seconds that the engine itself needs for a job on this machine."""
CLUSTER_JOB = 4.5
"""Seconds that a job on a cluster takes beside its work: the engine starts there twice."""
HEAD_NODE = ("fetch", "merge", "predict", "tabulate", "report")
"""Rules whose jobs are not submitted to a cluster."""
_MEMBERS = 4
"""Data sets whose small jobs are one job of the cluster, as in profiles/slurm."""
_FIXED = {"fetch": 1.5, "split": 0.7, "align": 0.8, "map": 1.0, "report": 4.0,
          "merge": 0.1, "predict": 0.1}  # fmt: skip
_SPARSE_COLUMNS = 500
"""Tables of more columns are taken to be sparse, like counts of words."""
_START = 1.0
"""A job that learns or fits starts Python with numerical libraries."""
_THREADS = {"gram_rows": 2, "gram_sums": 2}


def costs_of(plan: Plan, jobs: list[Job], *, cluster: bool = False) -> dict[str, Cost]:
    """Give the cost of each job, by output.

    Parameters
    ----------
    plan : Plan
    jobs : list of Job
    cluster : bool
        Whether jobs are submitted, and so start slower.
    """
    needs = PlanResources(plan)
    small = {job.output for job in jobs if cluster and _group(needs, job)}
    sets = {job.wildcards["dataset"] for job in jobs if job.output in small}
    shared = CLUSTER_JOB * math.ceil(len(sets) / _MEMBERS) / max(len(small), 1)

    def more(job: Job) -> float:
        if not cluster or job.rule in HEAD_NODE:
            return ENGINE_JOB
        return shared if job.output in small else CLUSTER_JOB

    return {job.output: _cost(plan, needs, job, more(job)) for job in jobs}


def _group(needs: PlanResources, job: Job) -> str | None:
    """Name the group that a job shares a job of the cluster with."""
    w = job.wildcards
    if job.rule in ("normalise", "gram"):
        return needs.group(w["dataset"], w["recipe"])
    if job.rule in ("split", "align", "map"):
        return needs.study_group(w["study"], w["dataset"])
    return None


def _cost(plan: Plan, needs: PlanResources, job: Job, more: float) -> Cost:
    seconds, memory = measured(plan.root / "results" / "benchmarks" / job.benchmark)
    memory = memory or _asked(needs, job)
    disk = _disk_mb(plan, needs, job)
    threads = _THREADS.get(job.rule, 1)
    if job.rule == "gram":
        threads = needs.gram_threads(job.wildcards["dataset"], job.wildcards["recipe"])
    if seconds is None:
        return Cost(_estimate(plan, needs, job) + more, threads, memory_mb=memory, disk_mb=disk)
    return Cost(seconds + more, threads, measured=True, memory_mb=memory, disk_mb=disk)


def measured(path: Path) -> tuple[float | None, float]:
    """Read seconds and memory (MB, 0 if unseen) of a benchmark file; None where there is none."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            row = next(csv.DictReader(file, delimiter="\t"))
        seconds, memory = float(row["s"]), row.get("max_rss") or "0"
        held = float(memory) if memory[0].isdigit() else 0.0
    except (OSError, StopIteration, KeyError, ValueError, TypeError, csv.Error):
        return None, 0.0
    if not 0 <= seconds < math.inf:
        return None, 0.0
    return seconds, held if held < math.inf else 0.0


def _asked(needs: PlanResources, job: Job) -> float:
    """Give the memory that a job asks a scheduler for, 0 for what asks for none."""
    if job.rule in HEAD_NODE or job.rule == "gram_sums":
        return 0.0
    ask = getattr(needs, "map_points" if job.rule == "map" else job.rule)
    return float(ask(**job.wildcards, attempt=1).mem_mb)


def _estimate(plan: Plan, needs: PlanResources, job: Job) -> float:
    if job.rule in _FIXED:
        return _FIXED[job.rule]
    if job.rule == "tabulate":
        return 5.5 + 0.3 * sum(study == job.wildcards["study"] for study, _, _ in plan.pairs)
    dataset = job.wildcards["dataset"]
    rows, columns = _size(needs, job)
    if job.rule == "normalise":
        rows = needs.size(dataset, "none").rows  # all were read
        return 0.7 + rows * columns / 2e6
    if job.rule.startswith("gram"):
        dense = min(columns, _SPARSE_COLUMNS)
        return 0.9 + rows * _rows_of(job, rows) * (dense + 100) / 2e9
    study = job.wildcards["study"]
    if job.rule == "learn":
        method = job.wildcards["method"]
        growth = load_method(method).growth("learn")
        known = rates_of(plan, "learn")
        found = estimate(known, study, dataset, method, rows, growth, _START)
        return _START + (rows / 500) ** growth if found is None else found
    return _START + part_seconds(plan, study, dataset, job.wildcards["part"])


def _disk_mb(plan: Plan, needs: PlanResources, job: Job) -> float:
    """Return the size of the job's file if it is there, or what its matrices take."""
    path = plan.root / job.output
    if path.is_file():
        return path.stat().st_size / 2**20
    if job.rule not in ("normalise", "gram", "gram_rows", "learn"):
        return 0.0
    rows, columns = _size(needs, job)
    if job.rule == "gram" and len(job.inputs) > 1:  # joined of blocks, which hold the numbers
        return 0.0
    if job.rule == "learn":
        held = held_numbers(plan, **job.wildcards, n=rows, stage="learn")
        return 8 * (rows**2 if held is None else held) / 2**20
    kept = 4 if job.rule.startswith("gram") and plan.config.gram_precision == "float32" else 8
    across = columns if job.rule == "normalise" else _rows_of(job, rows)
    return kept * rows * across / 2**20


def _rows_of(job: Job, rows: int) -> int:
    """Return how many rows of a matrix a job makes."""
    first, _, last = job.wildcards.get("rows", f"0-{rows - 1}").partition("-")
    return int(last) - int(first) + 1


def _size(needs: PlanResources, job: Job) -> tuple[int, int]:
    w = job.wildcards
    if "recipe" in w:
        size = needs.size(w["dataset"], w["recipe"])
    else:
        size = needs.study_size(w["study"], w["dataset"])
    return size.rows, size.columns or 100
