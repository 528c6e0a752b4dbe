"""Alignment of rows by shared keys, against enumeration of all longest alignments."""

from itertools import combinations

import numpy as np
import pytest

from gramworks.datasets.row_alignment import align


def _by_enumeration(short, long):
    for size in range(min(len(short), len(long)), -1, -1):
        found = [
            dict(zip(rows, places, strict=True))
            for rows in combinations(range(len(short)), size)
            for places in combinations(range(len(long)), size)
            if all(short[i] == long[j] for i, j in zip(rows, places, strict=True))
        ]
        if found:
            break
    result = []
    for i in range(len(short)):
        places = {alignment.get(i, -1) for alignment in found}
        result.append(places.pop() if len(places) == 1 else -2)
    return result


@pytest.mark.parametrize("seed", range(40))
def test_equals_enumeration(seed):
    random = np.random.default_rng(seed)
    letters = "ab" if seed % 2 else "abcde"
    short = random.choice(list(letters), random.integers(0, 6)).tolist()
    long = random.choice(list(letters), random.integers(0, 8)).tolist()
    assert align(short, long).tolist() == _by_enumeration(short, long)


def test_rows_between_equal_neighbours_are_uncertain():
    assert align("axb", "aaxxb").tolist() == [-2, -2, 4]
    assert align("aab", "aazb").tolist() == [0, 1, 3]
    assert align("zab", "ab").tolist() == [-1, 0, 1]
    assert align("ba", "ab").tolist() == [-2, -2]


def test_planted_subsequence():
    random = np.random.default_rng(0)
    long = random.integers(0, 800, 1500)
    kept = np.sort(random.permutation(1500)[:1400])
    found = align(long[kept].tolist(), long.tolist())
    assert (found >= 0).mean() > 0.95
    assert (found[found >= 0] == kept[found >= 0]).all()
