"""From typed columns to the points of a data set: features, and a view a source or string."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gramworks.owndata.columns import Column
from gramworks.owndata.findings import Findings, counted

if TYPE_CHECKING:
    from gramworks.datasets.dataset import Points


def slug(text: str, used: set[str] | None = None) -> str:
    """Make a name for files and identifiers: small letters, digits, '-' and '.'.

    Parameters
    ----------
    text : str
        Whatever a file or column is called.
    used : set of str, optional
        Names that are taken; the new one is added.
    """
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")[:60].strip("-.") or "table"
    used = set() if used is None else used
    free, number = name, 2
    while free in used:
        free, number = f"{name}-{number}", number + 1
    used.add(free)
    return free


def encode(columns: list[Column], rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Make features of numbers and categories.

    Returns
    -------
    X : (n, d) float64
    names : list of str
        ``colour=red`` for one value of categories.
    """
    blocks, names = [np.zeros((int(rows.sum()), 0))], []
    for column in columns:
        if column.kind == "numeric":
            blocks.append(np.asarray(column.values)[rows][:, None])
            names.append(column.name)
        elif column.kind == "nominal":
            cells = [v for v, kept in zip(column.values, rows, strict=True) if kept]
            values = sorted(set(cells))
            values = values[1:] if len(values) == 2 else values  # the other is its complement
            blocks.append(np.array([[float(c == v) for v in values] for c in cells]))
            names += [f"{column.name}={v}" for v in values]
    return np.hstack(blocks), _unlike(names)


def _unlike(names: list[str]) -> list[str]:
    """Tell names apart, by numbers, that encoding or several files have made equal."""
    counts, seen = Counter(names), Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if counts[name] == 1 else f"{name} ({seen[name]})")
    return found


def assemble_points(
    sources: list[tuple[str, list[Column], Any]], rows: np.ndarray, findings: Findings
) -> tuple[Points, dict[str, Points], list[str]]:
    """Put the features of all sources into X, and each source and string column into a view.

    Parameters
    ----------
    sources : list of (name, columns, sparse points or None)
    rows : (n,) bool
        Rows that are kept.

    Returns
    -------
    X, views, feature_names
        Strings alone, of one column, are X themselves.
    """
    used: set[str] = set()
    dense: dict[str, np.ndarray] = {}
    views: dict[str, Points] = {}
    names: list[str] = []
    for source, columns, sparse in sources:
        if sparse is not None:
            views[slug(source, used)] = sparse[np.flatnonzero(rows)]
            continue
        block, block_names = encode(columns, rows)
        if block.shape[1]:
            dense[slug(source, used)] = block
            names += block_names
        for column in columns:
            if column.kind == "text":
                strings = [v for v, kept in zip(column.values, rows, strict=True) if kept]
                views[slug(column.name, used)] = strings
    if dense:
        X: Points = np.hstack(list(dense.values()))
        if len(dense) > 1:
            views = {**dense, **views}
        findings.say(f"{counted(X.shape[1], 'feature')} after encoding")
        return X, views, _unlike(names)
    first = next(iter(views), None)
    X = views.pop(first) if first is not None else np.zeros((int(rows.sum()), 0))
    if not isinstance(X, (list, np.ndarray)):
        return X, views, [f"feature-{i}" for i in range(1, X.shape[1] + 1)]
    return X, views, []
