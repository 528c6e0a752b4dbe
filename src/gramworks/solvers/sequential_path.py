"""Support vector machines along a grid of C, each started from the one before.

Sequential minimal optimisation with working sets of second order (Fan, Chen and Lin, JMLR 6,
2005), which is LIBSVM's algorithm and stops as it does. LIBSVM itself takes no start and copies
the Gram matrix for every fit; model selection fits thousands of machines on a few hundred points,
where that is most of the time.
"""

from __future__ import annotations

import numba
import numpy as np

_FLAT = 1e-12  # curvature taken for a pair of points that the kernel cannot tell apart


def minimise_path(K, signs, bounds, ridges, *, tol=1e-3, max_iter=100_000):
    """Maximise a'e - a'(G + tau I)a/2 over 0 <= a <= C, a'y = 0 for a sequence of (C, tau).

    Parameters
    ----------
    K : ndarray of shape (n, n), float64
        Positive semidefinite, in C order; G_ij = y_i y_j K_ij.
    signs : ndarray of shape (n,)
        Labels, -1 and +1, both present.
    bounds : ndarray of shape (k,)
        C, ascending, so that each solution is a start for the next.
    ridges : ndarray of shape (k,)
        tau.
    tol : float
        Largest violation of the optimality conditions, in units of the margin y f.
    max_iter : int
        Cap on two-coefficient steps for each C.

    Returns
    -------
    alpha : ndarray of shape (k, n)
    scores : ndarray of shape (k, n)
        (K + tau I) D a with the signs on D's diagonal: decision values without intercept.
    n_iter : ndarray of shape (k,), int
    converged : ndarray of shape (k,), bool
    """
    K = np.ascontiguousarray(K, dtype=np.float64)
    signs = np.ascontiguousarray(signs, dtype=np.float64)
    bounds, ridges = np.asarray(bounds, dtype=np.float64), np.asarray(ridges, dtype=np.float64)
    return _path(K, signs, bounds, ridges, float(tol), int(max_iter))


@numba.njit(cache=True, nogil=True)
def _path(K, signs, bounds, ridges, tol, max_iter):
    n, k = signs.size, bounds.size
    alphas, scores = np.zeros((k, n)), np.zeros((k, n))
    steps, converged = np.zeros(k, np.int64), np.zeros(k, np.bool_)
    alpha, slopes = np.zeros(n), -signs  # slopes: y times the gradient of the negated dual
    before = 0.0
    for number in range(k):
        C, ridge = bounds[number], ridges[number]
        if ridge != before:
            slopes = slopes + (ridge - before) * signs * alpha
            before = ridge
            square = np.sum((slopes + signs) * signs * alpha)
            if square > 0:  # the best multiple of the start
                scale = min(np.sum(alpha) / square, C / alpha.max())
                alpha *= scale
                slopes = scale * (slopes + signs) - signs
        steps[number], converged[number] = _optimise(
            K, signs, C, ridge, alpha, slopes, tol, max_iter
        )
        alphas[number] = alpha
        scores[number] = slopes + signs
    return alphas, scores, steps, converged


@numba.njit(cache=True, nogil=True)
def _optimise(K, signs, C, ridge, alpha, slopes, tol, max_iter):
    """Move `alpha` and `slopes` to the optimum, two coefficients at a time.

    Points that sit at a bound and would stay there are left aside for a while, as LIBSVM does;
    their slopes are made up for before the end is believed.
    """
    n = signs.size
    active = np.arange(n)
    # whether a coefficient may move up (down) along its label
    up, down = np.empty(n, np.bool_), np.empty(n, np.bool_)
    for t in range(n):
        up[t] = alpha[t] < C if signs[t] > 0 else alpha[t] > 0
        down[t] = alpha[t] > 0 if signs[t] > 0 else alpha[t] < C
    pause = n
    for step in range(max_iter + 1):
        i, highest, lowest = -1, -np.inf, np.inf
        for t in active:
            value = -slopes[t]
            if up[t] and value > highest:
                i, highest = t, value
            if down[t] and value < lowest:
                lowest = value
        if highest - lowest < tol:
            if active.size == n:
                return step, True
            _make_up(K, signs, ridge, alpha, slopes, active)
            active, pause = np.arange(n), step + n
            continue
        if step == max_iter:
            break
        j, best, move = -1, 0.0, 0.0
        row, own = K[i], K[i, i] + 2.0 * ridge
        for t in active:
            ahead = highest + slopes[t]
            if down[t] and ahead > 0:
                curvature = max(own + K[t, t] - 2.0 * row[t], _FLAT)
                gain = ahead * ahead / curvature
                if gain > best:
                    j, best, move = t, gain, ahead / curvature
        move = min(move, C - alpha[i] if signs[i] > 0 else alpha[i])
        move = min(move, alpha[j] if signs[j] > 0 else C - alpha[j])
        alpha[i] = min(max(alpha[i] + signs[i] * move, 0.0), C)
        alpha[j] = min(max(alpha[j] - signs[j] * move, 0.0), C)
        for t in (i, j):
            up[t] = alpha[t] < C if signs[t] > 0 else alpha[t] > 0
            down[t] = alpha[t] > 0 if signs[t] > 0 else alpha[t] < C
        other = K[j]
        for t in active:
            slopes[t] += move * (row[t] - other[t])
        slopes[i] += move * ridge
        slopes[j] -= move * ridge
        if step > pause:
            active, pause = _shrink(active, slopes, up, down, highest, lowest), step + n
    if active.size < n:
        _make_up(K, signs, ridge, alpha, slopes, active)
    return max_iter, False


@numba.njit(cache=True, nogil=True)
def _shrink(active, slopes, up, down, highest, lowest):
    """Leave aside what is at a bound and further beyond it than any pair that moves."""
    kept = np.empty_like(active)
    size = 0
    for t in active:
        value = -slopes[t]
        if (down[t] or value >= lowest) and (up[t] or value <= highest):
            kept[size] = t
            size += 1
    return kept[:size]


@numba.njit(cache=True, nogil=True)
def _make_up(K, signs, ridge, alpha, slopes, active):
    """Compute the slopes of the points that were left aside."""
    aside = np.ones(signs.size, np.bool_)
    aside[active] = False
    used = np.flatnonzero(alpha)
    for t in np.flatnonzero(aside):
        total = ridge * signs[t] * alpha[t] - signs[t]
        row = K[t]
        for s in used:
            total += row[s] * signs[s] * alpha[s]
        slopes[t] = total
