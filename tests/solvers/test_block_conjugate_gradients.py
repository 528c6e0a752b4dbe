"""Block conjugate gradients and the preconditioner of deformed kernels against dense solutions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramworks.learning.deformation import Deformation
from gramworks.solvers.block_conjugate_gradients import block_conjugate_gradients
from gramworks.solvers.functional_preconditioner import Preconditioner


def problem(p=60, s=5, condition=1e3, seed=0):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(p, p)))[0]
    A = (Q * np.logspace(0, np.log10(condition), p)) @ Q.T
    return 0.5 * (A + A.T), rng.normal(size=(s, p))


def solve(A, right, **options):
    return block_conjugate_gradients(
        lambda P: P @ A.astype(P.dtype), lambda R: R.copy(), right.copy(),
        **{"tol": 1e-10, "max_iterations": 200, **options},
    )  # fmt: skip


def test_it_is_the_dense_solution():
    A, right = problem()
    solution, residual, _ = solve(A, right)
    assert_allclose(solution, np.linalg.solve(A, right.T).T, atol=1e-9)
    assert residual.max() <= 1e-10


def test_right_hand_sides_help_each_other():
    A, right = problem(p=200, s=20)
    alone = max(solve(A, row[None], tol=1e-6)[2] for row in right)
    together = solve(A, right, tol=1e-6)[2]
    assert 3 * together < alone


def test_dependent_and_empty_right_hand_sides():
    A, right = problem(s=4)
    right = np.vstack([right, right[0], right[1] - right[2], np.zeros_like(right[0])])
    solution, residual, _ = solve(A, right, tol=1e-8)
    assert_allclose(solution, np.linalg.solve(A, right.T).T, atol=1e-6)
    assert residual.max() <= 1e-8
    nothing, found, iterations = solve(A, np.zeros((3, 60)))
    assert (nothing == 0).all()
    assert iterations == 0
    assert (found == 0).all()


def test_more_right_hand_sides_than_unknowns_and_single_precision():
    A, right = problem(p=10, s=30, condition=10)
    assert_allclose(solve(A, right)[0], np.linalg.solve(A, right.T).T, atol=1e-8)
    A, right = problem(condition=30)
    solution, residual, _ = solve(A, right.astype(np.float32), tol=1e-4)
    assert solution.dtype == np.float32
    missed = np.linalg.norm(right - solution @ A, axis=1) / np.linalg.norm(right, axis=1)
    assert missed.max() <= 2e-4
    assert residual.max() <= 1e-4


def test_the_cap_on_iterations_is_kept_and_told():
    A, right = problem(condition=1e6)
    told = []
    _, residual, iterations = solve(A, right, max_iterations=3, log=lambda *line: told.append(line))
    assert iterations == 3
    assert residual.max() > 1e-10
    assert [line[0] for line in told] == [1, 2, 3]


@pytest.mark.parametrize("shape", [(8, 3), (5, 5), (6, 1)])
def test_the_preconditioner_inverts_the_kronecker_part_with_the_swap(shape):
    X, nu = np.random.default_rng(1).normal(size=shape), 0.4
    system = Deformation(X, width=1.5).system
    t, n = shape
    H = system.expansion.gram / 1.5**2 + np.eye(t) / (2 * nu)
    Y = system.expansion.swap_factor()
    # A -> H A + Y A' Y, a column for each entry of A
    units = np.eye(t * n).reshape(-1, t, n)
    M = np.array([(H @ A + Y @ A.T @ Y).ravel() for A in units]).T
    assert np.linalg.eigvalsh(M)[0] > 0  # it must not make the preconditioner indefinite
    R = np.random.default_rng(2).normal(size=(3, t * n))
    assert_allclose(Preconditioner(system).at(nu)(R), np.linalg.solve(M, R.T).T, atol=1e-10)


def test_the_preconditioner_is_exact_for_the_quadratic_kernel():
    X = np.random.default_rng(3).normal(size=(7, 3))
    system = Deformation(X, kernel="polynomial", degree=2).system
    N = system.dense() + np.eye(system.count) / 0.6
    R = np.random.default_rng(4).normal(size=(2, system.count))
    assert_allclose(Preconditioner(system).at(0.3)(R), np.linalg.solve(N, R.T).T, atol=1e-9)
