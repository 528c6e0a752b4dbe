"""A Gaussian on top of another kernel: of the distance that the kernel induces."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.checks import FINE_NEGATIVE
from gramworks.kernels.widths import check_width
from gramworks.masked_values import refuse_masked


def gaussian_of_kernel(K, width: float, own_rows=None, own_columns=None) -> np.ndarray:
    """Gaussian on top of a kernel: exp(-(k(x, x) + k(z, z) - 2 k(x, z)) / (2 width^2)).

    Parameters
    ----------
    K : array-like of shape (n, m)
        Kernel values. Not changed.
    width : float
        In units of the distance that k induces, between 1e-150 and 1e150.
    own_rows : array-like of shape (n,), optional
        k(x, x) of the rows. Default: the diagonal of a square ``K`` over one set of points.
    own_columns : array-like of shape (m,), optional
        k(z, z) of the columns, likewise.

    Returns
    -------
    ndarray of shape (n, m), float64
        Exactly symmetric, with ones on the diagonal, when made of one square ``K``.

    Raises
    ------
    KernelError
        Values, shapes or width that are not usable, one of the self-similarities without the
        other, or squared distances that are negative beyond rounding.

    References
    ----------
    Weston, Chapelle, Elisseeff, Schoelkopf and Vapnik, NIPS 15 (2002), section 4.1.
    """
    width = check_width(width)
    K = _finite(K, "K", 2)
    if (own_rows is None) != (own_columns is None):
        raise KernelError("give both own_rows and own_columns, or neither for a square K.")
    square = own_rows is None
    if square:
        if K.shape[0] != K.shape[1]:
            raise KernelError(
                f"K has shape {K.shape}; between two sets of points it does not hold k(x, x) and "
                "k(z, z): give own_rows and own_columns."
            )
        rows = columns = np.diagonal(K)
    else:
        rows, columns = _finite(own_rows, "own_rows", 1), _finite(own_columns, "own_columns", 1)
        if (rows.size, columns.size) != K.shape:
            raise KernelError(
                f"own_rows and own_columns have {rows.size} and {columns.size} values for K of "
                f"shape {K.shape}."
            )
    squares = rows[:, None] + columns
    scale = np.abs(squares).max()
    squares -= 2.0 * K
    if squares.min() < -FINE_NEGATIVE * scale:
        i, j = np.unravel_index(squares.argmin(), squares.shape)
        raise KernelError(
            f"K gives row {i} and column {j} the squared distance {squares[i, j]:.3g}; a kernel "
            "gives none below 0. Is K positive semidefinite, and are own_rows and own_columns its?"
        )
    np.maximum(squares, 0.0, out=squares)
    squares *= -0.5 / width**2
    values = np.exp(squares, out=squares)
    if square:
        np.fill_diagonal(values, 1.0)
    return values


def _finite(values, name: str, dimensions: int) -> np.ndarray:
    refuse_masked(values, name, KernelError)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise KernelError(f"{name} is not made of real numbers.") from None
    if array.ndim != dimensions or not array.size:
        raise KernelError(f"{name} has shape {array.shape}; {dimensions} dimension(s) are needed.")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise KernelError(f"{name} has the value {array[place]} at {place} (counted from 0).")
    return array
