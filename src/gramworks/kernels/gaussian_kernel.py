"""The Gaussian kernel, `gaussian-w0.5` or `gaussian-median`: exp(-|x - z|^2 / (2 width^2))."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.distances import squared_distances
from gramworks.kernels.identifiers import read_number, write_number
from gramworks.kernels.tiles import Blocks, fill, upper_tiles
from gramworks.kernels.vectors import as_vectors
from gramworks.kernels.widths import check_width

PREFIX = "gaussian"
GRAMMAR = "gaussian-w<width> or gaussian-median"
OF_PAIRS = True
BY_ROWS = True
MEDIAN_POINTS = 4096


def gaussian(X, Z=None, *, width: float) -> np.ndarray:
    """Gaussian kernel exp(-|x - z|^2 / (2 width^2)).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Taken in float64, whatever its type.
    Z : array-like or sparse matrix of shape (m, d), optional
        None for the pairs of ``X``: exactly symmetric then, with ones on the diagonal.
    width : float
        In the units of the data, between 1e-150 and 1e150.

    Returns
    -------
    ndarray of shape (n, m), float64

    Raises
    ------
    KernelError
        A width out of range, or unusable data.
    """
    return fill(prepare(X, Z, width=width))


def median_width(X) -> float:
    """Median Euclidean distance between the points.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)

    Returns
    -------
    float
        Over all n (n - 1) / 2 pairs up to n = 4096. Beyond, over the pairs of 4096 points evenly
        spaced in row order: rows ``floor(i n / 4096)``.

    Raises
    ------
    KernelError
        Fewer than two points, or more than half of the pairs coincide, which leaves no width.
    """
    X = as_vectors(X)
    n = X.shape[0]
    if n < 2:
        raise KernelError("the median distance needs two points; X has 1 row.")
    if n > MEDIAN_POINTS:
        X, n = X[np.arange(MEDIAN_POINTS) * n // MEDIAN_POINTS], MEDIAN_POINTS
    blocks = squared_distances(X)
    squares = np.empty(n * (n - 1) // 2)
    end = 0
    for rows, columns in upper_tiles(n):
        tile = blocks.block(rows, columns)
        values = tile[np.triu_indices_from(tile, 1)] if rows == columns else tile.ravel()
        squares[end : end + values.size] = values
        end += values.size
    middle = [(squares.size - 1) // 2, squares.size // 2]
    squares.partition(middle)
    width = float(np.sqrt(squares[middle]).mean())
    if width == 0:
        raise KernelError(
            "the median distance is 0, since at least half of the pairs of points coincide; "
            "remove repeated rows or give the width: gaussian-w<number>."
        )
    return width


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["w0.5"]`` or ``["median"]``."""
    if words == ["median"]:
        return {"width": "median"}
    if len(words) != 1:
        raise KernelError(f"'gaussian' wants a width or 'median', found {'-'.join(words)!r}.")
    return {"width": check_width(read_number(words[0], "w", "width"))}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    width = parameters["width"]
    return ["median" if width == "median" else f"w{write_number(width)}"]


def resolve(X, *, width) -> dict:
    """Replace the width ``median`` by its value on the data."""
    return {"width": median_width(X) if width == "median" else width}


def prepare(X, Z=None, *, width: float) -> Blocks:
    """Validate data and width and return the kernel in blocks."""
    width = check_width(width)
    distances = squared_distances(X, Z)

    def block(rows: slice, columns: slice) -> np.ndarray:
        values = distances.block(rows, columns)
        values *= -0.5 / width**2
        return np.exp(values, out=values)

    return Blocks(distances.rows, distances.columns, distances.symmetric, block)
