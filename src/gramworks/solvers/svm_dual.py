"""The 1-norm soft margin support vector machine, with a certified duality gap.

LIBSVM finds the coefficients, an active set method makes them exact, and `svm_certificate`
encloses the optimum.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from gramworks.errors import FitError
from gramworks.solvers.active_set import guess_system, polish_dual
from gramworks.solvers.interior_point import maximise_dual
from gramworks.solvers.libsvm import minimise_sequentially
from gramworks.solvers.svm_certificate import certify

FINEST_TOL = 1e-9  # LIBSVM keeps kernel entries in single precision
LARGEST_FACTOR = 4000  # points up to which the interior point method is tried
FIRST_FACTOR = 700  # points up to which it is tried before LIBSVM's finer tolerances
ROUGH_TOL = 1e-2  # of the start of the active set method
ROUGH_GAP = 1e-5  # gap that LIBSVM reaches as a rule


def solve_svm(K, signs, C, *, gap=None, tol=1e-3, max_iter=1_000_000, start=None, blur=None):
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
        Tolerance of the one call without `gap`, in units of the margin y f.
    max_iter : int
        Cap on LIBSVM's two-coefficient steps; with `gap` it is lowered to 20000 + 100 n.
    start : ndarray of shape (n,), optional
        With `gap`: coefficients of a similar problem, from which the active set method is
        tried first, unless there are many points and the gap is one that LIBSVM reaches.
    blur : ndarray of shape (n,), optional
        K_ij is known up to blur_i blur_j; the bounds allow for it.

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
        return certify(K, signs, C, alpha, n_iter=steps, finished=finished, blur=blur)
    enclose = partial(certify, K, signs, C, gap=gap, blur=blur)
    small = signs.size <= FIRST_FACTOR
    # with many points a factor costs more than LIBSVM, where its single precision is enough
    rough = not small and gap >= ROUGH_GAP
    if start is not None and not rough:
        found = _polish(K, signs, C, np.clip(start, 0.0, C), enclose)
        if found is not None and found.gap <= gap:
            return found
    cap = min(max_iter, 20_000 + 100 * signs.size)
    alpha, steps, finished = minimise_sequentially(
        K, signs, C, tol=ROUGH_TOL, max_iter=min(cap, 50 * signs.size) if small else cap
    )
    best = enclose(alpha, n_iter=steps, finished=finished)
    if rough and not best.gap <= gap:
        best = _better(best, _tighten(K, signs, C, gap, cap, best.n_iter, enclose))
    aim = gap if rough or gap >= 1e-3 else 1e-3 * gap  # exact coefficients make good curvature
    for refine in (None, _interior, _tighten) if small else (None, _tighten, _interior):
        if refine is not None:
            best = _better(best, refine(K, signs, C, gap, cap, best.n_iter, enclose))
        if not best.gap <= aim:
            best = _better(best, _polish(K, signs, C, best.alpha, enclose, best.n_iter))
        if best.gap <= gap:
            break
    if best.system is None:
        best = replace(best, system=guess_system(K, signs, C, best.alpha))
    return replace(best, converged=best.gap <= gap)


def _better(best, found):
    return best if found is None or best.gap <= found.gap else found


def _polish(K, signs, C, alpha, enclose, steps=0):
    found = polish_dual(K, signs, C, alpha)
    if found is None:
        return None
    return replace(enclose(found[0], n_iter=steps), system=found[1])


def _interior(K, signs, C, gap, cap, steps, enclose):
    if signs.size > LARGEST_FACTOR:
        return None
    alpha = maximise_dual(K, signs, C, accuracy=min(1e-9, 0.1 * gap))
    return enclose(alpha, n_iter=steps)


def _tighten(K, signs, C, gap, cap, steps, enclose):
    """Lower LIBSVM's tolerance until the gap is small enough or no longer falls."""
    tol, best = 0.1 * ROUGH_TOL, None
    while True:
        alpha, n_iter, finished = minimise_sequentially(
            K, signs, C, tol=tol, max_iter=max(cap - steps, 1)
        )
        steps += n_iter
        found = enclose(alpha, n_iter=steps, finished=finished)
        stalled = best is not None and not found.gap <= 0.5 * best.gap
        best = found if best is None or found.gap < best.gap else best
        if not finished or stalled or best.gap <= gap or tol <= FINEST_TOL:
            return replace(best, n_iter=steps)
        # the gap is about proportional to the tolerance: aim a little below the wanted one
        tol = max(FINEST_TOL, min(0.1 * tol, 0.5 * tol * gap / found.gap))
