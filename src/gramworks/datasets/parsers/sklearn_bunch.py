"""Data sets that scikit-learn ships: loaders that return a Bunch."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.kept_files import NotObtained
from gramworks.datasets.origins.local import call_loader
from gramworks.errors import DataError
from gramworks.fields import StrictModel


class Options(StrictModel):
    """`format: sklearn_bunch` has no options."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Take ``data``, ``target`` and ``target_names`` of the loader's result.

    Raises
    ------
    DataError
        When the loader cannot be called, or a class is not declared and not to be dropped.
    """
    try:
        bunch = call_loader(source)
    except NotObtained as error:
        raise DataError(f"data set {entry.id!r}: {error}; install the package.") from None
    X, target = np.asarray(bunch.data, dtype=np.float64), np.asarray(bunch.target)
    names = [feature.name for feature in entry.features()]
    if X.shape[1] != len(names):
        raise DataError(
            f"data set {entry.id!r}: {source.loader} gives {X.shape[1]} columns, "
            f"the registry names {len(names)}."
        )
    if not entry.target.classes:
        return Dataset(entry.id, X, target.astype(np.float64), [], names)
    found = np.array([str(name) for name in bunch.target_names])[target]
    known = np.isin(found, entry.target.classes)
    notes = []
    if not known.all():
        if entry.target.others == "refuse":
            raise DataError(
                f"data set {entry.id!r}: class {found[~known][0]!r} is not declared; allowed are "
                f"{entry.target.classes}."
            )
        notes.append(f"{int((~known).sum())} rows of other classes left out")
    codes = {name: code for code, name in enumerate(entry.target.classes)}
    y = np.array([codes[name] for name in found[known]], dtype=np.int64)
    return Dataset(entry.id, X[known] + 0.0, y, list(codes), names, notes=notes)
