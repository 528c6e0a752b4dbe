"""Support vector machines by two-coefficient steps, from a start.

Sequential minimal optimisation with working sets of second order (Fan, Chen and Lin, JMLR 6,
2005), which is LIBSVM's algorithm and stops as it does. LIBSVM itself takes no start and copies
the Gram matrix for every fit; model selection fits thousands of machines on a few hundred points,
where that is most of the time. All that is compiled stands in this one file, since the compiler's
cache looks at no other.
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


def minimise_weighted(K, signs, costs, beta, slopes, *, tol=1e-3, max_iter=1_000_000):
    """Maximise beta'y - beta'K beta/2 over sum beta = 0, 0 <= y_i beta_i <= costs_i, in place.

    A point that changes its label or its cost changes the interval of one coefficient, and what
    was found before is the start.

    Parameters
    ----------
    K : ndarray of shape (n, n), float64
        Positive semidefinite, in C order.
    signs, costs : ndarray of shape (n,)
    beta : ndarray of shape (n,)
        Signed coefficients y alpha, a feasible start; holds the solution afterwards.
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
    lower, upper = np.where(signs < 0, -costs, 0.0), np.where(signs > 0, costs, 0.0)
    steps, done, highest, lowest = _take_steps(
        K, lower, upper, 0.0, beta, slopes, float(tol), int(max_iter)
    )
    if highest == -_NEVER:
        return lowest, steps, done
    return (highest if lowest == _NEVER else 0.5 * (highest + lowest)), steps, done


# Plain loops throughout what is compiled: numba takes several times as long over array expressions.
@numba.njit(cache=True, nogil=True)
def _path(K, signs, bounds, ridges, tol, max_iter):
    n, k = signs.size, bounds.size
    alphas, scores = np.zeros((k, n)), np.zeros((k, n))
    steps, converged = np.zeros(k, np.int64), np.zeros(k, np.bool_)
    beta, slopes = np.zeros(n), signs.copy()
    lower, upper = np.empty(n), np.empty(n)
    before = 0.0
    for number in range(k):
        C, ridge = bounds[number], ridges[number]
        for t in range(n):
            lower[t], upper[t] = (-C, 0.0) if signs[t] < 0 else (0.0, C)
        if ridge != before:
            _rescale(signs, C, ridge - before, beta, slopes)
            before = ridge
        steps[number], converged[number] = _optimise(
            K, signs, lower, upper, ridge, beta, slopes, tol, max_iter
        )
        for t in range(n):
            alphas[number, t] = signs[t] * beta[t]
            scores[number, t] = signs[t] - slopes[t]
    return alphas, scores, steps, converged


@numba.njit(cache=True, nogil=True)
def _rescale(signs, C, more, beta, slopes):
    """Take so much more ridge, and of the multiples of `beta` the best one."""
    square, linear, largest = 0.0, 0.0, 0.0
    for t in range(signs.size):
        slopes[t] -= more * beta[t]
        square += (signs[t] - slopes[t]) * beta[t]
        linear += signs[t] * beta[t]
        largest = max(largest, abs(beta[t]))
    if square > 0:
        scale = min(linear / square, C / largest)
        for t in range(signs.size):
            beta[t] *= scale
            slopes[t] = signs[t] - scale * (signs[t] - slopes[t])


@numba.njit(cache=True, nogil=True)
def _optimise(K, signs, lower, upper, ridge, beta, slopes, tol, max_iter):
    """Move `beta` and `slopes` to the optimum.

    Points that sit at a bound and would stay there are left aside for a while, as LIBSVM does;
    their slopes are made up for before the end is believed.
    """
    n = signs.size
    active, taken = np.arange(n), 0
    G, own_lower, own_upper, own_beta, own_slopes = K, lower, upper, beta, slopes
    while True:
        most = min(max_iter - taken, n)
        steps, done, highest, lowest = _take_steps(
            G, own_lower, own_upper, ridge, own_beta, own_slopes, tol, most
        )
        taken += steps
        if active.size < n:
            for s in range(active.size):
                beta[active[s]], slopes[active[s]] = own_beta[s], own_slopes[s]
        if done and active.size == n:
            return taken, True
        if done or taken == max_iter:
            if active.size < n:
                _make_up(K, signs, ridge, beta, slopes, active)
            if not done:
                return taken, False
            kept = np.arange(n)
        else:
            kept = _shrink(active, lower, upper, beta, slopes, highest, lowest)
        if kept.size == n:
            G, own_lower, own_upper, own_beta, own_slopes = K, lower, upper, beta, slopes
        elif kept.size < active.size:
            G = _block(K, kept)
            own_lower, own_upper = _taken(lower, kept), _taken(upper, kept)
            own_beta, own_slopes = _taken(beta, kept), _taken(slopes, kept)
        active = kept


