"""Rows and cells that are missing: dropped or filled, and told."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.columns import Column
from gramworks.owndata.findings import Findings, counted, listed, numbers, quoted
from gramworks.owndata.raw_table import RawTable

POLICIES = ("drop", "median", "refuse")
MOST_MISSING = 0.5
"""A column that lacks more than this share of its values is left out."""


def leave_out_sparse_columns(columns: list[Column]) -> None:
    """Leave columns out that are missing in more than half of the rows."""
    for column in columns:
        share = column.missing.mean()
        if column.used and share > MOST_MISSING:
            column.kind, column.why = "left-out", f"missing in {100 * share:.0f} % of the rows"


def leave_out_constant(columns: list[Column], keep: np.ndarray, findings: Findings) -> None:
    """Leave columns out that have one value in the rows that are kept."""
    rows = np.flatnonzero(keep)
    gone = []
    for column in columns:
        if column.used and len({column.values[i] for i in rows}) == 1:
            column.kind, column.why = "constant", "one value in all rows that are left"
            gone.append(column.name)
    if gone:
        findings.warn(f"left out, constant in the rows that are left: {listed(gone, 12)}")


def _where(table: RawTable, gaps: list[Column]) -> str:
    """Say in which lines of which file cells are missing."""
    tables = list({id(column.table or table): column.table or table for column in gaps}.values())
    found = []
    for one in tables:
        own = [column.missing for column in gaps if (column.table or table) is one]
        rows = np.flatnonzero(np.logical_or.reduce(own))
        file = f"{one.path.name} " if len({t.path for t in tables}) > 1 or one is not table else ""
        found.append(f"{file}{one.unit}s {numbers(one.lines[i] for i in rows)}")
    return "; ".join(found)


def handle_missing(
    table: RawTable, columns: list[Column], policy: str, findings: Findings
) -> np.ndarray:
    """Drop rows with missing values, or fill them in place.

    Parameters
    ----------
    table : RawTable
        For the numbers of its lines.
    columns : list of Column
        Those in use of all files.
    policy : {"drop", "median", "refuse"}
        median: the median of a column of numbers, the commonest of categories; strings cannot be
        filled, so their rows are dropped.

    Returns
    -------
    (n,) bool
        Rows that are kept.

    Raises
    ------
    DataError
        Under "refuse"; or when hardly a row is left.
    """
    used = [column for column in columns if column.used]
    n = table.rows
    gaps = [column for column in used if column.missing.any()]
    if not gaps:
        return np.ones(n, dtype=bool)
    total = sum(int(column.missing.sum()) for column in gaps)
    shown = ", ".join(f"{quoted(c.name)} {int(c.missing.sum())}" for c in gaps[:10])
    more = f" and {len(gaps) - 10} more columns" if len(gaps) > 10 else ""
    lacking = np.logical_or.reduce([column.missing for column in gaps])
    where = _where(table, gaps)
    findings.say(
        f"missing values: {counted(total, 'cell')} in {counted(int(lacking.sum()), 'row')} "
        f"({where}); by column: {shown}{more}"
    )
    if policy == "refuse":
        raise DataError(
            f"{table.path}: {total} values are missing ({where}); state --missing drop or median."
        )
    if policy == "median":
        _fill(gaps, findings)
        lacking = np.zeros(n, dtype=bool)
        for column in gaps:
            lacking |= column.missing
    keep = ~lacking
    if lacking.any():
        findings.warn(
            f"{counted(int(lacking.sum()), 'row')} with missing values dropped, {int(keep.sum())} "
            f"of {n} are left" + (" (--missing median fills them instead)" * (policy == "drop"))
        )
    if keep.sum() < max(6, n / 4):
        raise DataError(
            f"{table.path}: without the rows that have missing values {int(keep.sum())} of {n} are "
            f"left. State --missing median, or leave columns out with --ignore ({shown}{more})."
        )
    return keep


def _fill(gaps: list[Column], findings: Findings) -> None:
    filled = []
    for column in gaps:
        if column.kind == "text":
            continue
        if isinstance(column.values, np.ndarray):
            value = float(np.median(column.values[~column.missing]))
            column.values = np.where(column.missing, value, column.values)
            filled.append(f"{quoted(column.name)} {value:g}")
        else:
            present = [v for v, gap in zip(column.values, column.missing, strict=True) if not gap]
            value = Counter(present).most_common(1)[0][0]
            column.values = [
                value if gap else v for v, gap in zip(column.values, column.missing, strict=True)
            ]
            filled.append(f"{quoted(column.name)} {quoted(value)}")
        column.missing = np.zeros_like(column.missing)
    if filled:
        more = f" and {len(filled) - 10} more columns" if len(filled) > 10 else ""
        findings.warn(
            "missing values filled, from all rows, by the median (the commonest value of "
            f"categories): {', '.join(filled[:10])}{more}"
        )
