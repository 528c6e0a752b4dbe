"""How the rows are divided, by their number and that of the rarest class."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gramworks.errors import DataError
from gramworks.owndata.targets import Target

FOLDS = 5
FEW_ROWS = 60
"""Below this many labelled rows folds, from here on labelled sizes."""
LARGEST_SIZE = 400
"""Labelled points beyond which a first look would take too long."""


@dataclass(frozen=True)
class SplitChoice:
    """The `splits:` of a study, and why."""

    spec: dict
    comment: str
    warning: str = ""


def choose_splits(target: Target) -> SplitChoice:
    """Choose cross-validation for few rows, learning curves for many.

    Raises
    ------
    DataError
        Too few rows to learn and to test.
    """
    n = int(target.known.sum())
    counts = list(target.counts().values()) if target.classes else []
    if n < max(6, len(counts) + 2):
        raise DataError(
            f"{n} rows have a target, and there are {len(counts) or 'no'} classes: too few to "
            f"learn and to test; {max(6, len(counts) + 2)} rows are the least."
        )
    if n < FEW_ROWS:
        return _folds(n, counts)
    repeats = 10 if n <= 400 else 5 if n <= 1500 else 3
    first = max(2 * len(counts), round(0.05 * n), 10)
    last = min(LARGEST_SIZE, n // 2)
    middle = round(math.sqrt(first * last))
    sizes = sorted({min(first, last), middle, last})
    scheme = "stratified" if counts else "free"
    spec = {"kind": "labelled", "sizes": sizes, "scheme": scheme, "repeats": repeats}
    words = "each class its share, " if counts else ""
    return SplitChoice(
        spec, f"so many labelled rows, {words}the other rows are the test; {repeats} draws each"
    )


def _folds(n: int, counts: list[int]) -> SplitChoice:
    rarest = min(counts, default=n)
    if rarest < 2:
        size = max(len(counts) + 1, round(0.7 * n))
        spec = {"kind": "labelled", "sizes": [size], "scheme": "stratified", "repeats": 20}
        return SplitChoice(
            spec, "no folds, since a class has one row: it is always labelled",
            "a class has one row, so that no folds can be made: 20 random draws instead",
        )  # fmt: skip
    folds = min(FOLDS, rarest)
    spec = {"kind": "k-fold", "folds": folds, "repeats": 4, "stratified": bool(counts)}
    if folds == FOLDS:
        return SplitChoice(spec, f"{n} rows are few: cross-validation, four times")
    return SplitChoice(
        spec, f"the rarest class has {rarest} rows, so there are no more folds",
        f"too few rows for {FOLDS} folds: the rarest class has {rarest}, so {folds} folds are made",
    )  # fmt: skip
