import itertools
import math
import subprocess
import sys
import time
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramworks.errors import KernelError
from gramworks.gram import compute_gram, gram_info, read_gram
from gramworks.kernels import centre, normalise, spectrum, subsequence
from gramworks.kernels.identifiers import parse_kernel
from gramworks.kernels.strings import distinct, joined_letters
from gramworks.kernels.subsequence_kernel import log_least_sum
from gramworks.solvers import subsequence_sums
from gramworks.solvers.subsequence_sums import pair_sums, self_sums

CLEF, ACCENTED = "\U0001d11e", "e\u0301"  # beyond 16 bits; two code points


def features(text, length, decay):
    """Weights of all subsequences, by enumeration of their places."""
    found = defaultdict(float)
    for places in itertools.combinations(range(len(text)), length):
        found[tuple(text[i] for i in places)] += decay ** (places[-1] - places[0] + 1)
    return found


def enumerated(S, T, length, decay):
    left, right = ([features(s, length, decay) for s in side] for side in (S, T))
    return np.array([[sum(v * b[u] for u, v in a.items() if u in b) for b in right] for a in left])


def texts(n, seed, letters="abcd", longest=9):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(letters), rng.integers(0, longest))) for _ in range(n)]


@pytest.mark.parametrize("length", [1, 2, 3, 5])
@pytest.mark.parametrize("decay", [1, 0.5, 0.01, 1e-25])
def test_equals_enumeration(length, decay):
    S = ["", "a", "ab", "aaaaaaaa", *texts(26, length)]
    T = ["", "abcdabcd", *texts(11, 7, "abx")]
    for other in (None, T):
        wanted = enumerated(S, other or S, length, decay)
        found = subsequence(S, other, length=length, decay=decay, normalise=False)
        assert found.dtype == np.float64
        assert ((found == 0) == (wanted == 0)).all()
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=0)


@given(
    st.lists(st.text(f"ab{CLEF}", max_size=7), min_size=1, max_size=6),
    st.integers(1, 4),
    st.floats(0.01, 1),
)
@settings(max_examples=60, deadline=None)
def test_equals_enumeration_on_any_strings(S, length, decay):
    found = subsequence(S, length=length, decay=decay, normalise=False)
    np.testing.assert_allclose(found, enumerated(S, S, length, decay), rtol=1e-12, atol=0)


def test_example_of_the_literature():
    """Lodhi et al., section 3: cat and car share c-a; with themselves 2 decay^4 + decay^6."""
    decay = 0.3
    K = subsequence(["cat", "car"], length=2, decay=decay, normalise=False)
    np.testing.assert_allclose(K[0, 1], decay**4, rtol=1e-14)
    np.testing.assert_allclose(K[0, 0], 2 * decay**4 + decay**6, rtol=1e-14)
    unit = subsequence(["cat", "car"], length=2, decay=decay)
    np.testing.assert_allclose(unit[0, 1], 1 / (2 + decay**2), rtol=1e-14)


@pytest.mark.parametrize("decay", [1.0, 0.4, 0.01])
def test_normalised_is_positive_semidefinite_with_a_unit_diagonal(decay):
    S = ["", "", "ab", "ab", "ba", *texts(60, 1)]
    K = subsequence(S, length=3, decay=decay)
    assert np.array_equal(K, K.T)
    assert (np.diag(K) == 1).all()
    assert 0 <= K.min() <= K.max() <= 1
    assert np.linalg.eigvalsh(K)[0] > -1e-13
    raw = enumerated(S, S, 3, decay)
    full = np.array([len(s) >= 3 for s in S])
    own = np.sqrt(np.diag(raw)[full])
    np.testing.assert_allclose(
        K[np.ix_(full, full)], raw[np.ix_(full, full)] / np.outer(own, own), rtol=1e-12
    )


@pytest.mark.parametrize(
    "kernel",
    [
        lambda S, T=None: subsequence(S, T, length=3, decay=0.01),
        lambda S, T=None: spectrum(S, T, length=3),
    ],
)
def test_a_short_string_is_like_itself_alone(kernel):
    S = ["ab", "", "abc", "ab", "ba", "", "abc"]
    wanted = [[float(s == t) for t in S] for s in S]
    assert np.array_equal(kernel(S), wanted)
    assert np.array_equal(kernel(S, ["", "abc"]), np.array(wanted)[:, [1, 2]])


