"""The Gram store: one HDF5 file a Gram matrix, computed once and indexed afterwards.

A file holds ``K`` (n x n, float64, symmetric to the bit, in chunks with a checksum) and three
JSON texts: ``gram`` (kernel, parameters, number of points, trace, check), ``row_ids`` and
``provenance``.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import h5py
import numpy as np

from gramworks.errors import KernelError
from gramworks.gram_computing import (
    compute_in_file,
    compute_in_memory,
    memory_short,
    one_blas_thread,
    share_memory,
)
from gramworks.gram_selection import as_indices, read_selection
from gramworks.hdf5 import atomic, check_space, damaged, opened, read_json, write_json
from gramworks.kernels.checks import GramCheck, check_gram
from gramworks.kernels.identifiers import family_module, parse_kernel
from gramworks.kernels.tiles import tile_side


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
    ids = _row_ids(row_ids, matrix.shape[0])
    with atomic(path, "gram") as file:
        _create(file, matrix.shape[0])[...] = matrix
        _describe(file, kernel, parameters or {}, matrix.shape[0], check, ids, provenance)
    return check


def read_gram(path: str | os.PathLike, rows=None, columns=None) -> np.ndarray:
    """Read a Gram matrix or a part of it.

    Parameters
    ----------
    path : path-like
    rows, columns : slice, boolean mask or integers, optional
        Which part, both sides independently: ``K[np.ix_(rows, columns)]``. Indices may be
        unsorted and repeated.

    Returns
    -------
    ndarray, float64
        Of shape (len(rows), len(columns)).

    Raises
    ------
    FileDamaged
        Names the file and the command that rebuilds it.
    KernelError
        A selection that does not fit.
    """
    with opened(path, "gram") as file:
        dataset = _matrix(file, path)
        n = dataset.shape[0]
        return read_selection(
            dataset, as_indices(rows, n, "rows"), as_indices(columns, n, "columns")
        )


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
        str or None) and ``provenance``.

    Raises
    ------
    FileDamaged
        Names the file and the command that rebuilds it.
    """
    with opened(path, "gram") as file:
        _matrix(file, path)
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
    log : function of a str, optional
        Gets progress lines.

    Returns
    -------
    GramCheck
        Also kept in the file. Eigenvalues are exact up to 1000 points; beyond, they are Lanczos
        estimates with the stated error, about 1e-4 of the largest.

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
    kernel = parse_kernel(kernel_id)
    family = family_module(kernel.family)
    with one_blas_thread() as threads:
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
        n = blocks.rows
        ids = _row_ids(row_ids, n)
        in_memory, workers = share_memory(
            n,
            X,
            memory_mb,
            1 if "threads" in taken else threads,  # one tile at a time, all threads on it
            mapped="mapped" in kernel.transforms,
            peak=peak,
        )
        where = "in memory" if in_memory else "tile by tile to the file"
        used = threads if "threads" in taken else workers
        log(f"{kernel.id}: {n} points, {where}, threads: {used}")
        with atomic(path, "gram") as file:
            compute = compute_in_memory if in_memory else compute_in_file
            check = compute(_create(file, n), blocks, kernel, log, workers)
            check.require()
            _describe(file, kernel.id, parameters, n, check, ids, provenance)
    log(f"{kernel.id}: {check.outcome}, smallest eigenvalue {check.smallest_eigenvalue:.3g}")
    return check


def _create(file: h5py.File, n: int) -> h5py.Dataset:
    side = tile_side(n)
    chunks = (max(min(side // 2, n), 1), min(side, n))
    stored = [-(-n // length) * length for length in chunks]
    check_space(file.filename, 8 * stored[0] * stored[1])
    return file.create_dataset(
        "K",
        shape=(n, n),
        dtype=np.float64,
        chunks=chunks,
        fletcher32=True,
    )


def _describe(
    file: h5py.File,
    kernel: str | None,
    parameters: dict[str, Any],
    n: int,
    check: GramCheck,
    row_ids: list[str] | None,
    provenance: dict[str, Any] | None,
) -> None:
    about = {
        "kernel": kernel,
        "parameters": parameters,
        "n": n,
        "trace": check.trace,
        "smallest_eigenvalue": check.smallest_eigenvalue + check.shift,
        "check": check.record(),
    }
    write_json(file, "gram", about)
    write_json(file, "row_ids", row_ids)
    write_json(file, "provenance", provenance or {})


def _row_ids(row_ids: Sequence | None, n: int) -> list[str] | None:
    if row_ids is None:
        return None
    ids = [str(name) for name in row_ids]
    if len(ids) != n:
        raise KernelError(f"row_ids has {len(ids)} names for {n} points.")
    return ids


def _matrix(file: h5py.File, path: str | os.PathLike) -> h5py.Dataset:
    dataset = file["K"]
    if (
        not isinstance(dataset, h5py.Dataset)
        or dataset.ndim != 2
        or dataset.shape[0] != dataset.shape[1]
        or dataset.dtype != np.float64
    ):
        raise damaged(path, f"K is {dataset!r}, expected a square float64 matrix")
    return dataset
