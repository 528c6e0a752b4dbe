"""Tables of 28 x 28 digits, shrunk to 16 x 16 by the one recipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.digits import SIDE, shrink_digits
from gramworks.datasets.entry import Column, DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.parsers import delimited
from gramworks.errors import DataError

Options = delimited.Options


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse a delimited table of 784 grey values and a label, and shrink the images.

    Raises
    ------
    DataError
        With file and line; or when the registry does not name 256 columns.
    """
    names = [feature.name for feature in entry.features()]
    if len(names) != SIDE * SIDE:
        raise DataError(f"data set {entry.id!r}: {SIDE * SIDE} columns, named are {len(names)}.")
    as_published = entry.model_copy(update={"columns": [Column(name="grey-{}", count=784)]})
    dataset = delimited.read(files, as_published, source, options)
    return replace(dataset, X=shrink_digits(dataset.X), feature_names=names)
