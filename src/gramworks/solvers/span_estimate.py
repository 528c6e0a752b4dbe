"""The span estimate of the leave-one-out error of a support vector machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.solvers.svm_dual import solve_svm

_BOUND = 1e-6  # of C, or of the largest coefficient: what is nearer to a bound is at it
_COINCIDENT = 1e-10  # of the squared lengths: points this near are one point to the kernel
_FLAT = 1e-12  # of the largest diagonal entry: spread of the free support vectors that is rounding


@dataclass(frozen=True)
class SpanEstimate:
    """What leaving out each point does, as far as the span tells.

    Attributes
    ----------
    error : float
        Estimated share of leave-one-out errors: of points with alpha_p S_p^2 >= y_p f(x_p).
    spans : ndarray of shape (l,)
        S_p^2, squared distance of x_p from the affine hull of the other free support vectors;
        0 for points that are no support vectors; inf where no machine can be without the point.
    values : ndarray of shape (l,)
        alpha_p S_p^2, the estimate of y_p (f(x_p) - f^p(x_p)).
    margins : ndarray of shape (l,)
        y_p f(x_p).
    alpha : ndarray of shape (l,)
        Coefficients of the machine.
    intercept : float
    gap : float
        Its certified relative duality gap.
    converged : bool
        Whether `gap` is as small as was asked for.
    n_refits : int
        Points for which the machine was fitted again.
    """

    error: float
    spans: np.ndarray
    values: np.ndarray
    margins: np.ndarray
    alpha: np.ndarray
    intercept: float
    gap: float
    converged: bool
    n_refits: int


def span_estimate(K, signs, C, *, tol=1e-6):
    """Estimate the leave-one-out error of the 1-norm soft margin machine from one fit.

    As long as leaving out x_p makes no other point enter or leave the margin or its bound,

        y_p (f(x_p) - f^p(x_p)) = alpha_p S_p^2,

    S_p the distance from the affine hull of the free support vectors other than x_p: Chapelle,
    Vapnik, Bousquet and Mukherjee, Machine Learning 46 (2002) 131-159, section 4.3; Vapnik and
    Chapelle, Neural Computation 12 (2000) 2013-2036.

    Three cases are outside this rule. A point that coincides with others of its class, which can
    carry its coefficient within C, changes nothing where it is left out: 0. A point at the bound,
    alone in its class, leaves one class: an error. Where no free support vector is left beside
    x_p, the set of support vectors has to change, and the machine is fitted without x_p.

    Parameters
    ----------
    K : ndarray of shape (l, l)
        Positive semidefinite Gram matrix of the labelled points; read only.
    signs : ndarray of shape (l,)
        Labels, -1 and +1, both present.
    C : float
        Upper bound of the coefficients.
    tol : float
        Relative duality gap of the machine.

    Returns
    -------
    SpanEstimate

    Raises
    ------
    FitError
        C is not positive and finite, or one class only.
    """
    K = np.asarray(K, dtype=np.float64)
    signs = np.asarray(signs, dtype=np.float64)
    machine = solve_svm(K, signs, C, gap=tol)
    alpha = machine.alpha
    margins = signs * (K @ (signs * alpha) + machine.intercept)
    used = alpha > _BOUND * min(C, alpha.max())
    free = used & (alpha < (1 - _BOUND) * C)
    spans = np.zeros(signs.size)
    spans[used] = _squared_distances(K, np.flatnonzero(free), np.flatnonzero(used))
    spans[_replaceable(K, signs, C, alpha)] = 0.0
    counts = {sign: np.count_nonzero(signs == sign) for sign in (-1.0, 1.0)}
    alone = np.array([counts[sign] == 1 for sign in signs])
    spans[alone & used & ~free] = np.inf
    values = np.where(used, alpha, 0.0) * spans
    stuck = np.flatnonzero(np.isnan(spans))
    for p in stuck:
        values[p] = margins[p] - (-1.0 if alone[p] else _margin_without(K, signs, C, p, tol))
        spans[p] = values[p] / alpha[p]
    return SpanEstimate(
        error=float(np.mean(values >= margins)),
        spans=spans,
        values=values,
        margins=margins,
        alpha=alpha,
        intercept=machine.intercept,
        gap=machine.gap,
        converged=machine.converged,
        n_refits=stuck.size,
    )


def _squared_distances(K, free, used):
    """Squared distances of points from the affine hull of the free ones other than themselves.

    Parameters
    ----------
    K : ndarray of shape (l, l)
    free : ndarray of shape (f,), int
    used : ndarray of shape (u,), int
        The points, `free` among them.

    Returns
    -------
    ndarray of shape (u,)
        NaN where there is no other free one.
    """
    found = np.full(used.size, np.nan)
    own = np.searchsorted(used, free)
    if free.size == 0:
        return found
    block = K[np.ix_(free, free)]
    means = block.mean(axis=0)
    values, vectors = np.linalg.eigh(block - means[:, None] - means + means.mean())
    # directions without spread, the constant one among them, which weights of sum 1 do not move
    kept = values > _FLAT * np.abs(K.diagonal()).max()
    values, vectors = values[kept], vectors[:, kept]
    bound = np.setdiff1d(np.arange(used.size), own, assume_unique=True)
    across = K[np.ix_(used[bound], free)]
    # from the mean of the free ones, less what lies along their differences
    from_mean = K.diagonal()[used[bound]] - 2.0 * across.mean(axis=1) + means.mean()
    along = (across - means) @ vectors
    found[bound] = np.maximum(from_mean - (along**2 / values).sum(axis=1), 0.0)
    if free.size > 1:
        # 1 / (inverse of [K 1; 1' 0])_pp; a point in the hull of the others is at distance 0,
        # which shows in the directions without spread
        inside = 1.0 - 1.0 / free.size - (vectors**2).sum(axis=1) > 1e-8
        inverse = (vectors**2 / values).sum(axis=1)
        found[own] = np.where(inside, 0.0, 1.0 / np.where(inside, 1.0, inverse))
    return found


def _replaceable(K, signs, C, alpha):
    """Tell which points coincide with others of their class that can carry their coefficients."""
    squares = K.diagonal()
    sums = squares[:, None] + squares
    same = (sums - 2.0 * K <= _COINCIDENT * sums) & (signs[:, None] == signs)
    np.fill_diagonal(same, True)
    return (same @ alpha <= (same.sum(axis=1) - 1) * C) & (same.sum(axis=1) > 1)


def _margin_without(K, signs, C, p, tol):
    rest = np.delete(np.arange(signs.size), p)
    machine = solve_svm(K[np.ix_(rest, rest)], signs[rest], C, gap=tol)
    return signs[p] * (K[p, rest] @ (signs[rest] * machine.alpha) + machine.intercept)
