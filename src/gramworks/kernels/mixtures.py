"""The marginalised kernel of a mixture of Gaussians."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError


def marginalised_mixture(X, shares, factors, Z=None, shares_Z=None) -> np.ndarray:
    """Give k(x, z) = sum_k P(k|x) P(k|z) x' Sigma_k^-1 z.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    shares : ndarray of shape (n, q)
        P(k|x), from a mixture that was fitted to unlabelled points.
    factors : sequence of q arrays
        A_k with A_k A_k' = Sigma_k^-1: matrices (d, d), or for diagonal covariances vectors (d,),
        or numbers.
    Z : ndarray of shape (m, d), optional
        Default: X.
    shares_Z : ndarray of shape (m, q), optional
        Wanted with Z.

    Returns
    -------
    ndarray of shape (n, m)
        Positive semidefinite where Z is X. The points of a component are compared by its own
        covariance, from the origin as the paper prints it, those of different components hardly.

    Raises
    ------
    KernelError
        Shapes that do not fit.

    References
    ----------
    Tsuda, Kin and Asai (2002), Marginalized kernels for biological sequences; Chapelle, Weston and
    Schölkopf, NIPS 15 (2002) 601-608, equation (1).
    """
    Z, shares_Z = (X, shares) if Z is None else (Z, shares_Z)
    if shares_Z is None or shares.shape != (len(X), len(factors)):
        raise KernelError(
            f"shares has shape {np.shape(shares)}, wanted is ({len(X)}, {len(factors)}), one a "
            "point and component, and the same for Z"
        )
    K = np.zeros((len(X), len(Z)))
    for k, factor in enumerate(factors):
        left, right = (
            points * share[:, k, None] @ factor
            if np.ndim(factor) == 2
            else points * share[:, k, None] * factor
            for points, share in ((X, shares), (Z, shares_Z))
        )
        K += left @ right.T
    return K
