import math

import numpy as np
import pytest

from gramworks.report.published import Published, read_published
from gramworks.report.verdicts import DIRECTIONS, REASONS, VERDICTS, direction, judge


def test_every_published_metric_has_a_stated_direction():
    import re

    for metric in read_published()["metric"].unique():
        assert any(re.fullmatch(pattern, metric) for pattern, _ in DIRECTIONS), metric


@pytest.mark.parametrize(
    ("metric", "way"),
    [
        ("test-error-percent", "lower"), ("classification-loss", "lower"), ("rbf-loss", "lower"),
        ("mean-square-error", "lower"), ("seconds", "lower"), ("string-loss", "lower"),
        ("test-accuracy-percent", "higher"), ("mean-roc", "higher"), ("correlation", "higher"),
        ("fraction-better-than-kpca", "higher"), ("topics-improved-of-5", "higher"),
        ("weight-1", "two-sided"), ("omega-half", "two-sided"), ("margin", "two-sided"),
        ("C", "two-sided"), ("best-cutoff", "two-sided"), ("second-eigenvalue", "two-sided"),
        ("something-new", "two-sided"), ("errors-seen", "two-sided"),
    ],
)  # fmt: skip
def test_directions(metric, way):
    assert direction(metric) == way


def test_standard_deviation_over_draws_by_hand():
    # se: measured 3 / sqrt(9) = 1, published 4 / sqrt(16) = 1, rounding 0.6^2 / 12 = 0.03
    found = judge("test-error-percent", 20.0, 3.0, 9, Published(17.0, 0.6, 4.0, 16))
    assert found.verdict == "worse"
    assert found.difference == 3
    assert found.measured_se == 1
    assert found.published_se == 1
    assert found.resolution == pytest.approx(2 * math.sqrt(2.03), rel=1e-14)
    assert found.assumed_spread == ""


def test_a_standard_error_is_taken_as_it_is():
    found = judge("classification-loss", 0.10, 0.2, 4, Published(0.5, 0.0, 0.1, None))
    assert found.published_se == 0.1
    assert found.resolution == pytest.approx(2 * math.hypot(0.1, 0.1))
    assert found.verdict == "better"


def test_without_a_published_spread_ours_is_taken_and_marked():
    found = judge("test-accuracy-percent", 90, 3.0, 9, Published(91.0, 0.1))
    assert found.assumed_spread == "published"
    assert found.published_se == 1
    assert found.resolution == pytest.approx(2 * math.sqrt(2 + 0.01 / 12))
    assert found.verdict == "agrees"


@pytest.mark.parametrize(
    ("metric", "mean", "verdict"),
    [
        ("test-error-percent", 9, "better"), ("test-error-percent", 11, "worse"),
        ("mean-roc", 9, "worse"), ("mean-roc", 11, "better"),
        ("omega-half", 9, "lower"), ("omega-half", 11, "higher"), ("unheard-of", 11, "higher"),
    ],
)  # fmt: skip
def test_sides(metric, mean, verdict):
    assert judge(metric, mean, 0.1, 25, Published(10.0, 0.01)).verdict == verdict


def test_zero_spread_is_compared_within_rounding():
    zero = Published(0.0, 0.01)
    assert judge("weight-3", 0.0, 0.0, 30, zero).verdict == "agrees"
    assert judge("weight-3", 0.0049, 0.0, 30, zero).verdict == "agrees"
    assert judge("weight-3", 0.01, 0.0, 30, zero).verdict == "higher"
    assert judge("weight-3", 0.0, 0.0, 30, zero).resolution == pytest.approx(0.01 / math.sqrt(3))


def test_one_repeat_takes_the_published_deviation_or_gives_no_verdict():
    with_sd = judge("test-error-percent", 23.0, math.nan, 1, Published(20.0, 0.0, 4.0, 16))
    assert with_sd.assumed_spread == "measured"
    assert with_sd.measured_se == 4
    assert with_sd.resolution == pytest.approx(2 * math.sqrt(16 + 1))
    assert with_sd.verdict == "agrees"
    for bare in (Published(20.0, 0.1), Published(20.0, 0.1, 0.5, None)):
        found = judge("test-error-percent", 23.0, math.nan, 1, bare)
        assert (found.verdict, found.reason) == ("not-comparable", "one-repeat")
        assert found.difference == 3
        assert math.isnan(found.resolution)


def test_an_excuse_gives_no_verdict_but_the_difference():
    found = judge("C", 5.0, 1.0, 4, Published(1.0, 1.0), not_comparable="other-data")
    assert (found.verdict, found.reason, found.difference) == ("not-comparable", "other-data", 4)
    assert found.resolution > 0


def test_words_exist_for_all_outcomes():
    assert set(VERDICTS) >= {"agrees", "better", "worse", "higher", "lower", "not-run"}
    assert {"other-data", "one-repeat", "source-unreachable", "failed"} <= set(REASONS)


@pytest.mark.parametrize("kind", ["deviation", "error", "none"])
def test_under_a_true_null_about_95_percent_agree(kind):
    rng = np.random.default_rng(20)
    n, draws, sd, step, runs = 30, 40 if kind != "none" else 30, 2.5, 0.1, 4000
    agree = 0
    for truth in rng.uniform(80, 90, runs):
        ours = rng.normal(truth, sd, n)
        theirs = rng.normal(truth, sd, draws)
        spread, k = {
            "deviation": (theirs.std(ddof=1), draws),
            "error": (theirs.std(ddof=1) / math.sqrt(draws), None),
            "none": (None, None),
        }[kind]
        printed = Published(round(theirs.mean() / step) * step, step, spread, k)
        agree += judge("test-error-percent", ours.mean(), ours.std(ddof=1), n, printed).verdict == (
            "agrees"
        )
    # Two standard errors are 95.4 % of a normal; estimated spreads take away up to one percent.
    assert 0.935 < agree / runs < 0.965


def test_a_difference_of_twice_the_resolution_is_seen():
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(500):
        ours, theirs = rng.normal(0, 1, 30), rng.normal(2 * 2 * math.sqrt(2 / 30), 1, 30)
        printed = Published(theirs.mean(), 1e-3, theirs.std(ddof=1), 30)
        seen += judge("margin", ours.mean(), ours.std(ddof=1), 30, printed).verdict == "lower"
    assert seen / 500 > 0.95


@pytest.mark.parametrize(
    ("metric", "mean", "published", "verdict"),
    [
        ("C", 3e8, 6.8e7, "agrees"),  # no ridge either way
        ("C", 3e8, 0.6, "higher"),
        ("C", 0.61, 0.60, "higher"),
        ("omega-half", 3e8, 6.8e7, "higher"),
    ],
)
def test_a_C_without_bound_is_as_good_as_another(metric, mean, published, verdict):
    assert judge(metric, mean, 1e-3, 30, Published(published)).verdict == verdict
