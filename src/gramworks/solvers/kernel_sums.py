"""Sums of base kernels."""

from __future__ import annotations

import numpy as np


def combine(kernels, weights):
    """Give sum_i mu_i K_i.

    Parameters
    ----------
    kernels : sequence of m ndarrays of one shape
    weights : ndarray of shape (m,)

    Returns
    -------
    ndarray
        One kernel is in memory at a time beside the sum.
    """
    total = weights[0] * kernels[0]
    term = np.empty_like(total)
    for K, mu in zip(kernels[1:], weights[1:], strict=True):
        if mu:
            total += np.multiply(K, mu, out=term)
    return total
