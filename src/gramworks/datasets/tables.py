"""From a table of cells to a data set: layout, labels, missing values, encodings."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from gramworks.datasets.cells import encode_feature, is_same_information, missing_rows, read_labels
from gramworks.datasets.dataset import Dataset, DataWarning
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.errors import DataError, suggest

LAYOUT_WORDS = ("features", "target", "labels", "row-id", "ignored")
MOST_NOTES = 5
"""Columns with filled values that are told one by one."""


@dataclass
class Table:
    """Cells of a file as they stand there; parsers fill it."""

    path: Path
    rows: list[list[str]]
    """Cells with the blanks around them."""
    lines: list[int]
    """Line number of each row."""
    header: list[str] | None = None
    """Column names of the file, compared with the registry's when given."""
    missing: frozenset[str] = frozenset({"?"})
    """Cells that stand for a missing value, blanks removed."""
    decimal: str = "."
    blanks: Literal["refuse", "merge", "keep"] = "refuse"
    """Labels that differ in surrounding blanks only: refuse, merge (told), or keep apart."""
    hint: str = ""
    """What to look at when rows have the wrong number of cells."""
    notes: list[str] = field(default_factory=list)

    def at(self, row: int) -> str:
        """Say where a row stands."""
        return f"{self.path}, line {self.lines[row]}"


def only_file(files: list[Path], entry: DatasetEntry) -> Path:
    """Return the one file that a parser of single tables reads."""
    if len(files) != 1:
        raise DataError(
            f"data set {entry.id!r}: the format reads one file, the source states {len(files)}."
        )
    return files[0]


def assemble(table: Table, entry: DatasetEntry, source: Source) -> Dataset:
    """Turn cells into a data set as the registry entry says.

    Parameters
    ----------
    table : Table
    entry : DatasetEntry
        Its columns, target and policy for missing values.
    source : Source
        Its layout and labels.

    Returns
    -------
    Dataset
        X (n, d) float64; notes tell dropped rows, filled cells, and features that are the target
        in other words (also as a `DataWarning`).

    Raises
    ------
    DataError
        With file and line: a wrong number of cells, an undeclared label or value, a cell that is
        not a number, a missing value under the policy "refuse".
    """
    features = entry.features()
    roles = _positions(entry, source, [feature.name for feature in features])
    _check_shape(table, roles, entry.target.labels)
    columns = list(zip(*table.rows, strict=True))
    multilabel = entry.task == "multilabel"
    keep = np.ones(len(table.rows), dtype=bool)
    targets = {entry.target.name: columns[roles.index("target")]} if not multilabel else {
        label: columns[roles.index(label)] for label in entry.target.classes
    }  # fmt: skip
    target = targets.get(entry.target.name, ())
    if entry.target.classes and not multilabel:
        names = source.labels or entry.target.labels or {c: c for c in entry.target.classes}
        target = targets[entry.target.name] = read_labels(table, entry.target.name, target)
        keep &= _known_labels(table, entry, target, names)
    where = {feature.name: roles.index(feature.name) for feature in features}
    cells = {name: columns[i] for name, i in where.items()}
    keep &= _complete(table, entry, keep, cells, targets)
    kept = np.flatnonzero(keep)
    if not len(kept):
        raise DataError(f"{table.path}: no row is left; look at `missing` and `target.others`.")

    if multilabel:
        y = np.column_stack([_marks(table, name, targets[name], kept) for name in targets])
    elif entry.target.classes:
        codes = {name: code for code, name in enumerate(entry.target.classes)}
        y = np.array([codes[names[target[i]]] for i in kept], dtype=np.int64)
    else:
        ((_, values),) = encode_feature(table, entry.target.name, None, target, kept)
        y = values
    encoded: list[tuple[str, np.ndarray]] = []
    for feature in features:
        new = encode_feature(table, feature.name, feature, cells[feature.name], kept)
        encoded += new
        same = _equal_target([cells[feature.name][i] for i in kept], new, entry, y)
        if same:
            text = f"column {feature.name!r} is equal to the target {same!r}"
            table.notes.append(f"warning: {text}; is it meant to be a feature?")
            warnings.warn(f"data set {entry.id!r}: {text}", DataWarning, stacklevel=2)
    ids = None
    if "row-id" in roles:
        named = columns[roles.index("row-id")]
        ids = [named[i].strip() for i in kept]
    return Dataset(
        id=entry.id,
        X=np.column_stack([values for _, values in encoded]),
        y=y,
        classes=list(entry.target.classes),
        feature_names=[name for name, _ in encoded],
        row_ids=ids,
        notes=table.notes,
    )


