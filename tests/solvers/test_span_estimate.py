"""The span estimate against machines fitted without each point in turn."""

import numpy as np
import pytest

from gramworks.errors import FitError
from gramworks.solvers.span_estimate import span_estimate
from gramworks.solvers.svm_dual import solve_svm


def problem(seed, n=16, d=4, kernel="gaussian", shift=0.8):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 2, 1.0, -1.0)
    X = rng.normal(size=(n, d))
    X[:, 0] += shift * y
    if kernel == "linear":
        return X @ X.T, y
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / 6), y


def leave_one_out(K, y, C):
    """Margins of each point on the machine without it, and states of the points there."""
    margins, states = [], []
    for p in range(y.size):
        rest = np.delete(np.arange(y.size), p)
        machine = solve_svm(K[np.ix_(rest, rest)], y[rest], C, gap=1e-10)
        margins.append(y[p] * (K[p, rest] @ (y[rest] * machine.alpha) + machine.intercept))
        states.append(state(machine.alpha, C))
    return np.array(margins), states


def state(alpha, C):
    """0 no support vector, 1 free, 2 at the bound."""
    return np.where(alpha < 1e-6 * min(C, alpha.max()), 0, np.where(alpha > (1 - 1e-6) * C, 2, 1))


def hull_distance(K, p, others):
    """Squared distance from the affine hull, by least squares in coordinates."""
    values, vectors = np.linalg.eigh(K)
    X = vectors * np.sqrt(np.maximum(values, 0))
    base, rest = X[others[0]], X[others[1:]] - X[others[0]]
    residual = X[p] - base
    if len(rest):
        residual = residual - rest.T @ np.linalg.lstsq(rest.T, residual, rcond=1e-10)[0]
    return residual @ residual


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("C", [1.0, 2.0, 1e3])
def test_exact_where_the_support_vectors_stay(kernel, C):
    compared = 0
    for seed in range(12):
        K, y = problem(seed, kernel=kernel, shift=2.0 if kernel == "linear" else 0.8)
        found = span_estimate(K, y, C, tol=1e-9)
        margins, states = leave_one_out(K, y, C)
        own = state(found.alpha, C)
        for p in range(y.size):
            rest = np.delete(np.arange(y.size), p)
            if np.array_equal(own[rest], states[p]) and np.any(states[p] == 1):
                drop = found.margins[p] - margins[p]
                assert found.values[p] == pytest.approx(drop, abs=1e-6 * max(1, abs(drop)))
                compared += 1
    assert compared > 30


@pytest.mark.parametrize("C", [0.5, 1e3])
def test_spans_are_distances_from_the_hull_of_the_others(C):
    compared = 0
    for seed in range(4):
        K, y = problem(seed)
        found = span_estimate(K, y, C)
        own = state(found.alpha, C)
        for p in np.flatnonzero(own):
            others = [q for q in np.flatnonzero(own == 1) if q != p]
            if others:
                assert found.spans[p] == pytest.approx(hull_distance(K, p, others), abs=1e-9)
                compared += own[p]
    assert compared > 20


@pytest.mark.parametrize(("C", "shift"), [(1.0, 0.8), (2.0, 0.8), (1e3, 0.8), (1e3, 2.0)])
def test_near_the_leave_one_out_error_over_many_problems(C, shift):
    estimates, exact = [], []
    for seed in range(30):
        K, y = problem(seed, shift=shift)
        estimates.append(span_estimate(K, y, C).error)
        exact.append(np.mean(leave_one_out(K, y, C)[0] <= 0))
    assert abs(np.mean(estimates) - np.mean(exact)) < 0.05
    assert np.mean(np.abs(np.subtract(estimates, exact))) < 0.06


def test_points_that_are_no_support_vectors_are_left_as_they_are():
    K, y = problem(0, n=40, kernel="linear", shift=4.0)
    found = span_estimate(K, y, 1e3)
    idle = found.alpha == 0
    assert idle.sum() > 30
    assert not found.values[idle].any()
    assert found.error <= np.mean(~idle)


def test_two_points():
    K, y = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -1.0])
    distance = 2.0
    found = span_estimate(K, y, 1e3)
    np.testing.assert_allclose(found.spans, distance, rtol=1e-6)
    # alpha = 2 / distance: without the one, all is of the other's class
    np.testing.assert_allclose(found.values, 2.0, rtol=1e-6)
    assert found.error == 1.0
    bound = span_estimate(K, y, 0.1)  # both at the bound
    np.testing.assert_allclose(bound.alpha, 0.1)
    assert bound.error == 1.0


def test_without_free_support_vectors_the_machine_is_fitted_again():
    K = np.ones((10, 10))  # what a cluster kernel of rank one is: nothing to learn from
    y = np.repeat([1.0, -1.0], 5)
    found = span_estimate(K, y, 1.0)
    assert found.n_refits == 10
    # the class of the point left out is the smaller one
    assert found.error == 1.0
    np.testing.assert_allclose(found.margins - found.values, -1.0, atol=1e-6)
    K, y = problem(3)
    small = span_estimate(K, y, 1e-3)
    margins, _ = leave_one_out(K, y, 1e-3)
    assert small.n_refits == y.size
    np.testing.assert_allclose(small.margins - small.values, margins, atol=1e-5)


def test_a_point_alone_in_its_class_is_an_error():
    K, y = problem(1)
    y[:] = -1.0
    y[0] = 1.0
    for C in (1e-3, 0.05, 1e3):
        found = span_estimate(K, y, C)
        assert found.values[0] >= found.margins[0]


@pytest.mark.parametrize("C", [2.0, 1e3])
def test_a_point_given_twice_is_not_missed(C):
    K, y = problem(2, n=12)
    twice = np.concatenate([np.arange(12), [0, 7]])
    K, y = K[np.ix_(twice, twice)], y[twice]
    found = span_estimate(K, y, C)
    exact, _ = leave_one_out(K, y, C)
    for p in (0, 12, 7, 13):
        assert (
            found.alpha[p] + found.alpha[(set(np.flatnonzero(twice == twice[p])) - {p}).pop()] < C
        )
        assert found.values[p] == 0
        assert exact[p] == pytest.approx(found.margins[p], abs=1e-5)


def test_dependent_support_vectors_of_a_kernel_of_low_rank():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([1.0, -1.0], 8), rng.integers(-1, 2, 16)])
    y = np.repeat([1.0, -1.0], 8)
    y[[3, 12]] *= -1  # neither side is pure
    K = X @ X.T
    found = span_estimate(K, y, 1e3)
    assert np.isfinite(found.values).all()
    # where points that carry no weight could take over, the estimate is on the safe side
    exact, _ = leave_one_out(K, y, 1e3)
    assert (found.margins - found.values <= exact + 1e-5).all()
    assert np.mean(exact <= 0) <= found.error <= 4 / 16


def test_scale_of_the_kernel_does_not_matter():
    K, y = problem(5)
    one, other = span_estimate(K, y, 2.0), span_estimate(1e6 * K, y, 2e-6)
    np.testing.assert_allclose(other.values, one.values, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(other.spans, 1e6 * one.spans, rtol=1e-5, atol=1e-2)
    assert one.converged
    assert one.gap <= 1e-6


def test_unusable_problems_are_refused():
    K, y = problem(0)
    with pytest.raises(FitError, match="all of one sign"):
        span_estimate(K, np.ones(16), 1.0)
    with pytest.raises(FitError, match="C is inf"):
        span_estimate(K, y, np.inf)
