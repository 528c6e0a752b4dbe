from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from gramworks.errors import KernelError
from gramworks.gram import compute_gram, gram_info, read_gram
from gramworks.kernels.similarity_map import empirical_map
from gramworks.kernels.smith_waterman_kernel import LETTERS, smith_waterman
from gramworks.kernels.transforms import centre, normalise

# Henikoff and Henikoff (1992), rows and columns in this order.
AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
BLOSUM62 = """
 4
-1  5
-2  0  6
-2 -2  1  6
 0 -3 -3 -3  9
-1  1  0  0 -3  5
-1  0  0  2 -4  2  5
 0 -2  0 -1 -3 -2 -2  6
-2  0  1 -1 -3  0  0 -2  8
-1 -3 -3 -3 -1 -3 -3 -4 -3  4
-1 -2 -3 -4 -1 -2 -3 -4 -3  2  4
-1  2  0 -1 -3  1  1 -2 -1 -3 -2  5
-1 -1 -2 -3 -1  0 -2 -3 -2  1  2 -1  5
-2 -3 -3 -3 -2 -3 -3 -3 -1  0  0 -3  0  6
-1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4  7
 1 -1  1  0 -1  0  0  0 -1 -2 -2  0 -1 -2 -1  4
 0 -1  0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1  1  5
-3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1  1 -4 -3 -2 11
-2 -2 -2 -3 -2 -1 -2 -3  2 -1 -1 -2 -1  3 -3 -2 -2  2  7
 0 -3 -3 -3 -1 -2 -2 -3 -3  3  1 -2  1 -1 -2 -2  0 -3 -1  4
"""
SCORES = np.zeros((20, 20), dtype=int)
for _i, _row in enumerate(BLOSUM62.split("\n")[1:-1]):
    SCORES[_i, : _i + 1] = SCORES[: _i + 1, _i] = [int(v) for v in _row.split()]


def by_recursion(s, t, gap_open, gap_extend):
    """Best local alignment by the recursion over all ends and all lengths of the last gap."""
    gaps = [gap_open + k * gap_extend for k in range(max(len(s), len(t)))]
    H = np.zeros((len(s) + 1, len(t) + 1), dtype=int)
    for i in range(1, len(s) + 1):
        for j in range(1, len(t) + 1):
            score = SCORES[AMINO_ACIDS.index(s[i - 1]), AMINO_ACIDS.index(t[j - 1])]
            up = max(H[i - k, j] - gaps[k - 1] for k in range(1, i + 1))
            left = max(H[i, j - k] - gaps[k - 1] for k in range(1, j + 1))
            H[i, j] = max(0, H[i - 1, j - 1] + score, up, left)
    return H.max()


def proteins(n, seed, longest=25):
    """Relatives with letters changed, put in and left out, so that gaps pay."""
    rng = np.random.default_rng(seed)
    letters = np.array(list(AMINO_ACIDS))
    ancestor = rng.choice(letters, longest)
    found = []
    for _ in range(n):
        child = np.where(rng.random(longest) < 0.3, rng.choice(letters, longest), ancestor)
        start, cut = sorted(rng.integers(1, longest, 2))
        added = rng.choice(letters, rng.integers(0, 4))
        found.append("".join([*child[:start], *added, *child[cut:]]))
    return found


@pytest.mark.parametrize(("gap_open", "gap_extend"), [(11, 1), (5, 5), (3, 0), (1, 1)])
def test_equals_the_recursion_on_all_pairs(gap_open, gap_extend):
    S = proteins(9, seed=gap_open)
    K = smith_waterman(S, gap_open=gap_open, gap_extend=gap_extend)
    wanted = [[by_recursion(s, t, gap_open, gap_extend) for t in S] for s in S]
    assert K.dtype == np.float64
    assert np.array_equal(K, wanted)
    T = proteins(4, seed=99)
    wanted = [[by_recursion(s, t, gap_open, gap_extend) for t in T] for s in S]
    assert np.array_equal(smith_waterman(S, T, gap_open=gap_open, gap_extend=gap_extend), wanted)


def test_a_sequence_with_itself_scores_its_letters():
    S = ["W", "MKV", AMINO_ACIDS]
    diagonal = [sum(SCORES[AMINO_ACIDS.index(c), AMINO_ACIDS.index(c)] for c in s) for s in S]
    assert np.array_equal(np.diagonal(smith_waterman(S)), diagonal)


def test_scores_beyond_16_bits():
    assert smith_waterman(["W" * 5000, "W" * 3500]).tolist() == [[55000, 38500], [38500, 38500]]


