"""Kernels of the norm |f|^2 + gamma f'Lf, many gammas from one decomposition.

With K = R R' and R'LR = V diag(s) V' the kernel is (R V) diag(1 / (1 + gamma s)) (R V)'. It is
K - K (I/gamma + L K)^-1 L K, without its difference: symmetric and positive semidefinite as it
stands, for singular K as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from gramworks.errors import KernelError

_EPS = np.finfo(np.float64).eps
_NEGATIVE = 1e-6  # part of the largest eigenvalue that a negative one may have, as rounding


@dataclass(frozen=True)
class LaplacianSpectrum:
    """What the kernels of all gammas have in common.

    Attributes
    ----------
    factors : ndarray of shape (n, r)
        R V, with r the rank of K.
    values : ndarray of shape (r,)
        s, 0 or more: f'Lf for the function of each column, of norm one.
    """

    factors: np.ndarray
    values: np.ndarray

    def shrinkage(self, gamma: float) -> np.ndarray:
        """Give 1 / (1 + gamma s)."""
        return 1.0 / (1.0 + gamma * self.values)

    def block(self, gamma: float, rows=slice(None), columns=None) -> np.ndarray:
        """Give rows and columns of the kernel of one gamma; the same ones without `columns`."""
        left = self.factors[rows] * np.sqrt(self.shrinkage(gamma))
        if columns is None:  # one matrix times its own transpose is exactly symmetric
            return left @ left.T
        return left @ (self.factors[columns] * np.sqrt(self.shrinkage(gamma))).T

    def extension(self, root: np.ndarray, gamma: float) -> tuple[np.ndarray, np.ndarray]:
        """Give two factors that make k(x)' of new points their row of the kernel of one gamma.

        K = U D U' and R = U D^(1/2): U D^(-1/2) turns k(x)' into the coordinates of x among the
        columns of R, and V diag(1 / (1 + gamma s)) (R V)' these into the row.

        Parameters
        ----------
        root : ndarray of shape (n, r)
            R, of which the spectrum was made.
        gamma : float

        Returns
        -------
        ndarrays of shapes (n, r) and (r, n)
        """
        lift = root / np.einsum("ij,ij->j", root, root)
        return lift, (lift.T @ self.factors * self.shrinkage(gamma)) @ self.factors.T

    def mean_diagonal(self, gamma: float) -> float:
        """Give the mean diagonal of the kernel of one gamma."""
        return float(self._squares @ self.shrinkage(gamma)) / len(self.factors)

    @cached_property
    def _squares(self) -> np.ndarray:
        return np.einsum("ij,ij->j", self.factors, self.factors)


def laplacian_of(weights) -> np.ndarray:
    """Give L = D - W; what stands on the diagonal of W is of no effect.

    Parameters
    ----------
    weights : ndarray of shape (n, n)
        Symmetric, 0 or more; only read.

    Returns
    -------
    ndarray of shape (n, n)
    """
    L = -weights
    np.fill_diagonal(L, 0.0)
    np.fill_diagonal(L, -L.sum(axis=1))
    return L


def check_semidefinite(values, name="the kernel") -> float:
    """Refuse ascending eigenvalues of a kernel that are negative beyond rounding.

    Returns
    -------
    float
        The largest, 0 where all are 0.

    Raises
    ------
    KernelError
        With the most negative one.
    """
    largest = max(float(values[-1]), 0.0)
    if values[0] < -_NEGATIVE * largest:
        raise KernelError(
            f"{name} has an eigenvalue of {values[0]:.3g}, its largest is {largest:.3g}; the "
            "norm of its functions is not defined: take a positive semidefinite kernel"
        )
    return largest


def kernel_root(K) -> np.ndarray:
    """Factor K = R R' over the eigenvalues above rounding.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric positive semidefinite; only read.

    Returns
    -------
    ndarray of shape (n, r)

    Raises
    ------
    KernelError
        An eigenvalue that is negative beyond rounding.
    """
    values, vectors = eigh(K, check_finite=False)
    largest = check_semidefinite(values)
    kept = values > len(K) * _EPS * largest
    return vectors[:, kept] * np.sqrt(values[kept])


def laplacian_spectrum(root, weights) -> LaplacianSpectrum:
    """Decompose a graph's penalty among the functions of a kernel.

    Parameters
    ----------
    root : ndarray of shape (n, r)
        R, as of `kernel_root`; several graphs on one kernel share it.
    weights : ndarray of shape (n, n)
        Weights of the graph.

    Returns
    -------
    LaplacianSpectrum
    """
    penalty = root.T @ (laplacian_of(weights) @ root)
    values, vectors = eigh(0.5 * (penalty + penalty.T), check_finite=False)
    # functions that are constant on each part of the graph are free, however large gamma is
    free = values <= len(values) * _EPS * values[-1:]
    return LaplacianSpectrum(root @ vectors, np.where(free, 0.0, values))
