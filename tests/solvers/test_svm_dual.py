import cvxpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramworks.errors import FitError
from gramworks.solvers import libsvm
from gramworks.solvers.interior_point import maximise_dual
from gramworks.solvers.svm_certificate import find_intercept
from gramworks.solvers.svm_dual import solve_svm


def problem(seed, n=24, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def reference_primal(X, y, C):
    """The primal in input space: no Gram matrix, no dual, another solver."""
    w, b = cvxpy.Variable(X.shape[1]), cvxpy.Variable()
    hinge = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(y, X @ w + b)))
    task = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(w) + C * hinge))
    task.solve(solver=cvxpy.CLARABEL)
    assert task.status == cvxpy.OPTIMAL
    return task.value, X @ w.value, b.value


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("seed", [0, 1])
def test_value_and_decisions_match_a_generic_solver_in_input_space(seed, C):
    X, y = problem(seed)
    value, decisions, intercept = reference_primal(X, y, C)
    K = X @ X.T
    found = solve_svm(K, y, C, gap=1e-9)
    assert found.converged
    assert found.primal == pytest.approx(value, rel=1e-6)
    scores = K @ (y * found.alpha)
    np.testing.assert_allclose(scores, decisions, rtol=0, atol=1e-3 * np.abs(decisions).max())
    if np.any((found.alpha > 1e-3 * C) & (found.alpha < 0.999 * C)):  # else b is not unique
        assert found.intercept == pytest.approx(intercept, abs=2e-3 * np.abs(decisions).max())


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    C=st.floats(1e-3, 1e3),
    tol=st.sampled_from([1.0, 1e-1, 1e-3]),
    max_iter=st.integers(1, 30),
)
def test_bounds_enclose_the_optimum_however_early_the_search_stops(seed, C, tol, max_iter):
    X, y = problem(seed, n=14)
    rough = solve_svm(X @ X.T, y, C, tol=tol, max_iter=max_iter)
    fine = solve_svm(X @ X.T, y, C, gap=1e-9)
    slack = 1e-9 * fine.primal
    assert rough.dual <= fine.primal + slack
    assert rough.primal >= fine.dual - slack
    assert np.all(rough.alpha >= 0)
    assert np.all(rough.alpha <= C)
    assert abs(rough.alpha @ y) <= 1e-9 * max(rough.alpha.sum(), C)


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.integers(-4, 4), min_size=2, max_size=9),
    seed=st.integers(0, 1000),
)
def test_the_intercept_is_the_best_over_all_breakpoints(scores, seed):
    scores = np.array(scores, dtype=float)
    y = np.random.default_rng(seed).choice([-1.0, 1.0], size=scores.size)
    y[:2] = 1.0, -1.0
    intercept, hinge = find_intercept(scores, y)
    sums = [np.maximum(0, 1 - y * (scores + b)).sum() for b in y - scores]
    assert hinge == pytest.approx(min(sums), abs=1e-12)
    assert np.maximum(0, 1 - y * (scores + intercept)).sum() == pytest.approx(hinge)


@pytest.mark.parametrize(
    ("scale", "C"), [(1.0, 1e6), (1.0, 1e8), (1e8, 1.0), (1e-8, 1.0), (1e-8, 1e8)]
)
def test_extreme_scales_are_still_certified(scale, C):
    X, y = problem(3, n=40)
    found = solve_svm(scale * (X @ X.T), y, C, gap=1e-6)
    assert found.converged
    assert found.gap <= 1e-6


def test_scaling_kernel_and_bound_against_each_other_scales_the_value():
    X, y = problem(4)
    one = solve_svm(X @ X.T, y, 10.0, gap=1e-9)
    other = solve_svm(1e6 * (X @ X.T), y, 10.0 / 1e6, gap=1e-9)
    assert other.primal * 1e6 == pytest.approx(one.primal, rel=1e-7)


def test_interior_point_and_libsvm_agree():
    X, y = problem(5)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=-1))
    alpha = maximise_dual(K, y, 1.0)
    np.testing.assert_allclose(alpha, solve_svm(K, y, 1.0, tol=1e-8).alpha, atol=1e-6)
    assert abs(alpha @ y) < 1e-10


def test_known_solution_of_two_points():
    # w = (x1 - x2) 2 / |x1 - x2|^2: |w|^2 / 2 = 2 / distance^2
    K = np.array([[4.0, 0.0], [0.0, 1.0]])
    found = solve_svm(K, np.array([1.0, -1.0]), 1e3, gap=1e-10)
    assert found.primal == pytest.approx(2 / 5)
    np.testing.assert_allclose(found.alpha, [0.4, 0.4], rtol=1e-6)


def test_zero_kernel_leaves_the_smaller_class_as_errors():
    y = np.array([1.0, 1.0, 1.0, -1.0])
    found = solve_svm(np.zeros((4, 4)), y, 2.0, gap=1e-8)
    assert found.primal == pytest.approx(2.0 * 2)
    assert found.intercept > 0


def test_both_ways_into_libsvm_give_the_same(monkeypatch):
    X, y = problem(6)
    direct = libsvm.minimise_sequentially(X @ X.T, y, 1.0, tol=1e-6)
    monkeypatch.setattr(libsvm, "_binding", None)
    through = libsvm.minimise_sequentially(X @ X.T, y, 1.0, tol=1e-6)
    np.testing.assert_array_equal(direct[0], through[0])
    assert direct[1:] == through[1:]


def test_unscaled_polynomial_of_degree_seven_ends_at_the_cap():
    rng = np.random.default_rng(0)
    X = 10 * rng.normal(size=(200, 2))
    y = np.where(X[:, 0] * X[:, 1] + 30 * rng.normal(size=200) > 0, 1.0, -1.0)
    found = solve_svm((1 + X @ X.T) ** 7, y, 1.0, max_iter=5_000)
    assert not found.converged
    assert found.n_iter == 5_000


@pytest.mark.parametrize("C", [0, -1.0, np.inf, np.nan])
def test_unusable_bounds_are_refused(C):
    with pytest.raises(FitError, match="allowed: a positive finite number"):
        solve_svm(np.eye(2), np.array([1.0, -1.0]), C)


def test_one_class_is_refused():
    with pytest.raises(FitError, match="all of one sign"):
        solve_svm(np.eye(2), np.ones(2), 1.0)
