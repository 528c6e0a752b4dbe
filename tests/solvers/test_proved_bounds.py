"""Certificates hold at any C: what rounding may have done is part of the gap."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from gramworks.solvers.bundle import relative_gap
from gramworks.solvers.margin import minimise_margin
from gramworks.solvers.proved_products import multiply_in_pieces, multiply_quickly
from gramworks.solvers.svm_dual import solve_svm


def overlapping(n=100):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.8 * rng.normal(size=n) > 0, 1.0, -1.0)


def least_errors(X, y):
    """Least sum of xi over all planes, the limit of the optimum over C."""
    n, d = X.shape
    rows = -np.hstack([y[:, None] * X, y[:, None], np.eye(n)])
    bounds = [(None, None)] * (d + 1) + [(0, None)] * n
    costs = np.append(np.zeros(d + 1), np.ones(n))
    return linprog(costs, A_ub=rows, b_ub=-np.ones(n), bounds=bounds).fun


@pytest.mark.parametrize("C", [1e6, 1e8, 3e10, 1e12, 1e13, 1e14])
def test_at_huge_bounds_the_gap_covers_the_distance_to_the_optimum(C):
    X, y = overlapping()
    least = least_errors(X, y)  # |w|^2 / 2 adds less than 1e-4 / C here
    found = minimise_margin([X @ X.T], y, C=C)
    assert found.objective / C >= least * (1 - 1e-9)
    assert (1 - found.gap) * found.objective / C <= least * (1 + 1e-6)
    assert found.converged == (found.gap <= 1e-6)
    assert found.converged == (C <= 1e8)


@pytest.mark.parametrize("multiply", [multiply_quickly, multiply_in_pieces])
@pytest.mark.parametrize("size", [1.0, 1e10])
def test_products_are_within_their_bounds_of_exact_ones(multiply, size):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    K, v = X @ X.T, size * rng.normal(size=30) * 10.0 ** rng.integers(-6, 3, size=30)
    v[::4] = 0.0
    product, errors, square, error = multiply(K, v)
    exact = [sum(Fraction(a) * Fraction(b) for a, b in zip(row, v, strict=True)) for row in K]
    for found, bound, true in zip(product, errors, exact, strict=True):
        assert abs(Fraction(found) - true) <= Fraction(bound)
    true = sum(Fraction(a) * b for a, b in zip(v, exact, strict=True))
    assert abs(Fraction(square) - true) <= Fraction(error)
    if multiply is multiply_in_pieces:  # cancelling to the last bits
        assert error <= 1e-20 * np.diag(K).max() * np.abs(v).sum() ** 2 + 1e-15 * abs(square)


def test_what_is_lacking_of_the_equality_is_taken_off_the_dual(monkeypatch):
    X, y = overlapping(30)
    optimum = solve_svm(X @ X.T, y, 1.0, gap=1e-9).primal

    def unbalanced(K, signs, C, **options):
        return np.where(signs > 0, 0.3 * C, 0.0), 1, True

    monkeypatch.setattr("gramworks.solvers.svm_dual.minimise_sequentially", unbalanced)
    assert solve_svm(X @ X.T, y, 1.0).dual <= optimum


def test_bounds_of_a_machine_that_cross_prove_nothing():
    found = solve_svm(np.eye(2), np.array([1.0, -1.0]), 1.0, gap=1e-6)
    assert found.converged
    assert replace(found, dual=found.primal * (1 + 1e-9)).gap == np.inf


def test_bounds_that_cross_are_no_gap_of_zero():
    assert relative_gap(1.0, 1.001) == np.inf
    assert relative_gap(1.0, 1.0) == 0.0
    assert relative_gap(0.0, 0.0) == 0.0
