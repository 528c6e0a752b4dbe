"""From decision values to labels, and from labels to the accuracy over the known ones."""

from __future__ import annotations

import numpy as np

from gramworks.errors import FitError
from gramworks.fitting.labels import find_missing


def choose_labels(values, classes):
    """Choose the class of each row of decision values.

    Parameters
    ----------
    values : ndarray of shape (n,) for two classes, or (n, q)
        For two classes positive values mean the second.
    classes : ndarray of shape (q,)

    Returns
    -------
    ndarray of shape (n,)
        Ties go to the first class among the equal ones.
    """
    codes = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
    return classes[codes]


def unknown_rows(predicted, y, labelled):
    """Give y as objects, and the points that were unknown in the fit and whose target y gives.

    Parameters
    ----------
    predicted : ndarray of shape (n,)
    y : array-like of shape (n,)
    labelled : ndarray of shape (n,), bool
        The points whose targets the fit has seen.

    Raises
    ------
    FitError
        y is of other points than the fit, as in cross-validation, or gives no such target.
    """
    values, missing = find_missing(y)
    if values.shape != predicted.shape:
        raise FitError(
            f"y has shape {values.shape}, the fit had {len(predicted)} points, and a transductive "
            "method predicts those alone: give y of all of them. Instead of cross-validation, "
            "hide known targets behind the mask `labelled` and score them"
        )
    rows = ~labelled & ~missing
    if not rows.any():
        raise FitError("y gives no target of a point that was unknown in the fit")
    return values, rows


def accuracy_on(predicted, y):
    """Give the share of rows predicted right, among those whose label is known.

    Raises
    ------
    FitError
        Lengths differ, or no label is known.
    """
    truth, missing = find_missing(y)
    if truth.shape != predicted.shape:
        raise FitError(f"y has shape {truth.shape}, the predictions {predicted.shape}")
    if missing.all():
        raise FitError("no label in y is known; a score needs at least one")
    hits = [a == b for a, b in zip(predicted[~missing], truth[~missing], strict=True)]
    return float(np.mean(hits))
