"""The affinity of points, normalised by its row sums: L = D^-1/2 W D^-1/2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.tiles import ranges

_EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class Affinity:
    """L = diag(scale) W diag(scale), kept as its factors so that W may be the caller's own.

    Attributes
    ----------
    weights : ndarray of shape (n, n)
        W, symmetric; only read.
    scale : ndarray of shape (n,)
        D^-1/2; 0 for a point without any weight, where that is admitted.
    """

    weights: np.ndarray
    scale: np.ndarray

    @property
    def n(self) -> int:
        """Number of points."""
        return self.scale.size

    def multiply(self, vectors) -> np.ndarray:
        """Give L times a vector (n,) or a matrix (n, k)."""
        scale = self.scale if vectors.ndim == 1 else self.scale[:, None]
        return scale * (self.weights @ (scale * vectors))

    def dense(self) -> np.ndarray:
        """Give L as a new array (n, n)."""
        L = self.weights * self.scale[:, None]
        L *= self.scale
        return L

    def power(self, exponent: int) -> np.ndarray:
        """Give L^exponent as a new array (n, n), by repeated squaring."""
        if exponent == 1:
            return self.dense()
        half = self.power(exponent // 2)
        half = half @ half
        return half if exponent % 2 == 0 else self._times(half)

    def _times(self, matrix) -> np.ndarray:
        matrix = self.weights @ (self.scale[:, None] * matrix)
        matrix *= self.scale[:, None]
        return matrix


def normalised_affinity(K, neighbours=None, zero_diagonal=False) -> Affinity:
    """Make an affinity of a kernel.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric; only read.
    neighbours : int, optional
        Keep K_ij only where i is among so many nearest points of j by the distance that K induces,
        or j among those of i; points as near as the last of them are kept too, so that equal
        distances do not depend on the order of the points. The diagonal is kept. Default: all.
    zero_diagonal : bool
        Zeros on the diagonal, as spectral clustering has it (Ng, Jordan and Weiss 2001).

    Returns
    -------
    Affinity

    Raises
    ------
    KernelError
        A row whose sum is not above zero; it is named. With `zero_diagonal`, rows of zeros are
        points without neighbours, and get the scale 0.
    """
    W = K if neighbours is None else _near_part(K, neighbours)
    if zero_diagonal:
        W = W.copy() if W is K else W
        np.fill_diagonal(W, 0.0)
    sums, sizes = np.empty(len(W)), np.empty(len(W))
    for rows in ranges(len(W)):
        sums[rows], sizes[rows] = W[rows].sum(axis=1), np.abs(W[rows]).sum(axis=1)
    alone = (sizes == 0) & zero_diagonal
    bad = np.flatnonzero(~(sums > len(W) * _EPS * sizes) & ~alone)
    if bad.size:
        row = int(bad[0])
        raise KernelError(
            f"the entries of row {row} (counted from 0) sum to {sums[row]:.6g}, and "
            f"{bad.size} of {len(W)} rows have no sum above 0; the affinity of a cluster kernel "
            "has positive row sums: take a kernel without negative entries, such as a Gaussian "
            "one, and leave out points that are like no other and not like themselves"
        )
    return Affinity(W, np.where(alone, 0.0, 1.0 / np.sqrt(np.where(alone, 1.0, sums))))


def _near_part(K, neighbours) -> np.ndarray:
    """Keep the entries between near points, symmetric since either may count the other."""
    n = len(K)
    if neighbours >= n - 1:
        return K.copy()
    diagonal = np.diagonal(K)
    near = np.empty((n, n), dtype=bool)
    for rows in ranges(n):
        distances = diagonal[rows, None] + diagonal - 2.0 * K[rows]
        own = np.arange(rows.start, rows.stop)
        distances[own - rows.start, own] = np.inf
        last = np.partition(distances, neighbours - 1, axis=1)[:, neighbours - 1]
        near[rows] = distances <= last[:, None]
    np.fill_diagonal(near, True)
    W = np.zeros_like(K)
    for rows in ranges(n):
        kept = near[rows] | near[:, rows].T
        W[rows][kept] = K[rows][kept]
    return W
