"""The report's page: one self-contained HTML file."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import jinja2
import markupsafe
import pandas as pd

from gramworks import __version__
from gramworks.report.benchmarks import StageCost
from gramworks.report.cells import ASSUMED, INCOMPLETE, MARKS, Table, tables
from gramworks.report.escaping import file_name, printable
from gramworks.report.papers import PAPERS
from gramworks.report.results import FIGURES, StudyResults
from gramworks.report.scores import STATUSES
from gramworks.report.study_figures import figure_reading, figure_stem, own_figures
from gramworks.report.tables import READING, notes
from gramworks.report.verdicts import REASONS, VERDICTS

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study


def render(
    results: list[StudyResults],
    costs: list[StageCost],
    provenance: dict,
    datasets: list[dict],
) -> str:
    """Render the page.

    Parameters
    ----------
    results : list of StudyResults
    costs : list of StageCost
    provenance : dict
    datasets : list of dict
        See `gramworks.report.build.build_page` for both.

    Returns
    -------
    str
        HTML without any reference that a browser would fetch. All text is escaped by the
        templates; equal input gives equal text.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gramworks.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters["duration"] = duration
    environment.filters["breakable"] = breakable
    totals = {status: sum(r.status.get(status, 0) for r in results) for status in STATUSES}
    return environment.get_template("index.html.j2").render(
        version=__version__,
        studies=[_study(found) for found in results],
        totals=totals,
        total=sum(totals.values()),
        statuses=STATUSES,
        verdicts=VERDICTS,
        marks=MARKS,
        reasons=REASONS,
        incomplete=INCOMPLETE,
        assumed=ASSUMED,
        reading=READING,
        costs=costs,
        cost_total=math.fsum(cost.seconds for cost in costs),
        memory_most=max((c.memory_mb for c in costs if c.memory_mb == c.memory_mb), default=None),
        datasets=datasets,
        provenance=list(flat(provenance)),
    )


def breakable(setting: str) -> markupsafe.Markup:
    """Escape a setting and let a line end after each part of it."""
    parts = [markupsafe.escape(printable(part)) for part in setting.split(";")]
    return markupsafe.Markup(";<wbr>").join(parts)


def duration(seconds: float) -> str:
    """Print seconds for people: 0.4 s, 75 s, 12 min, 3.4 h."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def flat(values: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Walk nested JSON values: yields a dotted key and a text each."""
    if isinstance(values, dict) and values:
        for name, value in values.items():
            yield from flat(value, f"{key}.{name}" if key else str(name))
    elif isinstance(values, list | tuple) and any(isinstance(v, dict | list) for v in values):
        for place, value in enumerate(values, 1):
            yield from flat(value, f"{key}.{place}" if key else str(place))
    elif isinstance(values, list | tuple):
        yield key, ", ".join(str(value) for value in values)
    elif values not in ({}, None, ""):
        yield key, str(values)


def _study(found: StudyResults) -> dict:
    cells = found.comparison
    judged = cells[cells["published"].notna()]["verdict"].value_counts()
    counts = {name: int(judged.get(name, 0)) for name in VERDICTS if name != "measured-only"}
    counts["measured-only"] = int((cells["verdict"] == "measured-only").sum())
    return {
        "name": found.study.name,
        "title": found.study.title,
        "summary": found.study.summary,
        "cited": PAPERS.get(found.study.paper or "", found.study.paper),
        "findings": found.study.findings,
        "ran": _ran(found.study, cells),
        "protocol": list(_protocol(found.study)),
        "status": {status: found.status.get(status, 0) for status in STATUSES},
        "counts": counts,
        "figures": [_figure(found, metric) for metric in found.figures],
        "tables": [_table(table) for table in tables(cells, found.study.metrics)],
        "not_run": _grouped(cells),
        "absent": found.absent.to_dict("records"),
        "problems": _problems(found.problems),
        "edges": found.edges.to_dict("records"),
    }


