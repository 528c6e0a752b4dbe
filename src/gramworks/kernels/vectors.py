"""Validation of vector data: what goes into a kernel is a finite float64 matrix, or CSR."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.masked_values import refuse_masked


def as_vectors(X, name: str = "X") -> np.ndarray | sp.csr_array:
    """Bring data to float64, dense in C order or CSR.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Never changed.
    name : str
        Its name in messages.

    Returns
    -------
    ndarray or scipy.sparse.csr_array of shape (n, d)

    Raises
    ------
    KernelError
        Not two-dimensional, empty, not numeric, or with a NaN or infinite value (the message
        has its row and column).
    """
    if sp.issparse(X):
        X = sp.csr_array(X)
        if X.dtype.kind not in "biuf":
            raise KernelError(f"{name} has type {X.dtype}; a kernel wants real numbers.")
        X = X.astype(np.float64, copy=not X.has_canonical_format)
        X.sum_duplicates()
    else:
        refuse_masked(X, name, KernelError)
        X = _dense(X, name)
    if X.ndim != 2:
        hint = (
            f"; one feature: {name}.reshape(-1, 1), one point: {name}.reshape(1, -1)"
            if X.ndim == 1
            else ""
        )
        raise KernelError(f"{name} has shape {X.shape}; a kernel wants (points, features){hint}.")
    if 0 in X.shape:
        raise KernelError(f"{name} has shape {X.shape}; at least one row and column are needed.")
    _check_finite(X, name)
    return X


def as_dense_vectors(X, name: str = "X") -> np.ndarray:
    """Bring data to a float64 matrix as `as_vectors` does, sparse ones too."""
    X = as_vectors(X, name)
    return X.toarray() if sp.issparse(X) else X


def as_pair(X, Z) -> tuple[np.ndarray | sp.csr_array, np.ndarray | sp.csr_array | None]:
    """Validate the two sides of a kernel, ``Z`` None for all pairs of ``X``.

    Raises
    ------
    KernelError
        As `as_vectors`, or the numbers of features differ.
    """
    X = as_vectors(X, "X")
    if Z is None:
        return X, None
    Z = as_vectors(Z, "Z")
    if X.shape[1] != Z.shape[1]:
        raise KernelError(
            f"X has {X.shape[1]} features and Z has {Z.shape[1]}; a kernel compares points with "
            "the same features in the same order."
        )
    return X, Z


def products(A, B) -> np.ndarray:
    """Inner products of the rows of two dense or CSR matrices, as a dense array."""
    with np.errstate(over="ignore", invalid="ignore"):
        block = A @ B.T
    return block.toarray() if sp.issparse(block) else np.asarray(block)


def _dense(X, name: str) -> np.ndarray:
    try:
        array = np.asarray(X)
    except ValueError:
        raise KernelError(f"{name} has rows of different lengths.") from None
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise KernelError(f"{name} has a value that is not a number ({error}).") from None
    if array.dtype.kind not in "biuf":
        raise KernelError(
            f"{name} has type {array.dtype}; a kernel on vectors wants real numbers (encode "
            "text and categories first)."
        )
    return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array


def _check_finite(X, name: str) -> None:
    values = X.data if sp.issparse(X) else X
    # The sum is finite for nearly all good data, and needs no array of booleans.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    if sp.issparse(X):
        place = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(X.indptr, place, side="right")) - 1
        column = int(X.indices[place])
        value = values[place]
    else:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = values[row, column]
    raise KernelError(
        f"{name} has the value {value} in row {row}, column {column} (counted from 0; "
        f"{int(bad.sum())} such values in all); fill in or drop missing values first."
    )
