"""What base kernels look like: how alike they are, and the points on a plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from gramworks.datasets.dataset import Dataset
from gramworks.gram import gram_info, read_gram
from gramworks.report import view_columns

_ROWS, _ENTRIES = 512, 10_000_000


def alignment_pairs(grams: Mapping[str, str | Path]) -> pd.DataFrame:
    """Compute the centred alignment of each two kernels, a block of rows at a time.

    Parameters
    ----------
    grams : mapping of str to path
        Gram files over the same points, by the kernels' names.

    Returns
    -------
    DataFrame
        Columns `view_columns.ALIGNMENT`, a row a pair (each once, and each with itself). A kernel
        that is constant has alignment 0 with all others.

    Notes
    -----
    <A, B> / sqrt(<A, A> <B, B>) of the centred matrices, as in Cortes, Mohri and Rostamizadeh,
    Algorithms for learning kernels based on centered alignment, JMLR 13 (2012) 795-828. The
    matrices are centred before they are multiplied, so that near constant ones keep their digits.
    """
    names = list(grams)
    means = {name: _row_means(path) for name, path in grams.items()}
    if not names:
        return pd.DataFrame(columns=list(view_columns.ALIGNMENT))
    products = np.zeros((len(names), len(names)))
    n = len(means[names[0]])
    for rows in _blocks(n, len(names)):
        centred = []
        for name in names:
            block = read_gram(grams[name], rows=rows)
            block -= means[name][rows, None]
            block -= means[name] - means[name].mean()
            centred.append(block)
        flat = np.stack([block.ravel() for block in centred])
        products += flat @ flat.T
    lengths = np.sqrt(np.diag(products))
    # Below this a matrix is constant up to rounding, whatever its own scale.
    least = 1e-12 * n * np.array([abs(m).max() for m in means.values()])
    lengths[lengths <= least] = np.inf
    rows = [
        (a, b, 1.0 if i == j else float(products[i, j] / (lengths[i] * lengths[j])))
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j
    ]
    return pd.DataFrame(rows, columns=list(view_columns.ALIGNMENT))


def map_points(grams: Sequence[str | Path], data: Dataset, *, most: int = 2000) -> pd.DataFrame:
    """Find the first two kernel principal components of the points.

    Parameters
    ----------
    grams : sequence of path
        Gram files; the mean of all of them, each centred and scaled to the same trace, is used.
    data : Dataset
        Its class names become the labels, its numbers targets; points without a target have
        neither.
    most : int
        Of more points, that many at equal steps are taken.

    Returns
    -------
    DataFrame
        Columns `view_columns.MAP`. The sign of a component is that its largest entry is positive.
    """
    from scipy.sparse.linalg import eigsh

    n = data.rows
    points = np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))
    total = np.zeros((len(points), len(points)))
    for path in grams:
        K = read_gram(path, rows=points, columns=points)
        least = 1e-12 * len(points) * abs(K).max()  # all of a constant one is rounding
        mean = K.mean(axis=0)
        K = K - mean - mean[:, None] + mean.mean()
        trace = float(np.trace(K))
        if trace > least:
            total += K * (len(points) / trace)
    axes = np.zeros((len(points), 2))
    if len(points) > 2 and total.any():
        start = np.random.default_rng(0).normal(size=len(points))
        values, vectors = eigsh(total / len(grams), k=2, v0=start)
        axes = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0))
        axes *= np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    texts = [_label(data, point) for point in points]
    numbers = data.task == "regression"
    table = pd.DataFrame({"point": points, "first": axes[:, 0], "second": axes[:, 1]})
    table = table.assign(label="" if numbers else texts, target=texts if numbers else "")
    return table[list(view_columns.MAP)]


def empty_map() -> pd.DataFrame:
    """Make the table of no points."""
    return pd.DataFrame(columns=list(view_columns.MAP))


def _label(data: Dataset, point: int) -> str:
    if data.task not in ("binary", "multiclass", "regression"):
        return ""
    if data.unlabelled is not None and data.unlabelled[point]:
        return ""
    value = data.y[point]
    return data.classes[int(value)] if data.classes else f"{value:.10g}"


def _row_means(path: str | Path) -> np.ndarray:
    n = gram_info(path)["n"]
    return np.concatenate([read_gram(path, rows=rows).mean(axis=1) for rows in _blocks(n)])


def _blocks(n: int, kernels: int = 1) -> Iterator[slice]:
    rows = max(1, min(_ROWS, _ENTRIES // (kernels * max(n, 1))))
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))
