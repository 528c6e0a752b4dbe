"""Inputs at the edge of deformed kernels and those of the Laplacian: right, or refused by name."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import rbf_kernel

from gramworks.errors import FitError, KernelError
from gramworks.learning import GraphDifference, InvarianceKernel, JointGram, LaplacianKernel
from gramworks.learning.deformed_series import deformed_kernels

X = np.random.default_rng(0).normal(size=(12, 2))
X_NEW = np.random.default_rng(1).normal(size=(5, 2))
SOLVERS = ["dense", "cg", "span"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_graph_without_edges_changes_nothing(solver):
    empty = GraphDifference(np.zeros((12, 12)))
    both = InvarianceKernel(1.0, ["gradient", empty], width=1.0, solver=solver).fit(X)
    alone = InvarianceKernel(1.0, width=1.0, solver=solver).fit(X)
    assert_allclose(both.kernel_, alone.kernel_, atol=1e-6)
    none = InvarianceKernel(1.0, empty, width=1.0, solver=solver).fit(X)
    assert_allclose(none.kernel_, rbf_kernel(X, gamma=0.5), atol=1e-12)


def test_a_joint_matrix_of_a_graph_without_edges():
    joint = JointGram(X, GraphDifference(np.zeros((12, 12))), width=1.0)
    assert joint.count == 0
    assert_allclose(joint.matrix, rbf_kernel(X, gamma=0.5), atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("nu", [0, 0.01, 1.0])
def test_an_indefinite_kernel_is_refused(nu, solver):
    K = np.diag([1.0, 1, 1, 1, 1, -1])
    with pytest.raises(KernelError, match="eigenvalue of -1"):
        InvarianceKernel(
            nu, GraphDifference(np.ones((6, 6))), kernel="precomputed", solver=solver
        ).fit(K)  # fmt: skip


@pytest.mark.parametrize("gamma", [0, 1.0])
def test_an_indefinite_kernel_has_no_laplacian_one(gamma):
    with pytest.raises(KernelError, match="eigenvalue of -1"):
        LaplacianKernel(gamma, neighbours=1).fit(np.array([[0.0, 1], [1, 0]]))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("width", [1e-160, 1e-100, 1e78, 1e100])
def test_widths_whose_fourth_power_is_no_number_are_refused(width, solver):
    with pytest.raises(KernelError, match="1e-70 to 1e\\+70"):
        InvarianceKernel(1.0, width=width, solver=solver).fit(X)


@pytest.mark.parametrize("scale", [1e78, 1e-78])
def test_so_are_median_widths(scale):
    with pytest.raises(KernelError, match="scale the features"):
        InvarianceKernel(1.0).fit(X * scale)


def test_entries_whose_products_are_no_numbers_are_refused():
    K = rbf_kernel(X, gamma=0.2)
    with pytest.raises(KernelError, match="entries up to 1e\\+160"):
        LaplacianKernel(1.0, neighbours=3).fit(K * 1e160)
    scaled = LaplacianKernel(1e-90, neighbours=3).fit(K * 1e90)
    alone = LaplacianKernel(1e90, neighbours=3).fit(K)
    assert np.isfinite(scaled.kernel_).all()
    assert_allclose(alone.kernel_, LaplacianKernel(1e95, neighbours=3).fit(K).kernel_, atol=1e-9)


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e6, 1e9, 1e12, 1e16, 1e100])
def test_laplacian_kernels_reach_new_points_for_any_gamma(gamma):
    K = rbf_kernel(X, gamma=0.2)
    model = LaplacianKernel(gamma, neighbours=4).fit(K)
    assert_allclose(model.extend(K), model.kernel_, atol=1e-11)
    # A new point is one more of all points, without edges, whose kernel is that of all of them.
    everything = np.r_[X, X_NEW]
    whole = rbf_kernel(everything, gamma=0.2)
    n = len(X)
    if gamma <= 1e6:
        L = np.zeros_like(whole)
        L[:n, :n] = np.diag(model.weights_.sum(axis=1)) - model.weights_
        inverse = np.linalg.solve(np.eye(len(whole)) + gamma * whole @ L, whole)
        assert_allclose(model.extend(whole[n:, :n]), inverse[n:, :n], atol=1e-9)
    bound = np.sqrt(model.kernel_.diagonal())  # |k~(x, z)|^2 <= k~(x, x) k~(z, z), k~ <= k = 1
    assert np.all(np.abs(model.extend(whole[n:, :n])) <= bound + 1e-9)


def test_masked_and_sparse_kernels_of_new_points_are_refused_by_name():
    K = rbf_kernel(X, gamma=0.5)
    model = InvarianceKernel(1.0, GraphDifference(K), kernel="precomputed").fit(K)
    with pytest.raises(FitError, match="mask"):
        model.extend(np.ma.masked_less(K, 0.5))
    with pytest.raises(FitError, match="sparse"):
        model.extend(csr_array(K))
    assert_allclose(model.extend(K), model.kernel_, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("parameters", [{"width": 1.0}, {"kernel": "polynomial", "degree": 2}])
def test_what_becomes_of_the_array_of_a_fit_changes_nothing(parameters, solver):
    given = X.copy()
    model = InvarianceKernel(1.0, solver=solver, **parameters).fit(given)
    before = model.extend(X_NEW)
    given[:] = 0
    assert_array_equal(model.extend(X_NEW), before)


def test_parameters_without_a_part_are_refused():
    with pytest.raises(KernelError, match=r"offset=7.0 has no part"):
        InvarianceKernel(1.0, offset=7.0).fit(X)
    with pytest.raises(FitError, match="a sequence of numbers"):
        deformed_kernels(X, None)
    with pytest.raises(FitError, match=r"nu=\[0.1, 1\]; .* several: gramworks.learning.deformed_k"):
        InvarianceKernel([0.1, 1]).fit(X)
