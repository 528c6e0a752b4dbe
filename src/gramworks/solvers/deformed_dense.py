"""The deformed kernel by one Cholesky factor of I / (2 nu) + N."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from gramworks.errors import FitError


def deform_dense(system, nu, *, gram=None, N=None, Z=None):
    """Deform a kernel: K~ = K - Z' (I / (2 nu) + N)^-1 Z.

    Parameters
    ----------
    system : FunctionalSystem
        Of p functionals at t points.
    nu : float
        Positive.
    N : ndarray of shape (p, p), optional
        Made anew by default; only read. Give it where several nu follow.
    Z : ndarray of shape (t, p), optional
        As N: the functionals of each k(x_a, .).

    Returns
    -------
    kernel : ndarray of shape (t, t)
        Exactly symmetric, semidefinite to rounding.
    solution : ndarray of shape (t, p)
        Rows of (I / (2 nu) + N)^-1 Z.
    residual : float
        Largest relative residual of these rows.
    condition : float
        Estimate of |A| |A^-1| for A = I / (2 nu) + N; from about 1e16 on rounding alone decides
        what is solved.

    Raises
    ------
    FitError
        Rounding has made the matrix indefinite.
    """
    N = system.dense() if N is None else N
    Z = system.columns(slice(None)) if Z is None else Z
    shifted = N.copy(order="F")
    shifted.flat[:: len(N) + 1] += 0.5 / nu
    size = np.abs(shifted).sum(axis=0).max(initial=0.0)
    try:
        factor = scipy.linalg.cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise FitError(
            f"nu={nu:g} leaves I / (2 nu) + N, with entries of N up to {np.abs(N).max():.3g}, "
            "without a Cholesky factor: rounding has made it indefinite. Lower nu, leave out "
            "points that are there twice, or take solver='cg'"
        ) from None
    inverse_condition, _ = scipy.linalg.lapack.dpocon(factor, size, uplo="L")
    half = scipy.linalg.solve_triangular(factor, Z.T, lower=True, check_finite=False)
    kernel = system.expansion.gram - half.T @ half
    solution = scipy.linalg.solve_triangular(
        factor, half, lower=True, trans="T", overwrite_b=True, check_finite=False
    ).T
    del factor, shifted
    residual = relative_residuals(Z, solution @ N + solution / (2 * nu)).max(initial=0.0)
    condition = 1.0 / inverse_condition if inverse_condition > 0 else np.inf
    return 0.5 * (kernel + kernel.T), solution, float(residual), condition


def relative_residuals(right, left) -> np.ndarray:
    """|right - left| / |right| for each row; 0 where the row of `right` is 0 and met."""
    size = np.linalg.norm(right, axis=1)
    missed = np.linalg.norm(right - left, axis=1)
    return np.divide(missed, size, out=np.where(missed > 0, np.inf, 0.0), where=size > 0)
