"""Fill a Gram file: in memory when the matrix fits, tile by tile when it does not.

Both ways compute the same tiles in the same order and give the same bits, on any number of
threads: BLAS splits a product differently for each number of its threads, so it gets one, and the
threads share the tiles out instead.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
from scipy.sparse import issparse
from threadpoolctl import threadpool_limits

from gramworks.errors import ResourceError
from gramworks.hdf5 import check_space
from gramworks.kernels.checks import GramCheck, judge
from gramworks.kernels.eigenvalue_ends import Ends, exact_ends, lanczos_ends
from gramworks.kernels.identifiers import KernelId
from gramworks.kernels.similarity_map import mapped_blocks
from gramworks.kernels.tiles import (
    Blocks,
    Log,
    blas_threads,
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
    had = blas_threads()
    with threadpool_limits(1, user_api="blas"):
        yield had


def compute_in_memory(
    dataset: h5py.Dataset, blocks: Blocks, kernel: KernelId, log: Log, workers: int
) -> GramCheck:
    """Compute the matrix in memory, check it and write it in one piece."""
    K = fill(blocks, log, workers=workers)
    scale = K.diagonal().max() if kernel.transforms else 0.0
    for name in kernel.transforms:
        if name == "mapped":
            K = fill(mapped_blocks(K), log, workers=workers)
            scale = K.diagonal().max()
        else:
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
    scale = diagonal(blocks).max() if {"centred", "unit"} & {*kernel.transforms[:1]} else 0.0
    for name in kernel.transforms:
        if name == "mapped":
            folder = Path(dataset.file.filename).parent
            blocks = mapped_blocks(_on_disk(blocks, folder, log, workers))
            scale = diagonal(blocks).max()
        else:
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


def _on_disk(blocks: Blocks, folder: Path, log: Log, workers: int) -> np.ndarray:
    """Compute a matrix into a file without a name, gone when nobody reads it any more."""
    n = blocks.rows
    check_space(folder / "similarities", 8 * n * n)
    with tempfile.TemporaryFile(dir=folder) as file:
        # Without it a full disk would kill the process at the first write through the map.
        os.posix_fallocate(file.fileno(), 0, 8 * n * n)
        matrix = np.memmap(file, dtype=np.float64, mode="r+", shape=(n, n))
    return fill(blocks, log, out=matrix, workers=workers)


def _estimated_ends(multiply: Callable[[np.ndarray], np.ndarray], n: int) -> Ends:
    return lanczos_ends(multiply, n, tolerance=1e-4, least_steps=10, most_steps=50)


def share_memory(
    n: int, X, memory_mb: float, threads: int, *, mapped: bool = False, peak: int = 0
) -> tuple[bool, int]:
    """Decide whether the whole matrix is within the bound, and how many threads are.

    Parameters
    ----------
    n : int
        Number of points.
    X : array, sparse matrix or list of str
    memory_mb : float
        The bound, in units of 2^20 bytes.
    threads : int
        At most so many.
    mapped : bool
        Whether the empirical kernel map needs two matrices at a time, or two rows of tiles.
    peak : int
        Bytes that the kernel's family needs itself.

    Raises
    ------
    ResourceError
        The bound does not hold one thread with its tiles.
    """
    side = tile_side(n)
    tile = 8 * side**2
    least = 2 * 8 * _values(X) + 8 * 60 * n + 4 * tile + peak
    a_worker = 4 * tile + (2 * 8 * side * n if mapped else 0)
    matrices = (2 if mapped else 1) * 8 * n * n
    bound = memory_mb * 2**20
    if not least + a_worker <= bound:
        raise memory_short(
            memory_mb, f"{n} points", least + a_worker, "two copies of the data and the tiles"
        )
    in_memory = least + a_worker + matrices <= bound
    left = bound - least - (matrices if in_memory else 0)
    return in_memory, min(threads, int(left // a_worker))


def memory_short(memory_mb: float, who: str, needed: float, what: str) -> ResourceError:
    """Say that the memory bound is too small, and what would do."""
    return ResourceError(
        f"memory_mb = {memory_mb}: {who} need at least {needed / 2**20:.0f} MB for {what}; "
        "give memory_mb as much."
    )


def _values(X) -> float:
    """Count the float64 values that the data are worth."""
    if issparse(X):
        return 1.5 * X.nnz  # indices count as half a value each
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], str):
        return sum(map(len, X)) / 8
    return np.size(X)
