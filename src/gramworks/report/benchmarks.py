"""Run time and memory of each stage, from Snakemake's benchmark files."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from gramworks.errors import FileDamaged


@dataclass(frozen=True)
class StageCost:
    """What the jobs of one stage took."""

    stage: str
    jobs: int
    seconds: float
    """Wall time, summed over jobs."""
    longest: float
    """Wall time of the longest job, in seconds."""
    cpu_seconds: float
    memory_mb: float
    """Largest resident memory of a job, in MiB; NaN when no job lived long enough to be seen."""


def stage_costs(folder: Path) -> list[StageCost]:
    """Sum benchmark files by stage, the first level of `folder`.

    Parameters
    ----------
    folder : Path
        Holds ``{stage}/**/*.tsv`` or ``{stage}.tsv``; a folder that is not there gives [].

    Raises
    ------
    FileDamaged
        A file is no benchmark table; names it.
    """
    stages: dict[str, list[dict[str, float]]] = {}
    for path in sorted(folder.rglob("*.tsv")):
        first = path.relative_to(folder).parts[0]
        stages.setdefault(first.removesuffix(".tsv"), []).extend(_read(path))
    return [_cost(stage, jobs) for stage, jobs in sorted(stages.items()) if jobs]


def _read(path: Path) -> list[dict[str, float]]:
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        return [
            {key: _amount(row.get(key) or "") for key in ("s", "cpu_time", "max_rss")}
            | {"s": float(row["s"])}
            for row in rows
        ]
    except (OSError, KeyError, TypeError, ValueError, csv.Error) as error:
        raise FileDamaged(
            f"{path}: is no benchmark file of Snakemake ({error!r}); delete it, the rerun of its "
            "job writes it again."
        ) from None


def _amount(text: str) -> float:
    """Read a number; Snakemake writes "-" or "NA" for what a short job did not show."""
    return math.nan if text in ("", "-", "NA") else float(text)


def _cost(stage: str, jobs: list[dict[str, float]]) -> StageCost:
    memory = [job["max_rss"] for job in jobs if not math.isnan(job["max_rss"])]
    return StageCost(
        stage=stage,
        jobs=len(jobs),
        seconds=math.fsum(job["s"] for job in jobs),
        longest=max(job["s"] for job in jobs),
        cpu_seconds=math.fsum(j["cpu_time"] for j in jobs if not math.isnan(j["cpu_time"])),
        memory_mb=max(memory, default=math.nan),
    )
