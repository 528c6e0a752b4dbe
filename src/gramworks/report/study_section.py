"""What the page shows of one study: tables with links, figures, verdicts, problems."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from gramworks.report.answer_figures import READINGS
from gramworks.report.cells import Table, tables
from gramworks.report.escaping import file_name
from gramworks.report.kernel_names import kernel_names
from gramworks.report.page_text import flat, ranges
from gramworks.report.raw_files import RawFiles
from gramworks.report.results import FIGURES, StudyResults
from gramworks.report.scores import STATUSES
from gramworks.report.study_figures import figure_reading, figure_stem, own_figures
from gramworks.report.tables import notes
from gramworks.report.verdict_grid import verdict_grid
from gramworks.report.verdicts import REASONS, VERDICTS

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study


def study_section(found: StudyResults, raw: RawFiles) -> dict:
    """Gather what the template shows of one study.

    Parameters
    ----------
    found : StudyResults
    raw : RawFiles

    Returns
    -------
    dict
        As ``study.html.j2`` takes it.
    """
    cells = found.comparison
    shown = [
        _table(found.study, i, table, raw)
        for i, table in enumerate(tables(cells, found.study.metrics))
    ]
    anchors = {
        (entry["table"].dataset, row["method"], row["setting"]): row["id"]
        for entry in shown
        for row in entry["rows"]
    }
    judged = cells[cells["published"].notna()]["verdict"].value_counts()
    counts = {name: int(judged.get(name, 0)) for name in VERDICTS if name != "measured-only"}
    counts["measured-only"] = int((cells["verdict"] == "measured-only").sum())
    return {
        "name": found.study.name,
        "title": found.study.title,
        "summary": found.study.summary,
        "paper": found.study.paper or "",
        "grid": verdict_grid(found, anchors),
        "findings": found.study.findings,
        "ran": _ran(found.study, cells),
        "protocol": list(_protocol(found.study)),
        "status": {status: found.status.get(status, 0) for status in STATUSES},
        "counts": counts,
        "figures": [_figure(found, metric) for metric in found.figures],
        "tables": shown,
        "not_run": _grouped(cells),
        "absent": found.absent.to_dict("records"),
        "problems": _problems(found.problems),
        "edges": found.edges.to_dict("records"),
    }


def _figure(found: StudyResults, metric: str) -> dict:
    text = base64.b64encode(found.figures[metric]).decode("ascii")
    cells = found.comparison
    printed = set(cells.loc[cells["published"].notna() & (cells["n"] > 0), "metric"])
    kind, reading = figure_reading(found.study, metric, printed)
    return {
        "metric": metric,
        "file": f"{FIGURES}/{figure_stem(metric)}",
        "source": f"data:image/svg+xml;base64,{text}",
        "kind": kind,
        "reading": " ".join(filter(None, (reading, found.remarks.get(metric, "")))),
        "own": metric in own_figures(found.study),
        "answers": metric in READINGS,
        "first": metric in own_figures(found.study) or metric in READINGS,
    }


def _table(stated: Study, place: int, table: Table, raw: RawFiles) -> dict:
    study = stated.name
    rows = [
        {
            "method": method, "setting": setting, "cells": cells,
            "id": f"row-{file_name(study)}-{place}-{at}",
            "link": raw.rows(study, table.dataset, method),
        }
        for at, (method, setting, cells) in enumerate(table.rows)
    ]  # fmt: skip
    file = f"table-{file_name(table.name)}"
    shown = [*table.metrics, *(text for row in table.rows for text in row[:2])]
    told = [*kernel_names(stated, [table.dataset], shown), *notes(table)]
    return {"table": table, "rows": rows, "notes": told, "file": file}


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
