"""``gramworks plan``: jobs, disk, memory and wall time of a run, before it begins."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
from collections import Counter
from pathlib import Path

from gramworks.config import read_config
from gramworks.errors import ConfigError
from gramworks.planning.costs import ENGINE_START, costs_of, measured
from gramworks.planning.jobs import Job, jobs_of
from gramworks.planning.schedule import Cost, critical_path, schedule
from gramworks.rates import OWN, write_rates
from gramworks.whole_files import write_bytes

CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
"""Cores of the speed-up curve."""
CLUSTER_MINUTES = 5.0
"""The minutes a job for which profiles/slurm has draws cut."""


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command to those of `gramworks`."""
    parser = commands.add_parser("plan", help="predict jobs, disk, memory and time of a run")
    parser.add_argument(
        "--config", type=Path, default=Path("config.yaml"), help="of the run, default config.yaml"
    )
    parser.add_argument("--cores", type=_positive, default=1, help="of each node")
    parser.add_argument(
        "--nodes", type=_positive, default=1, help="more than 1: submitted as by profiles/slurm"
    )
    parser.add_argument("--plot", type=_picture, help="write the speed-up curve as SVG or PNG")
    parser.add_argument(
        "--save-rates",
        action="store_true",
        help=f"write what this run's draws took to {OWN}, by which later runs cut their jobs",
    )


def run_plan(options: argparse.Namespace) -> int:
    """Print the prediction; return the exit status."""
    from gramworks.plan import Plan

    config = read_config(options.config)
    if options.nodes > 1:
        config = config.model_copy(update={"minutes_a_job": CLUSTER_MINUTES})
    plan = Plan(config)
    if options.save_rates:
        return _save(plan)
    jobs = jobs_of(plan)
    costs = costs_of(plan, jobs, cluster=options.nodes > 1)
    print("\n".join(_report(jobs, costs, options)))
    if options.plot:
        from gramworks.planning.plot import plot_speed

        picture = io.BytesIO()
        found = [schedule(jobs, costs, cores) for cores in CURVE]
        plot_speed(found, picture, options.plot.suffix[1:].lower())
        _write(options.plot, picture.getvalue())
        print(f"speed-up curve: {options.plot}")
    return 0


def _report(jobs: list[Job], costs: dict[str, Cost], options: argparse.Namespace) -> list[str]:
    cores = options.cores * options.nodes
    wanted = schedule(jobs, costs, cores)
    counts = Counter(job.rule for job in jobs)
    known = sum(cost.measured for cost in costs.values())
    timed = len(jobs) - counts["merge"] - counts["predict"] - counts["report"]
    path = critical_path(jobs, costs)
    longest = sum(costs[job.output].seconds for job in path)
    what = ", ".join(f"{n} {rule}" for rule, n in counts.items())
    if options.nodes > 1:
        what += f"; draws cut for {CLUSTER_MINUTES:g} minutes a job, as by profiles/slurm"
    lines = [
        f"{options.config}: {len(jobs)} jobs from nothing ({what})",
        f"measured by an earlier run: {known} of {timed} jobs; the others are estimated",
        f"work: {_time(sum(c.seconds * c.threads for c in costs.values()))} of one core",
        disk_line(sum(c.disk_mb for c in costs.values()), Path("results")),
        f"memory: largest job {_size(max(c.memory_mb for c in costs.values()))}, "
        f"together {_size(wanted.memory_mb)} on {cores} cores (measured, or what jobs ask for)",
        f"wall time on {cores} cores: {_time(ENGINE_START + wanted.seconds)}",
        f"longest chain of jobs, which no number of cores shortens: {_time(longest)}",
    ]
    lines += [f"  {_time(costs[job.output].seconds):>10}  {_name(job)}" for job in path]
    lines.append("cores    wall time  speed-up  busy")
    one = ENGINE_START + schedule(jobs, costs, 1).seconds
    for number in sorted({*CURVE, cores}):
        found = schedule(jobs, costs, number)
        wall = ENGINE_START + found.seconds
        share = found.busy / (found.seconds * number)
        lines.append(f"{number:5}  {_time(wall):>11}  {one / wall:8.1f}  {100 * share:3.0f} %")
    return lines


def _save(plan) -> int:
    from gramworks.report.scores import read_timings

    found: dict[tuple[str, str, str], float] = {}
    learned: dict[tuple[str, str, str], float] = {}
    for study, dataset, method in plan.pairs:
        seconds, _ = measured(Path(f"results/benchmarks/learn/{study}/{dataset}/{method}.tsv"))
        if seconds is not None:
            learned[study, dataset, method] = seconds
        path = Path(f"results/timings/{study}/{dataset}/{method}.csv")
        if path.is_file():
            times = read_timings([path])
            # means over labels stand beside the labels themselves
            means = times["setting"].str.contains("label=").any() & ~times["setting"].str.contains(
                "label="
            )
            sums = times[~means].groupby("repeat")["value"].sum()
            if len(sums):
                found[study, dataset, method] = float(sums.mean())
    if not found:
        print("no times of this run's draws in results/timings; run it first")
        return 1
    try:
        write_rates(OWN, fit=found, learn=learned)
    except OSError as error:
        raise ConfigError(f"{OWN}: cannot be written ({error.strerror}).") from None
    print(f"{OWN}: {len(found)} rates; the next run cuts its jobs by them")
    return 0


def disk_line(wanted: float, folder: Path) -> str:
    """Say what the files of a run take (MB), and whether there is too little room for them.

    What an earlier run has left in the folder counts as room.
    """
    there = _bytes_in(folder) / 2**20
    room = shutil.disk_usage(folder if folder.exists() else ".").free / 2**20 + there
    short = (
        "" if wanted < room else f"; TOO LITTLE ROOM: {_size(room)} are free or hold results by now"
    )
    return f"disk: {_size(wanted)} in results/{short}"


def _bytes_in(folder: Path) -> int:
    """Add up the sizes of files, which come and go where a run is going on."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.stat(os.path.join(root, name)).st_size
    return total


def _write(path: Path, content: bytes) -> None:
    try:
        write_bytes(path, content)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}).") from None


def _name(job: Job) -> str:
    return " ".join([job.rule, *job.wildcards.values()])


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _size(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1024 else f"{megabytes / 1024:.1f} GB"


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from 1 to 999999")
    return int(text)


def _picture(text: str) -> Path:
    if Path(text).suffix.lower() not in (".svg", ".png"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .svg or .png")
    return Path(text)
