"""A matrix of numbers as text, with or without names at its borders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.decimal_marks import decimal_of_table
from gramworks.owndata.delimited_text import decode, find_delimiter, split_cells
from gramworks.owndata.findings import Findings, quoted
from gramworks.owndata.numerals import is_number

_COUNT = re.compile(r"\d+")


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix, and the names that stand at its borders."""

    values: np.ndarray
    rows: list[str] | None = None
    """Above or beside it; None where there are none, or not all differ."""


def read_matrix(path: Path) -> NamedMatrix:
    """Read a matrix of numbers.

    Raises
    ------
    DataError
        A cell that is not a number, with its line; names of columns in another order than those
        of rows.
    """
    text = decode(path, None, Findings())
    rows, lines = split_cells(path, text, find_delimiter(path, text, None))
    decimal = decimal_of_table(rows)
    above, beside = _borders(rows, decimal)
    columns = [cell.strip() for cell in rows[0]] if above else None
    if above:
        rows, lines = rows[1:], lines[1:]
    names = None
    if beside:
        names = [cells[0].strip() for cells in rows]
        rows = [cells[1:] for cells in rows]
        # a corner above the names of rows, which some programs leave out
        if columns is not None and len(columns) == len(rows[0]) + 1:
            columns = columns[1:]
    for cells, line in zip(rows, lines, strict=True):
        bad = [cell for cell in cells if not is_number(cell, decimal)]
        if bad or len(cells) != len(rows[0]):
            what = f"{quoted(bad[0])} is not a number" if bad else f"{len(cells)} cells"
            raise DataError(
                f"{path}, line {line}: {what}; a matrix has {len(rows[0])} numbers in each row."
            )
    values = np.array([[float(cell.replace(",", ".")) for cell in cells] for cells in rows])
    return NamedMatrix(values, _names(path, names, columns))


def _borders(rows: list[list[str]], decimal: str) -> tuple[bool, bool]:
    """Say whether names stand above and beside; of numbers as names, the shape tells."""

    def number(cell: str) -> bool:
        return is_number(cell, decimal)

    first = rows[0]
    above = any(not number(cell) for cell in first[1:])
    width = len(rows[-1])
    # a corner that is no number in a square with its borders, or one row more than columns
    above = above or not first[0].strip() or (len(rows) == width and not number(first[0]))
    above = above or (len(rows) == width + 1 and _counts(first))
    below = rows[1:] if above else rows
    left = [cells[0] for cells in below if cells]
    beside = bool(left) and all(not number(cell) for cell in left)
    if not beside and len(below) == width - 1 and len(set(left)) == len(left):
        corner = above and (not number(first[0]) or len(first) == width - 1)
        beside = corner or all(_COUNT.fullmatch(cell.strip()) for cell in left)
    return above, beside


def _counts(cells: list[str]) -> bool:
    plain = [cell.strip() for cell in cells]
    return len(set(plain)) == len(plain) and all(_COUNT.fullmatch(cell) for cell in plain)


def _names(path: Path, rows: list[str] | None, columns: list[str] | None) -> list[str] | None:
    known = [names for names in (rows, columns) if names and len(set(names)) == len(names)]
    if len(known) == 2 and known[0] != known[1]:
        if set(known[0]) != set(known[1]):
            return None if _numbered(known[0]) or _numbered(known[1]) else _refuse(path)
        _refuse(path)
    named = [names for names in known if not _numbered(names)]
    return (named or [None])[0]


def _numbered(names: list[str]) -> bool:
    """Whether they count from 0 or 1 in order, and so say no more than the order does."""
    return names in ([str(i) for i in range(len(names))], [str(i + 1) for i in range(len(names))])


def _refuse(path: Path) -> None:
    raise DataError(
        f"{path}: the names above the columns are not those beside the rows, in the same order; a "
        "Gram matrix has the same points in both. Write it again with one order."
    )
