"""Deformed kernels where float32, iterations or factors come to their end: right, or said."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError
from gramworks.learning import InvarianceKernel
from gramworks.learning.deformation import Deformation
from gramworks.learning.deformed_series import deformed_kernels

X = np.random.default_rng(0).normal(size=(30, 3))


def both(X, nu, tol=1e-3, **parameters):
    """The kernel by iterations, and by a factor."""
    quick = Deformation(X, solver="cg", tol=tol, **parameters).deform(nu)
    return quick, Deformation(X, solver="dense", **parameters).deform(nu).kernel


@pytest.mark.parametrize("tol", [1e-3])
@pytest.mark.parametrize("relative", [1.0, 1e4])
@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e12])
def test_the_kernel_does_not_depend_on_the_units_of_the_features(scale, relative, tol):
    quick, wanted = both(X * scale, relative * scale**2, tol, width=scale)
    assert quick.met
    assert quick.residual <= tol
    assert quick.error <= 10 * tol * quick.kernel.diagonal().max()
    assert abs(quick.kernel - wanted).max() <= quick.error + 1e-6


def test_what_float32_does_not_reach_is_solved_in_float64():
    told = []
    data = np.random.default_rng(0).normal(size=(60, 3))  # float32 led away from 1e5 on
    options = {"width": 2.0, "max_iterations": 150, "log": told.append}
    quick = Deformation(data, solver="cg", tol=1e-3, **options).deform(1e8)
    assert any("once more in float64" in line for line in told)
    wanted = Deformation(data, solver="dense", width=2.0).deform(1e8).kernel
    assert abs(quick.kernel - wanted).max() <= quick.error + 1e-6


@pytest.mark.parametrize(
    ("data", "nu", "parameters"),
    [
        (X * 1e-4 + 5, 0.1, {"width": 1e-3}),
        (X[:, :1], 1e8, {"width": 0.5}),
        (X * 100, 0.1, {"kernel": "polynomial", "degree": 3}),
        (X * 100, 0.1, {"kernel": "polynomial", "degree": 7}),
        (X, 1e12, {}),
    ],
)
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_iterations_never_fail_and_no_solution_is_worse_than_none(data, nu, parameters, tol):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = InvarianceKernel(nu, solver="cg", tol=tol, max_iterations=150, **parameters).fit(
            data[:20]
        )
    assert np.isfinite(model.kernel_).all()
    assert model.residual_ <= 1.0
    size = model.kernel_.diagonal().max()
    met = model.residual_ <= tol and model.error_ <= 10 * tol * size
    said = [each for each in caught if each.category is ConvergenceWarning]
    assert bool(said) != met


def test_a_residual_within_tol_is_not_enough_where_the_kernel_may_be_far():
    """Of K, 1e8 large, hardly anything is left: a relative residual of 1e-3 says nothing."""
    quick, wanted = both(X[:9] * 100, 0.1, kernel="polynomial", degree=2)
    assert quick.met
    assert_allclose(quick.kernel, wanted, atol=1e-2 * wanted.max())


def test_a_factor_that_rounding_denies_is_an_error_of_ours():
    data = np.repeat(X[:6], 2, axis=0)
    with pytest.raises(FitError, match="Lower nu"):
        InvarianceKernel(1e12, width=1e-3, solver="dense").fit(data)


def test_several_kernels_say_which_missed():
    with pytest.warns(ConvergenceWarning, match=r"nu = 10: .* raise max_iterations"):
        list(deformed_kernels(X, [0, 10.0], solver="cg", tol=1e-10, max_iterations=2))
    with pytest.raises(FitError, match=r"give \[0.1\]"):
        deformed_kernels(X, 0.1)
    for wrong in (None, np.array(0.1)):
        with pytest.raises(FitError, match="a sequence of numbers"):
            deformed_kernels(X, wrong)
