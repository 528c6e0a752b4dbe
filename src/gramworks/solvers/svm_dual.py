"""The 1-norm soft margin support vector machine, with a certified duality gap.

LIBSVM finds the coefficients; the value of the dual at them and the value of the primal at the
same expansion, with its best intercept, enclose the optimum. Both are moved outwards by a bound
of their rounding errors, so that they enclose it whatever the scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gramworks.errors import FitError
from gramworks.solvers.interior_point import maximise_dual
from gramworks.solvers.libsvm import minimise_sequentially
from gramworks.solvers.proved_products import EPS, multiply

FINEST_TOL = 1e-9  # LIBSVM keeps kernel entries in single precision
LARGEST_FACTOR = 4000  # points up to which the interior point method is tried


@dataclass(frozen=True)
class SvmSolution:
    """Solution of one binary machine; values are halves of omega, LIBSVM's scaling.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        Coefficients, 0 <= alpha <= C.
    intercept : float
        Minimiser of the primal for this expansion (the middle one, where there are several).
    dual : float
        a'e - a'Ga/2 less a bound of its rounding, and of what a'y = 0 lacks: a lower bound of
        the optimum.
    primal : float
        |w|^2/2 + C sum xi plus a bound of its rounding, an upper bound of the optimum; of w
        lengthened to meet all margins where that is less.
    residual : float
        |a'y|.
    n_iter : int
        Two-coefficient steps of all calls of LIBSVM.
    converged : bool
        Whether the wanted gap was reached; where none was asked for, whether LIBSVM met its
        tolerance within the cap.
    """

    alpha: np.ndarray
    intercept: float
    dual: float
    primal: float
    n_iter: int
    converged: bool
    residual: float = 0.0

    @property
    def gap(self) -> float:
        """Relative duality gap, (primal - dual) / primal; inf where the bounds cross.

        They cross where the kernel is not positive semidefinite: then nothing is proved.
        """
        if self.dual > self.primal:
            return np.inf
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


def find_intercept(scores, signs):
    """Minimise sum_i max(0, 1 - y_i (s_i + b)) over b, exactly.

    The sum is piecewise linear and convex, its slope is minus the number of positive labels at
    the far left and grows by one at each breakpoint y_i - s_i.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Decision values without intercept.
    signs : ndarray of shape (n,)
        Labels, -1 and +1, both present.

    Returns
    -------
    intercept : float
        The middle of the interval of minimisers.
    hinge : float
        The least sum.
    """
    breaks = np.sort(signs - scores)
    n_positive = int(np.count_nonzero(signs > 0))
    intercept = 0.5 * (breaks[n_positive - 1] + breaks[n_positive])
    hinge = float(np.maximum(0.0, 1.0 - signs * (scores + intercept)).sum())
    return float(intercept), hinge


def solve_svm(K, signs, C, *, gap=None, tol=1e-3, max_iter=1_000_000):
    """Solve max a'e - a'Ga/2 over 0 <= a <= C, a'y = 0, with G_ij = y_i y_j K_ij.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric positive semidefinite Gram matrix; read only.
    signs : ndarray of shape (n,)
        Labels, -1 and +1, both present.
    C : float
        Upper bound of the coefficients, positive and finite.
    gap : float, optional
        Wanted relative duality gap: LIBSVM's tolerance is lowered until the certified gap is as
        small, and where that does not help an interior point method takes over. Without it
        there is one call of LIBSVM at `tol`.
    tol : float
        Tolerance of the (first) call, in units of the margin y f.
    max_iter : int
        Cap on LIBSVM's two-coefficient steps; with `gap` it is lowered to 20000 + 100 n.

    Returns
    -------
    SvmSolution

    Raises
    ------
    FitError
        C is not positive and finite, or one class only.
    """
    if not (np.isfinite(C) and C > 0):
        raise FitError(f"C is {C!r}; allowed: a positive finite number")
    if not (np.any(signs > 0) and np.any(signs < 0)):
        raise FitError("the labels are all of one sign; a machine needs -1 and +1 among them")
    if gap is None:
        alpha, steps, finished = minimise_sequentially(K, signs, C, tol=tol, max_iter=max_iter)
        return _certify(K, signs, C, alpha, steps, finished)
    best = _tighten(K, signs, C, gap, min(tol, 0.5 * gap), min(max_iter, 20_000 + 100 * signs.size))
    if best.gap > gap and signs.size <= LARGEST_FACTOR:
        alpha = maximise_dual(K, signs, C, accuracy=min(1e-9, 0.1 * gap))
        found = _certify(K, signs, C, alpha, best.n_iter, True, gap)
        best = found if found.gap < best.gap else best
    return replace(best, converged=best.gap <= gap)


def _tighten(K, signs, C, gap, tol, max_iter):
    """Lower LIBSVM's tolerance until the gap is small enough or no longer falls."""
    steps, best = 0, None
    while True:
        alpha, n_iter, finished = minimise_sequentially(
            K, signs, C, tol=tol, max_iter=max(max_iter - steps, 1)
        )
        steps += n_iter
        found = _certify(K, signs, C, alpha, steps, finished, gap)
        stalled = best is not None and not found.gap <= 0.5 * best.gap
        best = found if best is None or found.gap < best.gap else best
        if not finished or stalled or best.gap <= gap or tol <= FINEST_TOL:
            return replace(best, n_iter=steps)
        # the gap is about proportional to the tolerance: aim a little below the wanted one
        tol = max(FINEST_TOL, min(0.1 * tol, 0.5 * tol * gap / found.gap))


