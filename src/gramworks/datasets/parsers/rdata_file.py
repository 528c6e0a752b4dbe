"""R's .RData files: lists of a matrix and a factor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from gramworks.datasets.bounded import read_bounded
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.tables import only_file
from gramworks.errors import DataError, suggest
from gramworks.fields import StrictModel

LARGEST = 256 << 20
"""Bytes beyond which a file is refused, packed or not."""


class Options(StrictModel):
    """Options of `format: rdata_file`."""

    object: str
    """Name of the object: a list."""
    X: str = "x"
    """Name of the matrix in it, (n, d) numbers."""
    y: str = "y"
    """Name of the factor in it."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Read one object of an .RData file.

    Nothing in the file is evaluated: R code in it stays data.

    Raises
    ------
    DataError
        When the file is damaged or unpacks to more than `LARGEST` bytes, the object or a part of
        it is not there or of another type, or a label is not declared.
    """
    path = only_file(files, entry)
    content = _content(path, read_bounded(path, LARGEST, packing="any"))
    if options.object not in content:
        raise DataError(
            f"{path}: no object {options.object!r}; {suggest(options.object, list(content))}."
        )
    parts = content[options.object]
    for name in (options.X, options.y):
        if not isinstance(parts, dict) or name not in parts:
            raise DataError(f"{path}: object {options.object!r} has no part {name!r}.")
    X, labels = np.asarray(parts[options.X]), [str(label) for label in parts[options.y]]
    names = [feature.name for feature in entry.features()]
    if X.shape != (len(labels), len(names)) or X.dtype.kind not in "iuf":
        raise DataError(
            f"{path}: {options.X!r} has shape {X.shape} and type {X.dtype}; "
            f"({len(labels)}, {len(names)}) numbers are expected."
        )
    if not np.isfinite(X).all():
        raise DataError(f"{path}: {options.X!r} has values that are not finite numbers.")
    classes = list(entry.target.classes)
    spelt = source.labels or entry.target.labels or {c: c for c in classes}
    strangers = sorted(set(labels) - set(spelt))
    if strangers:
        raise DataError(
            f"{path}: label {strangers[0]!r} is not declared; {suggest(strangers[0], spelt)}."
        )
    y = np.array([classes.index(spelt[label]) for label in labels], dtype=np.int64)
    return Dataset(entry.id, X.astype(np.float64, order="C") + 0.0, y, classes, names)


def _content(path: Path, data: bytes) -> dict[str, Any]:
    import rdata

    try:
        content = rdata.conversion.convert(rdata.parser.parse_data(data), default_encoding="utf-8")
    except Exception as error:
        # The reader states no error class of its own; what a bad file does to it is damage.
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise DataError(f"{path}: cannot be read as .RData ({reason}); fetch it again.") from None
    if not isinstance(content, dict):
        raise DataError(f"{path}: holds one unnamed object, not named ones (is it an .rds file?).")
    return content
