"""Score what a method predicted on the test points of one draw."""

from __future__ import annotations

import numpy as np

from gramworks.errors import FitError
from gramworks.fitting.metrics import absolute_correlations, find_metric
from gramworks.fitting.task_metrics import METRICS_OF_TASK


def correlate(truth, components):
    """Correlate views of all points with all targets, in absolute value.

    Parameters
    ----------
    truth : ndarray of shape (n,)
        Codes of two classes, or real targets.
    components : ndarray of shape (n, k)

    Returns
    -------
    dict of str to float
        ``correlation``, ``correlation-2``, ...; 0 where a component is constant.

    Raises
    ------
    FitError
        Another number of points.
    """
    components = np.asarray(components, dtype=float)
    if components.ndim != 2 or len(components) != len(truth):
        raise FitError(
            f"components have the shape {components.shape}, wanted is ({len(truth)}, k), a row for "
            "each point"
        )
    found = absolute_correlations(truth, components)
    names = ["correlation", *(f"correlation-{k}" for k in range(2, len(found) + 1))]
    return dict(zip(names, found.tolist(), strict=True))


def score(truth, predictions, decision, *, task, n_classes):
    """Compute the metrics of a task.

    Parameters
    ----------
    truth : ndarray of shape (n_test,)
        Class codes, or real targets.
    predictions : ndarray of shape (n_test,)
    decision : ndarray of shape (n_test,) or (n_test, n_classes), or None
        Decision values, where the method has them; larger for class 1, or for a column's class.
    task : str
        binary, multiclass or regression
    n_classes : int

    Returns
    -------
    values : dict of str to float
    undefined : dict of str to str
        Metrics that this draw does not define, with the reason.

    Raises
    ------
    FitError
        When there is no test point, or predictions are of another length or not finite.
    """
    truth, predictions = np.asarray(truth), np.asarray(predictions)
    if truth.size == 0:
        raise FitError("there is no test point; state a split that leaves some")
    if predictions.shape != truth.shape:
        raise FitError(
            f"predictions have the shape {predictions.shape}, wanted is one a test point, "
            f"{truth.shape}"
        )
    if not np.isfinite(predictions.astype(float)).all():
        raise FitError("a prediction is not finite")
    values: dict[str, float] = {}
    undefined: dict[str, str] = {}
    for name in METRICS_OF_TASK[task]:
        metric = find_metric(name)
        if metric.of == "predictions":
            values[name] = metric.compute(truth, predictions)
        elif decision is not None:
            try:
                values[name] = metric.compute(truth, decision, range(n_classes))
            except (FitError, ValueError) as error:
                undefined[name] = str(error)
    return values, undefined
