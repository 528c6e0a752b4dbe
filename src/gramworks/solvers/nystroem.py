"""Nystrom features: a kernel as inner products of few numbers a point, by means of landmarks.

References
----------
Williams and Seeger (2001), Using the Nystrom method to speed up kernel machines, NIPS 13, 682-688.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh

# Eigenvalues of the landmarks' matrix below this part of the largest are rounding.
_RANK = 1e-12
_ROWS = 2048


def nystroem_features(cross: Callable[[slice], np.ndarray], own: np.ndarray, n: int) -> np.ndarray:
    """Make features whose inner products are K_nm K_mm^+ K_mn.

    Parameters
    ----------
    cross : function of a slice of rows
        Kernel between those of the n points and the m landmarks, (rows, m).
    own : ndarray of shape (m, m)
        Gram matrix of the landmarks.
    n : int

    Returns
    -------
    ndarray of shape (n, r)
        r <= m, the numerical rank of ``own``. Equal to the kernel on the landmarks, and everywhere
        where all points are landmarks. Holds two blocks of rows beside the result.
    """
    values, vectors = eigh(own)
    kept = values > _RANK * max(values[-1], 0.0)
    root = vectors[:, kept] / np.sqrt(values[kept])
    features = np.empty((n, root.shape[1]))
    for start in range(0, n, _ROWS):
        rows = slice(start, min(start + _ROWS, n))
        features[rows] = cross(rows) @ root
    return features
