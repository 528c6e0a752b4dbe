"""Random walks against sums over paths, and estimates against generic solvers."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from gramworks.solvers.random_walk import (
    average_margin_parameters,
    end_posteriors,
    likelihood_parameters,
    start_probabilities,
)


def weights(seed, n):
    W = np.random.default_rng(seed).uniform(size=(n, n))
    return W + W.T


def by_paths(W, steps):
    """P(start | end) as sums over all paths of so many steps."""
    n = len(W)
    total = np.zeros((n, n))
    for path in product(range(n), repeat=steps + 1):
        chance = 1.0
        for i, j in zip(path[:-1], path[1:], strict=True):
            chance *= W[i, j] / W[i].sum()
        total[path[0], path[-1]] += chance
    return total / total.sum(axis=0)


@pytest.mark.parametrize("steps", [1, 2, 4])
def test_walks_are_sums_over_paths(steps):
    W = weights(0, 5)
    W[0, 3] = W[3, 0] = W[2, 2] = 0.0
    expected = by_paths(W, steps)
    np.testing.assert_allclose(
        start_probabilities(W, [3, 0], steps), expected[:, [3, 0]], rtol=1e-12
    )
    parameters = np.random.default_rng(1).dirichlet(np.ones(3), size=5)
    found = end_posteriors(W, parameters, steps)
    np.testing.assert_allclose(found, expected.T @ parameters, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_many_steps_keep_their_scale():
    W = 1e-200 * weights(1, 6)
    starts = start_probabilities(W, [0, 1], 500)
    np.testing.assert_allclose(starts, 1 / 6 * np.ones((6, 2)) * starts.sum(axis=0), rtol=0.6)
    np.testing.assert_allclose(starts.sum(axis=0), 1.0)


CODES = np.array([0, 0, 1, 2, 1, 0])


def test_the_average_margin_is_the_largest_by_linear_programming():
    # two classes: P(own | k) - P(other | k), means within classes, then over classes
    starts = start_probabilities(weights(2, 9), np.arange(6), 2)
    codes = CODES % 2
    found = average_margin_parameters(starts, codes, 2)
    counts = np.bincount(codes)
    gain = np.zeros((9, 2))
    for k, code in enumerate(codes):
        gain[:, code] += starts[:, k] / counts[code]
        gain[:, 1 - code] -= starts[:, k] / counts[code]
    sums = np.kron(np.eye(9), np.ones(2))
    solved = linprog(-gain.ravel(), A_eq=sums, b_eq=np.ones(9), bounds=(0, 1))
    assert (gain * found).sum() == pytest.approx(-solved.fun, rel=1e-9)
    np.testing.assert_allclose(found, solved.x.reshape(9, 2), atol=1e-9)


def test_classes_that_are_equal_share_a_start_and_unreached_ones_have_none():
    starts = np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]])
    found = average_margin_parameters(starts, np.array([0, 1]), 2)
    np.testing.assert_array_equal(found, [[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]])


def test_the_likelihood_is_the_largest_by_a_generic_solver():
    starts = start_probabilities(weights(3, 8), np.arange(6), 1)
    found, trace, converged = likelihood_parameters(starts, CODES, 3, tol=1e-13, max_iter=200_000)
    assert converged
    assert (np.diff(trace) >= -1e-14).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)

    def negated(logits):
        shares = np.exp(logits.reshape(8, 3))
        shares /= shares.sum(axis=1, keepdims=True)
        return -np.log((starts * shares[:, CODES]).sum(axis=0)).mean()

    best = min(
        minimize(negated, np.random.default_rng(s).normal(size=24), method="L-BFGS-B").fun
        for s in range(3)
    )
    assert -trace[-1] <= best + 1e-6
    # optimality: the slope along each share is at most that of the mixture
    likelihood = (starts * found[:, CODES]).sum(axis=0)
    slopes = (starts / likelihood) @ (CODES[:, None] == np.arange(3))
    mean = (found * slopes).sum(axis=1, keepdims=True)
    assert (slopes <= mean + 1e-3).all()


def test_the_cap_of_em_is_reported():
    starts = start_probabilities(weights(3, 8), np.arange(6), 1)
    assert not likelihood_parameters(starts, CODES, 3, max_iter=2)[2]
