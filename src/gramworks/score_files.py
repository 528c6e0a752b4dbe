"""Score files: tidy CSV rows in one fixed order, written whole. Light to import."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from gramworks.whole_files import write_text

COLUMNS = (
    "study", "dataset", "method", "setting", "repeat", "metric", "value", "status", "reason",
)  # fmt: skip
"""Columns of score and timing files; status is ok, failed, skipped or not-converged."""
WORST_FIRST = ("failed", "not-converged", "skipped", "ok")
"""Statuses, the worst first."""


def cell(metric: str, value: float | None, status: str, reason: str) -> dict:
    """Make the part of a row that is not its key; a value has 10 significant digits."""
    text = "" if value is None else f"{value:.10g}"
    return {"metric": metric, "value": text, "status": status, "reason": reason}


def text_rows(rows: Iterable[dict]) -> list[list[str]]:
    """Make lists of text of rows with the keys `COLUMNS`."""
    return [[str(row[column]) for column in COLUMNS] for row in rows]


def write_table(path: str | Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    write_text(path, text.getvalue())
