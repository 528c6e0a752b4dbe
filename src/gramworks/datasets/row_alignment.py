"""Align two lists of the same things in the same order, from each of which some are missing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np


def align(short: Sequence[Hashable], long: Sequence[Hashable]) -> np.ndarray:
    """Say where each item of ``short`` stands in ``long``, where that is certain.

    Items are known by keys that several of them may share. An alignment pairs equal keys in rising
    order; a longest one leaves as few items out as possible. A place is certain when every longest
    alignment pairs the item, and always with this place.

    Parameters
    ----------
    short, long : sequences of keys

    Returns
    -------
    (len(short),) int64
        Row of ``long``; -1 where the item has no partner, -2 where it may have several or none.

    Notes
    -----
    Longest common subsequences by dynamic programming, in the product of both lengths.
    """
    codes = {key: code for code, key in enumerate(dict.fromkeys([*long, *short]))}
    a = np.array([codes[key] for key in short], dtype=np.int64)
    b = np.array([codes[key] for key in long], dtype=np.int64)
    before = _lengths(a, b)
    after = _lengths(a[::-1], b[::-1])[::-1, ::-1]
    best = before[-1, -1]
    # Pair (i, j) is part of some longest alignment; item i is left out by some.
    pairs = (a[:, None] == b) & (before[:-1, :-1] + 1 + after[1:, 1:] == best)
    left_out = (before[:-1] + after[1:] == best).any(axis=1)
    partners = pairs.sum(axis=1)
    places = np.where(partners > 0, pairs.argmax(axis=1), -1) if len(b) else np.full(len(a), -1)
    places[(partners > 1) | ((partners == 1) & left_out)] = -2
    return places.astype(np.int64)


def _lengths(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Length of the longest common subsequence of all beginnings, (len(a) + 1, len(b) + 1)."""
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)
    for i, code in enumerate(a):
        longer = np.maximum(table[i, 1:], table[i, :-1] + (b == code))
        np.maximum.accumulate(longer, out=table[i + 1, 1:])
    return table
