"""The 1-norm soft margin support vector machine, with a certified duality gap.

LIBSVM finds the coefficients; the value of the dual at them and the value of the primal at the
same expansion, with its best intercept, enclose the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError
from gramworks.solvers.libsvm import minimise_sequentially

_FINEST_TOL = 1e-13  # LIBSVM's gradient carries no more digits


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
        a'e - a'Ga/2, a lower bound of the optimum.
    primal : float
        |w|^2/2 + C sum xi, an upper bound of the optimum.
    n_iter : int
        Two-coefficient steps of all calls of LIBSVM.
    converged : bool
        False when the iteration cap was met, or when rounding stopped the search before the
        wanted gap.
    """

    alpha: np.ndarray
    intercept: float
    dual: float
    primal: float
    n_iter: int
    converged: bool

    @property
    def gap(self) -> float:
        """Relative duality gap, (primal - dual) / primal."""
        return max(self.primal - self.dual, 0.0) / self.primal if self.primal > 0 else 0.0


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
        small. Without it there is one call at `tol`.
    tol : float
        Tolerance of the (first) call, in units of the margin y f.
    max_iter : int
        Cap on the two-coefficient steps of all calls together.

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
    tol = tol if gap is None else min(tol, 0.5 * gap)
    steps, best = 0, None
    while True:
        alpha, n_iter, finished = minimise_sequentially(
            K, signs, C, tol=tol, max_iter=max(max_iter - steps, 1)
        )
        steps += n_iter
        found = _certify(K, signs, C, alpha, steps, finished)
        if best is None or found.gap <= best.gap:
            best = found
        if not finished or gap is None or best.gap <= gap or tol <= _FINEST_TOL:
            break
        # the gap is about proportional to the tolerance: aim a little below the wanted one
        tol = max(_FINEST_TOL, min(0.1 * tol, 0.5 * tol * gap / found.gap))
    reached = finished if gap is None else best.gap <= gap
    return SvmSolution(best.alpha, best.intercept, best.dual, best.primal, steps, bool(reached))


def _certify(K, signs, C, alpha, n_iter, finished):
    signed = signs * alpha
    scores = K @ signed
    squared_norm = float(signed @ scores)
    intercept, hinge = find_intercept(scores, signs)
    return SvmSolution(
        alpha=alpha,
        intercept=intercept,
        dual=float(alpha.sum() - 0.5 * squared_norm),
        primal=0.5 * squared_norm + C * hinge,
        n_iter=n_iter,
        converged=finished,
    )
