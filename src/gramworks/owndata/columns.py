"""What each column is: numbers, categories, strings, names of rows, or nothing of use."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings, counted, listed, quoted
from gramworks.owndata.numerals import loses_digits, number_text, read_numbers
from gramworks.owndata.raw_table import RawTable
from gramworks.owndata.thousands import mark_in, number_cells

Kind = Literal["numeric", "nominal", "text", "id", "constant", "empty", "left-out"]
MOST_VALUES = 50
"""Values of a column of categories; one of more is left out unless the user says otherwise."""
NAME_OF_ROWS = re.compile(
    r"(?:.*[\s_.-])?(?:id|ids|uuid|guid|key|index|nr|no|row|name)", re.IGNORECASE
)
"""What columns of names are called."""
_ID_CELL = re.compile(r"[A-Za-z]{0,8}[-_ ]?\d+|[0-9a-fA-F-]{32,36}")
_THOUSANDS = re.compile(
    r"[-+]?\d{1,3}(?:(?:\.\d{3})+,\d+|(?:,\d{3})+(?:\.\d+)?|(?:['\u00a0 ]\d{3})+)"
)
_CODE = re.compile(r"0\d+")


@dataclass(frozen=True)
class Wishes:
    """What the user said about single columns."""

    nominal: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    """Numbers, even if they count the rows or are called as names are."""


@dataclass
class Column:
    """One column with its kind."""

    name: str
    kind: Kind
    values: np.ndarray | list[str]
    """float64 with NaN where missing; or cells, blanks removed"""
    missing: np.ndarray
    """(n,) mask"""
    why: str = ""
    """For those left out."""
    table: RawTable | None = None
    """Where it stands."""

    @property
    def used(self) -> bool:
        """Whether it becomes features."""
        return self.kind in ("numeric", "nominal", "text")


def type_columns(
    table: RawTable, skip: set[str], wishes: Wishes, findings: Findings
) -> list[Column]:
    """Decide what the columns of a table are.

    Raises
    ------
    DataError
        A column of numbers with a few cells that are none: names the first.
    """
    found = []
    for name, cells in table.columns.items():
        if name in skip:
            continue
        if name in wishes.ignore:
            findings.say(f"column {quoted(name)} is ignored, as you said")
            continue
        if isinstance(cells, np.ndarray):
            found.append(_of_numbers(table, name, cells, wishes))
        else:
            found.append(_of_cells(table, name, cells, wishes, findings))
    for column in found:
        column.table = table
    return found


def _of_numbers(table: RawTable, name: str, values: np.ndarray, wishes: Wishes) -> Column:
    bad = np.flatnonzero(np.isinf(values))
    if len(bad):
        raise DataError(
            f"{table.at(int(bad[0]))}: column {quoted(name)} is infinite ({len(bad)} such rows); "
            "store NaN where a value is missing, or leave the column out with --ignore."
        )
    missing = np.isnan(values)
    if name in wishes.nominal:
        cells = ["" if gap else number_text(v) for v, gap in zip(values, missing, strict=True)]
        return _constant_or(Column(name, "nominal", cells, missing))
    column = Column(name, "numeric", values, missing)
    return _constant_or(column if name in wishes.numeric else _id_or(column))


def _of_cells(
    table: RawTable, name: str, cells: list[str], wishes: Wishes, findings: Findings
) -> Column:
    plain = [cell.strip() for cell in cells]
    missing = np.array([cell in table.gaps for cell in plain], dtype=bool)
    if missing.all():
        return Column(name, "empty", plain, missing, "no value at all")
    if name in wishes.text:
        return Column(name, "text", plain, missing)
    if name not in wishes.nominal:
        forced = name in wishes.numeric
        numeric = _numeric(table, name, plain, missing, findings, forced=forced)
        if numeric is not None:
            return numeric
        if forced:
            decimal, numbers, _ = number_cells(table, name, plain, Findings())
            values = read_numbers(numbers, decimal, table.gaps)
            row = int(np.flatnonzero(np.isinf(values))[0]) if np.isinf(values).any() else 0
            raise DataError(
                f"{table.at(row)}: column {quoted(name)} has {quoted(plain[row])}, which is no "
                "number, and --numeric asks for numbers; mend it, or state --na if it is missing."
            )
    counts = Counter(cell for cell, gap in zip(plain, missing, strict=True) if not gap)
    n = sum(counts.values())
    doubtful = [v for v in counts if v.lower() in ("na", "n/a", "nan", "null", "none")]
    if doubtful:
        findings.warn(
            f"column {quoted(name)} has {listed(doubtful)} ({sum(counts[v] for v in doubtful)} "
            "times), kept as a category; if it stands for a missing value, state --na "
            f"{doubtful[0]}"
        )
    column = Column(name, "nominal", plain, missing)
    if len(counts) == 1:
        return _constant_or(column)
    if name in wishes.nominal:
        return column
    return _sorted_out(column, counts, n)


def _sorted_out(column: Column, counts: Counter, n: int) -> Column:
    """Tell categories from strings, and from names of rows."""
    longest = sum(len(value) * k for value, k in counts.items()) / n
    if len(counts) == n and n > 2 and all(_ID_CELL.fullmatch(value) for value in counts):
        return Column(column.name, "id", column.values, column.missing, "a name of its own a row")
    if len(counts) == n and n > 2 and NAME_OF_ROWS.fullmatch(column.name) and longest < 40:
        return Column(column.name, "id", column.values, column.missing, "a name of its own a row")
    if len(counts) > max(10, n / 2) and longest >= 6 and not _dates(counts):
        return Column(column.name, "text", column.values, column.missing)
    if len(counts) > 2 and _dates(counts):
        column.kind = "left-out"
        column.why = f"{len(counts)} different dates; --nominal makes a feature of each"
    elif len(counts) > min(MOST_VALUES, max(2, n / 2)):
        column.kind, column.why = (
            "left-out",
            f"{len(counts)} different values, neither numbers nor few categories; --nominal makes "
            "a feature of each, --text strings",
        )
    return column


def _dates(counts: Counter) -> bool:
    return all(re.match(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}", value) for value in counts)


def _numeric(
    table: RawTable,
    name: str,
    cells: list[str],
    missing: np.ndarray,
    findings: Findings,
    *,
    forced: bool = False,
) -> Column | None:
    """Read a column as numbers, or say that it is none by None."""
    decimal, cells, told = number_cells(table, name, cells, findings)
    values = read_numbers(cells, decimal, table.gaps)
    strange = np.flatnonzero(np.isinf(values))
    present = int(np.isfinite(values).sum())
    thousands = [cell for cell in cells if _THOUSANDS.fullmatch(cell)]
    if len(thousands) > 0.5 * len(strange) > 0:
        findings.warn(
            f"column {quoted(name)}: {quoted(thousands[0])} looks like a number with thousands "
            f"parted; state --thousands {quoted(mark_in(thousands[0]))}, or they are categories"
        )
        return None
    if not present:
        return None
    if len(strange):
        # A few odd cells among numbers are faults; many of them make categories.
        if present >= 0.8 * (present + len(strange)):
            row = int(strange[0])
            raise DataError(
                f"{table.at(row)}: column {quoted(name)} has {quoted(cells[row])} ({len(strange)} "
                f"such cells), the other {present} are numbers. State --na {cells[row]!r} if it "
                f"stands for a missing value, --nominal {name!r} if the column has categories, or "
                f"--ignore {name!r}."
            )
        return None
    codes = [cell for cell in cells if _CODE.fullmatch(cell)]
    if codes and not forced:
        findings.warn(
            f"column {quoted(name)} has cells such as {quoted(codes[0])}: leading zeros make "
            "codes, not numbers, and it is taken as categories"
        )
        return None
    if told:
        findings.say(told)
    marks = Counter(c for c, v in zip(cells, values, strict=True) if np.isnan(v) and c)
    if marks:
        shown = ", ".join(f"{quoted(mark)} {counted(k, 'time')}" for mark, k in marks.items())
        findings.say(f"column {quoted(name)}: missing values are written {shown}")
    long = [cell for cell in cells if loses_digits(cell)]
    column = Column(name, "numeric", values, np.isnan(values))
    column = _constant_or(column if forced else _id_or(column, cells))
    if long and column.kind == "numeric":
        findings.warn(
            f"column {quoted(name)}: {quoted(long[0])} and {len(long) - 1} more cells have more "
            "digits than numbers hold, and are rounded; --nominal keeps them as they are"
        )
    return column


def _id_or(column: Column, cells: list[str] | None = None) -> Column:
    """Tell numbers that only count the rows."""
    values = column.values
    if column.missing.any() or len(values) < 5 or not (values == np.rint(values)).all():
        return column
    counting = np.array_equal(values, values[0] + np.arange(len(values)))
    named = len(set(cells or values.tolist())) == len(values) and NAME_OF_ROWS.fullmatch(
        column.name
    )
    if counting or named:
        why = "counts the rows" if counting else "a number of its own a row"
        names = cells or [number_text(v) for v in values]
        return Column(column.name, "id", names, column.missing, why)
    return column


def _constant_or(column: Column) -> Column:
    """Tell a column of one value; gaps beside it would say something, but it is no number."""
    if isinstance(column.values, np.ndarray):
        distinct = np.unique(column.values[~column.missing]).size
    else:
        distinct = len({v for v, gap in zip(column.values, column.missing, strict=True) if not gap})
    if distinct == 0:
        column.kind, column.why = "empty", "no value at all"
    elif distinct == 1:
        column.kind, column.why = "constant", "one value in all rows"
    return column
