"""Transformations of a Gram matrix: centring in feature space and the unit diagonal.

Each exists twice over one formula: for a whole matrix (public), and for a matrix in blocks, where
it costs a pass over the tiles and keeps no matrix.
"""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.tiles import Blocks, Log, computed_tiles, ranges
from gramworks.masked_values import refuse_masked

# A centred point nearer to the mean than this part of the largest one is rounding.
_ROUNDING = 64 * np.finfo(np.float64).eps


def centre(K) -> np.ndarray:
    """Centre a Gram matrix in feature space: H K H with H = I - 11'/n.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Not changed.

    Returns
    -------
    ndarray of shape (n, n), float64
        Rows and columns sum to zero; exactly symmetric if ``K`` is.

    Raises
    ------
    KernelError
        Not a square matrix of finite numbers.

    References
    ----------
    Schoelkopf, Smola and Mueller (1998), Nonlinear component analysis as a kernel eigenvalue
    problem, appendix B.
    """
    K = as_square(K)
    # The transpose is copied so that both means add in the same order, to the same bits.
    row_means, column_means = K.mean(axis=1), np.ascontiguousarray(K.T).mean(axis=1)
    return _centred(K, row_means, column_means, row_means.mean())


def normalise(K) -> np.ndarray:
    """Scale a Gram matrix to unit diagonal: K_ij / sqrt(K_ii K_jj).

    Parameters
    ----------
    K : array-like of shape (n, n)
        Not changed.

    Returns
    -------
    ndarray of shape (n, n), float64
        With exact ones on the diagonal.

    Raises
    ------
    KernelError
        Not a square matrix of finite numbers, or a diagonal entry that is not above zero (the
        message names the rows): such a point has no direction in feature space.
    """
    K = as_square(K)
    lengths = _lengths(np.diagonal(K), 0.0)
    K = _unit(K, lengths, lengths)
    np.fill_diagonal(K, 1.0)
    return K


def row_sums(
    blocks: Blocks, log: Log | None = None, workers: int = 1, stripe: slice | None = None
) -> np.ndarray:
    """Sum the rows of a symmetric matrix in blocks, in one pass over its tiles.

    Parameters
    ----------
    blocks : Blocks
    log, workers
        As in `gramworks.kernels.tiles.computed_tiles`.
    stripe : slice, optional
        Only these rows, cut at tile boundaries; to the bits of all rows at once.

    Returns
    -------
    ndarray of the stripe's length
    """
    sums = np.zeros(blocks.rows)
    for rows, columns, tile in computed_tiles(blocks, log, "row means", workers, stripe):
        # A row adds its tiles from left to right, whatever other rows are wanted.
        sums[rows] += tile.sum(axis=1)
        if rows != columns:
            sums[columns] += tile.sum(axis=0)
    return sums if stripe is None else sums[stripe]


def centred_blocks(blocks: Blocks, sums: np.ndarray) -> Blocks:
    """Centre a symmetric matrix in blocks, given the sums of all its rows."""
    n = blocks.rows
    means = sums / n
    mean = means.mean()

    def block(rows: slice, columns: slice) -> np.ndarray:
        return _centred(blocks.tile(rows, columns), means[rows], means[columns], mean)

    return Blocks(n, n, symmetric=True, block=block)


def unit_blocks(blocks: Blocks, scale: float) -> Blocks:
    """Scale a symmetric matrix in blocks to unit diagonal.

    Parameters
    ----------
    blocks : Blocks
    scale : float
        Largest diagonal entry before any transformation: what is zero but for rounding is told
        from it.

    Raises
    ------
    KernelError
        Diagonal entries that are not above zero, with their rows.
    """
    lengths = _lengths(diagonal(blocks), _ROUNDING * scale)

    def block(rows: slice, columns: slice) -> np.ndarray:
        values = _unit(blocks.tile(rows, columns), lengths[rows], lengths[columns])
        if rows == columns:
            np.fill_diagonal(values, 1.0)
        return values

    return Blocks(blocks.rows, blocks.columns, symmetric=True, block=block)


def diagonal(blocks: Blocks) -> np.ndarray:
    """Compute the diagonal of a symmetric matrix in blocks, to the bits of its tiles."""
    return np.concatenate([np.diagonal(blocks.tile(part, part)) for part in ranges(blocks.rows)])


def as_square(K, name: str = "K") -> np.ndarray:
    """Check that a matrix is square, real and finite; float64 without a copy where possible.

    Raises
    ------
    KernelError
        With the shape, or the position of the first value that is not finite.
    """
    refuse_masked(K, name, KernelError)
    try:
        K = np.asarray(K)
        K = K if K.dtype.kind == "c" else K.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise KernelError(f"{name} is not a matrix of numbers.") from None
    if K.dtype.kind == "c":
        raise KernelError(f"{name} is complex; a Gram matrix here is real.")
    if K.ndim != 2 or K.shape[0] != K.shape[1] or not K.size:
        raise KernelError(f"{name} has shape {K.shape}; a Gram matrix is square, (n, n).")
    for part in ranges(K.shape[0]):
        bad = ~np.isfinite(K[part])
        if bad.any():
            row, column = (int(i) for i in np.argwhere(bad)[0])
            raise KernelError(
                f"{name} has the value {K[part][row, column]} in row {part.start + row}, column "
                f"{column} (counted from 0); a Gram matrix is finite."
            )
    return K


def _centred(K, row_means, column_means, mean) -> np.ndarray:
    # The sum of means is formed first: it is the same for (i, j) and (j, i).
    shift = row_means[:, None] + column_means[None, :]
    shift -= mean
    return np.subtract(K, shift, out=shift)


def _unit(K, row_lengths, column_lengths) -> np.ndarray:
    return K / (row_lengths[:, None] * column_lengths[None, :])


def _lengths(diagonal: np.ndarray, smallest: float) -> np.ndarray:
    bad = np.flatnonzero(~(diagonal > smallest))
    if bad.size:
        shown = ", ".join(str(row) for row in bad[:5]) + (", ..." if bad.size > 5 else "")
        raise KernelError(
            f"the diagonal is not above zero in {bad.size} of {diagonal.size} rows ({shown}; "
            f"first value {diagonal[bad[0]]:.3g}), so that they cannot be given unit length. "
            "Leave out -unit, drop these points, or take a kernel with an offset."
        )
    return np.sqrt(diagonal)