def test_order_duplicates_and_threads_do_not_change_a_bit(monkeypatch):
    S = texts(150, 4, longest=14)
    S = [*S, *S[:40]]
    K = subsequence(S, length=3, decay=0.3)
    assert np.array_equal(K[150:], K[:40])
    order = np.random.default_rng(0).permutation(len(S))
    assert np.array_equal(
        subsequence([S[i] for i in order], length=3, decay=0.3), K[np.ix_(order, order)]
    )
    assert np.array_equal(subsequence(S[:30], S, length=3, decay=0.3), K[:30])
    assert np.array_equal(subsequence(S, S[:1], length=3, decay=0.3), K[:, :1])
    monkeypatch.setattr(subsequence_sums, "_STEPS_ALONE", 0)
    parts, rows, _ = distinct(S, None)
    letters, starts = joined_letters(parts)
    numbers = np.arange(len(parts))
    one = pair_sums(letters, starts, numbers, numbers, 3, 0.3)
    for threads in (2, 3):
        assert np.array_equal(
            pair_sums(letters, starts, numbers, numbers, 3, 0.3, threads=threads), one
        )
        own = self_sums(letters, starts, 3, 0.3, threads=threads)
        assert np.array_equal(own, np.diag(one))


def test_long_strings_of_long_subsequences_in_smaller_groups():
    rng = np.random.default_rng(2)
    S = ["".join(rng.choice(list("ab"), 560 + i)) for i in range(34)]
    T = ["".join(rng.choice(list("ab"), 600))]
    options = {"length": 120, "decay": 0.1, "normalise": False}
    K = subsequence(S, T, **options)  # all at a time would hold more than is allowed
    for i in (0, 28, 33):
        assert K[i] == subsequence(S[i : i + 1], T, **options)


def test_letters_are_code_points():
    K = subsequence(
        [CLEF + "a", "\ud834a", "xa", ACCENTED, "\u00e9", "e"], length=1, decay=1, normalise=False
    )
    assert K[0].tolist() == [2, 1, 1, 0, 0, 0]
    assert K[3].tolist() == [0, 0, 0, 2, 0, 1]  # the accent is a letter of its own
    assert K[4].tolist() == [0, 0, 0, 0, 1, 0]


def test_small_decays_lose_nothing_when_normalised():
    S = ["abcd", "axbcd", "zzzabcd", "abxxcd"]
    K = subsequence(S, length=4, decay=1e-60)
    own = np.sqrt([1, 2, 4, 3])  # of the subsequences without a gap
    np.testing.assert_allclose(K[0], np.array([1, 1e-60, 1, 1e-120]) / own, rtol=1e-12)
    with pytest.raises(KernelError, match="below 1e-300"):
        subsequence(S, length=4, decay=1e-60, normalise=False)


def test_far_gaps_of_long_strings():
    gap = "x" * 700
    K = subsequence([f"a{gap}b", f"a{gap[:300]}b", "ab"], length=2, decay=0.5, normalise=False)
    np.testing.assert_allclose(K[2], [0.5**704, 0.5**304, 0.5**4], rtol=1e-12)
    assert subsequence(["a" + "x" * 4000 + "b", "ab"], length=2, decay=0.5)[0, 1] == 0


@pytest.mark.parametrize("normalise", [True, False])
def test_values_beyond_float64_are_refused(normalise):
    S = ["short", "a" * 800]
    with pytest.raises(
        KernelError, match=r"'a{40}'... \(800 letters\) and 'a.*beyond float64.*smaller"
    ):
        subsequence(S, length=150, decay=1, normalise=normalise)
    assert 0 < subsequence(["b" + "a" * 200, "a" * 190], length=150, decay=0.1)[0, 1] < 1


@pytest.mark.parametrize(
    ("S", "length", "decay"),
    [
        (["a" * 3000, "ab" * 1500], 1500, 1.0),
        (["".join(np.random.default_rng(4).choice(list("abcdefgh"), 6000))], 2000, 0.9),
    ],
)
def test_values_far_beyond_float64_are_refused_at_once(S, length, decay, monkeypatch):
    def late(*_, **__):
        raise AssertionError("the sums are begun, which take minutes")

    monkeypatch.setattr(subsequence_sums, "self_sums", late)
    monkeypatch.setattr(subsequence_sums, "pair_sums", late)
    for unit in (True, False):
        with pytest.raises(KernelError, match="beyond float64; take a smaller decay or"):
            subsequence(S, length=length, decay=decay, normalise=unit)


