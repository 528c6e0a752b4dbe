"""Diffusion on graphs: adjacency matrices checked, and exp(-beta L) in blocks."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components

from gramworks.errors import KernelError
from gramworks.kernels.tiles import Blocks
from gramworks.masked_values import refuse_masked

# Eigenvectors that come in with less than this change no digit: the diagonal is at least 1/n.
_NEGLIGIBLE = 1e-24
# Eigenvalues are wrong by about 1e-16 of the largest, so the exponents by 1e-8 at this limit.
_LARGEST_EXPONENT = 1e8


def as_adjacency(adjacency) -> sp.csr_array:
    """Check the adjacency matrix of an undirected graph.

    Parameters
    ----------
    adjacency : array-like or sparse matrix of shape (n, n)
        Weights of the edges, 0 where there is none. Not changed.

    Returns
    -------
    scipy.sparse.csr_array of shape (n, n), float64
        Without stored zeros and without its diagonal: a loop adds as much to the degree as to the
        adjacency, so that the Laplacian is the same without it.

    Raises
    ------
    KernelError
        Not square, not real numbers, with a value that is NaN, infinite or negative, or not
        symmetric; the message has the place.
    """
    refuse_masked(adjacency, "adjacency", KernelError)
    try:
        A = sp.coo_array(adjacency if sp.issparse(adjacency) else np.asarray(adjacency))
    except (TypeError, ValueError) as error:
        raise KernelError(f"adjacency is not a matrix of numbers ({error}).") from None
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.shape[0]:
        raise KernelError(
            f"adjacency has shape {A.shape}; a graph over n points is a square (n, n) matrix. "
            "A kernel on features is linear, poly-... or gaussian-...; correlation-t0.8-b1 makes "
            "a graph of them."
        )
    if A.dtype.kind not in "biuf":
        raise KernelError(f"adjacency has type {A.dtype}; weights of edges are real numbers.")
    A = sp.csr_array(A, dtype=np.float64)
    A.sum_duplicates()
    _refuse_where(A, ~np.isfinite(A.data), "the value", "weights of edges are finite")
    _refuse_where(
        A, A.data < 0, "the negative weight", "the Laplacian is positive semidefinite for "
        "nonnegative weights only; leave such edges out, or make a second graph of them"
    )  # fmt: skip
    difference = sp.csr_array(A - A.T)
    difference.eliminate_zeros()
    if difference.nnz:
        i, j = (int(axis[0]) for axis in difference.nonzero())
        raise KernelError(
            f"adjacency is not symmetric: {A[i, j]:.10g} in row {i}, column {j} and "
            f"{A[j, i]:.10g} in row {j}, column {i} (counted from 0); an undirected graph is "
            "needed, such as adjacency.maximum(adjacency.T)."
        )
    A.setdiag(0.0)
    A.eliminate_zeros()
    return A


def checked_beta(beta) -> float:
    """Check the time of diffusion: a finite number of at least 0."""
    if not isinstance(beta, Real) or isinstance(beta, bool) or not math.isfinite(beta) or beta < 0:
        raise KernelError(f"beta = {beta!r}: a finite number of at least 0 is needed.")
    return float(beta)


def diffusion_peak(adjacency) -> int:
    """Bytes that `diffusion_blocks` takes: three matrices over the largest component."""
    _, component = connected_components(adjacency, directed=False)
    return 3 * 8 * int(np.bincount(component).max()) ** 2


def diffusion_blocks(adjacency: sp.csr_array, beta: float) -> Blocks:
    """Compute exp(-beta L), L = D - A, in blocks, one connected component after the other.

    Parameters
    ----------
    adjacency : CSR array of shape (n, n)
        From `as_adjacency`.
    beta : float

    Returns
    -------
    Blocks
        Products F F' with F = V exp(-beta w / 2) from the eigenvectors V and eigenvalues w of L,
        so positive semidefinite. Zero between components; an isolated point has 1.
    """
    n = adjacency.shape[0]
    count, component = connected_components(adjacency, directed=False)
    members = np.split(np.argsort(component, kind="stable"), np.bincount(component).cumsum()[:-1])
    place = np.empty(n, dtype=np.int64)
    factors: list[np.ndarray | None] = []
    for points in members:
        place[points] = np.arange(points.size)
        alone = points.size == 1 or beta == 0
        factors.append(None if alone else _factor(adjacency[points][:, points].toarray(), beta))
    linked = np.array([factor is not None for factor in factors], dtype=bool)

    def block(rows: slice, columns: slice) -> np.ndarray:
        values = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        same = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        alone = same[~linked[component[same]]]
        values[alone - rows.start, alone - columns.start] = 1.0
        left, right = _by_component(component[rows]), _by_component(component[columns])
        for index in left.keys() & right.keys():
            if linked[index]:
                factor = factors[index]
                above, beside = left[index], right[index]
                values[np.ix_(above, beside)] = (
                    factor[place[rows][above]] @ factor[place[columns][beside]].T
                )
        return values

    return Blocks(n, n, symmetric=True, block=block)


def _by_component(component: np.ndarray) -> dict[int, np.ndarray]:
    order = np.argsort(component, kind="stable")
    found, starts = np.unique(component[order], return_index=True)
    return dict(zip(found.tolist(), np.split(order, starts[1:]), strict=True))


def _factor(adjacency: np.ndarray, beta: float) -> np.ndarray:
    """Factor F of exp(-beta L) = F F' for a connected graph, columns that matter alone."""
    degrees = adjacency.sum(axis=1)
    with np.errstate(over="ignore"):
        largest = 2 * beta * degrees.max()  # bound of the eigenvalues (Gershgorin)
    if not largest <= _LARGEST_EXPONENT:
        raise KernelError(
            f"beta = {beta:g} times the largest degree {degrees.max():g} is beyond "
            f"{_LARGEST_EXPONENT / 2:g}, where rounding decides; take a smaller beta or rescale "
            "the weights."
        )
    laplacian = np.negative(adjacency, out=adjacency)
    np.fill_diagonal(laplacian, degrees)
    values, vectors = eigh(laplacian, overwrite_a=True, check_finite=False, driver="evd")
    weights = np.exp(-0.5 * beta * np.maximum(values, 0.0))
    kept = int(np.count_nonzero(weights**2 > _NEGLIGIBLE))  # eigenvalues ascend
    return np.ascontiguousarray(vectors[:, :kept] * weights[:kept])


def _refuse_where(A: sp.csr_array, bad: np.ndarray, what: str, why: str) -> None:
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(A.indptr, at, side="right")) - 1
        raise KernelError(
            f"adjacency has {what} {A.data[at]:g} in row {row}, column {int(A.indices[at])} "
            f"(counted from 0; {int(bad.sum())} such entries in all); {why}."
        )
