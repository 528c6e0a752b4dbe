"""The 1-norm soft margin support vector machine, with a certified duality gap.

LIBSVM finds the coefficients, an active set method makes them exact; the value of the dual at
them and the value of the primal at the same expansion, with its best intercept, enclose the
optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gramworks.errors import FitError
from gramworks.solvers.active_set import FreeSystem, guess_system, polish_dual
from gramworks.solvers.interior_point import maximise_dual
from gramworks.solvers.libsvm import minimise_sequentially

FINEST_TOL = 1e-9  # LIBSVM keeps kernel entries in single precision
LARGEST_FACTOR = 4000  # points up to which the interior point method is tried
FIRST_FACTOR = 700  # points up to which it is tried before LIBSVM's finer tolerances
ROUGH_TOL = 1e-2  # of the start of the active set method


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
        |w|^2/2 + C sum xi, an upper bound of the optimum; of w lengthened to meet all margins
        where that is less.
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
    separated: float = np.inf
    system: FreeSystem | None = None

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


def solve_svm(K, signs, C, *, gap=None, tol=1e-3, max_iter=1_000_000, start=None):
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
        Wanted relative duality gap: an active set method goes on from LIBSVM's coefficients;
        where it does not settle, LIBSVM's tolerance is lowered until the certified gap is as
        small, or an interior point method takes over. Without it there is one call of LIBSVM
        at `tol`.
    tol : float
        Tolerance of the (first) call, in units of the margin y f.
    max_iter : int
        Cap on LIBSVM's two-coefficient steps; with `gap` it is lowered to 20000 + 100 n.
    start : ndarray of shape (n,), optional
        With `gap`: coefficients of a similar problem, from which the active set method is
        tried first.

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
    if start is not None:
        found = _polish(K, signs, C, np.clip(start, 0.0, C), 0)
        if found is not None and found.gap <= gap:
            return found
    cap = min(max_iter, 20_000 + 100 * signs.size)
    small = signs.size <= FIRST_FACTOR
    alpha, steps, finished = minimise_sequentially(
        K, signs, C, tol=ROUGH_TOL, max_iter=min(cap, 50 * signs.size) if small else cap
    )
    best = _certify(K, signs, C, alpha, steps, finished)
    for refine in (None, _interior, _tighten) if small else (None, _tighten, _interior):
        if refine is not None:
            best = _better(best, refine(K, signs, C, gap, cap, best.n_iter))
        if best.gap > (1e-3 * gap if gap < 1e-3 else gap):
            best = _better(best, _polish(K, signs, C, best.alpha, best.n_iter))
        if best.gap <= gap:
            break
    if best.system is None:
        best = replace(best, system=guess_system(K, signs, C, best.alpha))
    return replace(best, converged=best.gap <= gap)


def _better(best, found):
    return best if found is None or best.gap <= found.gap else found


def _polish(K, signs, C, alpha, steps):
    found = polish_dual(K, signs, C, alpha)
    if found is None:
        return None
    return replace(_certify(K, signs, C, found[0], steps, True), system=found[1])


def _interior(K, signs, C, gap, cap, steps):
    if signs.size > LARGEST_FACTOR:
        return None
    alpha = maximise_dual(K, signs, C, accuracy=min(1e-9, 0.1 * gap))
    return _certify(K, signs, C, alpha, steps, True)


def _tighten(K, signs, C, gap, cap, steps):
    """Lower LIBSVM's tolerance until the gap is small enough or no longer falls."""
    tol, best = 0.1 * ROUGH_TOL, None
    while True:
        alpha, n_iter, finished = minimise_sequentially(
            K, signs, C, tol=tol, max_iter=max(cap - steps, 1)
        )
        steps += n_iter
        found = _certify(K, signs, C, alpha, steps, finished)
        stalled = best is not None and found.gap > 0.5 * best.gap
        best = found if best is None or found.gap < best.gap else best
        if not finished or stalled or best.gap <= gap or tol <= FINEST_TOL:
            return replace(best, n_iter=steps)
        # the gap is about proportional to the tolerance: aim a little below the wanted one
        tol = max(FINEST_TOL, min(0.1 * tol, 0.5 * tol * gap / found.gap))


def _certify(K, signs, C, alpha, n_iter, finished):
    signed = signs * alpha
    scores = K @ signed
    squared_norm = float(signed @ scores)
    intercept, hinge = find_intercept(scores, signs)
    primal = 0.5 * squared_norm + C * hinge
    # where C is large, errors of the margins weigh more than lengthening w until all are met
    width = scores[signs > 0].min() - scores[signs < 0].max()
    separated = 0.5 * squared_norm * (2.0 / width) ** 2 if width > 0 else np.inf
    return SvmSolution(
        alpha=alpha,
        intercept=intercept,
        dual=float(alpha.sum() - 0.5 * squared_norm),
        primal=float(min(primal, separated)),
        n_iter=n_iter,
        converged=finished,
        separated=float(separated),
    )