@pytest.mark.parametrize("decay", [1.0, 0.5, 0.01])
def test_the_bound_of_a_sum_is_below_it(decay):
    for text, length in (
        ("a" * 40, 7),
        ("ab" * 30, 20),
        ("abc" * 9, 1),
        ("abcd" * 20, 79),
        ("", 2),
    ):
        letters, starts = joined_letters([text])
        sums = self_sums(letters, starts, length, decay)
        bound = log_least_sum(len(text), len(set(text)), length, decay)
        assert bound <= np.log(max(sums[0], 1e-300)) + 1e-9
    # of one letter there is one subsequence, and without a gap's cost the bound is the sum
    wanted = 2 * np.log(math.comb(40, 7))
    np.testing.assert_allclose(log_least_sum(40, 1, 7, 1.0), wanted, rtol=1e-12)


def test_subsequences_about_as_long_as_the_strings_are_quick():
    start = time.process_time()
    K = subsequence(["a" * 3000, "ab" * 1500], length=3000, decay=1.0)
    assert np.array_equal(K, np.eye(2))
    K = subsequence(["a" * 1000, "ab" * 500 + "c"], length=1001, decay=1.0, normalise=False)
    assert np.array_equal(K, [[0, 0], [0, 1]])
    assert time.process_time() - start < 20  # all steps would take ten minutes


@pytest.mark.parametrize("length", [1, 2, 9, 25, 28, 29, 30])
@pytest.mark.parametrize("letters", ["a", "ab"])
def test_long_subsequences_of_short_strings(length, letters):
    """Against the plain recursion, which leaves out no step."""
    rng = np.random.default_rng(length)
    S = ["".join(rng.choice(list(letters), size)) for size in (30, 30, 29, 33, 5)]
    K = subsequence(S, length=length, decay=0.8, normalise=False) / 0.8 ** (2 * length)
    wanted = [[plain_sum(s, t, length, 0.8) for t in S] for s in S]
    np.testing.assert_allclose(K, wanted, rtol=1e-12)
    options = {"length": length, "decay": 0.8, "normalise": False}
    beside = subsequence(S, S[:1], **options)
    for i, s in enumerate(S):  # by diagonals, to the same bits
        assert subsequence([s], S[:1], **options)[0, 0] == beside[i, 0]


def plain_sum(s, t, length, decay):
    """Compute K'_i of definition 2 of Lodhi et al. over decay^(2 i), prefix by prefix."""
    states = np.zeros((length, len(s) + 1, len(t) + 1))
    states[0] = 1.0
    for i in range(1, length):
        for j, a in enumerate(s):
            carried = 0.0
            for k, b in enumerate(t):
                carried = decay * carried + (states[i - 1, j, k] if a == b else 0.0)
                states[i, j + 1, k + 1] = decay * states[i, j, k + 1] + carried
    return sum(states[length - 1, j, k] for j, a in enumerate(s) for k, b in enumerate(t) if a == b)


