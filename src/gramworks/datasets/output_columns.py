"""Outputs that are a part of the features: the rest of an image from its first pixels."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.errors import DataError

PATTERN = re.compile(r"columns-([1-9]\d*)-to-rest")
"""Recipes such as columns-128-to-rest: the first 128 features are given, the others are the output;
of an image of 16 x 16 pixels by rows, the top half and the bottom half."""


def columns_to_rest(dataset: Dataset, count: int) -> Dataset:
    """Make the other features the outputs of the first ones.

    Parameters
    ----------
    dataset : Dataset
        Dense, without views; n points of d features.
    count : int
        Number of features that are given, below d.

    Returns
    -------
    Dataset
        X (n, count), y (n, d - count) float64. Class codes are kept as ``groups``, which methods
        do not see; other targets are dropped.

    Raises
    ------
    DataError
        Points that are not dense, views, or no feature left for the output.
    """
    where = f"recipe columns-{count}-to-rest on data set {dataset.id!r}"
    if not isinstance(dataset.X, np.ndarray) or dataset.views:
        kind = f"{dataset.kind}, with {len(dataset.views)} views"
        raise DataError(f"{where}: it wants dense features and no views, found {kind}.")
    if count >= dataset.X.shape[1]:
        raise DataError(
            f"{where}: it has {dataset.X.shape[1]} features; give fewer, so that some are outputs."
        )
    coded = dataset.task in ("binary", "multiclass")
    return replace(
        dataset,
        X=dataset.X[:, :count].copy(),
        y=dataset.X[:, count:].astype(np.float64),
        classes=dataset.classes if coded else [],
        groups=dataset.y if coded else None,
        feature_names=dataset.feature_names[:count],
        notes=[*dataset.notes, f"features {count + 1} to {dataset.X.shape[1]} are the output"],
    )