def _certify(K, signs, C, alpha, n_iter, finished, gap=None):
    """Enclose the optimum; with a wanted gap rounding is kept well below it where possible."""
    n = signs.size
    allowed = np.inf
    if gap is not None:
        alpha = balance(alpha, signs)
        allowed = 1e-2 * gap * float(alpha.sum())
    signed = signs * alpha
    scores, errors, square, error = multiply(K, signed, allowed)
    squared_norm = max(square + error, 0.0)
    intercept, hinge = find_intercept(scores, signs)
    margins = signs * (scores + intercept)
    errors = errors + 4 * EPS * (1.0 + np.abs(scores) + abs(intercept))
    hinge = float(np.maximum(0.0, 1.0 - margins + errors).sum()) * (1 + (n + 8) * EPS)
    primal = (0.5 * squared_norm + C * hinge) * (1 + 8 * EPS)
    # where C is large, errors of the margins weigh more than lengthening w until all are met
    width = (scores - errors)[signs > 0].min() - (scores + errors)[signs < 0].max()
    if width > 0:
        primal = min(primal, 0.5 * squared_norm * (2.0 / width) ** 2 * (1 + 16 * EPS))
    residual = abs(math.fsum(signed))
    norm = lengthen(squared_norm, residual, K)
    dual = math.fsum(alpha) - residual - 0.5 * norm
    return SvmSolution(
        alpha=alpha,
        intercept=intercept,
        dual=float(dual - 8 * EPS * (abs(dual) + norm)),
        primal=float(primal),
        n_iter=n_iter,
        converged=finished,
        residual=residual,
    )


def balance(alpha, signs):
    """Shrink the coefficients of the heavier class until a'y = 0 up to rounding."""
    ahead, behind = math.fsum(alpha[signs > 0]), math.fsum(alpha[signs < 0])
    if ahead == behind:
        return alpha
    heavier = signs > 0 if ahead > behind else signs < 0
    return np.where(heavier, alpha * (min(ahead, behind) / max(ahead, behind)), alpha)


def lengthen(squared_norm, residual, K):
    """Bound |w|^2 once the heavier class gives up `residual` in all, so that a'y = 0 holds.

    Each coefficient moves w by its change times sqrt(K_ii), so that w moves by no more than
    `residual` times the largest.
    """
    move = residual * math.sqrt(max(float(np.diagonal(K).max()), 0.0))
    return (math.sqrt(squared_norm) + move) ** 2 if move else squared_norm
