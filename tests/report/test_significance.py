"""Each statistic against an independent computation."""

import math

import numpy as np
import pytest
from scipy import stats

from gramworks.errors import DataError
from gramworks.report.significance import (
    average_ranks,
    cliques,
    corrected_t_test,
    critical_distance,
    friedman,
    holm,
)


def test_a_worked_example_by_hand():
    # mean 2, sample variance 1, J = 3; variance of the mean (1/3 + 1/9) * 1 = 4/9
    found = corrected_t_test([1.0, 2.0, 3.0], n_train=90, n_test=10)
    assert found.difference == 2.0
    assert found.standard_error == pytest.approx(2 / 3)
    assert found.statistic == pytest.approx(3.0)
    # Student's distribution with 2 degrees of freedom has a closed form
    assert found.p == pytest.approx(1 - 3 / math.sqrt(2 + 9))


def test_without_correction_it_is_the_paired_t_test():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 20))
    found = corrected_t_test(a - b, n_train=5, n_test=0)
    reference = stats.ttest_rel(a, b)
    assert found.statistic == pytest.approx(reference.statistic)
    assert found.p == pytest.approx(reference.pvalue)


def test_differences_without_spread():
    assert corrected_t_test([0.0, 0.0], 10, 2).p == 1.0
    sure = corrected_t_test([0.1 + 0.2, 0.3, 0.3], 10, 2)
    assert sure.p == 0.0
    assert sure.statistic == math.inf
    assert corrected_t_test([-1.0, -1.0], 10, 2).statistic == -math.inf


@pytest.mark.parametrize(
    ("values", "sizes", "told"),
    [
        ([1.0], (8, 2), "two finite"),
        ([1.0, math.nan], (8, 2), "two finite"),
        ([1.0, 2.0], (0, 2), "n_train > 0"),
    ],
)
def test_bad_input_is_refused(values, sizes, told):
    with pytest.raises(DataError, match=told):
        corrected_t_test(values, *sizes)


def test_false_positives_stay_near_their_rate_where_the_plain_test_fails():
    """Two equally good classifiers on resampled splits of one data set at a time.

    Each point is right or wrong for a method with equal chance, whatever it learned from, and is
    drawn into the test sets again and again: the correlation that the correction is made for.
    """
    rng = np.random.default_rng(0)
    n, n_test, draws, tries = 100, 20, 15, 600
    plain = corrected = 0
    for _ in range(tries):
        right = rng.random((2, n)) < 0.7
        rows = np.array([rng.permutation(n)[:n_test] for _ in range(draws)])
        differences = (right[0, rows].mean(axis=1) - right[1, rows].mean(axis=1)) * 100
        plain += corrected_t_test(differences, n - n_test, 0).p < 0.05
        corrected += corrected_t_test(differences, n - n_test, n_test).p < 0.05
    assert plain / tries > 0.2
    assert corrected / tries < 0.08


def test_holm_against_its_definition():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_ranks_share_ties():
    scores = np.array([[90.0, 80.0, 80.0], [70.0, 75.0, 60.0]])
    assert average_ranks(scores, higher_is_better=True).tolist() == [1.5, 1.75, 2.75]
    assert average_ranks(scores, higher_is_better=False).tolist() == [2.5, 2.25, 1.25]
    with pytest.raises(DataError, match="finite score"):
        average_ranks(np.array([[1.0, math.nan]]), higher_is_better=True)


def test_friedman_against_scipy_with_ties():
    rng = np.random.default_rng(3)
    for n, k in ((5, 3), (12, 4), (8, 6)):
        scores = rng.integers(0, 6, size=(n, k)).astype(float)
        chi_square = stats.friedmanchisquare(*scores.T).statistic
        f, p = friedman(scores)
        expected = (n - 1) * chi_square / (n * (k - 1) - chi_square)
        assert f == pytest.approx(expected)
        assert p == pytest.approx(stats.f.sf(expected, k - 1, (k - 1) * (n - 1)))


def test_friedman_at_its_ends():
    assert friedman(np.ones((4, 3))) == (0.0, 1.0)
    assert friedman(np.tile([1.0, 2.0, 3.0], (4, 1))) == (math.inf, 0.0)
    with pytest.raises(DataError, match="2 data sets"):
        friedman(np.ones((1, 3)))


DEMSAR = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
"""Critical values q at 0.05 as printed (Demsar 2006, table 5a)."""
DEMSAR_10 = {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 7: 2.693, 8: 2.780, 9: 2.855}


def test_critical_values_are_the_published_ones():
    for table, alpha in ((DEMSAR, 0.05), (DEMSAR_10, 0.10)):
        for k, q in table.items():
            n = k * (k + 1) / 6  # then the distance is q itself
            assert critical_distance(k, n, alpha=alpha) == pytest.approx(q, abs=1.1e-3)
    # the paper's own example: 4 classifiers on 14 data sets, CD = 1.25
    assert critical_distance(4, 14) == pytest.approx(1.25, abs=0.005)


def test_cliques_are_the_longest_runs():
    assert cliques([1.0, 1.5, 2.4, 4.0], 1.0) == [(0, 1), (1, 2)]
    assert cliques([1.0, 1.5, 1.9], 1.0) == [(0, 2)]
    assert cliques([1.0, 3.0], 1.0) == []


@pytest.mark.parametrize("scale", [1e-15, 1e-9, 1.0, 1e9])
def test_the_t_test_does_not_depend_on_the_unit(scale):
    values = np.array([1.0, 2.0, 1.5, 0.5])
    found, expected = corrected_t_test(scale * values, 10, 5), corrected_t_test(values, 10, 5)
    assert found.p == pytest.approx(expected.p, rel=1e-9)
    assert found.standard_error == pytest.approx(scale * expected.standard_error, rel=1e-9)
    certain = corrected_t_test(np.full(3, scale), 10, 5)
    assert (certain.p, certain.standard_error) == (0.0, 0.0)
