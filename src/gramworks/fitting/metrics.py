"""Scores by the names that the result tables use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from gramworks.errors import FitError, suggest
from gramworks.masked_values import refuse_masked


@dataclass(frozen=True)
class Metric:
    """A score of the test rows.

    Attributes
    ----------
    name : str
    of : str
        What it takes beside the truth: "predictions", or "decisions" (decision values).
    larger_is_better : bool
    compute : callable
        `compute(truth, predicted)`, or `compute(truth, decisions, classes)`.
    """

    name: str
    of: str
    larger_is_better: bool
    compute: Callable


def accuracy_percent(truth, predicted) -> float:
    """Give the percentage of rows predicted right; FitError for unequal shapes or no row."""
    truth, predicted = _paired(truth, predicted)
    return 100.0 * float(np.mean(truth == predicted))


def error_percent(truth, predicted) -> float:
    """Give the percentage of rows predicted wrong; FitError for unequal shapes or no row."""
    truth, predicted = _paired(truth, predicted)
    return 100.0 * float(np.mean(truth != predicted))


def mean_squared_error(truth, predicted) -> float:
    """Give the mean squared difference; FitError for unequal shapes or no row."""
    truth, predicted = _paired(truth, predicted)
    return float(np.mean((truth.astype(float) - predicted.astype(float)) ** 2))


def root_mean_squared_error(truth, predicted) -> float:
    """Give the root of the mean squared difference, of one draw; FitError as above."""
    return float(np.sqrt(mean_squared_error(truth, predicted)))


def absolute_correlations(truth, columns) -> np.ndarray:
    """Give the absolute linear correlations of columns with the truth; 0 for a constant one.

    Parameters
    ----------
    truth : ndarray of shape (n,)
    columns : ndarray of shape (n, k)

    Returns
    -------
    ndarray of shape (k,)
    """
    a = truth - np.mean(truth)
    b = columns - columns.mean(axis=0)
    lengths = np.sqrt(a @ a) * np.sqrt((b**2).sum(axis=0))
    return np.divide(np.abs(a @ b), lengths, out=np.zeros(len(lengths)), where=lengths > 0)


def best_threshold(decisions, positive) -> float:
    """Give a threshold above which the fewest points are wrongly held to be positive, or below not.

    Parameters
    ----------
    decisions : ndarray of shape (n,)
    positive : ndarray of shape (n,), bool

    Returns
    -------
    float
        One of the decisions, or -inf; the lowest of the best.
    """
    cuts = np.append(-np.inf, np.unique(decisions))
    wrong = [np.count_nonzero((decisions > cut) != positive) for cut in cuts]
    return float(cuts[int(np.argmin(wrong))])


def area_under_curve(truth, decisions, classes) -> float:
    """Give the area under the receiver operating characteristic, from decision values.

    The share of pairs of a positive and a negative row that the values order rightly, ties
    counting one half (Mann and Whitney); no thresholds, no probabilities.

    Parameters
    ----------
    truth : array-like of shape (n,)
        Labels out of `classes`.
    decisions : array-like of shape (n,), or (n, q) for more than two classes
        Larger for `classes[1]`; with q columns, larger in the column of the class.
    classes : sequence of q labels

    Returns
    -------
    float
        In 0..1; with more than two classes the mean over classes of one against the rest.

    Raises
    ------
    FitError
        A class, or its complement, has no row; or the shapes do not fit.
    """
    refuse_masked([truth, decisions], "truth or decisions", FitError)
    truth, decisions = np.asarray(truth), np.asarray(decisions, dtype=float)
    q = len(classes)
    if decisions.shape != (truth.shape if q == 2 and decisions.ndim == 1 else (*truth.shape, q)):
        raise FitError(
            f"truth has shape {truth.shape} and decisions {decisions.shape}; allowed: (n,) and "
            f"(n,) for two classes, (n, q) for q; there are {q} classes"
        )
    if decisions.ndim == 1:
        return _rank_area(truth == classes[1], decisions, classes[1])
    pairs = zip(classes, decisions.T, strict=True)
    return float(np.mean([_rank_area(truth == label, values, label) for label, values in pairs]))


def _paired(truth, predicted):
    refuse_masked([truth, predicted], "truth or predicted", FitError)
    truth, predicted = np.asarray(truth), np.asarray(predicted)
    if truth.shape != predicted.shape or truth.size == 0:
        raise FitError(
            f"truth has shape {truth.shape} and predicted {predicted.shape}; allowed: one "
            "prediction a row, and at least one row"
        )
    return truth, predicted


def _rank_area(positive, values, label):
    n_positive = int(np.count_nonzero(positive))
    n_negative = positive.size - n_positive
    if n_positive == 0 or n_negative == 0:
        raise FitError(
            f"{n_positive} of {positive.size} test rows are of class {label!r}: the area under "
            "the curve wants rows of that class and others; stratify the split"
        )
    ranks = rankdata(values)[positive].sum()
    return float((ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))


_METRICS = {
    metric.name: metric
    for metric in (
        Metric("test-accuracy-percent", "predictions", True, accuracy_percent),
        Metric("test-error-percent", "predictions", False, error_percent),
        Metric("test-auc", "decisions", True, area_under_curve),
        Metric("mean-square-error", "predictions", False, mean_squared_error),
        Metric("root-mean-square-error", "predictions", False, root_mean_squared_error),
    )
}


def find_metric(name: str) -> Metric:
    """Find a metric by its name.

    Raises
    ------
    FitError
        No such metric; the valid names are listed.
    """
    if name not in _METRICS:
        raise FitError(f"unknown metric {name!r}; {suggest(name, _METRICS)}")
    return _METRICS[name]


def metric_names() -> list[str]:
    """List the names of all metrics."""
    return sorted(_METRICS)
