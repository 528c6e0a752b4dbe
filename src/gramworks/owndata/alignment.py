"""Rows of several files, brought together by order or by names of rows."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings, listed, quoted
from gramworks.owndata.numerals import number_text
from gramworks.owndata.raw_table import RawTable, find_column


def row_names(table: RawTable, column: str) -> list[str]:
    """Return the names of the rows, as text: "01" is not "1".

    Raises
    ------
    DataError
        A name is missing or stands twice.
    """
    cells = table.columns[column]
    if isinstance(cells, np.ndarray):
        cells = ["" if np.isnan(v) else number_text(v) for v in cells]
    names = [cell.strip() for cell in cells]
    counts = Counter(names)
    twice = [name for name, n in counts.items() if n > 1]
    if "" in counts:
        raise DataError(
            f"{table.at(names.index(''))}: column {quoted(column)} names the rows, and is empty "
            "here; name every row."
        )
    if twice:
        raise DataError(
            f"{table.path}: column {quoted(column)} names the rows, and {listed(twice, 5)} "
            f"({len(twice)} names) stand more than once; each row needs a name of its own."
        )
    return names


def align_tables(
    tables: list[RawTable], id_column: str | None, findings: Findings
) -> tuple[list[RawTable], str | None]:
    """Bring the rows of all tables into the order of the first.

    Parameters
    ----------
    tables : list of RawTable
    id_column : str, optional
        Names the rows in every file that has several; None: a column that all files have and that
        names rows, else the order.

    Returns
    -------
    tables, id_column
        The column that rows were brought together by, if any.

    Raises
    ------
    DataError
        Other names, or another number of rows; says how many and which.
    """
    first = tables[0]
    if id_column is not None:
        # matrices of one file have one order, so that the column stands once
        by_file = {table.path: [t for t in tables if t.path == table.path] for table in tables}
        for path, found in by_file.items():
            if len(by_file) > 1 or path == first.path:
                find_column(found, id_column, "the names of rows")
        id_column = find_column([first], id_column, "the names of rows")[1]
    elif len({table.path for table in tables}) > 1:
        id_column = _shared_names(tables)
        if id_column:
            findings.say(
                f"rows are brought together by column {quoted(id_column)}, which all files have"
            )
    if id_column is None:
        _check_lengths(tables)
        if len({table.path for table in tables}) > 1:
            findings.say("rows are brought together by their order (or state --id COLUMN)")
        return tables, None
    wanted = row_names(first, id_column)
    aligned = [first]
    for table in tables[1:]:
        if id_column not in table.columns:
            _check_lengths([first, table])
            aligned.append(table)
            continue
        names = row_names(table, id_column)
        lacking, strange = set(wanted) - set(names), set(names) - set(wanted)
        if lacking or strange:
            some = [name for name in wanted if name in lacking]
            more = [name for name in names if name in strange]
            raise DataError(
                f"{table.path}: its rows are not those of {first.path.name}, by column "
                f"{quoted(id_column)}: {len(lacking)} of {len(wanted)} are lacking"
                f"{f' ({listed(some, 5)})' if some else ''}, {len(strange)} are not in the first"
                f"{f' ({listed(more, 5)})' if more else ''}. Give both files the same rows."
            )
        place = {name: i for i, name in enumerate(names)}
        aligned.append(table.take(np.array([place[name] for name in wanted])))
    return aligned, id_column


def _check_lengths(tables: list[RawTable]) -> None:
    if len({table.rows for table in tables}) > 1:
        found = ", ".join(f"{table.path.name} has {table.rows}" for table in tables)
        raise DataError(
            f"the files have different numbers of rows: {found}. Give them the same rows in the "
            "same order, or state the column that names rows with --id."
        )


def _shared_names(tables: list[RawTable]) -> str | None:
    """Find a column of all tables with the same names of rows, none twice."""
    shared = [c for c in tables[0].columns if all(c in t.columns for t in tables)]
    for column in shared:
        sets = []
        for table in tables:
            cells = table.columns[column]
            if isinstance(cells, np.ndarray) or len(set(cells)) < len(cells):
                break
            sets.append({cell.strip() for cell in cells})
        if len(sets) == len(tables) and all(found == sets[0] for found in sets):
            return column
    return None
