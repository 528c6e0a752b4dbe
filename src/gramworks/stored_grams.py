"""Gram files as methods are given them, read no sooner and no further than is needed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from gramworks.gram import gram_info, read_gram


class StoredGrams(Mapping):
    """Kernels by name, each read whole when it is asked for; the last one is held.

    Parameters
    ----------
    paths : mapping of str to path
    """

    def __init__(self, paths: Mapping[str, str | os.PathLike]) -> None:
        self._paths = dict(paths)
        self._last: tuple[str, np.ndarray] | None = None

    def __getitem__(self, name: str) -> np.ndarray:
        """Read a matrix (n, n), read-only."""
        path = self._paths[name]
        if self._last is None or self._last[0] != name:
            self._last = None  # before the next one is read, not after
            K = read_gram(path)
            K.setflags(write=False)
            self._last = name, K
        return self._last[1]

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class GramRows:
    """A stored Gram matrix that gives rows: what methods get that state `GRAMS = "rows"`.

    ``K[rows]`` is an array (len(rows), n) of all columns, whether K is this or an array.

    Parameters
    ----------
    path : path-like
    points : ndarray of int, optional
        Only these points, in this order, as rows and as columns; None: all.
    """

    def __init__(self, path: str | os.PathLike, points: np.ndarray | None = None) -> None:
        self.path = path
        self._points = points

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        n = gram_info(self.path)["n"] if self._points is None else len(self._points)
        return n, n

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        """Read rows, by a mask or integers, with all columns."""
        if self._points is None:
            return read_gram(self.path, rows)
        return read_gram(self.path, self._points[rows], self._points)

    def part(self, points: np.ndarray) -> GramRows:
        """Keep some of the points, by integers."""
        return GramRows(self.path, points if self._points is None else self._points[points])
