"""Class posteriors from a random walk on a graph (Szummer and Jaakkola, NIPS 14, 2001, 945-952).

The walk goes from i to k with probability K_ik / sum_k K_ik. Of a walk that started anywhere with
equal probability and is at k after t steps,

    P(i | k) = [A^t]_ik / sum_i [A^t]_ik,    A = D^(-1) K,

is the probability that it started at i, and P(class | k) = sum_i P(class | i) P(i | k).
"""

from __future__ import annotations

import numpy as np


def start_probabilities(K, ends, steps):
    """Give P(i | k) for the points k in `ends`.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, no negative entry, no row of zeros.
    ends : ndarray of shape (l,), int
    steps : int
        t.

    Returns
    -------
    ndarray of shape (n, l)
        Columns sum to 1.
    """
    degrees = K.sum(axis=1)
    columns = np.zeros((K.shape[0], len(ends)))
    columns[ends, np.arange(len(ends))] = 1.0
    for _ in range(steps):
        columns = K @ columns / degrees[:, None]
        columns /= columns.sum(axis=0)  # its scale is free, and would vanish
    return columns


def end_posteriors(K, parameters, steps):
    """Give sum_i P(class | i) P(i | k) for all points k.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    parameters : ndarray of shape (n, q)
        P(class | i).
    steps : int

    Returns
    -------
    ndarray of shape (n, q)
        Rows sum to 1.
    """
    degrees = K.sum(axis=1)
    # [A^t]' = D (D^-1 K)^t D^-1: a walk backwards; 1/d_i are the weights of the starts
    values = np.column_stack([parameters, np.ones(K.shape[0])]) / degrees[:, None]
    for _ in range(steps):
        values = K @ values / degrees[:, None]
    return values[:, :-1] / values[:, -1:]


def average_margin_parameters(starts, codes, n_classes):
    """Give the P(class | i) of the largest average margin, which is 0 or 1.

    The margins P(own class | k) - P(other class | k) of the labelled points, averaged within
    each class and then over classes, are linear in P(class | i): each i goes to the class whose
    labelled points have the largest mean P(i | k).

    Parameters
    ----------
    starts : ndarray of shape (n, l)
        P(i | k) of the labelled points k.
    codes : ndarray of shape (l,), int
        Their classes.
    n_classes : int
        q.

    Returns
    -------
    ndarray of shape (n, q)
        Classes that are equal share a point; a row of zeros where no labelled point can come
        from i.
    """
    means = np.column_stack([starts[:, codes == code].mean(axis=1) for code in range(n_classes)])
    best = (means == means.max(axis=1, keepdims=True)) & (means > 0)
    return best / np.maximum(best.sum(axis=1, keepdims=True), 1)


def likelihood_parameters(starts, codes, n_classes, *, tol=1e-8, max_iter=10_000):
    """Give the P(class | i) of the largest likelihood of the labels, by EM.

    Parameters
    ----------
    starts, codes, n_classes
        As of `average_margin_parameters`.
    tol : float
        Least gain of the mean log likelihood in one step.
    max_iter : int

    Returns
    -------
    parameters : ndarray of shape (n, q)
        A row of zeros where no labelled point can come from i.
    trace : list of float
        Mean log likelihood before each step.
    converged : bool
    """
    indicators = codes[:, None] == np.arange(n_classes)
    reached = starts.sum(axis=1) > 0
    parameters = np.where(reached[:, None], 1.0 / n_classes, np.zeros(n_classes))
    trace = []
    for _ in range(max_iter):
        # P(i | k, class of k) = P(class of k | i) P(i | k) / P(class of k | k)
        joint = starts * parameters[:, codes]
        likelihood = joint.sum(axis=0)
        trace.append(float(np.log(likelihood).mean()))
        if len(trace) > 1 and trace[-1] - trace[-2] <= tol:
            return parameters, trace, True
        sums = (joint / likelihood) @ indicators
        total = sums.sum(axis=1, keepdims=True)
        parameters = np.divide(sums, total, out=parameters, where=total > 0)
    return parameters, trace, False