def _figure(found: StudyResults, metric: str) -> dict:
    text = base64.b64encode(found.figures[metric]).decode("ascii")
    kind, reading = figure_reading(found.study, metric)
    return {
        "metric": metric,
        "file": f"{FIGURES}/{figure_stem(metric)}",
        "source": f"data:image/svg+xml;base64,{text}",
        "kind": kind,
        "reading": reading,
        "own": metric in own_figures(found.study),
    }


def _table(table: Table) -> dict:
    return {"table": table, "notes": notes(table), "file": f"table-{file_name(table.name)}"}


def _protocol(study: Study) -> Iterator[tuple[str, str]]:
    """List what the study file states, but for what the page says elsewhere."""
    said = {"name", "title", "paper", "summary", "findings", "metrics", "chunk"}
    for key, value in study.model_dump(mode="json", exclude=said).items():
        yield from flat(value, key)


def _ran(study: Study, cells: pd.DataFrame) -> str:
    """Say how many draws the rows of each data set have in this run, and how many are stated."""
    tried = cells["n"] + cells["n_failed"] + cells["n_skipped"]
    told: dict[str, list[str]] = {}
    for dataset, count in tried.groupby(cells["dataset"], sort=False).max().items():
        if not count or dataset not in study.datasets:
            continue
        spec = study.splits_of(dataset)
        stated = (spec.repeats or 0) * getattr(spec, "folds", 1)
        more = f" (the study file states {stated})" if stated > count else ""
        told.setdefault(f"{count}{more}", []).append(dataset)
    if len(told) == 1:
        return next(iter(told))
    return "; ".join(f"{', '.join(datasets)} {count}" for count, datasets in told.items())


def _grouped(cells: pd.DataFrame) -> list[dict]:
    """Group published cells without a verdict by data set and reason."""
    idle = cells[cells["published"].notna() & cells["verdict"].isin(["not-run", "not-comparable"])]
    groups = idle.groupby(["dataset", "verdict", "reason"], sort=False)
    return [
        {
            "dataset": dataset,
            "verdict": verdict,
            "reason": reason,
            "told": REASONS.get(reason, ""),
            "cells": len(part),
            "rows": _methods(part),
        }
        for (dataset, verdict, reason), part in groups
    ]


def _methods(cells: pd.DataFrame) -> list[tuple[str, str]]:
    """List methods, each with all its settings."""
    found: dict[str, dict[str, None]] = {}
    for method, setting in zip(cells["method"], cells["setting"], strict=True):
        found.setdefault(method, {})[setting] = None
    return [(method, " | ".join(s for s in settings if s)) for method, settings in found.items()]


def ranges(repeats: Iterable[str]) -> str:
    """Write repeats as ranges, "0-4, 7"; a row for all repeats, which has none, as "all"."""
    runs: list[list[int]] = []
    for repeat in sorted(int(text) for text in repeats if text):
        if runs and repeat <= runs[-1][1] + 1:
            runs[-1][1] = repeat
        else:
            runs.append([repeat, repeat])
    return ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in runs) or "all"


def _problems(problems: pd.DataFrame) -> list[dict]:
    """Join repeats of one row that ended alike, and then settings that did."""
    same = ["dataset", "method", "setting", "status", "reason"]
    order = {status: i for i, status in enumerate(("failed", "not-converged", "skipped"))}
    rows = [
        dict(zip(same, key, strict=True)) | {"repeats": ranges(part["repeat"]), "draws": len(part)}
        for key, part in problems.groupby(same, sort=False)
    ]
    alike: dict[tuple, list[dict]] = {}
    for row in rows:
        key = tuple(row[name] for name in ("dataset", "method", "status", "reason", "repeats"))
        alike.setdefault(key, []).append(row)
    joined = [
        found[0]
        | {
            "setting": " | ".join(row["setting"] for row in found),
            "draws": sum(row["draws"] for row in found),
        }
        for found in alike.values()
    ]
    return sorted(joined, key=lambda row: order[row["status"]])
