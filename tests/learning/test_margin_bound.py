import itertools

import numpy as np
import pytest

from gramworks.errors import FitError
from gramworks.learning import bound_test_error


def kernels(n=8, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    return [np.exp(-squares / 2), X @ X.T]


def test_formula_by_hand():
    # n = 4, one kernel: the identity of trace 8, largest eigenvalue 1
    found = bound_test_error(
        [2.0, 1.0, 0.5, -1.0], [np.eye(8)], gamma=0.5, n_test=4, delta=0.1, constants="printed"
    )
    training = (0 + 0 + 0.5 + 2) / 4
    capacity = 8 * min(1, 4 / 8)
    deviation = 4 + np.sqrt(2 * np.log(10)) + np.sqrt(capacity / (4 * 0.25))
    assert found.training == training
    assert found.capacity == capacity
    assert found.value == pytest.approx(training + deviation / 2)
    provable = bound_test_error([2.0, 1.0, 0.5, -1.0], [np.eye(8)], gamma=0.5, n_test=4, delta=0.1)
    deviation = 4 + 2 * np.sqrt(np.log(10)) + np.sqrt(8 / (4 * 0.25))
    assert provable.value == pytest.approx(training + deviation / 2)
    assert provable.vacuous
    assert "vacuous" in str(provable)


@pytest.mark.parametrize("weights", ["nonnegative", "free"])
def test_provable_capacity_is_above_the_mean_over_all_signs(weights):
    grams = kernels()
    traces = np.array([np.trace(K) for K in grams])
    found = bound_test_error(np.ones(4), grams, gamma=1.0, n_test=4, weights=weights, trace=3.0)
    means = []
    for signs in itertools.product([-1.0, 1.0], repeat=8):
        values = np.array([np.array(signs) @ K @ np.array(signs) for K in grams])
        means.append(3.0 * (values / traces).max())  # C(K_c^+), a lower bound of C(K_c)
    assert found.capacity >= np.mean(means)


def test_printed_capacity_can_be_too_small():
    # signs have squared length 2n: for the identity s'Ks = 2n, where the theorem prints n
    found = bound_test_error(
        np.ones(4), [np.eye(8)], gamma=1.0, n_test=4, constants="printed", trace=8.0
    )
    assert found.capacity < 8.0
    assert bound_test_error(np.ones(4), [np.eye(8)], gamma=1.0, n_test=4).capacity == 8.0


def test_a_large_sample_has_a_bound_that_says_something():
    n = 800
    found = bound_test_error(np.full(n, 2.0), [np.eye(2 * n)], gamma=2.0, n_test=n, trace=4.0)
    assert not found.vacuous
    deviation = 2 * np.sqrt(np.log(20))
    assert found.value == pytest.approx((4 + deviation + np.sqrt(4 / (n * 4))) / np.sqrt(n))
    assert "vacuous" not in str(found)


def test_unequal_halves_are_refused_unless_told():
    grams = kernels(9)
    with pytest.raises(FitError, match="5 labelled and 4 test points; the theorem is for equal"):
        bound_test_error(np.ones(5), grams, gamma=1.0, n_test=4)
    told = bound_test_error(np.ones(5), grams, gamma=1.0, n_test=4, unequal=True)
    assert told.value > 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"gamma": 0.0}, "allowed: a positive finite"),
        ({"delta": 1.0}, "between 0 and 1"),
        ({"constants": "prined"}, "did you mean 'printed'"),
        ({"weights": "fre"}, "did you mean 'free'"),
    ],
)
def test_numbers_and_names_out_of_range(values, message):
    with pytest.raises(FitError, match=message):
        bound_test_error(np.ones(4), kernels(), **{"gamma": 1.0, "n_test": 4, **values})
    with pytest.raises(FitError, match="no labelled or no test point"):
        bound_test_error([], kernels(), gamma=1.0, n_test=0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"kernels": [np.eye(5)]},
            "over 5 points; the theorem wants them over all 5 labelled",
        ),
        ({"kernels": [np.zeros((10, 10))]}, "all kernels are zero"),
        ({"kernels": []}, "kernel"),
        ({"margins": [1, 1, np.nan, 1, 1]}, "one finite number"),
        ({"gamma": "a"}, "gamma='a'; allowed: a positive finite number"),
        ({"trace": -1}, "trace=-1; allowed: a positive finite number"),
        ({"delta": 1}, "delta=1; allowed: between 0 and 1"),
    ],
)
def test_what_the_bound_cannot_use_is_named(changes, message):
    given = {"margins": np.ones(5), "kernels": [np.eye(10)], "gamma": 1.0, "n_test": 5} | changes
    with pytest.raises(FitError, match=message):
        bound_test_error(given.pop("margins"), given.pop("kernels"), **given)
