"""Machines on points and functionals against generic solvers, and their certificates."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramworks.solvers.convex_losses import LOSSES, PENALTIES, Losses, Penalties
from gramworks.solvers.joint_machine import solve_joint
from gramworks.solvers.svm_dual import solve_svm

EPSILON = 0.05


def random_problem(points=8, functionals=12, features=15, seed=0):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(points + functionals, features)) / np.sqrt(features)
    signs = np.where(np.arange(points) % 3 == 0, -1.0, 1.0)
    costs = rng.uniform(0.5, 4.0, points)
    return F, signs, costs


def reference(F, losses, penalties, bias, solver):
    """State the problem in the features' space."""
    w, b = cp.Variable(F.shape[1]), cp.Variable() if bias else 0.0
    k = losses.signs.size
    margins = cp.multiply(losses.signs, F[:k] @ w + b)
    each = {
        "logistic": cp.logistic(-margins),
        "hinge": cp.pos(1 - margins),
        "squared": cp.square(1 - margins),
    }[losses.kind]
    u = F[k:] @ w
    wanted = {
        "squared": cp.sum_squares(u),
        "absolute": cp.norm1(u),
        "epsilon-insensitive": cp.sum(cp.pos(cp.abs(u) - penalties.epsilon)),
    }[penalties.kind]
    value = cp.sum_squares(w) / 2 + losses.costs @ each + penalties.nu * wanted
    options = {"eps": 1e-9, "max_iters": 200_000} if solver == "SCS" else {}
    return cp.Problem(cp.Minimize(value)).solve(solver=solver, **options)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("loss", "penalty"), list(itertools.product(LOSSES, PENALTIES)))
def test_two_generic_solvers_agree(loss, penalty, bias):
    F, signs, costs = random_problem()
    losses, penalties = Losses(loss, signs, costs), Penalties(penalty, 0.7, EPSILON)
    found = solve_joint(F @ F.T, losses, penalties, bias=bias, tol=1e-9)
    assert found.converged
    for solver, accuracy in (("CLARABEL", 1e-7), ("SCS", 1e-5)):
        assert_allclose(
            found.objective, reference(F, losses, penalties, bias, solver), rtol=accuracy
        )


@pytest.mark.parametrize(("loss", "penalty"), list(itertools.product(LOSSES, PENALTIES)))
def test_the_gap_encloses_the_optimum(loss, penalty):
    F, signs, costs = random_problem(seed=1)
    losses, penalties = Losses(loss, signs, costs), Penalties(penalty, 0.3, EPSILON)
    best = solve_joint(F @ F.T, losses, penalties, tol=1e-10).objective
    for cap in range(6):
        early = solve_joint(F @ F.T, losses, penalties, tol=1e-10, max_iter=cap)
        assert early.objective >= best * (1 - 1e-9)
        assert early.objective * (1 - early.gap) <= best * (1 + 1e-9)


@pytest.mark.parametrize(("loss", "penalty"), list(itertools.product(LOSSES, PENALTIES)))
def test_the_objective_is_that_of_the_coefficients(loss, penalty):
    F, signs, costs = random_problem(seed=2)
    M = F @ F.T
    losses, penalties = Losses(loss, signs, costs), Penalties(penalty, 0.3, EPSILON)
    found = solve_joint(M, losses, penalties, tol=1e-8)
    f, k = M @ found.coefficients, signs.size
    margins = signs * (f[:k] + found.intercept)
    each = {
        "logistic": np.log1p(np.exp(-margins)),
        "hinge": np.maximum(0, 1 - margins),
        "squared": (1 - margins) ** 2,
    }[loss]
    wanted = {
        "squared": f[k:] ** 2,
        "absolute": np.abs(f[k:]),
        "epsilon-insensitive": np.maximum(0, np.abs(f[k:]) - EPSILON),
    }[penalty]
    value = 0.5 * found.coefficients @ f + costs @ each + 0.3 * wanted.sum()
    assert_allclose(found.objective, value, rtol=1e-12)


def test_hinge_alone_is_the_support_vector_machine():
    F, signs, _ = random_problem(30, 0, seed=3)
    for C in (0.1, 10.0, 1e4):
        found = solve_joint(
            F @ F.T, Losses("hinge", signs, np.full(30, C)), Penalties("squared", 1.0), tol=1e-9
        )
        plain = solve_svm(F @ F.T, signs, C, gap=1e-9)
        assert found.converged
        assert_allclose(found.objective, plain.primal, rtol=1e-7)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_squared_penalty_is_a_deformed_kernel(loss):
    """k~ = k - z'(I / (2 nu) + N)^-1 z on the points."""
    F, signs, costs = random_problem(20, 25, seed=4)
    M, nu, k = F @ F.T, 0.8, 20
    z, N = M[:k, k:], M[k:, k:]
    deformed = M[:k, :k] - z @ np.linalg.solve(np.eye(25) / (2 * nu) + N, z.T)
    losses = Losses(loss, signs, costs)
    joint = solve_joint(M, losses, Penalties("squared", nu), tol=1e-11)
    alone = solve_joint(deformed, losses, Penalties("squared", nu), tol=1e-11)
    assert_allclose(joint.objective, alone.objective, rtol=1e-9)
    values = (M @ joint.coefficients)[:k] + joint.intercept
    assert_allclose(values, deformed @ alone.coefficients + alone.intercept, atol=1e-4)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize(("loss", "penalty"), list(itertools.product(LOSSES, PENALTIES)))
def test_awkward_matrices(loss, penalty, C):
    """Repeated points with both labels, zero functionals, rank one, one point a class."""
    rng = np.random.default_rng(5)
    base = rng.normal(size=(6, 3))
    cases = [
        np.concatenate([base, base, np.zeros((4, 3))]),
        np.outer(rng.normal(size=14), [1.0, 0.0, 0.0]),
        10.0 * rng.normal(size=(14, 3)),
        np.zeros((14, 3)),
    ]
    for F in cases:
        for signs in (np.repeat([-1.0, 1.0], 6), np.array([-1.0, 1.0])):
            losses = Losses(loss, signs, np.full(signs.size, C))
            found = solve_joint(F @ F.T, losses, Penalties(penalty, 1.0, EPSILON), tol=1e-5)
            assert np.isfinite(found.objective)
            assert found.converged, (F[0], signs.size, found.gap)


def test_epsilon_zero_is_the_absolute_penalty():
    F, signs, costs = random_problem(seed=6)
    values = [
        solve_joint(F @ F.T, Losses("logistic", signs, costs), penalty, tol=1e-9).objective
        for penalty in (Penalties("absolute", 0.4), Penalties("epsilon-insensitive", 0.4, 0.0))
    ]
    assert_allclose(values[0], values[1], rtol=1e-8)
