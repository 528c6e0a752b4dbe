"""Merge the pieces of one method on one data set, in one fixed row order.

Run as ``python -m gramworks.merging``: a run of a hundred methods and data sets starts it a hundred
times, so it imports nothing that takes time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from gramworks.errors import GramworksError
from gramworks.part_files import read_pieces
from gramworks.report.escaping import inert
from gramworks.report.view_columns import PREDICTIONS
from gramworks.score_files import COLUMNS, write_table


def rows_of(parts: Iterable[str | Path], method: str, repeats: int, kind: str) -> list[list[str]]:
    """Collect a method's rows, ordered by setting, repeat and the next column.

    Parameters
    ----------
    parts : iterable of path
        Files of parts that hold pieces of the method, among others.
    method : str
    repeats : int
        How many there are.
    kind : {"scores", "timings", "predictions"}

    Raises
    ------
    FileDamaged
        A file is damaged, or the pieces do not hold all repeats, each once; names the file.
    """
    parts = list(parts)
    found = [(path, p) for path in parts for p in read_pieces(path) or () if p["method"] == method]
    found.sort(key=lambda pair: pair[1]["first"])
    expected = 0
    for path, piece in found:
        if piece["first"] != expected:
            raise _gap(path, piece, expected)
        expected = piece["last"] + 1
    if expected != repeats:
        raise _short(parts, method, expected, repeats)
    rows = [row for _, piece in found for row in piece[kind]]
    columns = PREDICTIONS if kind == "predictions" else COLUMNS
    setting, repeat = columns.index("setting"), columns.index("repeat")
    # Points of a draw stay in their order.
    metric = slice(0) if kind == "predictions" else columns.index("metric")
    return sorted(rows, key=lambda row: (row[setting], int(row[repeat]), row[metric]))


def write_predictions(path: str | Path, rows: Iterable[Iterable[object]]) -> None:
    """Write a file of predictions; no class name is a formula to a spreadsheet."""
    write_table(path, PREDICTIONS, [[inert(str(cell)) for cell in row] for row in rows])


def _gap(path: str | Path, piece: dict[str, Any], expected: int) -> GramworksError:
    from gramworks.hdf5 import damaged  # brings libraries that a job without errors does not need

    return damaged(
        path,
        f"holds repeats {piece['first']} to {piece['last']} of {piece['method']}, and repeat "
        f"{expected} should come next",
    )


def _short(parts: list, method: str, found: int, repeats: int) -> GramworksError:
    from gramworks.hdf5 import damaged

    others = f" (with {len(parts) - 1} files more)" if len(parts) > 1 else ""
    return damaged(parts[-1], f"holds {found} repeats of {method}{others}, expected are {repeats}")


def main(arguments: list[str] | None = None) -> int:
    """Merge from the command line; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m gramworks.merging", description=__doc__)
    parser.add_argument("parts", nargs="+", help="files of parts")
    parser.add_argument("--method", required=True)
    parser.add_argument("--repeats", required=True, type=int)
    parser.add_argument("--scores", help="CSV file to write")
    parser.add_argument("--timings", help="CSV file to write")
    parser.add_argument("--predictions", help="CSV file to write")
    options = parser.parse_args(arguments)
    collect = partial(rows_of, options.parts, options.method, options.repeats)
    try:
        for kind in ("scores", "timings"):
            if path := getattr(options, kind):
                write_table(path, COLUMNS, collect(kind))
        if path := options.predictions:
            write_predictions(path, collect("predictions"))
    except (GramworksError, OSError) as error:
        print(f"gramworks: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
