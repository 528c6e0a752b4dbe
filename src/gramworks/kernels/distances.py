"""Squared Euclidean distances in blocks, fast and accurate for data far from the origin.

|x - z|^2 = |x|^2 + |z|^2 - 2 <x, z> costs one matrix product, and loses what the three terms have
in common. So a common shift is taken away first, and the pairs that are still much nearer to each
other than to the shifted origin are computed from their differences.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.kernels.tiles import Blocks
from gramworks.kernels.vectors import as_pair, products

# Below this part of |x|^2 + |z|^2 the expansion has lost five digits of sixteen.
_CANCELLED = 1e-5
_BATCH = 1 << 20
_LARGEST_NORM = np.finfo(np.float64).max / 8


def squared_distances(X, Z=None) -> Blocks:
    """Squared Euclidean distances between the rows of X and of Z.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    Z : array-like or sparse matrix of shape (m, d), optional
        None for the pairs of ``X``, whose diagonal is exactly zero.

    Returns
    -------
    Blocks
        Non-negative, exactly zero for equal rows; relative error about 1e-10 at worst.

    Raises
    ------
    KernelError
        Unusable data, or squares beyond float64.
    """
    X, Z = as_pair(X, Z)
    same = Z is None
    X_moved, Z_moved = _shifted(X, Z)
    X_norms = _squared_norms(X_moved)
    Z_norms = X_norms if same else _squared_norms(Z_moved)
    Z, Z_moved = (X, X_moved) if same else (Z, Z_moved)

    def block(rows: slice, columns: slice) -> np.ndarray:
        left, right = X_norms[rows], Z_norms[columns]
        values = products(X_moved[rows], Z_moved[columns])
        values *= -2.0
        values += left[:, None]
        values += right[None, :]
        if values.min() < _CANCELLED * (left.max() + right.max()):
            # From the data as given: the shift has rounded what is small beside it.
            _recompute(values, X[rows], Z[columns], left, right)
        if same and rows == columns:
            np.fill_diagonal(values, 0.0)
        return values

    return Blocks(X.shape[0], Z.shape[0], same, block)


def _shifted(X, Z):
    """Move the origin into the data, which changes no distance."""
    sides = [X] if Z is None else [X, Z]
    if any(sp.issparse(side) for side in sides):
        return _shifted_sparse(X, Z)
    with np.errstate(over="ignore", invalid="ignore"):
        shift = sum(side.sum(axis=0) for side in sides) / sum(side.shape[0] for side in sides)
    if not np.isfinite(shift).all():
        raise KernelError("the values of X are too large for float64 sums; rescale the features.")
    return X - shift, None if Z is None else Z - shift


def _shifted_sparse(X, Z):
    """Shift only the columns without zeros, which keeps the matrix as sparse as it is."""
    X = sp.csr_array(X)
    Z = None if Z is None else sp.csr_array(Z)
    sides = [X] if Z is None else [X, Z]
    size = X.shape[1]
    total = sum(side.shape[0] for side in sides)
    stored = sum(np.bincount(side.indices, minlength=size) for side in sides)
    sums = sum(np.bincount(side.indices, side.data, minlength=size) for side in sides)
    shift = np.where(stored == total, sums / total, 0.0)
    moved = [
        sp.csr_array((side.data - shift[side.indices], side.indices, side.indptr), side.shape)
        for side in sides
    ]
    return moved[0], None if Z is None else moved[1]


def _squared_norms(X) -> np.ndarray:
    with np.errstate(over="ignore"):
        norms = (
            np.asarray(X.multiply(X).sum(axis=1)).ravel()
            if sp.issparse(X)
            else np.einsum("ij,ij->i", X, X)
        )
    if norms.max() > _LARGEST_NORM:
        raise KernelError("squared distances of X overflow float64; rescale the features.")
    return norms


def _recompute(values, X, Z, X_norms, Z_norms) -> None:
    """Replace the values that cancelled by sums of squared differences, in batches."""
    rows, columns = np.nonzero(values < _CANCELLED * (X_norms[:, None] + Z_norms[None, :]))
    step = max(_BATCH // X.shape[1], 1)
    for start in range(0, rows.size, step):
        i, j = rows[start : start + step], columns[start : start + step]
        difference = X[i] - Z[j]
        values[i, j] = (
            np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
            if sp.issparse(difference)
            else np.einsum("ij,ij->i", difference, difference)
        )
