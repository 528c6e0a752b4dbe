"""Tests of whether one method is better than another, on one data set and over several.

Draws of one data set share most of their points, so that their differences are correlated and a
plain t-test finds far too much. Nadeau and Bengio, Inference for the generalization error,
Machine Learning 52 (2003) 239-281, correct the variance of the mean for it. Over data sets, which
are independent, average ranks are compared: Demsar, Statistical comparisons of classifiers over
multiple data sets, JMLR 7 (2006) 1-30.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramworks.errors import DataError


@dataclass(frozen=True)
class TTest:
    """Outcome of a paired t-test."""

    difference: float
    """Mean of the paired differences."""
    standard_error: float
    statistic: float
    p: float
    """Two-sided; 1 where all differences are 0."""


def corrected_t_test(
    differences: Sequence[float] | np.ndarray, n_train: float, n_test: float
) -> TTest:
    """Compare two methods over random splits of one data set (Nadeau and Bengio's corrected test).

    Parameters
    ----------
    differences : array-like of shape (draws,)
        Paired by draw.
    n_train, n_test : float
        Points that both methods learned from, and points that they were scored on, in each draw
        (their mean where draws differ). ``n_test = 0`` gives the plain paired t-test, which says
        whether the difference would last with more draws of the same points.

    Returns
    -------
    TTest

    Raises
    ------
    DataError
        Fewer than two draws, a difference that is not finite, or sizes that are not positive.

    Notes
    -----
    The variance of the mean is (1/J + n_test/n_train) s^2 over J draws, with s^2 the sample
    variance, and the statistic has J - 1 degrees of freedom (section 3, equation 9 ff).
    """
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise DataError(
            f"a corrected t-test needs two finite differences or more, found {values.tolist()}."
        )
    if n_train <= 0 or n_test < 0:
        raise DataError(
            f"a corrected t-test needs n_train > 0 and n_test >= 0, found {n_train} and {n_test}."
        )
    from scipy import stats

    mean = float(values.mean())
    error = float(values.std(ddof=1)) * math.sqrt(1 / len(values) + n_test / n_train)
    # Equal differences of no spread beyond rounding, in whatever unit: certain, or none at all.
    if error <= 1e-12 * abs(values).max():
        certain = mean != 0
        return TTest(
            mean, 0.0, math.copysign(math.inf, mean) if certain else 0.0, float(not certain)
        )
    statistic = mean / error
    return TTest(mean, error, statistic, float(2 * stats.t.sf(abs(statistic), len(values) - 1)))


def holm(p: Sequence[float]) -> list[float]:
    """Adjust p values of several tests together (Holm's step-down method).

    Returns
    -------
    list of float
        In the order given; one below alpha is significant at alpha, whatever the others are.
    """
    order = np.argsort(p, kind="stable")
    adjusted = [0.0] * len(order)
    highest = 0.0
    for place, at in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - place) * float(p[at])))
        adjusted[at] = highest
    return adjusted


def average_ranks(scores: np.ndarray, *, higher_is_better: bool) -> np.ndarray:
    """Rank methods on each data set and average over data sets; 1 is best, ties share a rank.

    Parameters
    ----------
    scores : ndarray of shape (data sets, methods)

    Returns
    -------
    ndarray of shape (methods,)
    """
    return _ranks(scores, higher_is_better).mean(axis=0)


def friedman(scores: np.ndarray) -> tuple[float, float]:
    """Test whether methods differ at all over several data sets, by ranks and with ties.

    Parameters
    ----------
    scores : ndarray of shape (data sets, methods)
        Two data sets and two methods at least; the direction does not matter.

    Returns
    -------
    statistic, p : float
        Iman and Davenport's F, which Demsar recommends (equation 7 there) over Friedman's
        chi-square, and its p value; 0 and 1 where all ranks are tied.
    """
    from scipy import stats

    ranks = _ranks(scores, True)
    n, k = ranks.shape
    if n < 2 or k < 2:
        raise DataError(f"Friedman's test needs 2 data sets and 2 methods, found {n} and {k}.")
    spread = float(((ranks - (k + 1) / 2) ** 2).sum()) / (n * (k - 1))
    if spread <= 0:
        return 0.0, 1.0
    sums = ranks.mean(axis=0) - (k + 1) / 2
    chi_square = n * float((sums**2).sum()) / spread
    room = n * (k - 1) - chi_square
    if room <= 1e-9 * n * k:
        return math.inf, 0.0
    f = (n - 1) * chi_square / room
    return f, float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


def critical_distance(methods: int, datasets: int, *, alpha: float = 0.05) -> float:
    """Give the smallest difference of average ranks that is significant (Nemenyi's test).

    Notes
    -----
    q sqrt(k (k + 1) / (6 N)) with q the Studentised range over sqrt(2), of k groups and infinite
    degrees of freedom (Demsar, section 3.2.2 and table 5).
    """
    from scipy import stats

    q = float(stats.studentized_range.ppf(1 - alpha, methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * datasets))


def cliques(ranks: Sequence[float], distance: float) -> list[tuple[int, int]]:
    """Group methods, sorted by rank, that no test tells apart: first and last place of each.

    Returns
    -------
    list of (int, int)
        The longest runs of two or more places whose ranks differ by less than `distance`; none
        lies within another.
    """
    runs: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(
            i for i in range(first, len(ranks)) if ranks[i] - ranks[first] < distance or i == first
        )
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def _ranks(scores: np.ndarray, higher_is_better: bool) -> np.ndarray:
    from scipy import stats

    values = np.asarray(scores, dtype=float)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise DataError(
            f"ranks need a finite score for each data set and method, found shape {values.shape}."
        )
    return stats.rankdata(-values if higher_is_better else values, axis=1)
