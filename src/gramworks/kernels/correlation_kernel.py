"""Diffusion on the graph of correlated points, `correlation-t0.8-b1`."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.kernels.graph_diffusion import checked_beta, diffusion_blocks, diffusion_peak
from gramworks.kernels.identifiers import read_number, write_number
from gramworks.kernels.tiles import Blocks, fill, upper_tiles
from gramworks.kernels.vectors import as_dense_vectors

PREFIX = "correlation"
GRAMMAR = "correlation-t<threshold>-b<beta>"
# A row whose spread is below this part of its size is constant but for rounding.
_CONSTANT = 64 * np.finfo(np.float64).eps


def correlation_graph(X, *, threshold: float) -> sp.csr_array:
    """Graph of the points whose features correlate.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Points, such as expression profiles of genes.
    threshold : float
        From 0 to below 1.

    Returns
    -------
    scipy.sparse.csr_array of shape (n, n), float64
        1 between two rows whose Pearson correlation over the features is above the threshold,
        else 0; nothing on the diagonal. Constant rows, which have no correlation, have no edges.

    Raises
    ------
    KernelError
        A threshold out of range, unusable data, or a single feature.

    References
    ----------
    Deng, Chen and Sun (2003), An integrated probabilistic model for functional prediction of
    proteins, RECOMB; as in Lanckriet et al. (2004), JMLR 5, section 6.2.2, at 0.8.
    """
    threshold = _checked(threshold)
    X = as_dense_vectors(X)
    n, d = X.shape
    if d < 2:
        raise KernelError("X has 1 feature; a correlation of rows needs two features or more.")
    # A common factor of a row changes nothing, and 1 as its largest entry avoids overflow.
    sizes = np.abs(X).max(axis=1, keepdims=True)
    X = X / np.where(sizes == 0, 1.0, sizes)
    X -= X.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X))
    constant = lengths <= _CONSTANT * math.sqrt(d)
    X /= np.where(constant, 1.0, lengths)[:, None]
    X[constant] = 0.0
    ends = []
    for rows, columns in upper_tiles(n):
        above = X[rows] @ X[columns].T > threshold
        if rows == columns:
            above = np.triu(above, 1)
        ends.append(np.argwhere(above) + [rows.start, columns.start])
    i, j = np.concatenate(ends).T
    return sp.csr_array((np.ones(2 * i.size), (np.r_[i, j], np.r_[j, i])), shape=(n, n))


def correlation_diffusion(X, *, threshold: float, beta: float) -> np.ndarray:
    """Diffusion kernel on the graph of correlated points.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    threshold : float
        As for `correlation_graph`.
    beta : float
        As for `diffusion`.

    Returns
    -------
    ndarray of shape (n, n), float64

    Raises
    ------
    KernelError
        As `correlation_graph` and `diffusion`.
    """
    return fill(prepare(X, threshold=threshold, beta=beta))


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["t0.8", "b1"]``."""
    if len(words) != 2:
        raise KernelError(f"'correlation' wants a threshold and a beta, found {'-'.join(words)!r}.")
    threshold = _checked(read_number(words[0], "t", "threshold"))
    return {"threshold": threshold, "beta": read_number(words[1], "b", "beta")}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return [f"t{write_number(parameters['threshold'])}", f"b{write_number(parameters['beta'])}"]


def peak(X, *, threshold: float, beta: float) -> int:
    """Bytes that `prepare` takes."""
    return diffusion_peak(correlation_graph(X, threshold=threshold))


def prepare(X, *, threshold: float, beta: float) -> Blocks:
    """Validate data and parameters and return the kernel in blocks."""
    beta = checked_beta(beta)
    return diffusion_blocks(correlation_graph(X, threshold=threshold), beta)


def _checked(threshold) -> float:
    if not isinstance(threshold, Real) or isinstance(threshold, bool) or not 0 <= threshold < 1:
        raise KernelError(f"threshold = {threshold!r}: a correlation from 0 to below 1 is needed.")
    return float(threshold)