def test_two_long_documents_take_little_memory():
    code = """
import resource, numpy as np
from gramworks.kernels import spectrum, subsequence
subsequence(["abc", "bcd"], length=3, decay=0.5)
rng = np.random.default_rng(0)
S = ["".join(rng.choice(list("abcdefgh "), 20000)) for _ in range(2)]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
K = subsequence(S[:1], S[1:], length=2, decay=0.5, normalise=False)
# of 9 letters two agree with chance 1 / 81; the sum of decay^l over l = 2, 3, ... is 1 / 2
assert abs(K[0, 0] / (20000**2 / 81 / 4) - 1) < 0.02, K
L = spectrum(S, length=300)
assert L[0, 1] == 0
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(made.stdout) < 40  # MB; one number a pair of letters would be 3200


def test_progress_of_a_long_job(monkeypatch):
    monkeypatch.setattr(subsequence_sums, "_LONG", 0.0)
    monkeypatch.setattr(subsequence_sums, "_STEPS_A_TASK", 1e4)
    monkeypatch.setattr(subsequence_sums, "_STEPS_ALONE", 0)
    lines = []
    subsequence(texts(80, 0), length=3, decay=0.5, log=lines.append)
    assert "% of" in lines[-1]
    assert "100 %" in lines[-1]


@pytest.mark.parametrize("length", [1, 2, 3, 5, 6])
def test_spectrum_counts_substrings(length):
    S = ["", "a", "abab", CLEF * 6, *texts(20, length, "ab", 12)]
    T = texts(7, 99, "abc", 12)
    grams = {t: Counter(t[i : i + length] for i in range(len(t) - length + 1)) for t in {*S, *T}}
    for other in (None, T):
        wanted = [
            [sum(n * grams[t][u] for u, n in grams[s].items()) for t in other or S] for s in S
        ]
        assert np.array_equal(spectrum(S, other, length=length, normalise=False), wanted)
    K = spectrum(S, length=length)
    assert (np.diag(K) == 1).all()
    assert np.array_equal(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-13


def test_spectrum_does_not_reach_into_the_next_string():
    assert spectrum(["ab", "ba", "abba"], length=3, normalise=False).tolist() == [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 2],
    ]
    assert spectrum(["", ""], length=1, normalise=False).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("S", "said"),
    [
        ("abc", "one text"),
        ([], "no strings"),
        (["a", b"b"], "string 1 .counted from 0.*decode"),
        (["a", None], "string 1"),
        ([1.5], "string 0"),
        ({"a": 1}, "dict"),
        (None, "NoneType"),
        (np.ones((2, 2)), "string 0"),
    ],
)
def test_unusable_strings_are_refused(S, said):
    for call in (
        lambda *X: subsequence(*X, length=2, decay=0.5),
        lambda *X: spectrum(*X, length=2),
    ):
        with pytest.raises(KernelError, match=said):
            call(S)
        with pytest.raises(KernelError, match=said):
            call(["a"], S if S is not None else 3) if S is not None else call(S)


@pytest.mark.parametrize("kernel", [subsequence, spectrum])
def test_a_table_is_no_list_of_strings(kernel):
    import pandas as pd

    table = pd.DataFrame({"input": ["abc", "bca", "cab"]})
    options = {"length": 2} | ({"decay": 0.5} if kernel is subsequence else {})
    with pytest.raises(KernelError, match="S is a DataFrame with 1 columns.*one column of it"):
        kernel(table, **options)
    with pytest.raises(KernelError, match="T is a DataFrame"):
        kernel(["abc"], table, **options)
    assert kernel(table["input"], **options).shape == (3, 3)


def test_text_of_numpy_and_pandas_is_taken():
    import pandas as pd

    S = ["abc", "abd"]
    wanted = subsequence(S, length=2, decay=0.5)
    assert np.array_equal(subsequence(np.array(S), length=2, decay=0.5), wanted)
    assert np.array_equal(subsequence(pd.Series(S, index=[7, 3]), length=2, decay=0.5), wanted)


@pytest.mark.parametrize("length", [0, -1, 1.5, "3", True, None, 10**9])
def test_unusable_lengths_are_refused(length):
    for call in (
        lambda n: subsequence(["a"], length=n, decay=0.5),
        lambda n: spectrum(["a"], length=n),
    ):
        with pytest.raises(KernelError, match="length"):
            call(length)


@pytest.mark.parametrize("decay", [0, -0.5, 1.1, np.nan, np.inf, "0.5", True, None])
def test_unusable_decays_are_refused(decay):
    with pytest.raises(KernelError, match="decay"):
        subsequence(["a"], length=1, decay=decay)


SUFFIXES = {
    "": lambda K: K,
    "-unit": lambda K: K,
    "-centred": centre,
    "-centred-unit": lambda K: normalise(centre(K)),
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("core", ["subsequence-l3-d0.01", "spectrum-l2"])
def test_gram_file_of_strings(core, suffix, tmp_path):
    S = ["ab", "ab", *texts(30, 5)]
    lines = []
    check = compute_gram(tmp_path / "a.h5", S, core + suffix, log=lines.append)
    assert check.outcome == "fine"
    parameters = parse_kernel(core).parameters
    raw = parameters.pop("raw")
    function = {"subsequence": subsequence, "spectrum": spectrum}[core.split("-")[0]]
    wanted = SUFFIXES[suffix](function(S, normalise=not raw, **parameters))
    np.testing.assert_allclose(read_gram(tmp_path / "a.h5"), wanted, rtol=1e-12, atol=1e-15)
    assert gram_info(tmp_path / "a.h5")["kernel"] == core + suffix


def test_gram_file_of_many_strings_is_the_same_in_tiles(tmp_path):
    S = texts(1100, 3, longest=12)
    lines = []
    compute_gram(tmp_path / "a.h5", S, "subsequence-l3-d0.01")
    compute_gram(tmp_path / "b.h5", S, "subsequence-l3-d0.01", memory_mb=16, log=lines.append)
    assert "tile by tile" in lines[0]
    K = read_gram(tmp_path / "a.h5")
    assert np.array_equal(K, read_gram(tmp_path / "b.h5"))
    assert np.array_equal(K, subsequence(S, length=3, decay=0.01))


def test_raw_short_strings_have_no_unit_length(tmp_path):
    with pytest.raises(KernelError, match="not above zero in 1 of 2 rows"):
        compute_gram(tmp_path / "a.h5", ["ab", "abcd"], "subsequence-l3-d0.5-raw-unit")
