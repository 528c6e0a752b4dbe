"""Fill a Gram file: in memory when the matrix fits, tile by tile when it does not.

Both ways compute the same tiles in the same order and give the same bits, on any number of
threads: BLAS splits a product differently for each number of its threads, so it gets one, and the
threads share the tiles out instead. A part of the rows has the bits that it has in the whole.
"""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from threadpoolctl import threadpool_limits

from gramworks.errors import KernelError
from gramworks.gram_memory import memory_short
from gramworks.hdf5 import check_space
from gramworks.kernels.checks import GramCheck, judge
from gramworks.kernels.eigenvalue_ends import (
    EXACT_POINTS,
    block_ends,
    exact_ends,
    starting_block,
)
from gramworks.kernels.identifiers import KernelId, family_module, parse_kernel
from gramworks.kernels.similarity_map import mapped_blocks
from gramworks.kernels.tiles import (
    Blocks,
    Log,
    blas_threads,
    computed_tiles,
    fill,
    held,
    ranges,
    upper_tiles,
    within,
)
from gramworks.kernels.transforms import centred_blocks, diagonal, row_sums, unit_blocks


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Limit BLAS to one thread and yield how many it had."""
    had = blas_threads()
    with threadpool_limits(1, user_api="blas"):
        yield had


@dataclass(frozen=True)
class Prepared:
    """A kernel on its points, before transformations."""

    kernel: KernelId
    parameters: dict[str, Any]
    """A median width resolved."""
    blocks: Blocks
    peak: int
    """Bytes that the family needed for a moment."""
    own_threads: bool
    """Whether the threads share out each block, so that there is one tile at a time."""


def prepare_kernel(X, kernel_id: str, memory_mb: float, log: Log, threads: int) -> Prepared:
    """Parse a kernel, resolve what the data decide, and validate the data.

    Raises
    ------
    KernelError
        An unknown identifier, or unusable data or parameters.
    ResourceError
        The family needs more memory than the bound.
    """
    kernel = parse_kernel(kernel_id)
    family = family_module(kernel.family)
    parameters = kernel.parameters
    if hasattr(family, "resolve"):
        parameters = family.resolve(X, **parameters)
    peak = 0
    if hasattr(family, "peak"):
        peak = family.peak(X, **parameters)
        if peak > memory_mb * 2**20:
            raise memory_short(memory_mb, f"the eigenvectors for {kernel.id}", peak, "them")
        log(f"{kernel.id}: eigenvectors of the graph, {peak / 2**20:.0f} MB")
    offered = {"log": log, "threads": threads}
    taken = offered.keys() & inspect.signature(family.prepare).parameters.keys()
    blocks = family.prepare(X, **parameters, **{name: offered[name] for name in taken})
    return Prepared(kernel, parameters, blocks, peak, "threads" in taken)


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
    for part in ranges(n):
        K[part] = _rounded(K[part], dataset.dtype)
    if n <= EXACT_POINTS:
        ends = exact_ends(K)
    else:
        ends = block_ends(K @ starting_block(n), lambda block: K @ block)
    check = judge(
        ends,
        trace=float(np.trace(K)),
        n=n,
        scale=scale,
        name=kernel.id,
        precision=dataset.dtype.name,
    )
    K.flat[:: n + 1] += check.shift
    dataset[...] = K
    return check


def compute_in_file(
    dataset: h5py.Dataset, blocks: Blocks, kernel: KernelId, log: Log, workers: int
) -> GramCheck:
    """Compute the matrix into the file, holding a few tiles, and check it from there."""
    folder = Path(dataset.file.filename).parent
    blocks, scale = transformed_blocks(blocks, kernel, log, workers, folder)
    n = blocks.rows
    product = np.zeros_like(start := starting_block(n))
    trace = 0.0
    for rows, columns, tile in _stored_tiles(dataset, blocks, log, workers):
        trace += float(np.trace(tile, dtype=np.float64)) if rows == columns else 0.0
        multiply_tile(product, rows, columns, tile, start)
    log("smallest eigenvalue: passes over the file")
    check = judge(
        block_ends(product, lambda block: multiply_tiles(dataset, block)),
        trace=trace,
        n=n,
        scale=scale,
        name=kernel.id,
        precision=dataset.dtype.name,
    )
    if check.shift:
        for part in ranges(n):
            tile = dataset[part, part]
            dataset[part, part] = tile + check.shift * np.eye(tile.shape[0])
    return check


def compute_stripe(
    dataset: h5py.Dataset, blocks: Blocks, stripe: slice, log: Log, workers: int
) -> None:
    """Compute a stripe of rows, cut at tile boundaries, into a file of its own."""
    for _ in _stored_tiles(dataset, blocks, log, workers, stripe):
        pass


def transformed_blocks(
    blocks: Blocks,
    kernel: KernelId,
    log: Log,
    workers: int,
    folder: Path | None,
    sums: np.ndarray | None = None,
) -> tuple[Blocks, float]:
    """Apply a kernel's transformations to its blocks.

    Parameters
    ----------
    blocks : Blocks
    kernel : KernelId
    log, workers
        As in `gramworks.kernels.tiles.computed_tiles`.
    folder : Path, optional
        Where the similarities lie that are mapped; None where nothing is.
    sums : ndarray of shape (n,), optional
        Row sums of the matrix that is centred; None computes them.

    Returns
    -------
    blocks : Blocks
    scale : float
        Size of the numbers that the matrix is computed from; 0 without transformations.
    """
    scale = diagonal(blocks).max() if {"centred", "unit"} & {*kernel.transforms[:1]} else 0.0
    for name in kernel.transforms:
        if name == "mapped":
            blocks = mapped_blocks(_on_disk(blocks, folder, log, workers))
            scale = diagonal(blocks).max()
        else:
            blocks = _transformed(blocks, name, scale, log, workers, sums)
    return blocks, float(scale)


def multiply_tiles(matrix, block: np.ndarray) -> np.ndarray:
    """Multiply a symmetric matrix, read in tiles of its upper half, with an (n, b) block."""
    product = np.zeros_like(block)
    for rows, columns in upper_tiles(len(block)):
        multiply_tile(product, rows, columns, matrix[rows, columns], block)
    return product


def multiply_tile(
    product: np.ndarray, rows: slice, columns: slice, tile: np.ndarray, block: np.ndarray
) -> None:
    """Add what a tile on or above the diagonal, and its transpose, make of a block."""
    tile = tile.astype(np.float64, copy=False)
    product[rows] += tile @ block[columns]
    if rows != columns:
        product[columns] += tile.T @ block[rows]


def _stored_tiles(
    dataset: h5py.Dataset, blocks: Blocks, log: Log, workers: int, stripe: slice | None = None
) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """Compute tiles, rounded to what is stored, and write each and its transpose."""
    first = stripe.start if stripe else 0
    for rows, columns, tile in computed_tiles(blocks, log, "kernel", workers, stripe):
        tile = _rounded(tile, dataset.dtype)
        if within(rows, stripe):
            dataset[rows.start - first : rows.stop - first, columns] = tile
        if rows != columns and within(columns, stripe):
            dataset[columns.start - first : columns.stop - first, rows] = tile.T
        yield rows, columns, tile


def _rounded(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Round to the precision of the file, once; float64 is kept as it is."""
    if values.dtype == dtype:
        return values
    with np.errstate(over="ignore"):
        found = values.astype(dtype)
    if not np.isfinite(found).all():
        raise KernelError(
            f"the value {np.abs(values).max():.3g} is beyond {dtype.name}; state gram_precision: "
            "float64, rescale the features, or add -unit to the kernel."
        )
    return found


def _transformed(
    blocks: Blocks,
    name: str,
    scale: float,
    log: Log,
    workers: int,
    sums: np.ndarray | None = None,
) -> Blocks:
    if name == "centred":
        return centred_blocks(blocks, row_sums(blocks, log, workers) if sums is None else sums)
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
