"""Rows of several files, brought together by order or by names of rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.columns import NAME_OF_ROWS
from gramworks.owndata.findings import Findings, listed, quoted
from gramworks.owndata.numerals import is_number, loses_digits, number_text
from gramworks.owndata.raw_table import RawTable, find_column


def row_names(table: RawTable, column: str) -> list[str]:
    """Return the names of the rows, as text: "01" is not "1".

    Raises
    ------
    DataError
        A name is missing or stands twice.
    """
    names = _texts(table.columns[column])
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
    tables: list[RawTable],
    id_column: str | None,
    findings: Findings,
    *,
    no_names: Collection[str] = (),
    common_rows: bool = False,
) -> tuple[list[RawTable], str | None]:
    """Bring the rows of all tables into the order of the first.

    Parameters
    ----------
    tables : list of RawTable
    id_column : str, optional
        Names the rows in every file that has several; None: a column that all files have and that
        names rows, else the order.
    findings : Findings
    no_names : collection of str, optional
        Columns that name no rows whatever they look like: the target, and those to be ignored.
    common_rows : bool
        Take the rows that all files have, by `id_column`, and leave the others out.

    Returns
    -------
    tables, id_column
        The column that rows were brought together by, if any; it has one name in all tables.

    Raises
    ------
    DataError
        Other names, or another number of rows; says how many and which. Files share a column of
        names that do not agree.
    """
    first = tables[0]
    if common_rows and id_column is None:
        raise DataError(
            f"{first.path}: --common-rows needs the column that names rows in all files; state it "
            "with --id."
        )
    several = len({table.path for table in tables}) > 1
    if id_column is not None:
        # matrices of one file have one order, so that the column stands once
        by_file = {table.path: [t for t in tables if t.path == table.path] for table in tables}
        stated = id_column
        id_column = find_column([first], stated, "the names of rows")[1]
        for found in by_file.values() if several else ():
            holder, name = find_column(found, stated, "the names of rows")
            _rename(holder, name, id_column)
    elif several:
        id_column = shared_names(tables, no_names)
        if id_column:
            findings.say(
                f"rows are brought together by column {quoted(id_column)}, which all files have"
            )
    if id_column is None:
        _check_lengths(tables)
        if several:
            findings.say("rows are brought together by their order (or state --id COLUMN)")
        return tables, None
    wanted = row_names(first, id_column)
    # the column stands in one table of a file, and its order holds for all of them
    named = {t.path: row_names(t, id_column) for t in tables if id_column in t.columns}
    if common_rows:
        whole = len(wanted)
        wanted = [name for name in wanted if all(name in set(own) for own in named.values())]
        sizes = ", ".join(f"{path.name} has {len(own)}" for path, own in named.items())
        findings.warn(
            f"rows that all files have: {len(wanted)} of {whole} ({sizes}); the others are left out"
        )
        if not wanted:
            raise DataError(f"{first.path}: no row by column {quoted(id_column)} is in all files.")
    aligned = []
    for table in tables:
        names = named[table.path]
        if table.rows != len(names):
            _check_lengths([next(t for t in tables if t.path == table.path), table])
        lacking, strange = set(wanted) - set(names), set(names) - set(wanted)
        if (lacking or strange) and not common_rows:
            some = [name for name in wanted if name in lacking]
            more = [name for name in names if name in strange]
            raise DataError(
                f"{table.path}: its rows are not those of {first.path.name}, by column "
                f"{quoted(id_column)}: {len(lacking)} of {len(wanted)} are lacking"
                f"{f' ({listed(some, 5)})' if some else ''}, {len(strange)} are not in the first"
                f"{f' ({listed(more, 5)})' if more else ''}. Give both files the same rows, or "
                f"state --common-rows to take those that all files have."
            )
        place = {name: i for i, name in enumerate(names)}
        order = np.array([place[name] for name in wanted])
        aligned.append(table if names == wanted else table.take(order))
    return aligned, id_column


def _check_lengths(tables: list[RawTable]) -> None:
    if len({table.rows for table in tables}) > 1:
        found = ", ".join(f"{table.path.name} has {table.rows}" for table in tables)
        raise DataError(
            f"the files have different numbers of rows: {found}. Give them the same rows in the "
            "same order, or state the column that names rows with --id."
        )


def _rename(table: RawTable, old: str, new: str) -> None:
    table.columns = {new if name == old else name: c for name, c in table.columns.items()}


def shared_names(tables: list[RawTable], no_names: Collection[str]) -> str | None:
    """Find a column of all tables with the same names of rows, none twice.

    Raises
    ------
    DataError
        A column of all tables names rows, and its names do not agree.
    """
    passed = {_folded(name) for name in no_names}
    files = {table.path: [t for t in tables if t.path == table.path] for table in tables}
    doubtful = ""
    for column in tables[0].columns:
        if _folded(column) in passed:
            continue
        found = []
        for parts in files.values():
            same = [(t, c) for t in parts for c in t.columns if _folded(c) == _folded(column)]
            exact = [(t, c) for t, c in same if c == column]
            found += (exact or same)[:1]
        if len(found) < len(files):
            continue
        names = [_texts(table.columns[name]) for table, name in found]
        distinct = [len(set(cells)) == len(cells) for cells in names]
        if all(distinct) and all(set(cells) == set(names[0]) for cells in names):
            if all(_may_name(cells, column) for cells in names):
                for table, name in found:
                    _rename(table, name, column)
                return column
        elif any(distinct) and not doubtful:
            doubtful = _disagreement(column, found, names)
    if doubtful:
        raise DataError(doubtful)
    return None


def _folded(name: str) -> str:
    return name.strip().casefold()


def _texts(cells: list[str] | np.ndarray) -> list[str]:
    if isinstance(cells, np.ndarray):
        return ["" if np.isnan(v) else number_text(v) for v in cells]
    return [cell.strip() for cell in cells]


def _may_name(names: list[str], column: str) -> bool:
    """Whether cells may be names: no fractions, which are measured, unless the column says so."""
    return NAME_OF_ROWS.fullmatch(column.strip()) is not None or not any(
        is_number(name) and not re.fullmatch(r"\d+", name) for name in names
    )


def _disagreement(column: str, found: list[tuple[RawTable, str]], names: list[list[str]]) -> str:
    """Say how names of rows differ, or nothing where the column names none."""
    if not all(_may_name(cells, column) for cells in names):
        spelt = [[_number_or_text(cell) for cell in cells] for cells in names]
        if any(sorted(cells) != sorted(spelt[0]) for cells in spelt):
            return ""
    canonical = [{_number_or_text(cell) for cell in cells} for cells in names]
    for (table, name), own, cells in zip(found[1:], canonical[1:], names[1:], strict=True):
        shared = len(own & canonical[0])
        named = NAME_OF_ROWS.fullmatch(column.strip()) is not None
        if cells == names[0] or (shared < 0.5 * min(len(own), len(canonical[0])) and not named):
            continue
        twice = [cell for one in (names[0], cells) for cell, n in Counter(one).items() if n > 1]
        lacking = [cell for cell in names[0] if cell not in set(cells)]
        strange = [cell for cell in cells if cell not in set(names[0])]
        told = "; ".join(
            f"{words} {listed(some, 5)}"
            for words, some in (
                ("stand twice:", twice), ("only in the first file:", lacking),
                ("only in the second:", strange),
            )
            if some
        )  # fmt: skip
        first = found[0][0].path
        return (
            f"{table.path}: column {quoted(name)} looks like the names of the rows, which "
            f"{first.name} has too, and they do not agree ({told}). Write the names alike in all "
            f"files, state --id {column!r} --common-rows to take the rows that all files have, or "
            f"--ignore {column!r} to bring rows together by their order."
        )
    return ""


def _number_or_text(cell: str) -> str:
    if not is_number(cell) or loses_digits(cell):
        return cell.casefold()
    return number_text(float(cell))
