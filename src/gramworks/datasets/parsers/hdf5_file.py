"""HDF5 files from outside: dense features and labels in groups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from gramworks.datasets.dataset import Dataset, Partition
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.label_codes import whole_number_codes
from gramworks.datasets.tables import only_file
from gramworks.errors import DataError, suggest
from gramworks.fields import StrictModel

LARGEST = 2 << 30
"""Bytes of one array beyond which a file is refused, whatever it states."""


class Part(StrictModel):
    """One block of points."""

    X: str
    """Path of the features, for example train/data."""
    y: str
    """Path of the labels."""


class Options(StrictModel):
    """Options of `format: hdf5_file`."""

    parts: Annotated[list[Part], Field(min_length=1)]
    """Blocks of points, one below the other in this order."""
    partition: bool = False
    """Whether the first part is the training and the second the test set."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Read the parts of one HDF5 file.

    Raises
    ------
    DataError
        When the file is not HDF5, is truncated, has links or storage outside itself, states
        implausible sizes, or holds something else than numbers and declared labels.
    """
    path = only_file(files, entry)
    blocks = list(_blocks(path, options))
    X = np.concatenate([x for x, _ in blocks]) + 0.0
    labels = np.concatenate([y for _, y in blocks])
    features = [feature.name for feature in entry.features()]
    if X.shape[1] != len(features):
        raise DataError(f"{path}: {X.shape[1]} columns, the registry names {len(features)}.")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise DataError(f"{path}: row {row + 1}, column {column + 1} is not a finite number.")
    y = (
        whole_number_codes(path, entry, source, labels)
        if entry.target.classes
        else labels.astype(np.float64)
    )
    return Dataset(
        entry.id, X, y, list(entry.target.classes), features,
        partitions=_partition(blocks) if options.partition else None,
    )  # fmt: skip


def _blocks(path: Path, options: Options) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            for part in options.parts:
                X, y = _array(file, part.X, 2), _array(file, part.y, 1)
                if len(X) != len(y):
                    raise DataError(
                        f"{path}: {part.X!r} has {len(X)} rows, {part.y!r} has {len(y)}."
                    )
                yield X.astype(np.float64), y
    except (OSError, KeyError, RuntimeError, ValueError, TypeError, MemoryError) as error:
        raise DataError(
            f"{path}: cannot be read as HDF5 ({' '.join(str(error).split())}); fetch it again."
        ) from None


def _array(file, name: str, dimensions: int) -> np.ndarray:
    """Read an array, following hard links only and never outside the file."""
    import h5py

    item = file
    for part in name.strip("/").split("/"):
        if not isinstance(item, h5py.Group) or part not in item:
            raise DataError(f"{file.filename}: no {name!r} in it; {suggest(part, list(item))}.")
        link = item.get(part, getlink=True)
        if not isinstance(link, h5py.HardLink):
            raise DataError(
                f"{file.filename}: {name!r} is reached by a {type(link).__name__}; refused."
            )
        item = item[part]
    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "iuf":
        raise DataError(f"{file.filename}: {name!r} is not an array of numbers.")
    if item.is_virtual or item.external:
        raise DataError(f"{file.filename}: {name!r} keeps its data in another file; refused.")
    if item.ndim != dimensions:
        raise DataError(f"{file.filename}: {name!r} has {item.ndim} dimensions, not {dimensions}.")
    if item.size * 8 > LARGEST or item.nbytes > 1100 * max(item.id.get_storage_size(), 1):
        raise DataError(f"{file.filename}: {name!r} states an implausible size {item.shape}.")
    return item[()]


def _partition(blocks: list[tuple[np.ndarray, np.ndarray]]) -> list[Partition]:
    if len(blocks) != 2:
        raise DataError(f"a partition needs two parts (train, test), {len(blocks)} are stated.")
    n_train, n = len(blocks[0][0]), sum(len(x) for x, _ in blocks)
    return [(np.arange(n_train), np.arange(n_train, n))]
