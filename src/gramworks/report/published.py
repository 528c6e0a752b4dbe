"""Published numbers: what the papers print, cell by cell."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from importlib import resources
from pathlib import Path

import pandas as pd

from gramworks.errors import DataError
from gramworks.report.csv_text import read_table
from gramworks.settings import format_setting, parse_setting

COLUMNS = (
    "study", "paper", "table", "dataset", "method", "setting", "metric", "value", "decimals",
    "spread", "spread_kind", "note",
)  # fmt: skip
CELL = ("study", "dataset", "method", "setting", "metric")
STANDARD_ERROR = "standard error"
_DEVIATION = re.compile(r"standard deviation over (\d+) [a-z]+")


@dataclass(frozen=True)
class Published:
    """One printed number with what is known of its uncertainty."""

    value: float
    last_digit: float = 0.0
    """One unit of the last printed digit; the true value lies within half of it."""
    spread: float | None = None
    """Printed spread, None where the paper gives none."""
    draws: int | None = None
    """Number of draws when the spread is a standard deviation, None when a standard error."""

    @property
    def standard_error(self) -> float | None:
        """Standard error of the printed mean, without rounding; None where none was printed."""
        if self.spread is None or self.draws is None:
            return self.spread
        return self.spread / math.sqrt(self.draws)


def published_path() -> Path:
    """Return the file of published numbers that comes with the package."""
    return Path(str(resources.files("gramworks") / "resources" / "published.csv"))


def read_published(path: str | Path | None = None) -> pd.DataFrame:
    """Read published numbers.

    Parameters
    ----------
    path : path-like, optional
        A CSV file with the columns `COLUMNS`; the package's own by default.

    Returns
    -------
    DataFrame
        The columns as text, and ``number``: a `Published` for every row.

    Raises
    ------
    FileDamaged
        It is no such table.
    DataError
        A value, spread or setting is not in the agreed form, or a cell stands twice; with file
        and line.
    """
    path = Path(path) if path is not None else published_path()
    table = read_table(path, COLUMNS, hint="Take the file of the package's source again.")
    numbers = []
    for line, row in enumerate(table.to_dict("records"), 2):
        try:
            numbers.append(_number(row))
        except ValueError as error:
            raise DataError(f"{path}, line {line}: {error}.") from None
    twice = table.duplicated(list(CELL))
    if twice.any():
        at = int(twice.idxmax())
        cell = "/".join(table.loc[at, list(CELL)])
        raise DataError(f"{path}, line {at + 2}: the cell {cell} stands twice; keep one.")
    return table.assign(number=pd.Series(numbers, dtype=object))


def _number(row: dict[str, str]) -> Published:
    for key in ("paper", "metric"):
        if not row[key]:
            raise ValueError(f"{key} is empty; every published number has one")
    if row["setting"] and format_setting(parse_setting(row["setting"])) != row["setting"]:
        raise ValueError(f"setting {row['setting']!r} is not of the form 'a=1;b=2', keys sorted")
    value = _finite(row["value"], "value")
    exponent = int(value.as_tuple().exponent)
    if row["decimals"] and row["decimals"] != str(-exponent):
        raise ValueError(
            f"decimals is {row['decimals']!r}, the value {row['value']} says otherwise"
        )
    spread, draws = _spread(row["spread"], row["spread_kind"])
    return Published(float(value), float(Decimal(1).scaleb(exponent)), spread, draws)


def _spread(spread: str, kind: str) -> tuple[float | None, int | None]:
    if not spread and not kind:
        return None, None
    found = _DEVIATION.fullmatch(kind)
    if not spread or not (found or kind == STANDARD_ERROR):
        raise ValueError(
            f"spread {spread!r} of kind {kind!r}; allowed kinds are {STANDARD_ERROR!r} and "
            "'standard deviation over N draws', and neither stands without the other"
        )
    value = float(_finite(spread, "spread"))
    if value < 0:
        raise ValueError(f"spread is {spread}, it cannot be negative")
    return value, int(found[1]) if found else None


def _finite(text: str, name: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{name} is {text!r}, expected a number") from None
    if not value.is_finite():
        raise ValueError(f"{name} is {text!r}, expected a finite number")
    return value
