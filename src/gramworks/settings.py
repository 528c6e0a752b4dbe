"""Settings: the `key=value;key=value` text that names one row of a table, keys sorted."""

from __future__ import annotations

import re
from typing import Any


def plain_scalar(value: Any) -> Any:
    """Bring a scalar to one form: 0.20 and "0.2" are 0.2, 1.0 is 1; other text stays text.

    Raises
    ------
    ValueError
        When it is not a scalar.
    """
    if isinstance(value, bool) or value is None:
        found = "null" if value is None else str(value).lower()
        raise ValueError(f"a setting is a number or a word, found {found}; put it in quotes")
    if isinstance(value, str):
        if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", value):
            if not value or re.search(r"[;=\s]", value):
                raise ValueError(f"a setting's value has no space, ';' or '=', found {value!r}")
            return value
        value = float(value)
    if isinstance(value, (int, float)):
        return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)
    raise ValueError(f"a setting is a number or a word, found {value!r}")


def plain_value(value: Any) -> Any:
    """Bring a parameter to one form: numbers as in `plain_scalar`, inside lists as well."""
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return value
    try:
        return plain_scalar(value)
    except ValueError:
        return value


def format_setting(setting: dict[str, Any]) -> str:
    """Write a setting as text, ``{"criterion": "l1", "C": 1.0}`` as ``"C=1;criterion=l1"``."""
    return ";".join(f"{key}={plain_scalar(setting[key])}" for key in sorted(setting))


def parse_setting(text: str) -> dict[str, Any]:
    """Read a setting back; the inverse of `format_setting`."""
    if not text:
        return {}
    return {k: plain_scalar(v) for k, v in (part.split("=", 1) for part in text.split(";"))}


def setting_order(text: str) -> list[tuple]:
    """Give a key that sorts settings part by part, numbers by their size."""
    parts = []
    for key, value in parse_setting(text).items():
        number = isinstance(value, (int, float))
        parts.append((key, not number, value if number else 0.0, str(value)))
    return parts


def join_settings(*texts: str) -> str:
    """Join settings given as text into one with sorted keys.

    Raises
    ------
    ValueError
        When two of them set the same key.
    """
    joined: dict[str, Any] = {}
    for text in texts:
        part = parse_setting(text)
        twice = joined.keys() & part.keys()
        if twice:
            raise ValueError(
                f"setting {sorted(twice)} is stated twice, by method, splits or labels"
            )
        joined |= part
    return format_setting(joined)
