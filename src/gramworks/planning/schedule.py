"""When jobs end on some cores, and how long the longest chain of jobs is."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gramworks.planning.jobs import Job


@dataclass(frozen=True)
class Cost:
    """What a job takes."""

    seconds: float
    threads: int = 1
    measured: bool = False
    """Whether an earlier run measured it."""
    memory_mb: float = 0.0
    disk_mb: float = 0.0


@dataclass(frozen=True)
class Schedule:
    """How a run goes on some cores."""

    cores: int
    seconds: float
    """From the first job's start to the last one's end."""
    busy: float
    """Core seconds worked."""
    memory_mb: float
    """Most memory that jobs hold together at any time."""


def schedule(jobs: Sequence[Job], costs: Mapping[str, Cost], cores: int) -> Schedule:
    """Run jobs as soon as their inputs are there and cores are free, longest chains first.

    Parameters
    ----------
    jobs : sequence of Job
        Each behind those it waits for.
    costs : mapping of str to Cost
        By output. A job of more threads than there are cores takes all of them, and longer.
    cores : int

    Notes
    -----
    No order of jobs ends sooner than the longest chain, nor than all work shared by all cores;
    this one is within a factor 2 of both (Graham 1969).
    """
    rank = tails(jobs, costs)
    waiting = {job.output: len(set(job.inputs)) for job in jobs}
    behind: dict[str, list[Job]] = {}
    for job in jobs:
        for name in set(job.inputs):
            behind.setdefault(name, []).append(job)
    ready = [(-rank[job.output], i, job) for i, job in enumerate(jobs) if not job.inputs]
    heapq.heapify(ready)
    running: list[tuple[float, int, Job, int]] = []
    free, now, busy, held, most, count = cores, 0.0, 0.0, 0.0, 0.0, len(jobs)
    while ready or running:
        passed = []
        while ready and free:
            item = heapq.heappop(ready)
            cost = costs[item[2].output]
            threads = min(cost.threads, cores)
            if threads > free:
                passed.append(item)
                continue
            seconds = cost.seconds * cost.threads / threads
            count += 1
            heapq.heappush(running, (now + seconds, count, item[2], threads))
            free -= threads
            busy += seconds * threads
            held += cost.memory_mb
            most = max(most, held)
        for item in passed:
            heapq.heappush(ready, item)
        now, _, job, threads = heapq.heappop(running)
        free += threads
        held -= costs[job.output].memory_mb
        for later in behind.get(job.output, ()):
            waiting[later.output] -= 1
            if not waiting[later.output]:
                count += 1
                heapq.heappush(ready, (-rank[later.output], count, later))
    return Schedule(cores, now, busy, most)


def tails(jobs: Sequence[Job], costs: Mapping[str, Cost]) -> dict[str, float]:
    """Give each job the seconds of the longest chain that begins with it."""
    rank = {job.output: costs[job.output].seconds for job in jobs}
    for job in reversed(jobs):
        for name in job.inputs:
            rank[name] = max(rank[name], costs[name].seconds + rank[job.output])
    return rank


def critical_path(jobs: Sequence[Job], costs: Mapping[str, Cost]) -> list[Job]:
    """List the jobs of the longest chain, first job first."""
    rank = tails(jobs, costs)
    behind: dict[str, list[Job]] = {}
    for job in jobs:
        for name in job.inputs:
            behind.setdefault(name, []).append(job)
    following = [job for job in jobs if not job.inputs]
    found = []
    while following:
        job = max(following, key=lambda job: rank[job.output])
        found.append(job)
        following = behind.get(job.output, [])
    return found
