import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from gramworks.errors import FitError
from gramworks.fitting.metrics import area_under_curve, find_metric, metric_names


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=30))
def test_area_is_the_share_of_ordered_pairs(rows):
    truth, values = np.array([r[0] for r in rows]), np.array([r[1] for r in rows], dtype=float)
    if truth.all() or not truth.any():
        with pytest.raises(FitError, match="stratify"):
            area_under_curve(truth, values, [False, True])
        return
    pairs = values[truth][:, None] - values[~truth][None]
    expected = np.mean((pairs > 0) + 0.5 * (pairs == 0))
    assert area_under_curve(truth, values, [False, True]) == pytest.approx(expected)
    assert area_under_curve(truth, values, [False, True]) == pytest.approx(
        roc_auc_score(truth, values)
    )
    # invariant to the names of the labels and to increasing maps of the values
    names = np.where(truth, "a", "b")
    assert area_under_curve(names, np.exp(values), ["b", "a"]) == pytest.approx(expected)
    assert area_under_curve(names, -values, ["a", "b"]) == pytest.approx(expected)


def test_area_of_several_classes_is_the_mean_against_the_rest():
    rng = np.random.default_rng(0)
    truth, values = rng.integers(3, size=40), rng.normal(size=(40, 3))
    expected = np.mean([roc_auc_score(truth == c, values[:, c]) for c in range(3)])
    assert area_under_curve(truth, values, [0, 1, 2]) == pytest.approx(expected)


def test_percentages_and_squares():
    truth, predicted = np.array(["a", "b", "b", "a"]), np.array(["a", "b", "a", "a"])
    assert find_metric("test-accuracy-percent").compute(truth, predicted) == 75.0
    assert find_metric("test-error-percent").compute(truth, predicted) == 25.0
    assert find_metric("mean-square-error").compute([1, 2], [1, 4]) == 2.0
    assert not find_metric("test-error-percent").larger_is_better


def test_unknown_metrics_are_refused_with_the_nearest():
    assert "test-auc" in metric_names()
    with pytest.raises(FitError, match="did you mean 'test-auc'"):
        find_metric("test-acu")
