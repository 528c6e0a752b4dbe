import numpy as np
import pytest

from gramworks.solvers.active_set import FreeSystem, polish_dual
from gramworks.solvers.interior_point import maximise_dual
from gramworks.solvers.libsvm import minimise_sequentially
from gramworks.solvers.margin_criterion import MarginCriterion
from gramworks.solvers.svm_dual import solve_svm


def problem(seed, n=60, d=3, copies=1):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n, d)), copies, axis=0)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n * copies) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    return np.exp(-squares / 2), X @ X.T, y


def value(K, y, alpha):
    return alpha.sum() - 0.5 * (y * alpha) @ K @ (y * alpha)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", [0, 1])  # of full rank, of rank three
def test_rough_coefficients_become_exact(kernel, C):
    settled = 0
    for seed in range(6):
        *grams, y = problem(seed)
        K = grams[kernel]
        rough, _, _ = minimise_sequentially(K, y, C, tol=1e-2)
        found = polish_dual(K, y, C, rough)
        if found is None:
            continue
        settled += 1
        alpha, system = found
        exact = value(K, y, maximise_dual(K, y, C, accuracy=1e-12))
        assert value(K, y, alpha) == pytest.approx(exact, rel=1e-10)
        assert abs(alpha @ y) <= 1e-9 * alpha.sum()
        assert alpha.min() >= 0
        assert alpha.max() <= C
        np.testing.assert_array_equal(system.free, np.flatnonzero((alpha > 0) & (alpha < C)))
    assert settled >= 5


def test_repeated_points_settle():
    K, _, y = problem(0, n=20, copies=3)
    rough, _, _ = minimise_sequentially(K, y, 1.0, tol=1e-2)
    alpha, _ = polish_dual(K, y, 1.0, rough)
    exact = value(K, y, maximise_dual(K, y, 1.0, accuracy=1e-12))
    assert value(K, y, alpha) == pytest.approx(exact, rel=1e-9)


def test_a_start_that_leads_nowhere_is_told():
    K, _, y = problem(1)
    assert polish_dual(K, y, 1.0, np.zeros(y.size)) is None
    assert polish_dual(np.zeros_like(K), y, 1.0, np.full(y.size, 0.5)) is None


def test_a_warm_start_gives_what_a_cold_one_does():
    K, L, y = problem(2)
    before = solve_svm(K, y, 1.0, gap=1e-9)
    mixed = 0.95 * K + 0.05 * L
    warm = solve_svm(mixed, y, 1.0, gap=1e-9, start=before.alpha)
    cold = solve_svm(mixed, y, 1.0, gap=1e-9)
    assert warm.n_iter == 0  # LIBSVM was not asked
    assert warm.primal == pytest.approx(cold.primal, rel=1e-8)


def test_system_solves_its_equations():
    K, _, y = problem(3)
    free = np.arange(0, 60, 3)
    system = FreeSystem.of(K, y, free, 0.0)
    right = np.random.default_rng(0).normal(size=(20, 2))
    a, b = system.solve(right, balance=0.0)
    G = K[np.ix_(free, free)] * np.outer(y[free], y[free])
    np.testing.assert_allclose(G @ a + np.outer(y[free], b), right, atol=1e-8)
    np.testing.assert_allclose(y[free] @ a, 0.0, atol=1e-10)


def test_second_derivatives_of_the_criterion_match_differences():
    K, L, y = problem(4)
    transform = np.eye(2)
    criterion = MarginCriterion(
        [K, L], y[None], transform, np.array([0.0, 0.3]), fixed_ridge=0.1, C=2.0,
        spans=np.ones(2), max_steps=100_000,
    )  # fmt: skip
    centre, step = np.array([0.7, 0.4]), 1e-5
    cut = criterion.evaluate(centre, 1e-12)
    for j in range(2):
        ends = [criterion.evaluate(centre + s * step * np.eye(2)[j], 1e-12) for s in (1, -1)]
        np.testing.assert_allclose(
            (ends[0].value - ends[1].value) / (2 * step), cut.slope[j], rtol=1e-5
        )
        np.testing.assert_allclose(
            (ends[0].slope - ends[1].slope) / (2 * step), cut.curvature[j], rtol=2e-3
        )
