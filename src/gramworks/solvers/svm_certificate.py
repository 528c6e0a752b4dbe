"""Certified bounds of the optimum of a support vector machine from any feasible coefficients.

The value of the dual at the coefficients and the value of the primal at the same expansion, with
its best intercept, enclose the optimum. Both are moved outwards by a bound of their rounding
errors, so that they enclose it whatever the scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gramworks.solvers.active_set import FreeSystem
from gramworks.solvers.proved_products import EPS, multiply


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
    separated : float
        |w|^2/2 of w lengthened to meet all margins, an upper bound of the optimum at C = inf;
        inf where the expansion errs.
    system : FreeSystem or None
        Equations of the coefficients between the bounds: exact where the active set method
        settled, else of those that seem to be.
    """

    alpha: np.ndarray
    intercept: float
    dual: float
    primal: float
    n_iter: int
    converged: bool
    residual: float = 0.0
    separated: float = np.inf
    system: FreeSystem | None = None

    @property
    def gap(self) -> float:
        """Relative duality gap, (primal - dual) / primal; inf where the bounds cross.

        They cross where the kernel is not positive semidefinite: then nothing is proved.
        """
        if self.dual > self.primal:
            return np.inf
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


def find_intercept(scores, signs, costs=None):
    """Minimise sum_i c_i max(0, 1 - y_i (s_i + b)) over b, exactly.

    The sum is piecewise linear and convex, its slope is minus the cost of the positive labels at
    the far left and grows by c_i at each breakpoint y_i - s_i.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Decision values without intercept.
    signs : ndarray of shape (n,)
        Labels, -1 and +1, both present.
    costs : ndarray of shape (n,), optional
        c, positive; default: ones.

    Returns
    -------
    intercept : float
        The middle of the interval of minimisers.
    hinge : float
        The least sum.
    """
    breaks = signs - scores
    if costs is None:
        breaks.sort()
        left = right = int(np.count_nonzero(signs > 0))
        costs = 1.0
    else:
        order = np.argsort(breaks, kind="stable")
        breaks, grown = breaks[order], np.cumsum(costs[order])
        positive = float(costs[signs > 0].sum())
        blur = 4.0 * signs.size * np.finfo(np.float64).eps * positive
        # the slope is zero between the two, or changes its sign where they are the same
        left = int(np.searchsorted(grown, positive - blur)) + 1
        right = int(np.searchsorted(grown, positive + blur, side="right"))
        right = min(max(left - 1, right), signs.size - 1)
    intercept = 0.5 * (breaks[left - 1] + breaks[right])
    hinge = float(np.sum(costs * np.maximum(0.0, 1.0 - signs * (scores + intercept))))
    return float(intercept), hinge


def certify(K, signs, C, alpha, *, n_iter=0, finished=True, gap=None, blur=None):
    """Enclose the optimum; with a wanted gap rounding is kept well below it where possible.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semidefinite; read only.
    signs : ndarray of shape (n,)
    C : float
    alpha : ndarray of shape (n,)
        Within the bounds; with `gap`, shrunk until a'y = 0.
    n_iter : int
        Kept in the solution.
    finished : bool
        Kept in the solution, as `converged`.
    gap : float, optional
    blur : ndarray of shape (n,), optional
        K_ij is known up to blur_i blur_j, such as what adding base kernels up has rounded.

    Returns
    -------
    SvmSolution
    """
    n = signs.size
    allowed = np.inf
    if gap is not None:
        alpha = balance(alpha, signs)
        allowed = 1e-2 * gap * float(alpha.sum())
    signed = signs * alpha
    scores, errors, square, error = multiply(K, signed, allowed)
    if blur is not None:
        reach = float(blur @ alpha) * (1 + n * EPS)
        errors = errors + reach * blur
        error += reach**2
    squared_norm = max(square + error, 0.0)
    intercept, hinge = find_intercept(scores, signs)
    margins = signs * (scores + intercept)
    errors = errors + 4 * EPS * (1.0 + np.abs(scores) + abs(intercept))
    hinge = float(np.maximum(0.0, 1.0 - margins + errors).sum()) * (1 + (n + 8) * EPS)
    primal = (0.5 * squared_norm + C * hinge) * (1 + 8 * EPS)
    # where C is large, errors of the margins weigh more than lengthening w until all are met
    width = (scores - errors)[signs > 0].min() - (scores + errors)[signs < 0].max()
    separated = np.inf
    if width > 0:
        separated = 0.5 * squared_norm * (2.0 / width) ** 2 * (1 + 16 * EPS)
    residual = abs(math.fsum(signed))
    norm = lengthen(squared_norm, residual, K)
    dual = math.fsum(alpha) - residual - 0.5 * norm
    return SvmSolution(
        alpha=alpha,
        intercept=intercept,
        dual=float(dual - 8 * EPS * (abs(dual) + norm)),
        primal=float(min(primal, separated)),
        n_iter=n_iter,
        converged=finished,
        residual=residual,
        separated=float(separated),
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
