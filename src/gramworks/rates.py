"""How long a method takes: measured before, or estimated from what was.

The rates only decide how draws are cut into jobs and what `gramworks plan` predicts; no score
depends on them. They are read from files that change when somebody writes them, never from the
last run itself, so that a run that has ended has nothing to do when it is called again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from statistics import median

from gramworks.errors import ConfigError

SHIPPED = Path(__file__).parent / "resources" / "rates.csv"
"""Measured on two cores of a small machine."""
OWN = Path("results/rates.csv")
"""Of this machine, written by ``gramworks plan --save-rates``; it stands above the shipped ones."""
COLUMNS = ("stage", "study", "dataset", "method", "seconds")
"""Stage `fit`: seconds of one repeat, all its settings and labels together; `learn`: of the job."""
_AGAIN = "remove it; `gramworks plan --save-rates` writes it again."
_MOST = 1e8
_UNKNOWN = 0.1
"""Seconds a repeat and setting of a method never measured, on `_ROWS` points."""
_ROWS = 300

Rates = Mapping[tuple[str, str, str], float]
"""Seconds by study, data set and method."""


def read_rates(path: str | Path, stage: str = "fit") -> dict[tuple[str, str, str], float]:
    """Read the rates of a stage; a file that is not there holds none.

    Returns
    -------
    dict
        Seconds by study, data set and method.

    Raises
    ------
    ConfigError
        Names the file and the line, and what should stand there.
    """
    path = Path(path)
    if not path.exists():
        return {}
    try:
        reader = csv.reader(io.StringIO(path.read_text(encoding="utf-8")), strict=True)
        header, *rows = [*reader] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: is no table of rates ({error}); {_AGAIN}") from None
    if tuple(header) != COLUMNS:
        wanted = ", ".join(COLUMNS)
        raise ConfigError(
            f"{path}: found the columns {', '.join(header) or '(none)'}, expected {wanted}; "
            f"{_AGAIN}"
        )
    found = {}
    for line, row in enumerate(rows, 2):
        seconds = _seconds(row[-1]) if len(row) == len(COLUMNS) else None
        if seconds is None:
            raise ConfigError(
                f"{path}, line {line}: found {','.join(row)!r}, expected {', '.join(COLUMNS)} with "
                f"seconds from 0 to {_MOST:g}; {_AGAIN}"
            )
        if row[0] == stage:
            found[row[1], row[2], row[3]] = seconds
    return found


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= _MOST else None


def write_rates(path: str | Path, **stages: Rates) -> None:
    """Write the rates of each stage in a fixed order, to three digits."""
    from gramworks.whole_files import write_text

    lines = [
        ",".join((stage, *key, f"{seconds:.3g}"))
        for stage, rates in sorted(stages.items())
        for key, seconds in sorted(rates.items())
    ]
    write_text(path, "\n".join([",".join(COLUMNS), *lines, ""]))


def estimate(
    rates: Iterable[Rates],
    study: str,
    dataset: str,
    method: str,
    rows: int,
    growth: float,
    start: float = 0.0,
) -> float | None:
    """Estimate what a method takes; None where it was never measured.

    Parameters
    ----------
    rates : iterable of mapping
        As `read_rates` gives them, the first that knows the job is taken.
    study, dataset, method : str
    rows : int
        Points of the data set.
    growth : float
        What was measured on other data sets alone is scaled by this power of the points.
    start : float
        Seconds of each measurement that do not grow: those in which a job starts.
    """
    rates = list(rates)
    for found in rates:
        if (study, dataset, method) in found:
            return found[study, dataset, method]
    elsewhere = [_scaled(found, method, rows, growth, start) for found in rates]
    known = [value for value in elsewhere if value is not None]
    return known[0] if known else None


def guess(rows: int, settings: int, growth: float) -> float:
    """Guess the seconds of one repeat of a method that was never measured."""
    return _UNKNOWN * settings * (rows / _ROWS) ** growth


def _scaled(rates: Rates, method: str, rows: int, growth: float, start: float) -> float | None:
    """Take the median over other data sets, each scaled to this number of points."""
    values = [
        start + max(seconds - start, 0.0) * (rows / _rows(dataset)) ** growth
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
