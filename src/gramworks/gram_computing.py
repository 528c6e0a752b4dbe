"""Fill a Gram file: in memory when the matrix fits, tile by tile when it does not.

Both ways compute the same tiles in the same order and give the same bits, on any number of
threads: BLAS splits a product differently for each number of its threads, so it gets one, and the
threads share the tiles out instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import h5py
import numpy as np
from scipy.sparse import issparse
from threadpoolctl import threadpool_info, threadpool_limits

from gramworks.errors import ResourceError
from gramworks.kernels.checks import GramCheck, judge
from gramworks.kernels.eigenvalue_ends import Ends, exact_ends, lanczos_ends
from gramworks.kernels.identifiers import KernelId
from gramworks.kernels.tiles import (
    Blocks,
    Log,
    computed_tiles,
    fill,
    held,
    ranges,
    tile_side,
    upper_tiles,
)
from gramworks.kernels.transforms import centred_blocks, diagonal, unit_blocks

# A kernel computed here is positive semidefinite by its formula, so that its smallest eigenvalue
# need not be hunted for: the ends are exact up to this size and quick Lanczos estimates beyond.
_EXACT_POINTS = 1000


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Limit BLAS to one thread and yield how many it had."""
    had = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    with threadpool_limits(1, user_api="blas"):
        yield max(had, default=1)


def compute_in_memory(
    dataset: h5py.Dataset, blocks: Blocks, kernel: KernelId, log: Log, workers: int
) -> GramCheck:
    """Compute the matrix in memory, check it and write it in one piece."""
    scale = diagonal(blocks).max() if kernel.transforms else 0.0
    K = fill(blocks, log, workers=workers)
    for name in kernel.transforms:
        fill(_transformed(held(K), name, scale, log, workers), out=K, workers=workers)
    n = K.shape[0]
    ends = exact_ends(K) if n <= _EXACT_POINTS else _estimated_ends(lambda v: K @ v, n)
    check = judge(ends, trace=float(np.trace(K)), n=n, scale=scale, name=kernel.id)
    K.flat[:: n + 1] += check.shift
    dataset[...] = K
    return check


def compute_in_file(
    dataset: h5py.Dataset, blocks: Blocks, kernel: KernelId, log: Log, workers: int
) -> GramCheck:
    """Compute the matrix into the file, holding a few tiles, and check it from there."""
    scale = diagonal(blocks).max() if kernel.transforms else 0.0
    for name in kernel.transforms:
        blocks = _transformed(blocks, name, scale, log, workers)
    n = blocks.rows
    trace = 0.0
    for rows, columns, tile in computed_tiles(blocks, log, "kernel", workers):
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


def _transformed(blocks: Blocks, name: str, scale: float, log: Log, workers: int) -> Blocks:
    if name == "centred":
        return centred_blocks(blocks, log, workers)
    return unit_blocks(blocks, scale)


def _estimated_ends(multiply: Callable[[np.ndarray], np.ndarray], n: int) -> Ends:
    return lanczos_ends(multiply, n, tolerance=1e-4, least_steps=10, most_steps=50)


def share_memory(n: int, X, memory_mb: float, threads: int) -> tuple[bool, int]:
    """Decide whether the whole matrix is within the bound, and how many threads are.

    Raises
    ------
    ResourceError
        The bound does not hold one thread with its tiles.
    """
    # Indices of a sparse matrix count as half a value each.
    values = 1.5 * X.nnz if issparse(X) else np.size(X)
    tile = 8 * tile_side(n) ** 2
    least = 2 * 8 * values + 8 * 60 * n + 4 * tile
    a_worker = 4 * tile
    bound = memory_mb * 2**20
    if not least + a_worker <= bound:
        raise ResourceError(
            f"memory_mb = {memory_mb}: {n} points need at least "
            f"{(least + a_worker) / 2**20:.0f} MB for two copies of the data and the tiles; "
            "give memory_mb as much."
        )
    in_memory = least + a_worker + 8 * n * n <= bound
    left = bound - least - (8 * n * n if in_memory else 0)
    return in_memory, min(threads, int(left // a_worker))
