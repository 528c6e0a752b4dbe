"""Kernel ridge regression, with an intercept that is not penalised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri

from gramworks.errors import FitError


@dataclass(frozen=True)
class RidgeSolution:
    """Expansion f(x) = sum_i coefficients_i k(x, x_i) + intercept, one column a target.

    Attributes
    ----------
    coefficients : ndarray of shape (l, q)
    intercept : ndarray of shape (q,)
    left_out : ndarray of shape (l, q)
        Leave-one-out residuals y_i - f^(-i)(x_i), exact.
    """

    coefficients: np.ndarray
    intercept: np.ndarray
    left_out: np.ndarray


def solve_ridge(K, targets, ridge, *, centre=True):
    """Minimise |targets - f|^2 + ridge |w|^2 over f = <w, phi> + b.

    With `centre` the optimal b is removed by centring kernel and targets (K + ridge I on the
    centred ones); then the fit follows any shift of the targets, and the kernel is centred at
    new points too because the coefficients sum to zero. Without, b = 0.

    Parameters
    ----------
    K : ndarray of shape (l, l)
        Positive semidefinite Gram matrix; read only.
    targets : ndarray of shape (l, q)
    ridge : float
        Positive.
    centre : bool

    Returns
    -------
    RidgeSolution

    Raises
    ------
    FitError
        ridge not positive and finite, or so small that K + ridge I is singular in float64.
    """
    if not (np.isfinite(ridge) and ridge > 0):
        raise FitError(f"ridge is {ridge!r}; allowed: a positive finite number")
    n = K.shape[0]
    means, offsets = np.zeros(n), np.zeros(targets.shape[1])
    centred, residual = K, targets
    if centre:
        means, offsets = K.mean(axis=0), targets.mean(axis=0)
        centred = K - means - means[:, None] + means.mean()
        residual = targets - offsets
    try:
        factor = cho_factor(centred + ridge * np.eye(n), lower=True)
    except np.linalg.LinAlgError:
        raise FitError(
            f"K + ridge I is not positive definite in float64: ridge {ridge:g} is too small for "
            f"a kernel of mean diagonal {np.trace(K) / n:g}, or K has negative eigenvalues"
        ) from None
    coefficients = cho_solve(factor, residual)
    if centre:  # zero up to rounding already; the intercept relies on it
        coefficients -= coefficients.mean(axis=0)
    # y - f = ridge a, and 1 - S_ii = ridge (inverse)_ii - 1/l with the mean's own share
    inverse, _ = dpotri(factor[0], lower=True)
    share = ridge * np.diag(inverse) - (1.0 / n if centre else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        left_out = ridge * coefficients / share[:, None]
    return RidgeSolution(coefficients, offsets - means @ coefficients, left_out)


def ridge_path(K, targets, ridges):
    """Solve with an intercept for many ridges, by one eigendecomposition of the centred kernel.

    Parameters
    ----------
    K : ndarray of shape (l, l)
        Positive semidefinite Gram matrix; read only. Negative eigenvalues, which rounding leaves,
        count as 0.
    targets : ndarray of shape (l, q)
    ridges : sequence of k floats
        Positive.

    Returns
    -------
    coefficients : ndarray of shape (k, l, q)
    intercepts : ndarray of shape (k, q)
    """
    means, offsets = K.mean(axis=0), targets.mean(axis=0)
    centred = K - means - means[:, None] + means.mean()
    values, vectors = np.linalg.eigh(centred)
    shares = vectors.T @ (targets - offsets)
    levels = np.maximum(values, 0.0) + np.asarray(ridges, dtype=np.float64)[:, None]
    coefficients = vectors @ (shares / levels[:, :, None])
    coefficients -= coefficients.mean(axis=1, keepdims=True)
    return coefficients, offsets - means @ coefficients
