"""Deformed polynomial kernels against rational arithmetic, where K~ is far smaller than K."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gramworks.learning import InvarianceKernel

TOL = 1e-6
NU = 0.125
# multiples of 1/64, so that the products by 10^k are exact as well
POINTS = np.round(np.random.default_rng(0).normal(size=(8, 3)) * 64) / 64


def exact_kernel(X, nu, degree):
    """K - Z' (I / (2 nu) + N)^-1 Z for all derivatives of ((x, z) + 1)^degree, without rounding."""
    points = [[Fraction(value) for value in row] for row in X.tolist()]
    places = [(i, d) for i in range(len(points)) for d in range(len(points[0]))]

    def product(i, j):
        return sum(a * b for a, b in zip(points[i], points[j], strict=True)) + 1

    def both(i, d, j, e):
        s = product(i, j)
        curved = degree * (degree - 1) * s ** (degree - 2) * points[j][d] * points[i][e]
        return curved + (degree * s ** (degree - 1) if d == e else 0)

    t, p = len(points), len(places)
    K = [[product(i, j) ** degree for j in range(t)] for i in range(t)]
    Z = [
        [degree * product(i, j) ** (degree - 1) * points[j][d] for j in range(t)] for i, d in places
    ]
    system = [
        [both(*here, *there) + (1 / (2 * Fraction(nu)) if here == there else 0) for there in places]
        + Z[row]
        for row, here in enumerate(places)
    ]
    for column in range(p):  # positive definite: no pivoting
        pivot = system[column]
        for row in range(p):
            factor = system[row][column] / pivot[column]
            if row != column and factor:
                system[row] = [a - factor * b for a, b in zip(system[row], pivot, strict=True)]
    solution = [[system[k][p + j] / system[k][k] for j in range(t)] for k in range(p)]
    return np.array([
        [float(K[i][j] - sum(Z[k][i] * solution[k][j] for k in range(p))) for j in range(t)]
        for i in range(t)
    ])  # fmt: skip


@pytest.mark.parametrize("solver", ["dense", "cg"])
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("scale", [1, 10, 100, 1000])
def test_what_rounding_takes_is_within_the_stated_error_or_told(scale, degree, solver):
    X = POINTS * scale
    wanted = exact_kernel(X, NU, degree)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = InvarianceKernel(
            NU, kernel="polynomial", degree=degree, solver=solver, tol=TOL
        ).fit(X)  # fmt: skip
    off = abs(model.kernel_ - wanted).max()
    told = [str(each.message) for each in caught if each.category is ConvergenceWarning]
    assert off <= model.error_
    assert told or off <= 10 * TOL * wanted.diagonal().max()
    if scale <= 10:
        assert not told
    if (scale, degree) == (1000, 3):
        [message] = told
        assert "of the plain kernel: " in message
        assert "scale the features down" in message
        assert ("raise max_iterations" in message) == (solver == "cg")
