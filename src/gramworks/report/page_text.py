"""Small texts of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import markupsafe

from gramworks.report.escaping import printable


def breakable(setting: str) -> markupsafe.Markup:
    """Escape a setting and let a line end after each part of it."""
    parts = [markupsafe.escape(printable(part)) for part in setting.split(";")]
    return markupsafe.Markup(";<wbr>").join(parts)


def duration(seconds: float) -> str:
    """Print seconds for people: 0.4 s, 75 s, 12 min, 3.4 h."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def flat(values: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Walk nested JSON values: yields a dotted key and a text each."""
    if isinstance(values, dict) and values:
        for name, value in values.items():
            yield from flat(value, f"{key}.{name}" if key else str(name))
    elif isinstance(values, list | tuple) and any(isinstance(v, dict | list) for v in values):
        for place, value in enumerate(values, 1):
            yield from flat(value, f"{key}.{place}" if key else str(place))
    elif isinstance(values, list | tuple):
        yield key, ", ".join(str(value) for value in values)
    elif values not in ({}, None, ""):
        yield key, str(values)


def ranges(repeats: Iterable[str]) -> str:
    """Write repeats as ranges, "0-4, 7"; a row for all repeats, which has none, as "all"."""
    runs: list[list[int]] = []
    for repeat in sorted(int(text) for text in repeats if text):
        if runs and repeat <= runs[-1][1] + 1:
            runs[-1][1] = repeat
        else:
            runs.append([repeat, repeat])
    return ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in runs) or "all"
