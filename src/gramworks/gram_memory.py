"""How a Gram job shares out the memory it may have: the whole matrix or not, and threads."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from gramworks.errors import ResourceError
from gramworks.kernels.tiles import tile_side

# Vectors of n values for the ends of the spectrum: basis, products and the larger copy of each,
# after three products of 16.
_VECTORS = 160


def share_memory(
    n: int,
    X,
    memory_mb: float,
    threads: int,
    *,
    mapped: bool = False,
    peak: int = 0,
    whole: bool = True,
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
    whole : bool
        Whether the matrix may be held whole; False for a job that computes a part of its rows.

    Raises
    ------
    ResourceError
        The bound does not hold one thread with its tiles.
    """
    side = tile_side(n)
    tile = 8 * side**2
    least = 2 * 8 * _values(X) + 8 * _VECTORS * n + 4 * tile + peak
    a_worker = 4 * tile + (2 * 8 * side * n if mapped else 0)
    matrices = (2 if mapped else 1) * 8 * n * n
    bound = memory_mb * 2**20
    if not least + a_worker <= bound:
        raise memory_short(
            memory_mb, f"{n} points", least + a_worker, "two copies of the data and the tiles"
        )
    in_memory = whole and least + a_worker + matrices <= bound
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