@numba.njit(cache=True, nogil=True)
def _taken(values, rows):
    """Copy the values given."""
    part = np.empty(rows.size)
    for s in range(rows.size):
        part[s] = values[rows[s]]
    return part


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
def _shrink(active, lower, upper, beta, slopes, highest, lowest):
    """Leave aside what is at a bound and further beyond it than any pair that moves."""
    kept = np.empty_like(active)
    size = 0
    for t in active:
        rises, falls = beta[t] < upper[t], beta[t] > lower[t]
        if (falls or slopes[t] >= lowest) and (rises or slopes[t] <= highest):
            kept[size] = t
            size += 1
    return kept[:size]


@numba.njit(cache=True, nogil=True)
def _make_up(K, signs, ridge, beta, slopes, active):
    """Compute the slopes of the points that were left aside."""
    n, place = signs.size, 0
    for t in range(n):
        if place < active.size and active[place] == t:
            place += 1
            continue
        total = signs[t] - ridge * beta[t]
        for s in range(n):
            if beta[s] != 0.0:
                total -= K[t, s] * beta[s]
        slopes[t] = total


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
def _take_steps(K, lower, upper, ridge, beta, slopes, tol, most):
    """Move `beta` and `slopes` by at most so many steps, within lower <= beta <= upper.

    Gives their number, whether `tol` is met, and the largest slope of a coefficient that may
    rise and the smallest of one that may fall.
    """
    n = beta.size
    diagonal, gains = np.empty(n), np.empty(n)
    # 0 where a coefficient may rise (fall), else a number that rules it out
    rise, fall = np.empty(n), np.empty(n)
    highest, lowest = -_NEVER, _NEVER
    for t in range(n):
        diagonal[t] = K[t, t] + 2.0 * ridge
        rise[t] = 0.0 if beta[t] < upper[t] else -_NEVER
        fall[t] = 0.0 if beta[t] > lower[t] else _NEVER
        highest = max(highest, slopes[t] + rise[t])
        lowest = min(lowest, slopes[t] + fall[t])
    for step in range(most + 1):
        if highest - lowest < tol:
            return step, True, highest, lowest
        if step == most:
            break
        i = 0
        while slopes[i] + rise[i] < highest:
            i += 1
        row, own, best = K[i], K[i, i], 0.0
        for t in range(n):
            ahead = _larger(highest - slopes[t] - fall[t], 0.0)
            gains[t] = ahead * ahead / _larger(own + diagonal[t] - 2.0 * row[t], _FLAT)
            best = _larger(best, gains[t])
        j = 0
        while gains[j] < best:
            j += 1
        other = K[j]
        move = (highest - slopes[j]) / max(own + diagonal[j] - 2.0 * row[j], _FLAT)
        # a coefficient that meets its bound is put there exactly
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        move = min(move, room_i, room_j)
        beta[i] = upper[i] if move == room_i else beta[i] + move
        beta[j] = lower[j] if move == room_j else beta[j] - move
        rise[i] = 0.0 if beta[i] < upper[i] else -_NEVER
        fall[j] = 0.0 if beta[j] > lower[j] else _NEVER
        fall[i] = rise[j] = 0.0
        slopes[i] -= move * ridge
        slopes[j] += move * ridge
        highest, lowest = -_NEVER, _NEVER
        for t in range(n):
            slope = slopes[t] - move * (row[t] - other[t])
            slopes[t] = slope
            highest = _larger(highest, slope + rise[t])
            lowest = _smaller(lowest, slope + fall[t])
    return most, False, highest, lowest
