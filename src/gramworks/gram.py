"""The Gram store: one HDF5 file a Gram matrix, computed once and indexed afterwards.

A file holds ``K`` (n x n, float64 or float32, symmetric to the bit, in chunks with a checksum) and
three JSON texts: ``gram`` (kernel, parameters, number of points, trace, check), ``row_ids`` and
``provenance``. A large matrix may lie in blocks of rows beside it (`gramworks.gram_blocks`); it is
read in the same way.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gramworks.errors import KernelError
from gramworks.gram_computing import (
    compute_in_file,
    compute_in_memory,
    one_blas_thread,
    prepare_kernel,
)
from gramworks.gram_files import (
    PRECISIONS,
    check_precision,
    checked_row_ids,
    create_matrix,
    describe,
    opened_gram,
)
from gramworks.gram_memory import share_memory
from gramworks.gram_selection import as_indices, read_selection
from gramworks.hdf5 import atomic, read_json
from gramworks.kernels.checks import GramCheck, check_gram


def write_gram(
    path: str | os.PathLike,
    K,
    *,
    kernel: str | None = None,
    parameters: dict[str, Any] | None = None,
    row_ids: Sequence | None = None,
    provenance: dict[str, Any] | None = None,
) -> GramCheck:
    """Check a Gram matrix and write it, whole or not at all.

    Parameters
    ----------
    path : path-like
        The file; one that exists is replaced in one step.
    K : array-like of shape (n, n)
        Not changed.
    kernel : str, optional
        What it is, in any words.
    parameters : dict, optional
        JSON values.
    row_ids : sequence of n, optional
        Names of the points, kept as text.
    provenance : dict, optional
        JSON values of any size.

    Returns
    -------
    GramCheck
        The outcome, also kept in the file. A repair is announced by a warning.

    Raises
    ------
    KernelError
        The matrix was refused (see `check_gram`), or ``row_ids`` has another length.
    ResourceError
        The disk is full.
    """
    check = check_gram(K)
    matrix = check.repair(K)
    if check.outcome == "repaired":
        warnings.warn(check.reason, stacklevel=2)
    ids = checked_row_ids(row_ids, matrix.shape[0])
    with atomic(path, "gram") as file:
        create_matrix(file, matrix.shape[0])[...] = matrix
        describe(file, kernel, parameters or {}, matrix.shape[0], check, ids, provenance)
    return check


def read_gram(path: str | os.PathLike, rows=None, columns=None, *, dtype=np.float64) -> np.ndarray:
    """Read a Gram matrix or a part of it.

    Parameters
    ----------
    path : path-like
    rows, columns : slice, boolean mask or integers, optional
        Which part, both sides independently: ``K[np.ix_(rows, columns)]``. Indices may be
        unsorted and repeated.
    dtype : float64 or float32
        Of the result, whatever the file's precision.

    Returns
    -------
    ndarray
        Of shape (len(rows), len(columns)). Beside it a chunk of the file is held at a time.

    Raises
    ------
    FileDamaged
        Names the file and the command that rebuilds it; of a matrix in blocks of rows, the block.
    KernelError
        A selection or type that does not fit.
    """
    if np.dtype(dtype) not in PRECISIONS:
        raise KernelError(f"dtype {np.dtype(dtype)}; allowed are {' and '.join(PRECISIONS)}.")
    with opened_gram(path) as (_, matrix):
        n = matrix.shape[0]
        chosen = as_indices(rows, n, "rows"), as_indices(columns, n, "columns")
        return read_selection(matrix, *chosen, np.dtype(dtype))


def gram_info(path: str | os.PathLike) -> dict[str, Any]:
    """Read what a Gram file says about itself, without the matrix.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    dict
        ``kernel``, ``parameters`` (a median width resolved), ``n``, ``trace``,
        ``smallest_eigenvalue``, ``check`` (the fields of `GramCheck`), ``row_ids`` (a list of
        str or None) and ``provenance``; of a matrix in blocks of rows also ``blocks``,
        ``tile`` and ``key``.

    Raises
    ------
    FileDamaged
        Names the file and the command that rebuilds it.
    """
    with opened_gram(path) as (file, _):
        return {
            **read_json(file, "gram"),
            "row_ids": read_json(file, "row_ids"),
            "provenance": read_json(file, "provenance"),
        }


def compute_gram(
    path: str | os.PathLike,
    X,
    kernel_id: str,
    *,
    row_ids: Sequence | None = None,
    provenance: dict[str, Any] | None = None,
    memory_mb: float = 1024,
    precision: str = "float64",
    log: Callable[[str], None] | None = None,
) -> GramCheck:
    """Compute the Gram matrix of a kernel over all points and write it.

    Parameters
    ----------
    path : path-like
        The file; one that exists is replaced in one step.
    X : array-like or sparse matrix of shape (n, d), or what the kernel's family takes
        The adjacency matrix of a graph, or a list of sequences.
    kernel_id : str
        For example ``gaussian-w0.5-unit``; transformations are applied from left to right. A view
        (``@view``) is kept as a name: ``X`` is that view.
    row_ids : sequence of n, optional
        Names of the points, kept as text.
    provenance : dict, optional
        JSON values of any size.
    memory_mb : float, default 1024
        Bound on what is held beside the caller's ``X``, in units of 2^20 bytes. A matrix that
        does not fit goes to the file tile by tile; centring then computes every tile twice. A
        median width takes up to 70 MB before, latent concepts about 20 bytes a
        concept for each point and feature.
    precision : str, default "float64"
        ``"float32"`` keeps values rounded once, in half the space; they are computed in float64,
        and the check is of what is kept.
    log : function of a str, optional
        Gets progress lines.

    Returns
    -------
    GramCheck
        Also kept in the file. Eigenvalues are exact up to 1000 points in memory; else they are
        Lanczos estimates with the stated error, mostly below 1e-3 of the largest.

    Notes
    -----
    The matrix has the same bits for any memory bound and any number of threads. There are as
    many threads as BLAS has (``threadpoolctl`` sets that), each computing tiles.

    Raises
    ------
    KernelError
        An unknown identifier, unusable data or parameters, or a matrix that is refused.
    ResourceError
        The memory bound is below what the tiles need, or the disk is full.
    """
    log = log or (lambda message: None)
    precision = check_precision(precision)
    with one_blas_thread() as threads:
        found = prepare_kernel(X, kernel_id, memory_mb, log, threads)
        kernel, n = found.kernel, found.blocks.rows
        ids = checked_row_ids(row_ids, n)
        in_memory, workers = share_memory(
            n,
            X,
            memory_mb,
            1 if found.own_threads else threads,  # one tile at a time, all threads on it
            mapped="mapped" in kernel.transforms,
            peak=found.peak,
        )
        where = "in memory" if in_memory else "tile by tile to the file"
        used = threads if found.own_threads else workers
        log(f"{kernel.id}: {n} points, {where}, threads: {used}")
        with atomic(path, "gram") as file:
            compute = compute_in_memory if in_memory else compute_in_file
            check = compute(create_matrix(file, n, precision), found.blocks, kernel, log, workers)
            check.require()
            describe(file, kernel.id, found.parameters, n, check, ids, provenance)
    log(f"{kernel.id}: {check.outcome}, smallest eigenvalue {check.smallest_eigenvalue:.3g}")
    return check
