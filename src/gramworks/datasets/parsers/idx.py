"""The idx files of MNIST, gzipped or not: images and their labels."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np

from gramworks.datasets.bounded import read_bounded
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.label_codes import whole_number_codes
from gramworks.errors import DataError
from gramworks.fields import StrictModel

LARGEST = 128 << 20
"""Bytes of one file, unpacked, beyond which it is refused, whatever it states."""
_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


class Options(StrictModel):
    """`format: idx` has no options; the first file has the images, the second the labels."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Read images, a row each, and their labels.

    Raises
    ------
    DataError
        When a file is not idx, is truncated or longer than it states, or sizes do not agree.
    """
    if len(files) != 2:
        raise DataError(f"data set {entry.id!r}: idx needs images and labels, {len(files)} files.")
    images, labels = (_array(path) for path in files)
    X = images.reshape(len(images), -1).astype(np.float64)
    names = [feature.name for feature in entry.features()]
    if labels.ndim != 1 or len(labels) != len(X):
        raise DataError(f"{files[1]}: shape {labels.shape}, ({len(X)},) labels are expected.")
    if X.shape[1] != len(names):
        raise DataError(
            f"{files[0]}: {X.shape[1]} values a point, the registry names {len(names)}."
        )
    if not np.isfinite(X).all():
        raise DataError(f"{files[0]}: has values that are not finite numbers.")
    y = whole_number_codes(files[1], entry, source, labels)
    return Dataset(entry.id, X, y, list(entry.target.classes), names)


def _array(path: Path) -> np.ndarray:
    content = read_bounded(path, LARGEST, packing="any")
    head = content[:4]
    if len(head) < 4 or head[:2] != b"\0\0" or head[2] not in _TYPES or not head[3]:
        raise DataError(f"{path}: begins with {head!r}, so it is not an idx file.")
    start = 4 + 4 * head[3]
    if len(content) < start:
        raise DataError(f"{path}: is truncated in its header.")
    shape = struct.unpack(f">{head[3]}I", content[4:start])
    dtype = np.dtype(_TYPES[head[2]])
    wanted, found = math.prod(shape) * dtype.itemsize, len(content) - start
    if not 0 < wanted <= LARGEST or len(shape) > 4:
        raise DataError(f"{path}: states an implausible size {shape}.")
    if found != wanted:
        words = "is truncated" if found < wanted else "is longer than it states"
        raise DataError(f"{path}: {words}, {wanted} bytes of values are expected.")
    return np.frombuffer(content, dtype=dtype, offset=start).reshape(shape)
