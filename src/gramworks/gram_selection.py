"""Rows and columns of a stored Gram matrix, read in whole chunks."""

from __future__ import annotations

import h5py
import numpy as np

from gramworks.errors import KernelError


def as_indices(selection, n: int, side: str) -> np.ndarray | None:
    """Turn a selection into indices, None for all in order.

    Parameters
    ----------
    selection : None, slice, boolean mask of length n, or integers
        Integers in any order, repeated or counted from the end (-1) as in NumPy.
    n : int
        Number of points.
    side : str
        ``rows`` or ``columns``, for messages.

    Raises
    ------
    KernelError
        Out of range, a mask of another length, or not integers.
    """
    if selection is None:
        return None
    if isinstance(selection, slice):
        return np.arange(n)[selection]
    indices = np.asarray(selection)
    if indices.size == 0 and indices.ndim == 1 and indices.dtype != bool:
        return np.zeros(0, dtype=np.intp)
    if indices.ndim != 1 or indices.dtype.kind not in "biu":
        raise KernelError(
            f"{side}: found {indices.dtype} of shape {indices.shape}; allowed are None, a slice, "
            f"a boolean mask of length {n}, or a list of integers."
        )
    if indices.dtype == bool:
        if indices.size != n:
            raise KernelError(f"{side}: the mask has {indices.size} entries for {n} points.")
        return np.flatnonzero(indices)
    if indices.max() >= n or indices.min() < -n:
        worst = indices.max() if indices.max() >= n else indices.min()
        raise KernelError(f"{side}: index {worst} is out of range for {n} points (0 to {n - 1}).")
    indices = indices.astype(np.intp)
    return np.where(indices < 0, indices + n, indices)


def read_selection(
    dataset, rows: np.ndarray | None, columns: np.ndarray | None, dtype=np.float64
) -> np.ndarray:
    """Read the submatrix of given rows and columns.

    Parameters
    ----------
    dataset : h5py.Dataset or gramworks.gram_files.JoinedMatrix
    rows, columns : ndarray of int, optional
        As of `as_indices`.
    dtype : float64 or float32
        Of the result.

    Notes
    -----
    HDF5 reads scattered points slowly, and a chunk must be read whole for its checksum anyway;
    so each chunk with anything wanted is read once and indexed in memory.
    """
    if rows is None and columns is None and isinstance(dataset, h5py.Dataset):
        out = np.empty(dataset.shape, dtype=dtype)
        dataset.read_direct(out)
        return out
    n_rows, n_columns = dataset.shape
    rows = np.arange(n_rows) if rows is None else rows
    columns = np.arange(n_columns) if columns is None else columns
    out = np.empty((rows.size, columns.size), dtype=dtype)
    height, width = dataset.chunks or dataset.shape
    across = _by_chunk(columns, width)
    for top, row_places, row_offsets in _by_chunk(rows, height):
        for left, column_places, column_offsets in across:
            chunk = dataset[top : top + height, left : left + width]
            # Two one-sided selections are several times faster than one by np.ix_.
            part = chunk[row_offsets][:, column_offsets]
            if isinstance(row_places, slice) or isinstance(column_places, slice):
                out[row_places, column_places] = part
            else:
                out[np.ix_(row_places, column_places)] = part
    return out


def _by_chunk(indices: np.ndarray, size: int) -> list:
    """Group indices by chunk: (start, places in the output, offsets within the chunk)."""
    chunk_of = indices // size
    order = np.argsort(chunk_of, kind="stable")
    groups = []
    for places in np.split(order, np.flatnonzero(np.diff(chunk_of[order])) + 1):
        if not places.size:
            continue
        start = int(chunk_of[places[0]]) * size
        offsets = indices[places] - start
        if places[-1] - places[0] + 1 == places.size:
            places = slice(int(places[0]), int(places[-1]) + 1)
        groups.append((start, places, offsets))
    return groups
