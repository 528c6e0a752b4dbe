"""A large Gram matrix by several jobs: blocks of rows, and what joins them.

A block holds whole rows. Its tiles below the diagonal are the transposes of those above, which are
computed here too, so that no job waits for another, and the rows have the bits that they have in
a matrix computed by one job. A centred kernel needs the row sums of the whole matrix before: jobs
of their own make them, each for the rows of a block.

All files carry a key, a digest of what they depend on, and are joined only where keys agree.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gramworks.digests import content_digest
from gramworks.errors import KernelError
from gramworks.gram_computing import (
    Prepared,
    compute_stripe,
    multiply_tile,
    multiply_tiles,
    one_blas_thread,
    prepare_kernel,
    transformed_blocks,
)
from gramworks.gram_files import (
    JOINED,
    ROWS,
    JoinedMatrix,
    block_info,
    block_name,
    block_path,
    check_precision,
    checked_row_ids,
    create_matrix,
    describe,
)
from gramworks.gram_memory import share_memory
from gramworks.hdf5 import atomic, damaged, opened, read_json, write_array, write_json
from gramworks.kernels.checks import LARGEST_ASYMMETRY, GramCheck, judge
from gramworks.kernels.eigenvalue_ends import (
    EXACT_POINTS,
    block_ends,
    exact_ends,
    starting_block,
)
from gramworks.kernels.identifiers import made_by_rows, needs_sums, parse_kernel
from gramworks.kernels.tiles import Log, tile_side, upper_tiles, within
from gramworks.kernels.transforms import row_sums

SUMS = "gram-sums"


def matrix_key(X, kernel_id: str, precision: str, code: str) -> str:
    """Digest what the values of a matrix depend on: points, kernel, precision and code."""
    kernel = parse_kernel(kernel_id).id
    return content_digest((X, kernel, precision, code))[:32]


def compute_sums(
    path: str | os.PathLike,
    X,
    kernel_id: str,
    rows: slice,
    *,
    key: str,
    memory_mb: float = 1024,
    log: Log = lambda line: None,
) -> None:
    """Write the row sums of the matrix that a kernel's identifier says to centre.

    Parameters
    ----------
    path : path-like
    X : what the kernel's family takes
    kernel_id : str
        One with ``-centred``.
    rows : slice
        One of `gramworks.kernels.tiles.stripes`.
    key : str
        As of `matrix_key`.
    memory_mb, log
        As of `gramworks.gram.compute_gram`.

    Raises
    ------
    KernelError, ResourceError
        As `gramworks.gram.compute_gram`.
    """
    with one_blas_thread() as threads:
        found, workers = _prepared(X, kernel_id, rows, memory_mb, log, threads)
        kernel = found.kernel
        before = replace(kernel, transforms=kernel.transforms[: kernel.transforms.index("centred")])
        blocks, _ = transformed_blocks(found.blocks, before, log, workers, None)
        sums = row_sums(blocks, log, workers, rows)
    with atomic(path, SUMS) as file:
        write_array(file, "sums", sums)
        write_json(file, "rows", {"key": key, "rows": [rows.start, rows.stop - 1]})


def compute_rows(
    path: str | os.PathLike,
    X,
    kernel_id: str,
    rows: slice,
    *,
    key: str,
    sums: Sequence[str | os.PathLike] = (),
    precision: str = "float64",
    provenance: dict[str, Any] | None = None,
    memory_mb: float = 1024,
    log: Log = lambda line: None,
) -> None:
    """Compute a block of rows of a kernel's Gram matrix and write it.

    Parameters
    ----------
    path : path-like
        `gramworks.gram_files.block_path` of the matrix and the rows.
    X : what the kernel's family takes
        All points.
    kernel_id : str
        One that is `made_by_rows`.
    rows : slice
        One of `gramworks.kernels.tiles.stripes`.
    key : str
        As of `matrix_key`.
    sums : sequence of path
        Files of `compute_sums` for all rows in order, where the kernel `needs_sums`.
    precision, provenance, memory_mb, log
        As of `gramworks.gram.compute_gram`.

    Raises
    ------
    KernelError, ResourceError
        As `gramworks.gram.compute_gram`.
    FileDamaged
        A file of sums that is damaged or of another run.
    """
    precision = check_precision(precision)
    with one_blas_thread() as threads:
        found, workers = _prepared(X, kernel_id, rows, memory_mb, log, threads)
        n = found.blocks.rows
        all_sums = _read_sums(sums, n, key) if needs_sums(kernel_id) else None
        blocks, scale = transformed_blocks(found.blocks, found.kernel, log, workers, None, all_sums)
        with atomic(path, ROWS) as file:
            matrix = create_matrix(file, n, precision, rows.stop - rows.start)
            compute_stripe(matrix, blocks, rows, log, workers)
            about = {"key": key, "rows": [rows.start, rows.stop - 1], "n": n, "scale": scale}
            write_json(file, "rows", about | {"parameters": found.parameters})
            write_json(file, "provenance", provenance or {})


def join_rows(
    path: str | os.PathLike,
    blocks: Sequence[slice],
    kernel_id: str,
    *,
    key: str,
    precision: str = "float64",
    row_ids: Sequence | None = None,
    provenance: dict[str, Any] | None = None,
    log: Log = lambda line: None,
) -> GramCheck:
    """Check the blocks of a Gram matrix and join them by an HDF5 virtual data set.

    Parameters
    ----------
    path : path-like
        The matrix; its blocks lie beside it, see `gramworks.gram_files.block_path`.
    blocks : sequence of slice
        Their rows, which are all rows in order.
    kernel_id : str
    key : str
        As of `matrix_key`.
    precision, row_ids, provenance, log
        As of `gramworks.gram.compute_gram`.

    Returns
    -------
    GramCheck
        From passes over the blocks, holding a few tiles. Where the lower half differs from the
        upper one by rounding, because blocks were computed on processors of different kinds, the
        upper half is what readers get, and the check says so.

    Raises
    ------
    FileDamaged
        A block that is missing, damaged or of another run, or blocks that do not fit each other.
    KernelError
        The matrix is refused.
    """
    kernel, n = parse_kernel(kernel_id).id, blocks[-1].stop
    ids = checked_row_ids(row_ids, n)
    first = block_info(block_path(path, blocks[0]))
    parts = [[block.start, block.stop - 1] for block in blocks]
    plain = {"asymmetry": 0.0, "shift": 0.0, "precision": precision}
    layout_of = {"blocks": parts, "tile": tile_side(n), "key": key}
    about = {"n": n, "check": plain, **layout_of}
    with one_blas_thread(), ExitStack() as stack:
        matrix = JoinedMatrix(path, about, stack)
        asymmetry, trace, product = _first_pass(matrix, path, blocks, log)
        if n <= EXACT_POINTS:
            ends = exact_ends(matrix[0:n, 0:n].astype(np.float64))
        else:
            ends = block_ends(product, lambda block: multiply_tiles(matrix, block))
        check = judge(
            ends,
            trace=trace,
            n=n,
            scale=float(first.get("scale", 0.0)),
            name=kernel,
            precision=precision,
        )
    check.require()
    if asymmetry:
        said = f"{kernel}: the upper half is read (its transpose differs by {asymmetry:.3g})"
        check = replace(check, outcome="repaired", asymmetry=asymmetry, reason=said)
    with atomic(path, JOINED) as file:
        layout = h5py.VirtualLayout(shape=(n, n), dtype=precision)
        folder = Path(path).stem.replace("%", "%%")  # which HDF5 reads as a number's place
        for block in blocks:
            # Relative to this file, so that results can be moved.
            source = f"{folder}/{block_name(block)}"
            shape = (block.stop - block.start, n)
            layout[block] = h5py.VirtualSource(source, "K", shape=shape, dtype=precision)
        file.create_virtual_dataset("K", layout)
        parameters = first.get("parameters", {})
        describe(file, kernel, parameters, n, check, ids, provenance, **layout_of)
    log(f"{kernel}: {check.outcome}, smallest eigenvalue {check.smallest_eigenvalue:.3g}")
    return check


def _prepared(
    X, kernel_id: str, rows: slice, memory_mb: float, log: Log, threads: int
) -> tuple[Prepared, int]:
    if not made_by_rows(kernel_id):
        raise KernelError(
            f"kernel {kernel_id!r} cannot be computed by rows: its values depend on all points "
            "together; let one job compute it."
        )
    found = prepare_kernel(X, kernel_id, memory_mb, log, threads)
    n = found.blocks.rows
    side = tile_side(n)
    if rows.start % side or not (rows.stop == n or (rows.stop < n and rows.stop % side == 0)):
        raise KernelError(
            f"rows {rows.start} to {rows.stop - 1} of {n} points are not whole tiles of {side} "
            "rows; were blocks planned for another number of points?"
        )
    most = 1 if found.own_threads else threads
    _, workers = share_memory(n, X, memory_mb, most, peak=found.peak, whole=False)
    log(f"{found.kernel.id}: rows {rows.start} to {rows.stop - 1} of {n}, threads: {workers}")
    return found, workers


def _read_sums(paths: Sequence[str | os.PathLike], n: int, key: str) -> np.ndarray:
    found = []
    for path in paths:
        with opened(path, SUMS) as file:
            if read_json(file, "rows").get("key") != key:
                raise damaged(path, "has sums of another run (other points, kernel or code)")
            found.append(file["sums"][()])
    sums = np.concatenate(found)
    if sums.shape != (n,):
        raise KernelError(f"{len(sums)} row sums for {n} points; give the files of all rows.")
    return sums


def _first_pass(
    matrix: JoinedMatrix, path: str | os.PathLike, blocks: Sequence[slice], log: Log
) -> tuple[float, float, np.ndarray]:
    """Compare the halves, and make the trace and the first product on the way."""
    log("symmetry, trace and smallest eigenvalue: passes over the blocks")
    product = np.zeros_like(start := starting_block(matrix.shape[0]))
    asymmetry, largest, trace, worst = 0.0, 0.0, 0.0, None
    for rows, columns in upper_tiles(matrix.shape[0]):
        tile = matrix.stored(rows, columns)
        multiply_tile(product, rows, columns, tile, start)
        largest = max(largest, float(np.abs(tile).max()))
        if rows == columns:
            trace += float(np.trace(tile, dtype=np.float64))
            continue
        difference = float(np.abs(tile - matrix.stored(columns, rows).T).max())
        if difference > asymmetry:
            asymmetry, worst = difference, (rows, columns)
    if asymmetry > LARGEST_ASYMMETRY * largest:
        one, other = (
            block_path(path, next(block for block in blocks if within(part, block)))
            for part in worst
        )
        raise damaged(
            other,
            f"differs from the transpose in {one} by up to {asymmetry:.3g} (largest value "
            f"{largest:.3g}), so that one of them is wrong; rebuild both",
        )
    return asymmetry, trace, product
