"""Ridge regression on features: time of order n r^2, memory of order n r, for many points."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from gramworks.errors import FitError


def solve_feature_ridge(
    features: np.ndarray, targets: np.ndarray, ridge: float
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise |targets - features w - b|^2 + ridge |w|^2, b not penalised.

    Parameters
    ----------
    features : ndarray of shape (l, r)
        Only read.
    targets : ndarray of shape (l, q)
    ridge : float
        Positive; as that of kernel ridge regression with the kernel ``features @ features.T``,
        which has the same solution.

    Returns
    -------
    weights : ndarray of shape (r, q)
    intercept : ndarray of shape (q,)

    Raises
    ------
    FitError
        ridge not positive and finite, or so small that the equations are singular in float64, or
        features whose squares are beyond it.
    """
    if not (np.isfinite(ridge) and ridge > 0):
        raise FitError(f"ridge is {ridge!r}; allowed: a positive finite number")
    means, offsets = features.mean(axis=0), targets.mean(axis=0)
    centred = features - means
    with np.errstate(over="ignore", invalid="ignore"):
        products = centred.T @ centred
    if not np.isfinite(products).all():
        raise FitError("squares of the features are beyond float64; rescale them")
    products.flat[:: len(products) + 1] += ridge
    try:
        factor = cho_factor(products, lower=True)
    except np.linalg.LinAlgError:
        raise FitError(
            f"ridge is {ridge!r}; too small for float64 beside these features, state a larger one"
        ) from None
    weights = cho_solve(factor, centred.T @ (targets - offsets))
    return weights, offsets - means @ weights
