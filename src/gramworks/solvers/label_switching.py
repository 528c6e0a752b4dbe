"""Transductive support vector machines by label switching (Joachims, ICML 1999, 200-209)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FIRST_COST = 1e-5  # of an unlabelled point, over the mean squared length
FINEST_TOL = 1e-9


@dataclass(frozen=True)
class Transduction:
    """What label switching found.

    Attributes
    ----------
    coefficients : ndarray of shape (n,)
        y_i alpha_i; decision values are K coefficients + intercept.
    intercept : float
    signs : ndarray of shape (n,)
        -1 and +1: the given ones, and those assigned to unlabelled points.
    objective : float
        |w|^2/2 + C sum xi_i + C* sum xi_j at the final costs.
    trace : list of (float, float)
        The objective before each switch and after the machine is fitted again, at the costs of
        that time.
    n_iter : int
        Two-coefficient steps.
    converged : bool
        No cap was met: the last machine has its tolerance, and no pair is left to switch.
    """

    coefficients: np.ndarray
    intercept: float
    signs: np.ndarray
    objective: float
    trace: list
    n_iter: int
    converged: bool

    @property
    def n_switches(self) -> int:
        """How many pairs of labels were switched."""
        return len(self.trace)


def switch_labels(
    K, known, signs, scores, C, C_unlabelled, n_positive, *, tol=1e-3, max_iter=1_000_000,
    max_switches=100_000,
):  # fmt: skip
    """Minimise |w|^2/2 + C sum xi_i + C* sum xi_j over w, b and the labels of unlabelled points.

    The unlabelled points with the highest scores of the machine on labelled points start as
    positive. Their cost starts at 1e-5 / mean(K_ii), that of the positive ones n+/n- times as
    large, and is doubled up to C*. At each cost, the labels of two points of opposite sign with
    xi > 0 whose sum of xi exceeds 2 are switched, those with the largest xi, and the machine is
    fitted again, until there is no such pair. A switch keeps the number of positive points and
    lowers the objective, so that each cost comes to an end. Unlike the algorithm as printed, the
    machine is fitted and labels are switched at C* itself, too.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semidefinite Gram matrix over all points; read only.
    known : ndarray of shape (n,), bool
        Which points are labelled.
    signs : ndarray of shape (l,)
        Labels of these, -1 and +1.
    scores : ndarray of shape (n,)
        Decision values of the machine on the labelled points.
    C, C_unlabelled : float
        Costs of labelled and unlabelled points, positive.
    n_positive : int
        Number of unlabelled points to be positive.
    tol : float
        Tolerance of each machine, in units of the margin y f; finer where the objective would
        not show the decrease of a switch.
    max_iter : int
        Cap on two-coefficient steps of each fit.
    max_switches : int
        Cap on switches in all.

    Returns
    -------
    Transduction
    """
    from gramworks.solvers.sequential_minimal import minimise_weighted  # numba: slow to import

    K = np.ascontiguousarray(K, dtype=np.float64)
    unknown = np.flatnonzero(~known)
    labels = np.empty(known.size)
    labels[known] = signs
    labels[unknown] = -1.0
    order = np.argsort(-scores[unknown], kind="stable")
    labels[unknown[order[:n_positive]]] = 1.0
    n_negative = unknown.size - n_positive
    negative = min(FIRST_COST / max(float(K.diagonal().mean()), 1e-300), C_unlabelled)
    positive = min(negative * n_positive / n_negative if n_negative else negative, C_unlabelled)
    beta, trace, n_iter, converged = np.zeros(known.size), [], 0, True
    while True:
        costs = np.where(known, C, np.where(labels > 0, positive, negative))
        slopes = labels - K @ beta  # anew, so that rounding does not add up
        b, steps, finished = minimise_weighted(
            K, labels, costs, beta, slopes, tol=tol, max_iter=max_iter
        )
        value, n_iter = _objective(labels, costs, beta, slopes, b), n_iter + steps
        while (pair := _pair_to_switch(labels, slopes, b, unknown)) is not None:
            if len(trace) >= max_switches or not finished:
                converged = False
                break
            before = value
            _switch(K, labels, costs, beta, slopes, *pair)
            accuracy = tol
            while True:
                b, steps, finished = minimise_weighted(
                    K, labels, costs, beta, slopes, tol=accuracy, max_iter=max_iter
                )
                value, n_iter = _objective(labels, costs, beta, slopes, b), n_iter + steps
                if value < before or not finished or accuracy <= FINEST_TOL:
                    break
                accuracy = max(0.1 * accuracy, FINEST_TOL)
            trace.append((before, value))
            if not value < before:  # rounding: the two labellings are as good as each other
                break
        converged &= finished
        if negative >= C_unlabelled and positive >= C_unlabelled:
            break
        negative, positive = min(2 * negative, C_unlabelled), min(2 * positive, C_unlabelled)
        if n_positive == 0:
            positive = negative
    return Transduction(beta, b, labels, value, trace, n_iter, converged)


def _objective(labels, costs, beta, slopes, b):
    """Give |w|^2/2 + sum costs xi; w.w = beta'K beta with K beta = y - slopes."""
    slack = np.maximum(labels * (slopes - b), 0.0)
    return float(0.5 * beta @ (labels - slopes) + costs @ slack)


def _pair_to_switch(labels, slopes, b, unknown):
    """Find the unlabelled points of each sign with the largest xi; None where they stay."""
    slack = labels[unknown] * (slopes[unknown] - b)
    up = labels[unknown] > 0
    if up.all() or not up.any():
        return None
    first = np.where(up, slack, -np.inf).argmax()
    second = np.where(up, -np.inf, slack).argmax()
    if slack[first] > 0 and slack[second] > 0 and slack[first] + slack[second] > 2 + 1e-9:
        return unknown[first], unknown[second]
    return None


def _switch(K, labels, costs, beta, slopes, first, second):
    """Exchange labels, costs and coefficients of two points, which keeps the sum of beta."""
    change = beta[second] - beta[first]
    slopes -= change * (K[first] - K[second])
    slopes[first] += labels[second] - labels[first]
    slopes[second] += labels[first] - labels[second]
    for values in (labels, costs, beta):
        values[first], values[second] = values[second], values[first]
