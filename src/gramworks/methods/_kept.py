"""What several settings of one draw have in common, computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gramworks.digests import content_digest


class Kept:
    """The latest results of a computation, found again by what went into it.

    Parameters
    ----------
    most : int
        Results kept; the oldest goes first.
    """

    def __init__(self, most: int):
        self._most, self._results = most, {}

    def get(self, inputs: Iterable[object], compute: Callable[[], Any]) -> Any:
        """Return the result for these inputs, computing it where it is not kept.

        Parameters
        ----------
        inputs : iterable
            All that the result depends on: arrays, by their content, and what has a repr that
            tells its value.
        compute : callable
        """
        key = content_digest(inputs)
        if key not in self._results:
            while len(self._results) >= self._most:
                self._results.pop(next(iter(self._results)))
            self._results[key] = compute()
        return self._results[key]
