"""Score files: tidy CSV rows in one fixed order, written whole, merged by text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from gramworks.atomic_text import write_text
from gramworks.errors import FileDamaged
from gramworks.hdf5 import rebuild_command

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


def write_rows(path: str | Path, rows: Iterable[dict]) -> None:
    """Write rows with the keys `COLUMNS`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def read_rows(path: str | Path) -> list[dict[str, str]]:
    """Read rows back as text, so that no value changes on the way.

    Raises
    ------
    FileDamaged
        When columns are missing or a row is cut; names the file, the line and the command that
        rebuilds it.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise FileDamaged(
                f"{path}: expected the columns {', '.join(COLUMNS)}, found "
                f"{reader.fieldnames}; rebuild it: {rebuild_command(path)}"
            )
        if not text.endswith("\n"):
            raise FileDamaged(f"{path}: its last line is cut; rebuild it: {rebuild_command(path)}")
        rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileDamaged(
            f"{path}: cannot be read ({error}); rebuild it: {rebuild_command(path)}"
        ) from None
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise FileDamaged(
                f"{path}, line {line}: expected {len(COLUMNS)} fields; the file is damaged, "
                f"rebuild it: {rebuild_command(path)}"
            )
    return rows


def merge_rows(
    parts: Iterable[str | Path], path: str | Path, settings: Iterable[str] | None = None
) -> None:
    """Merge chunk files into one, ordered by setting, repeat and metric however they were cut.

    Parameters
    ----------
    parts : iterable of path
        Chunk files ``{first}-{last}.csv``, named by the repeats they hold.
    path : path
        The merged file.
    settings : iterable of str, optional
        The settings that every chunk must hold for each of its repeats.

    Raises
    ------
    FileDamaged
        When a chunk lacks a draw, or holds one of other repeats.
    """
    rows = []
    for part in map(Path, parts):
        found = read_rows(part)
        if settings is not None:
            _check_draws(part, found, set(settings))
        rows += found
    rows.sort(key=lambda row: (row["setting"], int(row["repeat"]), row["metric"]))
    write_rows(path, rows)


def _check_draws(path: Path, rows: list[dict[str, str]], settings: set[str]) -> None:
    first, last = map(int, path.stem.split("-"))
    wanted = {(setting, str(repeat)) for setting in settings for repeat in range(first, last + 1)}
    found = {(row["setting"], row["repeat"]) for row in rows}
    for what, draws in (("lacks", wanted - found), ("has the unknown", found - wanted)):
        if draws:
            setting, repeat = min(draws)
            raise FileDamaged(
                f"{path}: {what} draw {repeat} of setting {setting!r} (and {len(draws) - 1} more); "
                f"the file is damaged, rebuild it: {rebuild_command(path)}"
            )
