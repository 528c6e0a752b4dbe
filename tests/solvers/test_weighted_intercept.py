"""The intercept of weighted hinge losses against a fine grid."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramworks.solvers.svm_certificate import find_intercept


def total(b, scores, signs, costs):
    return np.sum(costs * np.maximum(0, 1 - signs * (scores + b)))


@pytest.mark.parametrize("seed", range(20))
def test_least_sum(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    signs = np.r_[1.0, -1.0, rng.choice([-1.0, 1.0], n - 2)] if n > 2 else np.array([1.0, -1.0])
    scores = rng.normal(size=signs.size)
    for costs in (rng.uniform(0.1, 3, signs.size), np.where(signs > 0, 2.0, 2.0)):
        intercept, hinge = find_intercept(scores, signs, costs)
        assert_allclose(hinge, total(intercept, scores, signs, costs))
        least = min(total(b, scores, signs, costs) for b in signs - scores)  # at a breakpoint
        assert_allclose(hinge, least, rtol=1e-12, atol=1e-12)


def test_equal_costs_are_no_costs():
    rng = np.random.default_rng(0)
    signs, scores = rng.choice([-1.0, 1.0], 15), rng.normal(size=15)
    plain = find_intercept(scores, signs)
    weighted = find_intercept(scores, signs, np.full(15, 0.3))
    assert_allclose(weighted[0], plain[0])
    assert_allclose(weighted[1], 0.3 * plain[1])


def test_balanced_classes_have_the_middle_of_the_interval():
    """Five against two points that all miss their margin: any b between the sides will do."""
    signs = np.array([1.0] * 5 + [-1.0] * 2)
    costs = np.where(signs > 0, 1 / 5, 1 / 2)
    scores = np.array([0.1, 0.2, 0.3, 0.1, 0.2, -0.1, -0.2])
    assert_allclose(find_intercept(scores, signs, costs)[0], 0.5 * ((-1 + 0.2) + (1 - 0.3)))
