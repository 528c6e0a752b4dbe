"""What `gramworks new` noticed, in words: what it understood, and what is likely a mistake."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Findings:
    """Sentences for people, in the order they came up."""

    said: list[str] = field(default_factory=list)
    """What was understood or done."""
    warnings: list[str] = field(default_factory=list)
    """What is likely a mistake, or changes what results mean."""

    def say(self, text: str) -> None:
        """Add what was understood."""
        self.said.append(text)

    def warn(self, text: str) -> None:
        """Add a warning."""
        self.warnings.append(text)


def quoted(name: object, most: int = 60) -> str:
    """Write a name or cell so that it stays on one line: quotes, escapes, and a limit."""
    text = repr(str(name))
    return text if len(text) <= most + 2 else f"{text[: most - 3]}...'"


def listed(names: Iterable[object], most: int = 10) -> str:
    """List names or cells, the first ones of many."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(quoted(name) for name in names[:most]) + more


def numbers(values: Iterable[int], most: int = 10) -> str:
    """List numbers, the first ones of many."""
    values = list(values)
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(str(value) for value in values[:most]) + more


def counted(n: int, one: str, many: str = "") -> str:
    """Write a number with its noun: "1 row", "3 rows"."""
    return f"{n} {one if n == 1 else many or one + 's'}"
