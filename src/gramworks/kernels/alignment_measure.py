"""Alignment: the cosine of the angle between two Gram matrices."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.transforms import as_square


def alignment(K1, K2) -> float:
    """Alignment <K1, K2> / (|K1| |K2|) in the Frobenius inner product.

    Parameters
    ----------
    K1, K2 : array-like of shape (n, n)
        Not centred here; `centre` both for the centred alignment.

    Returns
    -------
    float
        Between -1 and 1; for positive semidefinite matrices between 0 and 1.

    Raises
    ------
    KernelError
        Unequal shapes, values that are not finite, or a matrix that is zero.

    References
    ----------
    Cristianini, Shawe-Taylor, Elisseeff and Kandola (2001), On kernel-target alignment,
    definition 1.
    """
    K1, K2 = as_square(K1, "K1"), as_square(K2, "K2")
    if K1.shape != K2.shape:
        raise KernelError(f"K1 has shape {K1.shape} and K2 {K2.shape}; alignment wants one shape.")
    # Scaled first: entries of 1e200 have squares beyond float64.
    scaled = []
    for name, K in (("K1", K1), ("K2", K2)):
        largest = np.abs(K).max()
        if largest == 0:
            raise KernelError(f"{name} is the zero matrix, which has no direction to align.")
        scaled.append((K / largest).ravel())
    first, second = scaled
    cosine = (first @ second) / (np.linalg.norm(first) * np.linalg.norm(second))
    return float(np.clip(cosine, -1.0, 1.0))
