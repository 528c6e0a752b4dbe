"""The two ends of a symmetric matrix's spectrum, exactly or by the Lanczos process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, eigh_tridiagonal, eigvalsh, qr

EXACT_POINTS = 1000
"""Points up to which computed kernels get exact ends. Beyond, quick estimates: they are positive
semidefinite by formula, so that their smallest eigenvalue need not be hunted for."""
BLOCK = 16
"""Vectors that `block_ends` multiplies at a time."""


@dataclass(frozen=True)
class Ends:
    """Smallest and largest eigenvalue.

    From the Lanczos process the smallest is an upper bound and the largest a lower bound, and
    there is an eigenvalue within ``error`` of the smallest; ``error`` is 0 for LAPACK's values.
    """

    smallest: float
    largest: float
    error: float


def exact_ends(K: np.ndarray) -> Ends:
    """Compute the ends of the spectrum with LAPACK, in time of order n^3 (0.4 s for n = 2000)."""
    values = eigvalsh(K, check_finite=False)
    return Ends(float(values[0]), float(values[-1]), 0.0)


def lanczos_ends(
    multiply: Callable[[np.ndarray], np.ndarray],
    n: int,
    *,
    tolerance: float,
    least_steps: int,
    most_steps: int,
) -> Ends:
    """Estimate the ends of the spectrum with the Lanczos process.

    Parameters
    ----------
    multiply : function of a vector of length n
        Product with the symmetric matrix.
    n : int
    tolerance : float
        Stops when the residual of the smallest Ritz pair is below this part of the largest
        Ritz value.
    least_steps, most_steps : int
        Products to make at least and at most.

    Returns
    -------
    Ends
        Its ``error`` is the residual reached, whether or not it is below the tolerance.

    References
    ----------
    Parlett (1998), The symmetric eigenvalue problem, chapter 13; with full
    reorthogonalisation, since there are few steps.
    """
    most_steps, least_steps = min(most_steps, n), min(least_steps, n)
    basis = np.empty((most_steps + 1, n))
    start = np.random.default_rng(0).standard_normal(n)
    basis[0] = start / np.linalg.norm(start)
    along, beside = np.empty(most_steps), np.empty(most_steps)
    for step in range(most_steps):
        vector = multiply(basis[step])
        size = np.linalg.norm(vector)
        along[step] = basis[step] @ vector
        for _ in range(2):
            vector -= basis[: step + 1].T @ (basis[: step + 1] @ vector)
        beside[step] = np.linalg.norm(vector)
        values, vectors = eigh_tridiagonal(along[: step + 1], beside[:step])
        scale = max(abs(values[0]), abs(values[-1]))
        error = beside[step] * abs(vectors[-1, 0])
        # An invariant subspace: what is left is rounding, and there is nothing more to find.
        ended = beside[step] <= 1e-14 * max(size, scale)
        if ended or (step + 1 >= least_steps and error <= tolerance * scale):
            break
        basis[step + 1] = vector / beside[step]
    return Ends(float(values[0]), float(values[-1]), float(error))


def starting_block(n: int) -> np.ndarray:
    """Give the orthonormal (n, b) block that `block_ends` starts from."""
    block = np.random.default_rng(0).standard_normal((n, min(BLOCK, n)))
    return np.linalg.qr(block)[0]


def block_ends(
    product: np.ndarray,
    multiply: Callable[[np.ndarray], np.ndarray],
    *,
    tolerance: float = 5e-4,
    most_passes: int = 3,
) -> Ends:
    """Estimate the ends of the spectrum in few passes over a matrix: by the block Lanczos process.

    A matrix on disk is read once a product, however many vectors it is multiplied with.

    Parameters
    ----------
    product : ndarray of shape (n, b)
        The matrix times `starting_block`, which may be made while the matrix is.
    multiply : function of an (n, b) array
        Product with the symmetric matrix; b may shrink.
    tolerance : float
        Stops when the residual of the smallest Ritz pair is below this part of the largest
        Ritz value, after two products at least.
    most_passes : int
        Products at most, the first included; memory grows with them.

    Returns
    -------
    Ends
        Its ``error`` is the residual reached, whether or not it is below the tolerance.

    References
    ----------
    Golub and Underwood (1977), The block Lanczos method for computing eigenvalues, Mathematical
    Software III, 361-377; with full reorthogonalisation, and residuals computed as such.
    """
    basis, products = starting_block(len(product)), product
    for count in range(1, most_passes + 1):
        projected = basis.T @ products
        values, vectors = eigh((projected + projected.T) / 2)
        scale = max(abs(values[0]), abs(values[-1]))
        lowest = vectors[:, 0]
        error = float(np.linalg.norm(products @ lowest - values[0] * (basis @ lowest)))
        if count == most_passes or (count >= 2 and error <= tolerance * scale):
            break
        block = _beside(products[:, -product.shape[1] :], basis, scale)
        if not block.size:
            break  # an invariant subspace: there is nothing more to find
        product = multiply(block)
        basis, products = np.hstack([basis, block]), np.hstack([products, product])
    return Ends(float(values[0]), float(values[-1]), error)


def _beside(block: np.ndarray, basis: np.ndarray, scale: float) -> np.ndarray:
    """Make an orthonormal basis of what a block has beside a basis, but for rounding."""
    for _ in range(2):
        block = block - basis @ (basis.T @ block)
    block, triangle, _ = qr(block, mode="economic", pivoting=True)
    block = block[:, np.abs(np.diagonal(triangle)) > 1e-13 * scale]
    block = block - basis @ (basis.T @ block)
    return np.linalg.qr(block)[0] if block.size else block
