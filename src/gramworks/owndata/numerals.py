"""Which cells are numbers, and of which decimal mark."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

_PLAIN = r"[-+]?\d*{mark}?\d+(?:[eE][-+]?\d+)?|[-+]?\d+{mark}(?:[eE][-+]?\d+)?"
_FORM = {
    ".": re.compile(_PLAIN.replace("{mark}", r"\.")),
    ",": re.compile(_PLAIN.replace("{mark}", ",")),
}
_FRACTION = {".": re.compile(r"[-+]?\d*\.\d+"), ",": re.compile(r"[-+]?\d*,\d+")}
WORDS_FOR_MISSING = frozenset(
    {"na", "n/a", "nan", "null", "none", "nil", "-", "--", ".", "missing"}
)
"""Missing values in a column of numbers, in small letters; elsewhere they are values."""


def number_text(value: float) -> str:
    """Write a number with all its digits and no more: 1 for 1.0, 0.1 for 0.1."""
    value = float(value)
    if math.isnan(value):
        return ""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def loses_digits(cell: str) -> bool:
    """Whether a whole number has more digits than float64 holds."""
    text = cell.strip()
    return re.fullmatch(r"[-+]?\d{16,400}", text) is not None and int(text) != int(float(text))


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is a finite number in plain or scientific notation."""
    return _FORM[decimal].fullmatch(cell.strip()) is not None


def looks_decimal(cell: str, mark: str) -> bool:
    """Whether a cell is a number with that decimal mark in it."""
    return _FRACTION[mark].fullmatch(cell.strip()) is not None


def read_numbers(cells: Sequence[str], decimal: str, gaps: frozenset[str]) -> np.ndarray:
    """Read numbers, NaN where a cell is missing; infinite where it is neither."""
    known: dict[str, float] = {}
    for cell in set(cells):
        text = cell.strip()
        if text in gaps or text.lower() in WORDS_FOR_MISSING:
            known[cell] = math.nan
        elif is_number(text, decimal):
            value = float(text.replace(",", ".") if decimal == "," else text)
            known[cell] = value if math.isfinite(value) else math.inf
        else:
            known[cell] = math.inf
    return np.array([known[cell] for cell in cells], dtype=np.float64) + 0.0
