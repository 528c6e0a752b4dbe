"""Preconditioned conjugate gradients for many right-hand sides at once."""

from __future__ import annotations

import numpy as np


def conjugate_gradients(multiply, precondition, right, *, tol, max_iterations, start=None):
    """Solve A b = r for a block of right-hand sides, each by its own conjugate gradients.

    Parameters
    ----------
    multiply, precondition : callable
        A and the approximate inverse of it, on blocks of shape (r, p).
    right : ndarray of shape (r, p)
    tol : float
        Relative residual at which a right-hand side is done.
    max_iterations : int
    start : (ndarray, ndarray), optional
        A first solution and A times it.

    Returns
    -------
    solution : ndarray of shape (r, p)
    residual : ndarray of shape (r,)
        Relative, as recurred: rounding makes the true one larger in the end.
    iterations : int
        Of the slowest.
    """
    solution = np.zeros_like(right) if start is None else start[0].copy()
    R = right.copy() if start is None else right - start[1]
    norms = np.sqrt(_dots(right, right))
    norms[norms == 0] = 1.0
    found = np.sqrt(_dots(R, R)) / norms
    active = np.flatnonzero(found > tol)
    R, b = R[active], solution[active]
    P = rho = None
    iterations = 0
    while active.size and iterations < max_iterations:
        Z = precondition(R)
        new = _dots(R, Z)
        P = Z if P is None else _combine(Z, new / rho, P)
        rho = new
        AP = multiply(P)
        curvature = _dots(P, AP)
        step = np.divide(rho, curvature, out=np.zeros_like(rho), where=curvature > 0)
        step = step[:, None].astype(R.dtype)
        b += step * P
        R -= step * AP
        iterations += 1
        found[active] = np.sqrt(_dots(R, R)) / norms[active]
        solution[active] = b
        left = found[active] > tol
        if not left.all():
            active, R, b, P, rho = active[left], R[left], b[left], P[left], rho[left]
    return solution, found, iterations


def _combine(Z, beta, P):
    P *= beta[:, None].astype(P.dtype)
    P += Z
    return P


def _dots(A, B):
    return (
        np.einsum("ij,ij->i", A, B, dtype=np.float64)
        if A.dtype == np.float64
        else np.array([np.dot(a, b) for a, b in zip(A, B, strict=True)], dtype=np.float64)
    )
