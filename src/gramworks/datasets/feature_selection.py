"""Features that tell two classes apart, chosen by all labels."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.errors import DataError

PATTERN = re.compile(r"discriminant-([1-9]\d*)")
"""Recipes such as discriminant-100: the 100 most discriminant features, standardised."""


def discriminant_scores(X, codes) -> np.ndarray:
    """Score each feature by |mean_1 - mean_0| / (sd_1 + sd_0), its signal-to-noise ratio.

    Golub et al., Science 286 (1999). A feature that is constant in both classes scores 0.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    codes : ndarray of shape (n,)
        0 and 1.

    Returns
    -------
    ndarray of shape (d,)
    """
    a, b = X[codes == 0], X[codes == 1]
    noise = a.std(axis=0) + b.std(axis=0)
    signal = np.abs(a.mean(axis=0) - b.mean(axis=0))
    return np.divide(signal, noise, out=np.zeros(X.shape[1]), where=noise > 0)


def select_discriminant(dataset: Dataset, count: int) -> Dataset:
    """Keep the features of the highest scores, in their own order; it sees all labels.

    Raises
    ------
    DataError
        Not two classes, no dense features, or fewer features than asked for.
    """
    where = f"recipe discriminant-{count} on data set {dataset.id!r}"
    if dataset.task != "binary" or not isinstance(dataset.X, np.ndarray):
        raise DataError(
            f"{where}: it scores dense features by two classes; the task is {dataset.task} and the "
            f"points are {dataset.kind}. Use another recipe."
        )
    d = dataset.X.shape[1]
    if count > d:
        raise DataError(f"{where}: there are {d} features; ask for {d} at most.")
    scores = discriminant_scores(np.asarray(dataset.X, dtype=float), dataset.y)
    kept = np.sort(np.argsort(-scores, kind="stable")[:count])
    notes = [
        *dataset.notes,
        f"{count} of {d} features chosen by their signal-to-noise ratio over all labels, those of "
        f"test points too; the lowest kept scores {scores[kept].min():.4g}",
    ]
    names = [dataset.feature_names[i] for i in kept]
    return replace(dataset, X=dataset.X[:, kept], feature_names=names, notes=notes)
