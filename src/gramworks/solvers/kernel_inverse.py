"""Solutions of K a = v for kernels that may be singular."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpocon

_EPS = np.finfo(np.float64).eps


def solve_from_nearest(K, right) -> np.ndarray:
    """Solve K a = v for new points, from the point of the fit that is nearest to each.

    a = e_i + K^+ (v - K e_i), where i is the nearest point in the feature space of K. Where K is
    regular this is K^-1 v. Where it is singular, many a have the same least residual, and this is
    the one closest to e_i; so a point of the fit is e_i itself, whatever the rounding.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric positive semidefinite; only read.
    right : ndarray of shape (n, m)
        Kernel between the points of the fit and m new ones.

    Returns
    -------
    ndarray of shape (n, m)
    """
    nearest = np.argmin(np.diagonal(K)[:, None] - 2.0 * right, axis=0)
    rest = right - K[:, nearest]
    a = np.zeros_like(rest)
    moved = rest.any(axis=0)
    if moved.any():
        a[:, moved] = _solve(K, rest[:, moved])
    a[nearest, np.arange(a.shape[1])] += 1.0
    return a


def _solve(K, right):
    """Solve by Cholesky's factors, or by a pseudo-inverse without eigenvalues below n eps."""
    cut = K.shape[0] * _EPS
    try:
        factor = scipy.linalg.cho_factor(K, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        factor = None
    if factor is not None:
        norm = max(float(np.abs(row).sum()) for row in K)
        reciprocal, _ = dpocon(factor[0], norm, uplo="L")
        if reciprocal > cut:
            return scipy.linalg.cho_solve(factor, right, check_finite=False)
    values, vectors = np.linalg.eigh(K)
    kept = values > cut * values[-1]
    vectors = vectors[:, kept]
    return vectors @ ((vectors.T @ right) / values[kept, None])
