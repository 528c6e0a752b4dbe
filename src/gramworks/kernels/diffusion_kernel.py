"""The diffusion kernel on a graph, `diffusion-b1`: exp(-beta L) with the graph's Laplacian L."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.graph_diffusion import (
    as_adjacency,
    checked_beta,
    diffusion_blocks,
    diffusion_peak,
)
from gramworks.kernels.identifiers import read_number, write_number
from gramworks.kernels.tiles import Blocks, fill

PREFIX = "diffusion"
GRAMMAR = "diffusion-b<beta>"
TAKES = "graph"


def diffusion(adjacency, *, beta: float) -> np.ndarray:
    """Diffusion kernel exp(-beta L) of an undirected graph, L = D - A.

    Parameters
    ----------
    adjacency : array-like or sparse matrix of shape (n, n)
        A: symmetric weights of the edges, at least 0. Loops (entries of the diagonal) change
        nothing, since they add to the degrees D what they add to A.
    beta : float
        Time of diffusion, in units of one over a weight; at least 0. The kernel is the identity
        at 0 and 1/c within each component of c points as beta grows.

    Returns
    -------
    ndarray of shape (n, n), float64
        Exactly symmetric, rows sum to 1; 0 between components, 1 for an isolated point.

    Raises
    ------
    KernelError
        A graph that is not square, symmetric, finite and nonnegative, or ``beta`` negative or so
        large that rounding decides.

    Notes
    -----
    By the eigenvectors of each connected component: for a component of c points, time of order
    c^3 and three c x c matrices.

    References
    ----------
    Kondor and Lafferty (2002), Diffusion kernels on graphs and other discrete input spaces, ICML:
    equation (9) with H = -L.
    """
    return fill(prepare(adjacency, beta=beta))


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["b1"]``."""
    if len(words) != 1:
        raise KernelError(f"'diffusion' wants a beta, found {'-'.join(words)!r}.")
    return {"beta": read_number(words[0], "b", "beta")}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return [f"b{write_number(parameters['beta'])}"]


def peak(adjacency, **parameters) -> int:
    """Bytes that `prepare` takes."""
    return diffusion_peak(as_adjacency(adjacency))


def prepare(adjacency, *, beta: float) -> Blocks:
    """Validate the graph and beta and return the kernel in blocks."""
    beta = checked_beta(beta)
    return diffusion_blocks(as_adjacency(adjacency), beta)
