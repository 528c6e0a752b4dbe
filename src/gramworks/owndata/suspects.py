"""What is likely a mistake in the data: columns that give the target away, repeated rows."""

from __future__ import annotations

import numpy as np

from gramworks.owndata.columns import Column
from gramworks.owndata.findings import Findings, counted, listed, numbers, quoted
from gramworks.owndata.numerals import is_number
from gramworks.owndata.raw_table import RawTable
from gramworks.owndata.targets import Target


def tell_given_away(
    columns: list[Column], target: Target, findings: Findings, seen: list[np.ndarray]
) -> None:
    """Warn of columns that are the target, or tell it without fault.

    Parameters
    ----------
    columns : list of Column
    target : Target
    findings : Findings
    seen : list of (n,) bool
        A mask a column: rows that are kept, whose value stands in the file and is not filled in.
    """
    for column, present in zip(columns, seen, strict=True):
        if not column.used or column.kind == "text":
            continue
        rows = target.known & present
        y, values = target.values[rows], _codes(column)[rows]
        if len(np.unique(y)) < 2:
            continue
        how = _equal_numbers(values, y) if target.task == "regression" else _tells(values, y)
        if how:
            findings.warn(
                f"column {quoted(column.name)} {how} the target {quoted(target.name)}. If it is "
                f"not known before the target is, leave it out with --ignore {column.name!r}: with "
                "it every method looks perfect"
            )


def _codes(column: Column) -> np.ndarray:
    if isinstance(column.values, np.ndarray):
        return column.values
    return np.unique(column.values, return_inverse=True)[1].astype(np.float64)


def _equal_numbers(values: np.ndarray, y: np.ndarray) -> str:
    if np.array_equal(values, y):
        return "is equal to"
    if len(y) > 5 and _correlation(values, y) > 1 - 1e-9:
        return "is, up to scale and shift, equal to"
    return ""


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Compute the absolute correlation, both scaled so that nothing overflows."""
    a, b = (v / max(np.abs(v).max(), 1e-300) for v in (a, b))
    if a.std() == 0 or b.std() == 0:
        return 0.0
    return abs(float(np.corrcoef(a, b)[0, 1]))


def _tells(values: np.ndarray, y: np.ndarray) -> str:
    """Say whether each value stands for one class, where that cannot be chance."""
    distinct, codes = np.unique(values, return_inverse=True)
    n_classes = len(np.unique(y))
    if len(y) < 10:
        return ""
    if len(distinct) <= max(n_classes, len(y) / 10):
        pairs = len(np.unique(np.column_stack([codes, y]), axis=0))
        if pairs == len(distinct):
            return "is equal to" if len(distinct) == n_classes else "tells without fault"
        return ""
    # numbers: each class in an interval of its own
    order = y[np.argsort(values, kind="stable")]
    return "tells by thresholds, without fault," * (
        int((np.diff(order) != 0).sum()) == n_classes - 1 and len(y) >= 20 * n_classes
    )


def tell_duplicates(
    table: RawTable, columns: list[Column], target: Target, keep: np.ndarray, findings: Findings
) -> None:
    """Tell rows that stand more than once, and those among them with different targets."""
    used = [column for column in columns if column.used]
    if not used:
        return
    kept = np.flatnonzero(keep)
    codes = np.column_stack([np.unique(c.values, return_inverse=True)[1] for c in used])[kept]
    _, group, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    again = int((counts - 1).sum())
    if not again:
        return
    rows = kept[counts[group] > 1]
    findings.warn(
        f"{counted(again, 'row')} repeated: {table.unit}s {numbers(table.lines[i] for i in rows)} "
        "stand at least twice. Copies among both labelled and test points make the scores better "
        "than they are"
    )
    known = target.known[kept]
    pairs = np.unique(np.column_stack([group[known], _target_codes(target)[kept][known]]), axis=0)
    torn = int((np.bincount(pairs[:, 0]) > 1).sum())
    if torn:
        findings.warn(f"{counted(torn, 'group')} of equal rows have different targets")


def _target_codes(target: Target) -> np.ndarray:
    return np.unique(target.values, return_inverse=True)[1]


def tell_columns(columns: list[Column], findings: Findings) -> None:
    """Tell what the columns are, and which are left out and why."""
    kinds = {
        "numeric": "numbers", "nominal": "categories (one-hot encoded)", "text": "strings",
    }  # fmt: skip
    for kind, words in kinds.items():
        names = [column.name for column in columns if column.kind == kind]
        if names:
            n = counted(len(names), "column")
            findings.say(f"{n} of {words}: {listed(names, 12)}")
    for kind, words in (("id", "names of rows"), ("constant", "constant"), ("empty", "empty")):
        names = [column.name for column in columns if column.kind == kind]
        if names:
            counts = kind == "id" and any(
                is_number(column.values[0]) for column in columns if column.kind == "id"
            )
            hint = " (--numeric COLUMN keeps one of numbers)" * counts
            findings.warn(f"left out, {words}: {listed(names, 12)}{hint}")
    for column in columns:
        if column.kind == "left-out":
            findings.warn(f"left out: column {quoted(column.name)}, {column.why}")
