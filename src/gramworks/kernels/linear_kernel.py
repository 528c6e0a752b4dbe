"""The linear kernel, `linear`: the inner product of two points."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.tiles import Blocks, fill
from gramworks.kernels.vectors import as_pair, products

PREFIX = "linear"
GRAMMAR = "linear"
OF_PAIRS = True
BY_ROWS = True


def linear(X, Z=None) -> np.ndarray:
    """Linear kernel <x, z>.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    Z : array-like or sparse matrix of shape (m, d), optional
        None for the pairs of ``X``, exactly symmetric then.

    Returns
    -------
    ndarray of shape (n, m), float64

    Raises
    ------
    KernelError
        Data that are not finite numbers in two dimensions, or unequal numbers of features.
    """
    return fill(prepare(X, Z))


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: there are none."""
    if words:
        raise KernelError(f"{'-'.join(words)!r} after 'linear' is not known.")
    return {}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return []


def prepare(X, Z=None) -> Blocks:
    """Validate the data and return the kernel in blocks."""
    X, Z = as_pair(X, Z)
    other = X if Z is None else Z

    def block(rows: slice, columns: slice) -> np.ndarray:
        values = products(X[rows], other[columns])
        if not np.isfinite(values).all():
            raise KernelError("inner products of X overflow float64; rescale the features.")
        return values

    return Blocks(X.shape[0], other.shape[0], Z is None, block)
