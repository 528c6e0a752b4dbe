"""MATLAB files of version 5, dense and sparse, with index partitions."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gramworks.datasets.dataset import Dataset, Partition
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.label_codes import whole_number_codes
from gramworks.datasets.matlab_structure import check_structure
from gramworks.errors import DataError, suggest
from gramworks.fields import StrictModel

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Indices(StrictModel):
    """A family of partitions: one a row, row numbers counted from 1."""

    file: str | None = None
    """Name of its file; null: the first file."""
    train: str
    test: str
    """Names of the variables."""


class Options(StrictModel):
    """Options of `format: matlab`."""

    X: str = "X"
    y: str = "y"
    """Names of the variables in the first file."""
    partitions: list[Indices] = []
    expand: bool = False
    """Whether rows of X are distinct patterns that the partitions name as often as they occur. Each
    occurrence then becomes a row."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Read features, labels and partitions.

    Raises
    ------
    DataError
        When a file is not MATLAB 5, is damaged, states implausible sizes, lacks a variable, or
        holds values that are not finite numbers, undeclared labels or row numbers out of range.
    """
    path = files[0]
    values = _variables(path, [options.X, options.y])
    X, labels = _points(path, options.X, values[options.X]), np.ravel(values[options.y])
    if len(labels) != X.shape[0]:
        raise DataError(
            f"{path}: {options.X!r} has {X.shape[0]} rows, {options.y!r} {len(labels)}."
        )
    names = [feature.name for feature in entry.features()]
    if X.shape[1] != len(names):
        raise DataError(f"{path}: {X.shape[1]} columns, the registry names {len(names)}.")
    if labels.dtype.kind not in "iuf":
        raise DataError(f"{path}: {options.y!r} is not an array of numbers.")
    y = labels.astype(np.float64)
    if entry.target.classes:
        y = whole_number_codes(path, entry, source, labels)
    by_name = {file.name: file for file in files}
    partitions: list[Partition] = []
    for family in options.partitions:
        name = family.file or path.name
        if name not in by_name:
            raise DataError(f"data set {entry.id!r}: no file {name!r}; {suggest(name, by_name)}.")
        partitions += _partitions(by_name[name], family, X.shape[0])
    dataset = Dataset(
        entry.id, X, y, list(entry.target.classes), names, partitions=partitions or None
    )
    return _expanded(path, dataset) if options.expand else dataset


def _variables(path: Path, names: Iterable[str]) -> dict:
    """Load named variables, after a look at the file's structure."""
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError

    wanted = list(names)
    check_structure(path, wanted)
    try:
        shapes = {name: shape for name, shape, _ in whosmat(path)}
        for name in wanted:
            if name not in shapes:
                raise DataError(f"{path}: no variable {name!r}; {suggest(name, shapes)}.")
        found = loadmat(path, variable_names=wanted)
    except (
        MatReadError, ValueError, TypeError, KeyError, IndexError, OSError, EOFError, zlib.error,
        OverflowError, MemoryError, AttributeError, UnboundLocalError, RuntimeError,
    ) as error:  # fmt: skip
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as MATLAB 5 ({reason}); fetch it again.") from None
    return {name: found[name] for name in wanted}


def _points(path: Path, name: str, values) -> np.ndarray | csr_array:
    from scipy.sparse import csr_array, issparse

    if issparse(values):
        matrix = csr_array(values).astype(np.float64)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        numbers, points = matrix.data, matrix
    else:
        if values.ndim != 2 or values.dtype.kind not in "iuf":
            raise DataError(f"{path}: {name!r} is not a matrix of numbers.")
        numbers = points = values.astype(np.float64, order="C") + 0.0
    if not np.isfinite(numbers).all():
        raise DataError(f"{path}: {name!r} has values that are not finite numbers.")
    return points


def _partitions(path: Path, family: Indices, n: int) -> list[Partition]:
    values = _variables(path, [family.train, family.test])
    parts = []
    for name in (family.train, family.test):
        rows = values[name]
        if getattr(rows, "ndim", 0) != 2 or rows.dtype.kind not in "iuf":
            raise DataError(f"{path}: {name!r} is not a table of row numbers.")
        if (rows != np.rint(rows)).any() or rows.min() < 1 or rows.max() > n:
            raise DataError(f"{path}: {name!r} has row numbers outside 1 to {n}.")
        parts.append(rows.astype(np.int64) - 1)
    if len(parts[0]) != len(parts[1]):
        raise DataError(f"{path}: {len(parts[0])} training sets, {len(parts[1])} test sets.")
    return list(zip(*parts, strict=True))


def _expanded(path: Path, dataset: Dataset) -> Dataset:
    """Make each occurrence of a pattern a row; equal rows stand together, in the file's order.

    Training sets take the first copies of a pattern, test sets the next ones. As the copies are
    equal, this choice changes nothing; no row is then in both sets.
    """
    n, pairs = dataset.rows, dataset.partitions or ()
    counts = [np.bincount(np.concatenate(pair), minlength=n) for pair in pairs]
    if not counts or any((other != counts[0]).any() for other in counts):
        raise DataError(f"{path}: partitions do not all have the same points, so none is counted.")
    if counts[0].min() < 1:
        raise DataError(f"{path}: row {int(counts[0].argmin()) + 1} is in no partition.")
    patterns = np.repeat(np.arange(n), counts[0])
    partitions = []
    for train, test in pairs:
        both = np.concatenate([train, test])
        order = np.argsort(both, kind="stable")
        rows = np.empty(len(both), dtype=np.int64)
        rows[order] = np.arange(len(both))  # sorted by pattern, points are counted through
        partitions.append((rows[: len(train)], rows[len(train) :]))
    notes = []
    if len(patterns) > n:
        notes.append(f"{n} distinct patterns stand for {len(patterns)} points, each now a row")
    return Dataset(
        dataset.id, dataset.X[patterns], dataset.y[patterns], dataset.classes,
        dataset.feature_names, partitions=partitions, notes=notes,
    )  # fmt: skip
