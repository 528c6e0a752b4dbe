import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from gramworks.errors import FitError
from gramworks.solvers.ridge import solve_ridge


def problem(seed, n=20, d=4, q=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 3, rng.normal(size=(n, q))


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("ridge", [1e-3, 1.0, 1e3])
def test_matches_ridge_regression_in_input_space(ridge, centre):
    X, Y = problem(0)
    new = np.random.default_rng(1).normal(size=(5, 4))
    found = solve_ridge(X @ X.T, Y, ridge, centre=centre)
    reference = Ridge(alpha=ridge, fit_intercept=centre, solver="cholesky").fit(X, Y)
    fitted = new @ X.T @ found.coefficients + found.intercept
    np.testing.assert_allclose(fitted, reference.predict(new), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("centre", [True, False])
def test_leave_one_out_residuals_by_leaving_one_out(centre):
    X, Y = problem(2)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=-1))
    found = solve_ridge(K, Y, 0.3, centre=centre)
    for i in range(len(K)):
        rest = np.delete(np.arange(len(K)), i)
        without = solve_ridge(K[np.ix_(rest, rest)], Y[rest], 0.3, centre=centre)
        left_out = Y[i] - (K[i, rest] @ without.coefficients + without.intercept)
        np.testing.assert_allclose(found.left_out[i], left_out, rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(shift=st.floats(-1e6, 1e6), lift=st.floats(0, 1e3), seed=st.integers(0, 100))
def test_shifts_of_targets_and_of_the_kernel_do_not_change_the_fit(shift, lift, seed):
    X, Y = problem(seed)
    K = X @ X.T
    one = solve_ridge(K, Y, 1.0)
    other = solve_ridge(K + lift, Y + shift, 1.0)
    np.testing.assert_allclose(other.coefficients, one.coefficients, atol=1e-9)
    fitted = K @ one.coefficients + one.intercept
    np.testing.assert_allclose(
        (K + lift) @ other.coefficients + other.intercept - shift, fitted, atol=2e-8
    )


@pytest.mark.parametrize("ridge", [0, -1, np.nan, np.inf])
def test_unusable_ridges_are_refused(ridge):
    with pytest.raises(FitError, match="ridge is .*; allowed: a positive finite number"):
        solve_ridge(np.eye(3), np.ones((3, 1)), ridge)


def test_an_indefinite_kernel_is_refused():
    with pytest.raises(FitError, match="not positive definite"):
        solve_ridge(-np.eye(3), np.ones((3, 1)), 0.5)
