"""Numbers whose thousands are parted by a mark: a cell with both marks shows it, or the user says.

``1.103,50`` has one reading; ``47.142`` has two, and takes that of the other cells of its column.
"""

from __future__ import annotations

import re

from gramworks.owndata.decimal_marks import certain, decimal_of, other
from gramworks.owndata.findings import Findings, quoted
from gramworks.owndata.numerals import number_text
from gramworks.owndata.raw_table import RawTable

MARKS = {".": "points", ",": "commas", "'": "apostrophes", " ": "blanks"}
"""What may part thousands."""
_WRITTEN = {"'": "['\u2019]", " ": "[ \u00a0\u202f]"}
"""Further characters that look like a mark."""


def _form(mark: str, fraction: str) -> re.Pattern:
    group = _WRITTEN.get(mark, re.escape(mark))
    decimal = re.escape(other(mark)) if mark in ".," else "[.,]"
    tail = fraction.replace("D", decimal)
    return re.compile(rf"[-+]?[1-9]\d{{0,2}}(?:{group}\d{{3}})+{tail}")


_PARTED = {mark: _form(mark, r"(?:D\d+)?") for mark in MARKS}
_BOTH = {mark: _form(mark, r"D\d+") for mark in ".,"}


def number_cells(
    table: RawTable, name: str, cells: list[str], findings: Findings
) -> tuple[str, list[str], str]:
    """Tell the decimal mark of a column, and write its numbers without marks of thousands.

    Parameters
    ----------
    table : RawTable
    name : str
    cells : list of str
        Of the column, blanks at their ends removed.
    findings : Findings

    Returns
    -------
    decimal : str
    cells : list of str
        With thousands not parted; those that are no such numbers are as they were.
    told : str
        What is to be said if the column is one of numbers; empty where no thousands are parted.

    Raises
    ------
    DataError
        A mark may part thousands or be a decimal mark, see `decimal_of`.
    """
    mark = _mark(table, cells)
    if mark is None:
        return decimal_of(table, name, cells, findings), cells, ""
    form, group = _PARTED[mark], _WRITTEN.get(mark, re.escape(mark))
    plain = [re.sub(group, "", c) if form.fullmatch(c) else c for c in cells]
    decimal = other(mark) if mark in ".," else decimal_of(table, name, plain, findings)
    if table.thousands:
        shown = next(i for i, c in enumerate(cells) if form.fullmatch(c))
        why = ", as you said"
    else:
        both = next(c for c in cells if _BOTH[mark].fullmatch(c))
        pure = (i for i, c in enumerate(cells) if form.fullmatch(c) and other(mark) not in c)
        shown = next(pure, cells.index(both))
        why = "" if cells[shown] == both else f", as {quoted(both)} shows"
    value = number_text(float(plain[shown].replace(decimal, ".")))
    return decimal, plain, (
        f"column {quoted(name)}: {MARKS[mark]} part thousands{why}: {quoted(cells[shown])} is "
        f"{value}"
    )  # fmt: skip


def _mark(table: RawTable, cells: list[str]) -> str | None:
    """Tell what parts thousands, if no cell has that mark before a fraction."""
    if table.thousands is not None:
        mark = table.thousands
        there = any(_PARTED[mark].fullmatch(cell) for cell in cells)
        return mark if there and not (mark in ".," and certain(cells, mark)) else None
    found = [mark for mark in ".," if any(_BOTH[mark].fullmatch(cell) for cell in cells)]
    if len(found) != 1 or certain(cells, found[0]):
        return None
    stated = table.decimal_stated and table.decimal == found[0]
    return None if stated else found[0]


def mark_in(cell: str) -> str:
    """Tell the mark that parts the thousands of a cell which looks like a number."""
    first = next(c for c in cell if not c.isdigit() and c not in "+-")
    return next((mark for mark, like in _WRITTEN.items() if first in like), first)
