"""Block conjugate gradients: right-hand sides that share one Krylov space."""

from __future__ import annotations

import numpy as np

_CUT = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-13}


def block_conjugate_gradients(
    multiply, precondition, right, *, tol, max_iterations, patience=None, log=None
):
    """Solve A b = r for right-hand sides that look for their solutions in one common space.

    With s right-hand sides each step adds s directions to the space of every one of them, so that
    far fewer steps are needed than alone (O'Leary, Linear Algebra and its Applications 29 (1980)
    293-322). Directions that have become dependent are dropped: the small systems are solved by
    their eigenvalues.

    Parameters
    ----------
    multiply, precondition : callable
        A and the approximate inverse of it, on blocks of shape (r, p).
    right : ndarray of shape (s, p)
        Overwritten by the residuals.
    tol : float
        Relative residual at which all are done.
    max_iterations : int
    patience : int, optional
        Iterations without a smaller largest residual after which it gives up: what rounding leaves
        of the directions may lead away from the solution.
    log : callable, optional
        Receives the iteration and the largest relative residual.

    Returns
    -------
    solution : ndarray of shape (s, p)
    residual : ndarray of shape (s,)
        Relative, as recurred.
    iterations : int
        It ends early where P'AP is no longer finite or positive.
    """
    R = right
    norms = np.linalg.norm(R, axis=1)
    norms[norms == 0] = 1.0
    solution = np.zeros_like(R)
    found = np.linalg.norm(R, axis=1) / norms
    iterations, P, AP, curvature = 0, None, None, None
    least, since = np.inf, 0
    while found.max(initial=0.0) > tol and iterations < max_iterations and since != patience:
        Z = precondition(R)
        if P is not None:
            Z -= curvature.solve(AP @ Z.T).T @ P
        P = Z
        AP = multiply(P)
        curvature = _Curvature(P @ AP.T)
        if not curvature.usable:
            break
        step = curvature.solve(P @ R.T).T
        for start in range(0, R.shape[1], 2**16):  # without a block for the product
            part = slice(start, start + 2**16)
            solution[:, part] += step @ P[:, part]
            R[:, part] -= step @ AP[:, part]
        iterations += 1
        found = np.linalg.norm(R, axis=1) / norms
        since = 0 if found.max(initial=0.0) < least else since + 1
        least = min(least, found.max(initial=0.0))
        if log is not None:
            log(iterations, float(found.max(initial=0.0)))
    return solution, found, iterations


class _Curvature:
    """Pseudo-inverse of P'AP, scaled to unit diagonal first; `usable` where it is positive."""

    def __init__(self, T):
        diagonal = T.diagonal().astype(np.float64)
        positive = diagonal > 0
        scale = np.where(positive, 1.0 / np.sqrt(np.where(positive, diagonal, 1.0)), 0.0)
        scaled = (T.astype(np.float64) + T.T) * (0.5 * scale[:, None] * scale)
        self.usable = bool(positive.any() and np.isfinite(scaled).all())
        if not self.usable:
            return
        values, vectors = np.linalg.eigh(scaled)
        kept = values > _CUT[T.dtype] * values[-1]
        self._factor = scale[:, None] * (vectors[:, kept] / np.sqrt(values[kept]))

    def solve(self, right):
        solution = self._factor @ (self._factor.T @ right)
        return solution.astype(right.dtype)
