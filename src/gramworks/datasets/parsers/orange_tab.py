"""Orange's tab-separated tables: names, types and flags in the first three lines."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.tables import Table, assemble, only_file
from gramworks.datasets.texts import read_text
from gramworks.errors import DataError
from gramworks.fields import StrictModel

_TYPES = {
    "c": "numeric", "continuous": "numeric", "d": "nominal", "discrete": "nominal",
    "s": "text", "string": "text", "t": "time", "time": "time", "": "any",
}  # fmt: skip


class Options(StrictModel):
    """Options of `format: orange_tab`."""

    missing: list[str] = ["?", "", ".", "NA", "*", "~"]
    """Cells that stand for a missing value."""
    blanks: Literal["refuse", "merge", "keep"] = "refuse"
    """Labels that differ in surrounding blanks only: refuse, merge (told) or keep apart."""
    encoding: str = "utf-8-sig"


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse one .tab file.

    Raises
    ------
    DataError
        With file and line; also when the class flag stands at another column than the layout's
        target.
    """
    path = only_file(files, entry)
    lines = read_text(path, encoding=options.encoding).splitlines()
    if len(lines) < 3:
        raise DataError(f"{path}: {len(lines)} lines; three header lines are expected.")
    names, types, flags = ([cell.strip() for cell in line.split("\t")] for line in lines[:3])
    for position, word in enumerate(types, 1):
        # A nominal type may also be given as the list of its values.
        if word.lower() not in _TYPES and " " not in word:
            raise DataError(
                f"{path}, line 2: column {position} has type {word!r}; "
                f"allowed are {', '.join(w for w in _TYPES if w)} or a list of values."
            )
    if len(types) != len(names) or len(flags) > len(names):
        raise DataError(
            f"{path}: the header has {len(names)} names, {len(types)} types, {len(flags)} flags."
        )
    marked = [name for name, flag in zip(names, flags, strict=False) if "class" in flag.split()]
    body = [(i, line.split("\t")) for i, line in enumerate(lines[3:], 4) if line.strip()]
    table = Table(
        path, [cells for _, cells in body], [i for i, _ in body], names,
        missing=frozenset(options.missing), blanks=options.blanks,
    )  # fmt: skip
    if marked and marked != [entry.target.name]:
        raise DataError(
            f"{path}, line 3: the class column is {marked}, the registry says "
            f"{entry.target.name!r}; correct target.name or choose another file."
        )
    return assemble(table, entry, source)
