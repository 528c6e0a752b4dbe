"""A table as a file has it, before anything is decided about its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gramworks.errors import DataError, suggest
from gramworks.owndata.findings import listed, quoted

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class ReadOptions:
    """What the user said about the files; None leaves it to be found out."""

    target: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    """What parts thousands, one of `gramworks.owndata.thousands.MARKS`."""
    encoding: str | None = None
    header: bool = True
    missing_marks: tuple[str, ...] = ()
    """Further cells that stand for a missing value."""


@dataclass
class RawTable:
    """Named columns of one source."""

    path: Path
    name: str
    """What the source is called; the file's stem, or an array's name."""
    columns: dict[str, list[str] | np.ndarray]
    """Cells as they stand in the file, or float64 with NaN where missing."""
    lines: list[int]
    """Where each row stands: line number of a text file, else row number from 1."""
    unit: str = "row"
    """What `lines` counts: line or row."""
    decimal: str = "."
    decimal_stated: bool = True
    """Whether the user or the format says so; else it was found out."""
    sparse: csr_array | None = None
    """(n, d) points beside the columns, of sparse files."""
    gaps: frozenset[str] = field(default=frozenset({"", "?", "<null>"}))
    """Cells that are missing values in any column, blanks removed."""
    thousands: str | None = None
    """What parts thousands, if the user says so."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.lines)

    def at(self, row: int) -> str:
        """Say where a row stands."""
        return f"{self.path}, {self.unit} {self.lines[row]}"

    def take(self, order: np.ndarray) -> RawTable:
        """Return rows in another order, or some of them."""
        return RawTable(
            self.path, self.name,
            {
                name: cells[order] if isinstance(cells, np.ndarray) else [cells[i] for i in order]
                for name, cells in self.columns.items()
            },
            [self.lines[i] for i in order], self.unit, self.decimal,
            self.decimal_stated, None if self.sparse is None else self.sparse[order], self.gaps,
            self.thousands,
        )  # fmt: skip


def named_columns(path: Path, names: list[str], columns: list) -> dict:
    """Join names and columns.

    Raises
    ------
    DataError
        Two columns have one name.
    """
    twice = sorted({name for name in names if names.count(name) > 1}) if len(
        set(names)
    ) < len(names) else []  # fmt: skip
    if twice:
        raise DataError(
            f"{path}: {listed(twice)} stands more than once among the {len(names)} column names; "
            "give each column a name of its own."
        )
    return dict(zip(names, columns, strict=True))


def find_column(tables: list[RawTable], name: str, what: str) -> tuple[RawTable, str]:
    """Find a column by name, blanks around it aside.

    Raises
    ------
    DataError
        No such column; suggests a near one and lists the columns.
    """
    for table in tables:
        for column in table.columns:
            if column == name or column.strip() == name.strip():
                return table, column
    known = [column for table in tables for column in table.columns]
    hint = suggest(name, known).partition(" Valid:")[0] if known else ""
    near = f"{hint} " if hint.startswith("did you mean") else ""
    paths = ", ".join(dict.fromkeys(str(table.path) for table in tables))
    raise DataError(
        f"{paths}: no column {quoted(name)} for {what}; {near}The columns are: {listed(known, 40)}."
    )
