"""Machines along a grid of C against LIBSVM and the interior point method."""

import numpy as np
import pytest

from gramworks.kernels.gaussian_kernel import gaussian
from gramworks.solvers.interior_point import maximise_dual
from gramworks.solvers.libsvm import minimise_sequentially
from gramworks.solvers.sequential_minimal import minimise_path

GRID = np.array([0.03, 0.5, 8.0, 500.0, 1e4])


def problem(seed, n=90, width=1.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    return gaussian(X, width=width), y


def dual(K, y, ridge, alpha):
    signed = y * alpha
    return alpha.sum() - 0.5 * (signed @ K @ signed + ridge * alpha @ alpha)


@pytest.mark.parametrize("width", [0.3, 1.5, 6.0])
@pytest.mark.parametrize("squared", [False, True])
def test_every_machine_of_the_path_is_optimal(width, squared):
    K, y = problem(0, width=width)
    bounds, ridges = (GRID * y.size, 1.0 / GRID) if squared else (GRID, 0.0 * GRID)
    alphas, scores, _, converged = minimise_path(K, y, bounds, ridges, tol=1e-6, max_iter=10**7)
    assert converged.all()
    for alpha, found, C, ridge in zip(alphas, scores, bounds, ridges, strict=True):
        assert alpha.min() >= 0
        assert alpha.max() <= C
        np.testing.assert_allclose(y @ alpha, 0.0, atol=1e-9 * alpha.sum())
        exact = maximise_dual(K + ridge * np.eye(y.size), y, C, accuracy=1e-10)
        assert dual(K, y, ridge, alpha) >= dual(K, y, ridge, exact) * (1 - 1e-7)
        # slopes that were made up for, or carried over thousands of steps, are still right
        np.testing.assert_allclose(
            found, K @ (y * alpha) + ridge * y * alpha, atol=1e-9 * max(1.0, alpha.sum())
        )


def test_from_nothing_it_stops_where_libsvm_does():
    K, y = problem(1)
    alphas, _, steps, _ = minimise_path(K, y, np.array([2.0]), np.zeros(1))
    theirs, their_steps, _ = minimise_sequentially(K, y, 2.0)
    assert abs(dual(K, y, 0, alphas[0]) - dual(K, y, 0, theirs)) < 1e-3
    assert steps[0] < 2 * their_steps


def test_a_machine_without_a_coefficient_at_its_bound_costs_nothing_more():
    K, y = problem(2, width=0.3)
    alphas, _, steps, _ = minimise_path(K, y, np.array([100.0, 1000.0]), np.zeros(2))
    assert alphas[0].max() < 100
    assert steps[1] == 0
    np.testing.assert_array_equal(alphas[0], alphas[1])


def test_the_cap_on_steps_is_kept_and_told():
    K, y = problem(3, width=6.0)
    alphas, scores, steps, converged = minimise_path(
        K, y, np.array([1e6]), np.zeros(1), max_iter=400
    )
    assert steps.tolist() == [400]
    assert not converged.any()
    np.testing.assert_allclose(scores[0], K @ (y * alphas[0]), atol=1e-9 * alphas.sum())


def test_points_that_coincide_are_no_trouble():
    K, y = problem(4, n=30)
    K, y = np.tile(K, (2, 2)), np.concatenate([y, -y])  # every point twice, once of either class
    alphas, _, _, converged = minimise_path(K, y, np.array([1.0]), np.zeros(1))
    assert converged.all()
    np.testing.assert_allclose(alphas, 1.0)