def test_all_letters_are_scored_and_defaults_are_stated():
    S = proteins(5, 3)
    assert np.array_equal(smith_waterman(S), smith_waterman(S, gap_open=11, gap_extend=1))
    assert smith_waterman([LETTERS]).shape == (1, 1)
    assert smith_waterman(["BBB", "DDD", "NNN"]).tolist() == [[12, 12, 9], [12, 18, 3], [9, 3, 18]]


@pytest.mark.parametrize(
    ("S", "said"),
    [
        (["MKV", "MkV"], "sequence 1 .counted from 0. has 'k' at position 1.*upper"),
        (["MKV*"], "has '[*]' at position 3.*stops"),
        (["MK-V"], "has '-' at position 2"),
        (["MKV\n"], "white space"),
        (["MUV"], "'U'.*nearest amino acid C"),
        (["MOV"], "'O'.*nearest amino acid K"),
        (["M1V"], "'1' at position 1"),
        (["M\u0391V"], "position 1"),
        (["MKV", ""], "sequence 1 .counted from 0. is empty"),
        ([], "no sequences"),
        ("MKV", "one text"),
        ([b"MKV"], "a sequence is text"),
        ([3], "a sequence is text"),
        (np.ones((2, 2)), "a sequence is text"),
        (None, "a sequence is text"),
    ],
)
def test_unusable_sequences_are_refused(S, said):
    with pytest.raises(KernelError, match=said):
        smith_waterman(S)


@pytest.mark.parametrize(
    "gaps", [(0, 0), (1, 2), (-1, -1), (1.5, 1), ("1", 1), (True, True), (10**6, 1)]
)
def test_unusable_gap_costs_are_refused(gaps):
    with pytest.raises(KernelError, match="gap_open"):
        smith_waterman(["MKV"], gap_open=gaps[0], gap_extend=gaps[1])


def test_empirical_map_is_the_linear_kernel_on_rows():
    S = np.random.default_rng(0).standard_normal((600, 7))
    before = S.copy()
    K = empirical_map(S)
    np.testing.assert_allclose(K, np.einsum("ik,jk->ij", S, S), atol=1e-12)
    assert np.array_equal(K, K.T)
    assert np.array_equal(S, before)
    assert np.linalg.eigvalsh(K)[0] > -1e-11


@pytest.mark.parametrize(
    ("K", "said"),
    [
        ([[1.0, np.nan], [0, 1]], "value nan in row 0, column 1"),
        ([1.0, 2.0], "shape"),
        ([["a"]], "number"),
        (np.full((2, 2), 1e200), "overflows"),
    ],
)
def test_unusable_similarities_are_refused(K, said):
    with pytest.raises(KernelError, match=said):
        empirical_map(K)


SUFFIXES = {
    "mapped": empirical_map,
    "mapped-unit": lambda K: normalise(empirical_map(K)),
    "mapped-centred-unit": lambda K: normalise(centre(empirical_map(K))),
    "unit-mapped": lambda K: empirical_map(normalise(K)),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_gram_file_of_sequences(suffix, tmp_path):
    S = ["".join(words) for words in permutations(["WWW", "CCC", "HHH", "PPP"])]
    assert np.linalg.eigvalsh(smith_waterman(S))[0] < -1  # no kernel unmapped
    check = compute_gram(tmp_path / "a.h5", S, f"smith-waterman-{suffix}")
    assert check.outcome == "fine"
    wanted = SUFFIXES[suffix](smith_waterman(S))
    np.testing.assert_allclose(read_gram(tmp_path / "a.h5"), wanted, rtol=1e-12, atol=1e-12)
    assert gram_info(tmp_path / "a.h5")["kernel"] == f"smith-waterman-o11-e1-{suffix}"


@pytest.mark.parametrize("kernel", ["linear-mapped-centred", "linear-centred-mapped-unit"])
def test_mapped_to_file_has_the_same_bits(kernel, tmp_path):
    X = np.random.default_rng(1).standard_normal((1100, 5))
    lines = []
    compute_gram(tmp_path / "a.h5", X, kernel)
    compute_gram(tmp_path / "b.h5", X, kernel, memory_mb=25, log=lines.append)
    assert "tile by tile" in lines[0]
    K = read_gram(tmp_path / "a.h5")
    assert np.array_equal(K, read_gram(tmp_path / "b.h5"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.h5", "b.h5"]
    wanted = X @ X.T
    for word in kernel.split("-")[1:]:
        wanted = {"mapped": empirical_map, "centred": centre, "unit": normalise}[word](wanted)
    np.testing.assert_allclose(K, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("table", [pd.DataFrame({"input": ["ACD", "CDE"]}), {"ACD": 1}, {"ACD"}])
def test_tables_and_sets_are_no_lists_of_sequences(table):
    with pytest.raises(KernelError, match=f"S is a {type(table).__name__}; a list of sequences"):
        smith_waterman(table)
