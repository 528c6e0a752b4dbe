"""The Gaussian kernel whose width fits clusters of the points best, `gaussian-clusters-k30`.

The width maximises the alignment with the kernel that is 1 for two points of one k-means cluster
and 0 for others (Weston et al. 2002, section 4.3).
"""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.alignment_measure import alignment
from gramworks.kernels.distances import squared_distances
from gramworks.kernels.identifiers import read_number, write_number
from gramworks.kernels.tiles import Blocks, fill
from gramworks.kernels.vectors import as_dense_vectors
from gramworks.kernels.widths import check_width

PREFIX = "gaussian-clusters"
GRAMMAR = "gaussian-clusters-k<clusters>"
OF_PAIRS = True
BY_ROWS = True
_STARTS = 10  # of k-means, with the seed 0: the best of them counts
_GRID = 41  # widths tried before the best is refined


def cluster_width(X, clusters: int) -> float:
    """Find the width whose Gaussian kernel aligns best with a k-means clustering.

    Parameters
    ----------
    X : array-like of shape (n, d)
    clusters : int
        Number of clusters, 2 to n - 1.

    Returns
    -------
    float
        Between a hundredth and ten times the median distance of two points.

    Raises
    ------
    KernelError
        Fewer points than clusters, or points that all coincide.

    References
    ----------
    Weston, Chapelle, Elisseeff, Schoelkopf and Vapnik (2002), Kernel dependency estimation,
    section 4.3: 30 clusters, alignment as of Cristianini et al. (2001), not centred.
    """
    from scipy.optimize import minimize_scalar
    from sklearn.cluster import KMeans

    X = as_dense_vectors(X)
    n = X.shape[0]
    if not 2 <= clusters < n:
        raise KernelError(
            f"gaussian-clusters-k{clusters}: {n} points; wanted are 2 clusters or more, and more "
            "points than clusters."
        )
    squares = fill(squared_distances(X))
    middle = float(np.sqrt(np.median(squares[np.triu_indices(n, 1)])))
    if middle == 0:
        raise KernelError(
            f"gaussian-clusters-k{clusters}: at least half of the pairs of points coincide, which "
            "leaves no width; give one: gaussian-w<number>."
        )
    cluster = KMeans(clusters, n_init=_STARTS, random_state=0).fit_predict(X)
    target = (cluster[:, None] == cluster[None, :]).astype(float)

    def lost(exponent: float) -> float:
        return -alignment(np.exp(squares * (-0.5 / (middle * 10.0**exponent) ** 2)), target)

    grid = np.linspace(-2.0, 1.0, _GRID)
    best = int(np.argmin([lost(exponent) for exponent in grid]))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    found = minimize_scalar(lost, bounds=ends, method="bounded", options={"xatol": 1e-4})
    return middle * 10.0 ** float(found.x)


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["k30"]``."""
    if len(words) != 1:
        raise KernelError(f"'{PREFIX}' wants a number of clusters, found {'-'.join(words)!r}.")
    clusters = read_number(words[0], "k", "number of clusters")
    if not clusters.is_integer() or clusters < 2:
        raise KernelError(f"{words[0]!r}: a whole number of clusters, 2 or more, is needed.")
    return {"clusters": int(clusters)}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return [f"k{write_number(parameters['clusters'])}"]


def resolve(X, *, clusters: int) -> dict:
    """Add the width that the data give."""
    return {"clusters": clusters, "width": cluster_width(X, clusters)}


def prepare(X, Z=None, *, clusters: int, width: float | None = None) -> Blocks:
    """Validate the data and return the kernel in blocks; without a width, that of ``X``."""
    width = check_width(cluster_width(X, clusters) if width is None else width)
    distances = squared_distances(X, Z)

    def block(rows: slice, columns: slice) -> np.ndarray:
        values = distances.block(rows, columns)
        values *= -0.5 / width**2
        return np.exp(values, out=values)

    return Blocks(distances.rows, distances.columns, distances.symmetric, block)
