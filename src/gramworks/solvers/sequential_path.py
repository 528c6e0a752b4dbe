"""Support vector machines along a grid of C, each started from the one before.

Sequential minimal optimisation with working sets of second order (Fan, Chen and Lin, JMLR 6,
2005), which is LIBSVM's algorithm and stops as it does. LIBSVM itself takes no start and copies
the Gram matrix for every fit; model selection fits thousands of machines on a few hundred points,
where that is most of the time.
"""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

_FLAT = 1e-12  # curvature taken for a pair of points that the kernel cannot tell apart
_NEVER = 1e300  # beyond all slopes, and finite, as what is compiled for speed supposes


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
    active, taken = np.arange(n), 0
    G, own_alpha, own_slopes, own_signs = K, alpha, slopes, signs
    while True:
        budget = min(max_iter - taken, n)
        steps, done, highest, lowest = _steps(
            G, own_signs, C, ridge, own_alpha, own_slopes, tol, budget
        )
        taken += steps
        if active.size < n:
            alpha[active], slopes[active] = own_alpha, own_slopes
        if done and active.size == n:
            return taken, True
        if done or taken == max_iter:
            if active.size < n:
                _make_up(K, signs, ridge, alpha, slopes, active)
            if not done:
                return taken, False
            kept = np.arange(n)
        else:
            kept = _shrink(active, alpha, slopes, signs, C, highest, lowest)
        if kept.size == n:
            G, own_alpha, own_slopes, own_signs = K, alpha, slopes, signs
        elif kept.size < active.size:
            G = _block(K, kept)
            own_alpha, own_slopes, own_signs = alpha[kept], slopes[kept], signs[kept]
        active = kept


def _compiled_as(name):
    """Return a function of two numbers that the compiler knows, and can do on four at once."""

    @intrinsic
    def function(context, a, b):
        def generate(context, builder, signature, arguments):
            number = ir.DoubleType()
            kind = ir.FunctionType(number, [number, number])
            called = builder.module.declare_intrinsic(name, [number], kind)
            return builder.call(called, arguments, fastmath=("nnan", "nsz"))

        return numba.float64(a, b), generate

    return function


_larger, _smaller = _compiled_as("llvm.maxnum"), _compiled_as("llvm.minnum")


# The two loops over all points compile to vector instructions: maxima without branches, division
# unchecked. No sum may be reordered, since indices are found by equality.
@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})
def _steps(K, signs, C, ridge, alpha, slopes, tol, budget):
    """Take at most `budget` steps; return their number, whether done, and the violating pair."""
    n = signs.size
    diagonal, gains = np.empty(n), np.empty(n)
    # 0 where a coefficient may move up (down) along its label
    up, down = np.empty(n), np.empty(n)
    highest, lowest = -_NEVER, _NEVER
    for t in range(n):
        diagonal[t] = K[t, t] + 2.0 * ridge
        up[t], down[t] = _room(alpha[t], signs[t], C)
        highest = max(highest, up[t] - slopes[t])
        lowest = min(lowest, down[t] - slopes[t])
    for step in range(budget + 1):
        if highest - lowest < tol:
            return step, True, highest, lowest
        if step == budget:
            break
        i = 0
        while up[i] - slopes[i] < highest:
            i += 1
        row, own, best = K[i], K[i, i], 0.0
        for t in range(n):
            ahead = _larger(highest + slopes[t] - down[t], 0.0)
            gains[t] = ahead * ahead / _larger(own + diagonal[t] - 2.0 * row[t], _FLAT)
            best = _larger(best, gains[t])
        j = 0
        while gains[j] < best:
            j += 1
        other = K[j]
        move = (highest + slopes[j]) / max(own + diagonal[j] - 2.0 * row[j], _FLAT)
        move = min(move, C - alpha[i] if signs[i] > 0 else alpha[i])
        move = min(move, alpha[j] if signs[j] > 0 else C - alpha[j])
        alpha[i] = min(max(alpha[i] + signs[i] * move, 0.0), C)
        alpha[j] = min(max(alpha[j] - signs[j] * move, 0.0), C)
        up[i], down[i] = _room(alpha[i], signs[i], C)
        up[j], down[j] = _room(alpha[j], signs[j], C)
        slopes[i] += move * ridge
        slopes[j] -= move * ridge
        highest, lowest = -_NEVER, _NEVER
        for t in range(n):
            slope = slopes[t] + move * (row[t] - other[t])
            slopes[t] = slope
            highest = _larger(highest, up[t] - slope)
            lowest = _smaller(lowest, down[t] - slope)
    return budget, False, highest, lowest


@numba.njit(cache=True, nogil=True, inline="always")
def _room(alpha, sign, C):
    """Return 0 or a number that rules a move out, for a move up and one down along the label."""
    more, less = alpha < C, alpha > 0
    up = more if sign > 0 else less
    down = less if sign > 0 else more
    return (0.0 if up else -_NEVER), (0.0 if down else _NEVER)


@numba.njit(cache=True, nogil=True)
def _block(K, rows):
    """Copy the rows and columns given."""
    block = np.empty((rows.size, rows.size))
    for s in range(rows.size):
        row = K[rows[s]]
        for t in range(rows.size):
            block[s, t] = row[rows[t]]
    return block


@numba.njit(cache=True, nogil=True)
def _shrink(active, alpha, slopes, signs, C, highest, lowest):
    """Leave aside what is at a bound and further beyond it than any pair that moves."""
    kept = np.empty_like(active)
    size = 0
    for t in active:
        value = -slopes[t]
        up, down = _room(alpha[t], signs[t], C)
        if (down == 0 or value >= lowest) and (up == 0 or value <= highest):
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
