"""Delimited text: CSV with any one-character delimiter, or columns between white space."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.tables import Table, assemble, only_file
from gramworks.datasets.texts import read_text
from gramworks.errors import DataError
from gramworks.fields import StrictModel


class Options(StrictModel):
    """Options of `format: delimited`."""

    delimiter: Annotated[str, Field(pattern=r"^(.|\t|whitespace)$")] = ","
    """One character, or `whitespace` for any run of blanks and tabs."""
    header: Literal["none", "names", "skip"] = "none"
    """First line: data, names that must be the registry's, or names that are skipped."""
    decimal: Literal[".", ","] = "."
    comment: Annotated[str, Field(min_length=1)] | None = None
    """Lines that begin with it are left out."""
    missing: list[str] = ["?", ""]
    """Cells that stand for a missing value; "NA" and "None" are ordinary labels."""
    blanks: Literal["refuse", "merge", "keep"] = "refuse"
    """Labels that differ in surrounding blanks only: refuse, merge (told) or keep apart."""
    encoding: str = "utf-8-sig"
    compression: Literal["none", "gzip"] = "none"

    @model_validator(mode="after")
    def _two_marks(self) -> Options:
        if self.delimiter == self.decimal:
            raise ValueError(f"delimiter and decimal mark are both {self.decimal!r}")
        return self


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse one table.

    Raises
    ------
    DataError
        With file and line.
    """
    return assemble(_table(only_file(files, entry), options), entry, source)


def _table(path: Path, options: Options) -> Table:
    text = read_text(path, encoding=options.encoding, packed=options.compression == "gzip")
    rows, lines = [], []
    for line, cells in _rows(path, text, options):
        if not cells or (len(cells) == 1 and not cells[0].strip()):
            continue
        if options.comment and cells[0].lstrip().startswith(options.comment):
            continue
        rows.append(cells)
        lines.append(line)
    header = None
    if options.header != "none" and rows:
        header, rows, lines = [cell.strip() for cell in rows[0]], rows[1:], lines[1:]
    hint = ""
    if rows and len(rows[0]) == 1:
        hint = f"is {options.delimiter!r} the delimiter? The row begins {rows[0][0][:40]!r}"
    return Table(
        path, rows, lines, header if options.header == "names" else None,
        missing=frozenset(options.missing), decimal=options.decimal, blanks=options.blanks,
        hint=hint,
    )  # fmt: skip


def _rows(path: Path, text: str, options: Options):
    if options.delimiter == "whitespace":
        yield from ((i, line.split()) for i, line in enumerate(text.splitlines(), 1))
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=options.delimiter, strict=True)
    try:
        last = 0
        for cells in reader:
            yield last + 1, cells
            last = reader.line_num
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}.") from None
