"""Networks over named genes with several labels a gene: lists of names, pairs and edges."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import numpy as np
from pydantic import Field

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.texts import read_text
from gramworks.errors import DataError, suggest
from gramworks.fields import Name, StrictModel

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Network(StrictModel):
    """One undirected graph."""

    name: Name
    """Of the view."""
    edges: str
    """File of lines ``gene gene`` or ``gene gene weight``."""
    genes: str | None = None
    """File of the names that the edges number from 1; without it edges have names."""
    weights: bool
    """Whether edges have weights; without them each weighs 1."""
    directions: Literal["one", "both"]
    """Whether an edge stands there once, or in both directions with one weight."""


class Options(StrictModel):
    """Options of `format: gene_networks`."""

    genes: str
    """File of the genes, one name a line: the points, in this order."""
    labels: str
    """File of the labels, one a line."""
    pairs: str
    """File of lines ``gene label``, both numbered from 1."""
    networks: Annotated[list[Network], Field(min_length=1)]
    outside: Literal["drop"]
    """Edges to genes that are not points are left out, and told."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse the lists.

    Returns
    -------
    Dataset
        X the names of the genes, y (n, k) of their labels, one view a network: (n, n) symmetric
        CSR of the weights.

    Raises
    ------
    DataError
        With file and line: numbers out of range, a gene or edge twice, an edge of a gene with
        itself, directions that differ, a weight that is not positive, an undeclared label.
    """
    found = {path.name: path for path in files}

    def file(name: str) -> Path:
        if name not in found:
            raise DataError(
                f"data set {entry.id!r}: no file {name!r} in the source; {suggest(name, found)}."
            )
        return found[name]

    genes = _names(file(options.genes))
    rows = {name: i for i, name in enumerate(genes)}
    y = _targets(file(options.labels), file(options.pairs), entry, source, len(genes))
    views: dict[str, csr_array] = {}
    notes: list[str] = []
    lists: dict[str, list[str]] = {}
    for network in options.networks:
        if network.genes and network.genes not in lists:
            lists[network.genes] = _names(file(network.genes))
        if network.name in views:
            raise DataError(f"data set {entry.id!r}: two networks are called {network.name!r}.")
        names = lists.get(network.genes or "")
        views[network.name] = _adjacency(file(network.edges), network, names, rows, notes)
    return Dataset(
        entry.id, list(genes), y, list(entry.target.classes), [],
        row_ids=list(genes), views=views, notes=notes,
    )  # fmt: skip


def _lines(path: Path, cells: int):
    for number, line in enumerate(read_text(path).split("\n"), 1):
        found = line.split()
        if len(found) != cells and found:
            raise DataError(f"{path}, line {number}: {len(found)} cells, expected {cells}.")
        if found:
            yield number, found


def _names(path: Path) -> list[str]:
    names: dict[str, None] = {}
    for number, (name,) in _lines(path, 1):
        if name in names:
            raise DataError(f"{path}, line {number}: {name[:80]!r} stands there twice.")
        names[name] = None
    if not names:
        raise DataError(f"{path}: no names in it.")
    return list(names)


def _number(path: Path, line: int, cell: str, last: int) -> int:
    """Read a number from 1 to `last`; return it counted from 0."""
    if cell.isascii() and cell.isdecimal() and len(cell) < 10 and 1 <= int(cell) <= last:
        return int(cell) - 1
    raise DataError(f"{path}, line {line}: {cell[:80]!r} is not a number from 1 to {last}.")


def _targets(
    labels: Path, pairs: Path, entry: DatasetEntry, source: Source, genes: int
) -> np.ndarray:
    names = source.labels or entry.target.labels or {c: c for c in entry.target.classes}
    columns = []
    for label in _names(labels):
        if label not in names:
            raise DataError(
                f"{labels}: label {label[:80]!r} is not declared; {suggest(label[:80], names)}."
            )
        columns.append(entry.target.classes.index(names[label]))
    y = np.zeros((genes, len(entry.target.classes)), dtype=np.int8)
    for line, (gene, label) in _lines(pairs, 2):
        row = _number(pairs, line, gene, genes)
        column = columns[_number(pairs, line, label, len(columns))]
        if y[row, column]:
            raise DataError(f"{pairs}, line {line}: gene {gene} has label {label} already.")
        y[row, column] = 1
    return y


def _adjacency(
    path: Path, network: Network, names: list[str] | None, rows: dict[str, int], notes: list[str]
) -> csr_array:
    from scipy.sparse import csr_array

    weights: dict[tuple[str, str], float] = {}
    for line, (first, second, *weight) in _lines(path, 3 if network.weights else 2):
        if names is not None:
            first = names[_number(path, line, first, len(names))]
            second = names[_number(path, line, second, len(names))]
        if first == second:
            _refuse(path, line, first, second, "leads from a gene to itself")
        if (first, second) in weights or (
            network.directions == "one" and (second, first) in weights
        ):
            _refuse(path, line, first, second, "stands there twice")
        weights[first, second] = _weight(path, line, *weight) if weight else 1.0
    if network.directions == "both":
        for (first, second), weight in weights.items():
            if weights.get((second, first)) != weight:
                _refuse(path, None, first, second, "has no equal in the other direction")
        edges = {pair: w for pair, w in weights.items() if pair[0] < pair[1]}
    else:
        edges = weights
    kept = [(rows[a], rows[b], w) for (a, b), w in edges.items() if a in rows and b in rows]
    nodes = {name for pair in edges for name in pair}
    notes.append(
        f"network {network.name}: {len(edges)} edges on {len(nodes)} genes, "
        f"{len(nodes & rows.keys())} of them points; {len(kept)} edges between points, "
        f"{len(edges) - len(kept)} others left out"
    )
    i, j, w = (np.array(column) for column in zip(*kept, strict=True)) if kept else ([], [], [])
    data = (np.r_[w, w].astype(np.float64), (np.r_[i, j].astype(int), np.r_[j, i].astype(int)))
    matrix = csr_array(data, shape=(len(rows), len(rows)))
    matrix.sort_indices()
    return matrix


def _weight(path: Path, line: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf or "_" in cell:
        raise DataError(f"{path}, line {line}: weight {cell[:80]!r} is not a positive number.")
    return value


def _refuse(path: Path, line: int | None, first: str, second: str, fault: str) -> NoReturn:
    where = path if line is None else f"{path}, line {line}"
    raise DataError(f"{where}: the edge {first[:40]!r} - {second[:40]!r} {fault}.")
