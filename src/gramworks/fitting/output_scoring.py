"""Score predicted strings and vectors: the loss in the output kernel, and the class behind it."""

from __future__ import annotations

import numpy as np

from gramworks.errors import FitError
from gramworks.output_kernel import OutputKernel

OUTPUT_LOSSES = ("string-loss", "rbf-loss", "output-loss")
"""What `output_loss_name` may give."""


def output_loss_name(task: str, kernel: str) -> str:
    """Name the loss that an output kernel stands for."""
    if task == "structured":
        return "string-loss"
    return "rbf-loss" if kernel.startswith("gaussian") else "output-loss"


def score_outputs(
    y, groups, test_rows, labelled, kernel: OutputKernel, *, task, predictions=None, preimages=None
):
    """Compute the mean loss of predicted outputs.

    Parameters
    ----------
    y : list of n str, or ndarray of shape (n, k)
        All outputs.
    groups : ndarray of shape (n,), or None
        Codes of the classes behind the outputs, where they are known.
    test_rows : ndarray of int
    labelled : ndarray of shape (n,), bool
    kernel : OutputKernel
    task : str
        structured or vectors
    predictions : outputs, one a test row, optional
    preimages : ndarray of int, optional
        Instead of predictions, rows of labelled points whose outputs are predicted.

    Returns
    -------
    dict of str to float
        ``string-loss``, ``rbf-loss`` or ``output-loss``: the mean of |Phi(y) - Phi(y^)|^2.
        ``classification-loss``, with pre-images and known classes: the share of test points whose
        class is not that of their pre-image.

    Raises
    ------
    FitError
        No test point, another number of predictions, or pre-images that are not labelled points.
    """
    if len(test_rows) == 0:
        raise FitError("there is no test point; state a split that leaves some")
    if preimages is not None:
        preimages = np.asarray(preimages)
        if preimages.shape != test_rows.shape or preimages.dtype.kind not in "iu":
            raise FitError(
                f"preimages have shape {preimages.shape} and type {preimages.dtype}, wanted is one "
                f"row number a test point, {test_rows.shape}"
            )
        known = np.isin(preimages, np.flatnonzero(labelled))
        if not known.all():
            raise FitError(
                f"pre-image {preimages[~known][0]} is no labelled point; only their outputs are "
                "known"
            )
        predictions = _taken(y, preimages)
    truth = _taken(y, test_rows)
    if len(predictions) != len(truth) or np.shape(predictions) != np.shape(truth):
        raise FitError(
            f"predictions have the shape {np.shape(predictions)}, wanted is {np.shape(truth)}, an "
            "output a test point"
        )
    if task == "structured":
        predictions = list(predictions)
        if not all(isinstance(text, str) for text in predictions):
            raise FitError("a predicted output is no string, and all known ones are")
    elif not np.isfinite(np.asarray(predictions, dtype=float)).all():
        raise FitError("a prediction is not finite")
    losses = kernel.losses(truth, predictions)
    values = {output_loss_name(task, kernel.id): float(losses.mean())}
    if preimages is not None and groups is not None:
        values["classification-loss"] = float(np.mean(groups[test_rows] != groups[preimages]))
    return values


def _taken(outputs, rows):
    return [outputs[row] for row in rows] if isinstance(outputs, list) else outputs[rows]
