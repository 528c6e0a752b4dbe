"""A part of the points of a large data set, the same in every draw."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.errors import DataError

PATTERN = re.compile(r"training-([1-9]\d*)")
"""Recipes such as training-2000: the first 2000 training rows of the given partition, and its test
rows."""


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
    notes = [
        *dataset.notes,
        f"the first {count} of {len(train)} training rows and the {len(test)} test rows of the "
        "given partition",
    ]
    chosen = replace(dataset, partitions=None, notes=notes).take(kept)
    return replace(chosen, partitions=[(np.arange(count), np.arange(count, len(kept)))])
