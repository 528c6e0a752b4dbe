"""Cells of one column to numbers or labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from gramworks.datasets.entry import Feature
from gramworks.errors import DataError, suggest

if TYPE_CHECKING:
    from gramworks.datasets.tables import Table


def read_labels(table: Table, name: str, cells: Sequence[str]) -> list[str]:
    """Take the blanks around labels off; refuse or tell when two of them would become one."""
    if table.blanks == "keep":
        return list(cells)
    first: dict[str, int] = {}
    for row, cell in enumerate(cells):
        first.setdefault(cell, row)
    spelt: dict[str, str] = {}
    for cell, row in first.items():
        other = spelt.setdefault(cell.strip(), cell)
        if other == cell:
            continue
        both = f"column {name!r} has labels {other!r} and {cell!r}, which differ in blanks"
        if table.blanks == "refuse":
            raise DataError(
                f"{table.at(row)}: {both} only; state the option `blanks: merge` when they are "
                "one label, `blanks: keep` when they are two."
            )
        table.notes.append(f"{both}; taken as one")
    return [cell.strip() for cell in cells]


def encode_feature(
    table: Table, name: str, feature: Feature | None, cells: Sequence[str], kept: np.ndarray
) -> list[tuple[str, np.ndarray]]:
    """Encode the kept cells of one feature.

    Missing values that are left here are filled: by the mean of the column, or by its most
    frequent value where it is nominal (the first declared among equals).

    Returns
    -------
    list of (name, (n,) float64)
        One column; for one-hot one a declared value, called ``name=value``.
    """
    if feature is None or not feature.values:
        return [(name, _numbers(table, name, cells, kept))]
    labels = read_labels(table, name, cells)
    chosen = [labels[i] for i in kept]
    present = Counter(label for label in chosen if label.strip() not in table.missing)
    if not present:
        raise DataError(f"{table.path}: column {name!r} has no value at all; leave it out.")
    filling = max(feature.values, key=lambda value: present[value])
    codes = {value: code for code, value in enumerate(feature.values)}
    found = np.empty(len(kept), dtype=np.float64)
    for position, (row, label) in enumerate(zip(kept, chosen, strict=True)):
        if label.strip() in table.missing and label not in codes:
            label = filling
        if label not in codes:
            raise DataError(
                f"{table.at(row)}: column {name!r} has the value {label!r}; "
                f"{suggest(label, feature.values)}."
            )
        found[position] = codes[label]
    if not feature.one_hot:
        return [(name, found)]
    return [(f"{name}={v}", (found == c).astype(np.float64)) for v, c in codes.items()]


def missing_rows(table: Table, cells: Sequence[str]) -> np.ndarray:
    """Mark the cells that stand for a missing value."""
    gaps = {cell for cell in set(cells) if cell.strip() in table.missing}
    if not gaps:
        return np.zeros(len(cells), dtype=bool)
    return np.array([cell in gaps for cell in cells])


def _numbers(table: Table, name: str, cells: Sequence[str], kept: np.ndarray) -> np.ndarray:
    chosen = [cells[i] for i in kept]
    # Tables repeat their values, so each spelling is read once.
    number: dict[str, float] = {}
    for row, cell in zip(kept, chosen, strict=True):
        if cell not in number:
            gap = cell.strip() in table.missing
            number[cell] = np.nan if gap else _number(table, name, cell.strip(), row)
    values = np.array([number[cell] for cell in chosen])
    gaps = np.isnan(values)
    if gaps.all():
        raise DataError(f"{table.path}: column {name!r} has no value at all; leave it out.")
    if gaps.any():
        # Rounded once, so that it is the same number on every machine.
        values[gaps] = math.fsum(values[~gaps]) / int((~gaps).sum())
    return values + 0.0  # -0.0 and 0.0 are one number, however a source writes it


def _number(table: Table, name: str, text: str, row: int) -> float:
    plain = text
    if table.decimal == ",":
        plain = text.replace(",", ".") if "." not in text else ""
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        _refuse_number(table, name, text, row)
    return value


def _refuse_number(table: Table, name: str, text: str, row: int) -> NoReturn:
    hint = ""
    if table.decimal == "." and text.count(",") == 1:
        hint = "; if commas are decimal marks, state the option `decimal: ','`"
    elif not text or text.lower() in ("na", "nan", "null", "none", "<null>", "?"):
        hint = "; if it stands for a missing value, list it in the option `missing`"
    raise DataError(
        f"{table.at(row)}: column {name!r} has {text!r}, a finite number is expected{hint}."
    )


def is_same_information(cells: Sequence[str], y: np.ndarray) -> bool:
    """Whether a column and the class codes are the same but for the names of the values.

    Where each class has one row only, nothing can be told.
    """
    codes = y.tolist()
    classes = len(set(codes))
    if not 2 <= classes < len(codes) or len({cell.strip() for cell in set(cells)}) != classes:
        return False
    pairs = set(zip(cells, codes, strict=True))
    return len({(cell.strip(), code) for cell, code in pairs}) == classes
