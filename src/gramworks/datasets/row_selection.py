"""A part of the points of a large data set, the same in every draw."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.errors import DataError

TRAINING = re.compile(r"training-([1-9]\d*)")
"""Recipes such as training-2000: the first 2000 training rows of the given partition, and its test
rows."""
FIRST = re.compile(r"first-([1-9]\d*)-(rows|a-class)")
"""Recipes such as first-1000-rows, and first-100-a-class: so many of each class."""


def select_training(dataset: Dataset, count: int) -> Dataset:
    """Keep the first training rows of the given partition, and all its test rows.

    Raises
    ------
    DataError
        Not exactly one given partition, or fewer training rows.
    """
    where = f"recipe training-{count} on data set {dataset.id!r}"
    if len(dataset.partitions or ()) != 1:
        raise DataError(
            f"{where}: it has {len(dataset.partitions or ())} given partitions, wanted is one; use "
            "another recipe."
        )
    train, test = dataset.partitions[0]
    if count > len(train):
        raise DataError(f"{where}: there are {len(train)} training rows; ask for that many.")
    kept = np.concatenate([train[:count], test])
    note = (
        f"the first {count} of {len(train)} training rows and the {len(test)} test rows of the "
        "given partition"
    )
    chosen = _kept(dataset, kept, note)
    return replace(chosen, partitions=[(np.arange(count), np.arange(count, len(kept)))])


def select_first(dataset: Dataset, count: int) -> Dataset:
    """Keep the first rows, in their order; partitions that came with the data are dropped.

    Raises
    ------
    DataError
        Fewer rows.
    """
    if count > dataset.rows:
        raise DataError(
            f"recipe first-{count}-rows on data set {dataset.id!r}: it has {dataset.rows} rows; "
            "ask for that many."
        )
    return _kept(dataset, np.arange(count), f"the first {count} of {dataset.rows} rows")


def select_first_of_classes(dataset: Dataset, count: int) -> Dataset:
    """Keep the first rows of each class, all in their order; given partitions are dropped.

    Raises
    ------
    DataError
        A class with fewer rows, or no classes.
    """
    where = f"recipe first-{count}-a-class on data set {dataset.id!r}"
    codes = dataset.strata
    if not dataset.classes or codes.ndim != 1:
        raise DataError(
            f"{where}: its points are not of one class each (task {dataset.task}); use "
            "first-1000-rows, or another recipe."
        )
    counts = np.bincount(codes, minlength=len(dataset.classes))
    if counts.min() < count:
        short = int(counts.argmin())
        raise DataError(
            f"{where}: class {dataset.classes[short]!r} has {counts[short]} rows; ask for that "
            "many."
        )
    of_class = [np.flatnonzero(codes == code)[:count] for code in range(len(dataset.classes))]
    note = f"the first {count} rows of each of {len(dataset.classes)} classes"
    return _kept(dataset, np.sort(np.concatenate(of_class)), note)


def _kept(dataset: Dataset, rows: np.ndarray, note: str) -> Dataset:
    return replace(dataset, partitions=None, notes=[*dataset.notes, note]).take(rows)
