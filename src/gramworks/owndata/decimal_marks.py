"""Which mark parts decimals: point or comma; a mark that may part thousands is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings, quoted
from gramworks.owndata.numerals import is_number, looks_decimal
from gramworks.owndata.raw_table import RawTable

_NAMES = {".": "point", ",": "comma"}
_GROUPS = {
    mark: re.compile(rf"[-+]?[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+") for mark in _NAMES
}
"""1.018: a fraction, or thousands. 0.018 and 1.5 are fractions."""
_WHOLE = re.compile(r"[-+]?\d+")


def other(mark: str) -> str:
    """Give the other mark."""
    return "," if mark == "." else "."


def certain(cells: Iterable[str], mark: str) -> bool:
    """Whether a cell is a fraction with that mark, and cannot have thousands parted by it."""
    return any(
        looks_decimal(cell, mark) and not _GROUPS[mark].fullmatch(cell.strip()) for cell in cells
    )


def grouped(cells: Iterable[str], mark: str) -> str | None:
    """Give a cell whose mark may part thousands, if no other cell has it before a fraction."""
    if certain(cells, mark):
        return None
    return next((c.strip() for c in cells if _GROUPS[mark].fullmatch(c.strip())), None)


def decimal_of_table(columns: list[list[str]]) -> str:
    """Tell what most columns say: commas, if there are some and no points."""
    found = {mark: any(certain(cells, mark) for cells in columns) for mark in _NAMES}
    if found["."] != found[","]:
        return "." if found["."] else ","
    commas = any(looks_decimal(cell, ",") for cells in columns for cell in cells)
    points = any(looks_decimal(cell, ".") for cells in columns for cell in cells)
    return "," if commas and not points else "."


def decimal_of(table: RawTable, name: str, cells: list[str], findings: Findings) -> str:
    """Tell the decimal mark of one column, which may be another than that of its table.

    Parameters
    ----------
    table : RawTable
    name : str
    cells : list of str
        Of the column, blanks removed.
    findings : Findings

    Raises
    ------
    DataError
        Cells such as 1.018 beside 981, or in a table whose fractions have the other mark: what
        they mean is not known, and a wrong guess is wrong a thousandfold.
    """
    for mark in _NAMES:
        cell = grouped(cells, mark)
        if cell is None or (table.decimal_stated and table.decimal == mark):
            continue
        if table.thousands not in (None, mark):  # another mark parts them
            continue
        whole = next((c for c in cells if _WHOLE.fullmatch(c)), None)
        rest = [c for key, c in table.columns.items() if key != name and isinstance(c, list)]
        elsewhere = table.decimal_stated or any(certain(c, other(mark)) for c in rest)
        if whole is None and not elsewhere:
            continue
        # categories and dates may look so, too
        odd = [c for c in cells if c not in table.gaps and not _number_of_any(c)]
        if len(odd) > 0.2 * len(cells):
            continue
        why = (
            f"beside {quoted(whole)}"
            if whole is not None
            else f"while the decimal mark of the table is a {_NAMES[other(mark)]}"
        )
        raise DataError(
            f"{table.at([c.strip() for c in cells].index(cell))}: column {quoted(name)} has "
            f"{quoted(cell)} {why}: the {_NAMES[mark]} may part thousands or be a decimal mark. "
            f"State --thousands {mark!r} if it parts thousands, --decimal {mark!r} if it is the "
            "decimal mark; or leave the column out."
        )
    mark = table.decimal
    commas = [c for c in cells if is_number(c, other(mark)) and not is_number(c, mark)]
    # one column may have the other mark
    if commas and all(is_number(c, other(mark)) or c in table.gaps for c in cells):
        findings.warn(
            f"column {quoted(name)}: {quoted(commas[0])} and {len(commas) - 1} more cells are "
            f"read with decimal {_NAMES[other(mark)]}s, while other columns have "
            f"{_NAMES[mark]}s; if the {_NAMES[other(mark)]}s part thousands, state --thousands "
            f"{other(mark)!r}"
        )
        return other(mark)
    return mark


def _number_of_any(cell: str) -> bool:
    return any(is_number(cell, m) or _GROUPS[m].fullmatch(cell) for m in _NAMES)
