"""Deformed kernels against more digits: where K~ is far smaller than K, and where nu is large."""

import warnings
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError
from gramworks.learning import InvarianceKernel

TOL = 1e-6
NU = 0.125
# multiples of 1/64, so that the products by 10^k are exact as well
POINTS = np.round(np.random.default_rng(0).normal(size=(8, 3)) * 64) / 64


def deformed(K, Z, system):
    """K - Z' A^-1 Z from the rows of [A Z], A positive definite, by numbers of any kind."""
    t, p = len(K), len(Z)
    for column in range(p):
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

    t = len(points)
    K = [[product(i, j) ** degree for j in range(t)] for i in range(t)]
    Z = [
        [degree * product(i, j) ** (degree - 1) * points[j][d] for j in range(t)] for i, d in places
    ]
    system = [
        [both(*here, *there) + (1 / (2 * Fraction(nu)) if here == there else 0) for there in places]
        + Z[row]
        for row, here in enumerate(places)
    ]
    return deformed(K, Z, system)


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


def exact_gaussian(X, nu, width):
    """K - Z' (I / (2 nu) + N)^-1 Z for all derivatives of a Gaussian kernel, to 80 digits."""
    with localcontext() as context:
        context.prec = 80
        square = Decimal(width) ** 2
        points = [[Decimal(value) for value in row] for row in X.tolist()]
        places = [(i, d) for i in range(len(points)) for d in range(len(points[0]))]
        t = len(points)
        apart = [[[a - b for a, b in zip(x, y, strict=True)] for y in points] for x in points]
        K = [[(-sum(a * a for a in way) / (2 * square)).exp() for way in row] for row in apart]
        Z = [[-apart[i][j][d] / square * K[i][j] for j in range(t)] for i, d in places]
        system = [
            [
                K[i][j] / square**2 * ((square if d == e else 0) - apart[i][j][d] * apart[i][j][e])
                + (1 / (2 * Decimal(nu)) if (i, d) == (j, e) else 0)
                for j, e in places
            ]
            + Z[row]
            for row, (i, d) in enumerate(places)
        ]
        return deformed(K, Z, system)


@pytest.mark.parametrize("nu", [1.0, 1e4, 1e8, 1e12, 1e14, 1e16, 1e20, 1e100])
@pytest.mark.parametrize(
    ("shape", "width", "solver", "tol"),
    [
        ((12, 1), 0.5, "dense", 1e-6),
        ((12, 1), 3.0, "dense", 1e-6),
        ((12, 1), 3.0, "cg", 1e-10),
        ((6, 2), 1.0, "dense", 1e-6),
        ((6, 2), 1.0, "cg", 1e-10),
    ],
)
def test_large_nu_is_within_the_stated_error_or_told(nu, shape, width, solver, tol):
    X = np.random.default_rng(1).uniform(size=shape)
    wanted = exact_gaussian(X, nu, width)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = InvarianceKernel(
                nu, width=width, solver=solver, tol=tol, max_iterations=200
            ).fit(X)  # fmt: skip
        except FitError as error:
            assert "rounding has made it indefinite" in str(error)  # noqa: PT017
            return
    off = abs(model.kernel_ - wanted).max()
    told = [each for each in caught if each.category is ConvergenceWarning]
    assert off <= model.error_
    assert told or off <= 10 * tol * wanted.diagonal().max()
    if nu <= 1e4 or shape == (6, 2):
        assert not told or solver == "cg"
