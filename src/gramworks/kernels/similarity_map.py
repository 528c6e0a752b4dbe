"""The empirical kernel map: the linear kernel on the rows of a matrix of similarities."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.tiles import Blocks, fill
from gramworks.kernels.vectors import as_vectors


def empirical_map(K) -> np.ndarray:
    """Empirical kernel map: K K', the linear kernel on the rows of similarities.

    Parameters
    ----------
    K : array-like of shape (n, m)
        Similarities of n points to m points, all n of them in the studies. Needs neither be
        symmetric nor positive semidefinite. Not changed.

    Returns
    -------
    ndarray of shape (n, n), float64
        Exactly symmetric and, but for rounding, positive semidefinite.

    Raises
    ------
    KernelError
        Not a matrix of finite numbers, or products beyond float64.

    References
    ----------
    Tsuda (1999), Support vector classification with asymmetric kernel function, ESANN 183-188.
    """
    K = as_vectors(K, "K")
    return fill(mapped_blocks(K if isinstance(K, np.ndarray) else K.toarray()))


def mapped_blocks(K: np.ndarray) -> Blocks:
    """Map a matrix in memory or in a memory-mapped file, in blocks."""

    def block(rows: slice, columns: slice) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.asarray(K[rows]) @ np.asarray(K[columns]).T
        if not np.isfinite(values).all():
            raise KernelError("the empirical kernel map overflows float64; rescale the values.")
        return values

    return Blocks(K.shape[0], K.shape[0], symmetric=True, block=block)
