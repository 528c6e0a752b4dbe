"""Support vector machines whose points have costs of their own, started from any coefficients.

Sequential minimal optimisation with working sets of second order (Fan, Chen and Lin, JMLR 6,
2005), as in `sequential_path`, in signed coefficients beta = y alpha: a point that changes its
label or its cost changes the interval of one coefficient, and what was found before is the start.
"""

from __future__ import annotations

import numba
import numpy as np

_FLAT = 1e-12  # curvature taken for a pair of points that the kernel cannot tell apart


def minimise_weighted(K, signs, costs, beta, slopes, *, tol=1e-3, max_iter=1_000_000):
    """Maximise beta'y - beta'K beta/2 over sum beta = 0, 0 <= y_i beta_i <= costs_i, in place.

    Parameters
    ----------
    K : ndarray of shape (n, n), float64
        Positive semidefinite, in C order.
    signs, costs : ndarray of shape (n,)
    beta : ndarray of shape (n,)
        A feasible start; holds the coefficients afterwards.
    slopes : ndarray of shape (n,)
        y - K beta, brought up to date with `beta`.
    tol : float
        Largest violation of the optimality conditions, in units of the margin y f.
    max_iter : int
        Cap on two-coefficient steps.

    Returns
    -------
    intercept : float
    n_iter : int
    converged : bool
    """
    lower = np.where(signs < 0, -costs, 0.0)
    upper = np.where(signs > 0, costs, 0.0)
    return _optimise(K, lower, upper, beta, slopes, float(tol), int(max_iter))


@numba.njit(cache=True, nogil=True)
def _optimise(K, lower, upper, beta, slopes, tol, max_iter):
    n = beta.size
    i, highest, lowest = -1, -np.inf, np.inf
    for t in range(n):
        if beta[t] < upper[t] and slopes[t] > highest:
            i, highest = t, slopes[t]
        if beta[t] > lower[t] and slopes[t] < lowest:
            lowest = slopes[t]
    for step in range(max_iter + 1):
        if highest - lowest < tol:
            return _middle(highest, lowest), step, True
        if step == max_iter:
            break
        j, best, move = -1, 0.0, 0.0
        row, own = K[i], K[i, i]
        for t in range(n):
            ahead = highest - slopes[t]
            if ahead > 0 and beta[t] > lower[t]:
                curvature = max(own + K[t, t] - 2.0 * row[t], _FLAT)
                gain = ahead * ahead / curvature
                if gain > best:
                    j, best, move = t, gain, ahead / curvature
        # a coefficient that meets its bound is put there exactly
        room_up, room_down = upper[i] - beta[i], beta[j] - lower[j]
        move = min(move, room_up, room_down)
        beta[i] = upper[i] if move == room_up else beta[i] + move
        beta[j] = lower[j] if move == room_down else beta[j] - move
        other = K[j]
        i, highest, lowest = -1, -np.inf, np.inf
        for t in range(n):
            slope = slopes[t] - move * (row[t] - other[t])
            slopes[t] = slope
            if slope > highest and beta[t] < upper[t]:
                i, highest = t, slope
            if slope < lowest and beta[t] > lower[t]:
                lowest = slope
    return _middle(highest, lowest), max_iter, False


@numba.njit(cache=True, nogil=True)
def _middle(highest, lowest):
    if highest == -np.inf:
        return lowest
    return highest if lowest == np.inf else 0.5 * (highest + lowest)
