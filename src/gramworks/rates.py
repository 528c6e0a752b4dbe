"""How long one repeat of a method takes: measured before, or estimated from what was.

The rates only decide how draws are cut into jobs and what `gramworks plan` predicts; no score
depends on them. They are read from files that change when somebody writes them, never from the
last run itself, so that a run that has ended has nothing to do when it is called again.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from statistics import median

from gramworks.errors import ConfigError

SHIPPED = Path(__file__).parent / "resources" / "rates.csv"
"""Measured on two cores of a small machine."""
OWN = Path("results/rates.csv")
"""Of this machine, written by ``gramworks plan --save-rates``; it stands above the shipped ones."""
COLUMNS = ("study", "dataset", "method", "seconds")
_UNKNOWN = 0.1
"""Seconds a repeat and setting of a method never measured, on `_ROWS` points."""
_ROWS = 300
_EXPONENT = 2.0
"""Between a product with the Gram matrix and its factorisation; solvers are mostly in between."""

Rates = Mapping[tuple[str, str, str], float]


def read_rates(path: str | Path) -> dict[tuple[str, str, str], float]:
    """Read a file of rates; a file that is not there holds none.

    Returns
    -------
    dict
        Seconds of one repeat, all its settings and labels together, by study, data set and method.

    Raises
    ------
    ConfigError
        Names the file and the line, and what should stand there.
    """
    path = Path(path)
    if not path.is_file():
        return {}
    found = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ConfigError(
                f"{path}: found the columns {reader.fieldnames}, expected {', '.join(COLUMNS)}; "
                "write it again with `gramworks plan --save-rates`, or remove it."
            )
        for row in reader:
            try:
                seconds = float(row["seconds"])
            except (TypeError, ValueError):
                seconds = -1.0
            if not 0 <= seconds < float("inf"):
                raise ConfigError(
                    f"{path}, line {reader.line_num}: seconds is {row['seconds']!r}, expected a "
                    "number from 0; write the file again with `gramworks plan --save-rates`."
                )
            found[row["study"], row["dataset"], row["method"]] = seconds
    return found


def write_rates(path: str | Path, rates: Rates) -> None:
    """Write rates in a fixed order, to three digits."""
    from gramworks.atomic_text import write_text

    lines = [",".join((*key, f"{seconds:.3g}")) for key, seconds in sorted(rates.items())]
    write_text(path, "\n".join([",".join(COLUMNS), *lines, ""]))


def seconds_a_repeat(
    rates: Iterable[Rates], study: str, dataset: str, method: str, rows: int, settings: int
) -> float:
    """Estimate the seconds of one repeat, all its settings together.

    Parameters
    ----------
    rates : iterable of mapping
        As `read_rates` gives them, the first that knows the job is taken.
    study, dataset, method : str
    rows : int
        Points of the data set.
    settings : int
        Settings of a repeat, for methods that were never measured.
    """
    rates = list(rates)
    for found in rates:
        if (study, dataset, method) in found:
            return found[study, dataset, method]
    elsewhere = [_scaled(found, method, rows) for found in rates]
    known = [value for value in elsewhere if value is not None]
    return known[0] if known else _UNKNOWN * settings * (rows / _ROWS) ** _EXPONENT


def _scaled(rates: Rates, method: str, rows: int) -> float | None:
    """Take the median over other data sets, each scaled to this number of points."""
    values = [
        seconds * (rows / _rows(dataset)) ** _EXPONENT
        for (_, dataset, name), seconds in rates.items()
        if name == method and _rows(dataset)
    ]
    return median(values) if values else None


@cache
def _rows(dataset: str) -> int:
    from gramworks.datasets.registry import load_entry

    try:
        return load_entry(dataset).facts.rows
    except ConfigError:  # a data set of somebody's own that is gone
        return 0