def _marks(table: Table, label: str, cells: tuple[str, ...], kept: np.ndarray) -> np.ndarray:
    """Read the zeros and ones of one label."""
    for row in kept:
        if cells[row].strip() not in ("0", "1"):
            raise DataError(
                f"{table.at(row)}: label {label!r} has {cells[row]!r}; 0 and 1 are allowed."
            )
    return np.array([cells[row].strip() == "1" for row in kept], dtype=np.int8)


def _equal_target(
    cells: list[str], encoded: list[tuple[str, np.ndarray]], entry: DatasetEntry, y: np.ndarray
) -> str:
    """Name the target, or the label, that a feature is equal to; "" when there is none."""
    if not entry.target.classes:
        same = any(np.array_equal(values, y) for _, values in encoded)
        return entry.target.name if same else ""
    if y.ndim == 1:
        return entry.target.name if is_same_information(cells, y) else ""
    labels = zip(entry.target.classes, y.T, strict=True)
    return next((label for label, marks in labels if is_same_information(cells, marks)), "")


def _positions(entry: DatasetEntry, source: Source, features: list[str]) -> list[str]:
    """Spell the layout out: one role or feature name a column of the file."""
    roles: list[str] = []
    for word in source.layout:
        if word not in (*LAYOUT_WORDS, *features):
            raise DataError(
                f"data set {entry.id!r}: layout has {word!r}; "
                f"{suggest(word, (*LAYOUT_WORDS, *features[:20]))}."
            )
        spelt = {"features": features, "labels": entry.target.classes}
        roles += spelt.get(word, [word])
    wanted = entry.target.classes if entry.task == "multilabel" else ["target"]
    for word in (*wanted, *features):
        if roles.count(word) != 1:
            raise DataError(
                f"data set {entry.id!r}: the layout has {word!r} {roles.count(word)} times, "
                "expected once."
            )
    return roles


def _check_shape(table: Table, roles: list[str], labels: dict[str, str]) -> None:
    if not table.rows:
        raise DataError(f"{table.path}: there are no rows of data in it.")
    for row, cells in enumerate(table.rows):
        if len(cells) != len(roles):
            raise DataError(
                f"{table.at(row)}: {len(cells)} cells, expected {len(roles)}"
                f"{table.hint and '; ' + table.hint}."
            )
    if table.header is not None and len(table.header) != len(roles):
        raise DataError(
            f"{table.path}: the header has {len(table.header)} names, expected {len(roles)}."
        )
    for position, name in enumerate(table.header or ()):
        if roles[position] not in (*LAYOUT_WORDS, name, labels.get(name)):
            raise DataError(
                f"{table.path}: column {position + 1} is called {name!r}, the registry says "
                f"{roles[position]!r}; correct the layout or the columns."
            )


def _known_labels(
    table: Table, entry: DatasetEntry, target: list[str], names: dict[str, str]
) -> np.ndarray:
    known = np.array([label in names or label in table.missing for label in target])
    if known.all():
        return known
    row = int(np.argmin(known))
    if entry.target.others == "refuse":
        raise DataError(
            f"{table.at(row)}: label {target[row]!r} is not declared; "
            f"{suggest(target[row], names)}."
        )
    table.notes.append(f"{int((~known).sum())} rows of other classes left out")
    return known


def _complete(
    table: Table,
    entry: DatasetEntry,
    keep: np.ndarray,
    features: dict[str, tuple[str, ...]],
    targets: dict[str, tuple[str, ...]],
) -> np.ndarray:
    """Apply the policy for missing values; return which rows are left."""
    lacking = {name: missing_rows(table, cells) for name, cells in features.items()}
    no_target = {name: missing_rows(table, cells) for name, cells in targets.items()}
    filled: dict[str, int] = {}
    for name, mask in [*lacking.items(), *no_target.items()]:
        here = np.flatnonzero(mask & keep)
        refused = entry.missing == "refuse" or (entry.missing == "mean" and name in no_target)
        if len(here) and refused:
            raise DataError(
                f"{table.at(int(here[0]))}: column {name!r} is missing ({len(here)} such rows); "
                "the registry's `missing` allows drop-rows or, for features, mean."
            )
        if len(here) and entry.missing == "mean":
            filled[name] = len(here)
    if len(filled) > MOST_NOTES:
        table.notes.append(f"{sum(filled.values())} missing values filled in {len(filled)} columns")
    else:
        table.notes += [f"column {c!r}: {k} missing values filled" for c, k in filled.items()]
    if entry.missing != "drop-rows":
        return np.ones_like(keep)
    complete = ~np.logical_or.reduce([*no_target.values(), *lacking.values()])
    dropped = int((keep & ~complete).sum())
    if dropped:
        table.notes.append(f"{dropped} rows with missing values dropped")
    return complete
