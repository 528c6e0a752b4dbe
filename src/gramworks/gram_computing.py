"""Fill a Gram file: in memory when the matrix fits, tile by tile when it does not.

Both ways compute the same tiles in the same order and give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable

import h5py
import numpy as np
from scipy.sparse import issparse

from gramworks.errors import KernelError
from gramworks.kernels.checks import GramCheck, judge
from gramworks.kernels.eigenvalue_ends import Ends, exact_ends, lanczos_ends
from gramworks.kernels.identifiers import KernelId
from gramworks.kernels.tiles import (
    LARGEST_TILE,
    Blocks,
    each_tile,
    fill,
    held,
    ranges,
    upper_tiles,
)
from gramworks.kernels.transforms import centred_blocks, diagonal, unit_blocks

Log = Callable[[str], None]
# A kernel computed here is positive semidefinite by its formula, so that its smallest eigenvalue
# need not be hunted for: the ends are exact up to this size and quick Lanczos estimates beyond.
_EXACT_POINTS = 1000


def compute_in_memory(
    dataset: h5py.Dataset, blocks: Blocks, kernel: KernelId, log: Log
) -> GramCheck:
    """Compute the matrix in memory, check it and write it in one piece."""
    scale = diagonal(blocks).max() if kernel.transforms else 0.0
    K = fill(blocks, log)
    for name in kernel.transforms:
        fill(_transformed(held(K), name, scale, log), out=K)
    n = K.shape[0]
    ends = exact_ends(K) if n <= _EXACT_POINTS else _estimated_ends(lambda v: K @ v, n)
    check = judge(ends, trace=float(np.trace(K)), n=n, scale=scale, name=kernel.id)
    K.flat[:: n + 1] += check.shift
    dataset[...] = K
    return check


def compute_in_file(dataset: h5py.Dataset, blocks: Blocks, kernel: KernelId, log: Log) -> GramCheck:
    """Compute the matrix into the file, holding a few tiles, and check it from there."""
    scale = diagonal(blocks).max() if kernel.transforms else 0.0
    for name in kernel.transforms:
        blocks = _transformed(blocks, name, scale, log)
    n = blocks.rows
    trace = 0.0
    for rows, columns in each_tile(n, log, "kernel"):
        tile = blocks.tile(rows, columns)
        dataset[rows, columns] = tile
        if rows == columns:
            trace += float(np.trace(tile))
        else:
            dataset[columns, rows] = tile.T

    def multiply(vector: np.ndarray) -> np.ndarray:
        product = np.zeros(n)
        for rows, columns in upper_tiles(n):
            tile = dataset[rows, columns]
            product[rows] += tile @ vector[columns]
            if rows != columns:
                product[columns] += tile.T @ vector[rows]
        return product

    log("smallest eigenvalue: passes over the file")
    check = judge(_estimated_ends(multiply, n), trace=trace, n=n, scale=scale, name=kernel.id)
    if check.shift:
        for part in ranges(n):
            tile = dataset[part, part]
            dataset[part, part] = tile + check.shift * np.eye(tile.shape[0])
    return check


def _transformed(blocks: Blocks, name: str, scale: float, log: Log) -> Blocks:
    return centred_blocks(blocks, log) if name == "centred" else unit_blocks(blocks, scale)


def _estimated_ends(multiply: Callable[[np.ndarray], np.ndarray], n: int) -> Ends:
    return lanczos_ends(multiply, n, tolerance=1e-4, least_steps=10, most_steps=50)


def fits(n: int, X, memory_mb: float) -> bool:
    """Decide whether the whole matrix is within the bound (KernelError if not even tiles are)."""
    # Indices of a sparse matrix count as half a value each.
    values = 1.5 * X.nnz if issparse(X) else np.size(X)
    working = 2 * 8 * values
    working += 8 * 8 * min(n, LARGEST_TILE) ** 2 + 8 * 60 * n
    bound = memory_mb * 2**20
    if not working <= bound:
        raise KernelError(
            f"memory_mb = {memory_mb}: {n} points need at least {working / 2**20:.0f} MB for two "
            "copies of the data and the tiles."
        )
    return working + 8 * n * n <= bound
