"""The order in which classes stand: numbers by size, text by its letters."""

from __future__ import annotations

import math
from collections.abc import Iterable


def ordered_classes(names: Iterable[str]) -> list[str]:
    """Sort class names, each once: 2 before 10 where all are numbers."""
    found = sorted(set(names))
    values = {name: _number(name) for name in found}
    if any(math.isnan(value) for value in values.values()):
        return found
    return sorted(found, key=values.__getitem__)  # stable: 1 and 1.0 stay in order


def _number(name: str) -> float:
    try:
        return float(name)
    except ValueError:
        return math.nan
