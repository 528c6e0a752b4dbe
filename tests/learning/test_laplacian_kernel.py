"""LaplacianKernel against the problem with both penalties, and on awkward kernels."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone

from gramworks.errors import FitError, KernelError
from gramworks.learning import LaplacianKernel
from gramworks.solvers.laplacian import kernel_root, laplacian_of, laplacian_spectrum


def gaussian(X, Z=None, width=1.0):
    Z = X if Z is None else Z
    return np.exp(-((X[:, None] - Z[None]) ** 2).sum(-1) / (2 * width**2))


def points(n=30, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


def brute_weights(X, K, neighbours):
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        near = sorted((j for j in range(n) if j != i), key=lambda j: np.sum((X[i] - X[j]) ** 2))
        for j in near[:neighbours]:
            W[i, j] = W[j, i] = K[i, j]
    return W


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e4])
def test_printed_formula(gamma):
    X = points()
    K = gaussian(X)
    model = LaplacianKernel(gamma, neighbours=3).fit(K)
    W = brute_weights(X, K, 3)
    L = np.diag(W.sum(axis=1)) - W
    printed = K - K @ np.linalg.solve(np.eye(30) / gamma + L @ K, L @ K)
    assert_allclose(model.kernel_, printed, atol=1e-11)
    assert_array_equal(model.kernel_, model.kernel_.T)
    assert np.linalg.eigvalsh(model.kernel_)[0] > -1e-13


def test_ridge_on_it_minimises_both_penalties():
    """The representer a over all points, found by a general minimiser."""
    X, gamma, C = points(12), 0.7, 3.0
    K = gaussian(X)
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    rows = np.arange(5)
    L = laplacian_of(brute_weights(X, K, 4))
    A = K + gamma * K @ L @ K

    def objective(a):
        rest = K[rows] @ a - y[rows]
        value = 0.5 * a @ A @ a + C * rest @ rest
        return value, A @ a + 2 * C * K[:, rows] @ rest

    found = minimize(objective, np.zeros(12), jac=True, tol=1e-14, options={"maxiter": 5000})
    learned = LaplacianKernel(gamma, neighbours=4).fit(K).kernel_
    block = learned[np.ix_(rows, rows)]
    values = learned[:, rows] @ np.linalg.solve(block + np.eye(5) / (2 * C), y[rows])
    assert_allclose(values, K @ found.x, atol=2e-6)


def test_without_penalty_it_is_the_kernel_itself():
    K = gaussian(points())
    model = LaplacianKernel(0).fit(K)
    assert_array_equal(model.kernel_, K)
    assert model.kernel_ is not K
    assert_array_equal(model.extend(K[:3]), K[:3])


def test_functions_constant_on_a_component_are_free():
    """Two parts of the graph: in the limit f is constant on each, and k~ as for two points."""
    X = np.concatenate([points(8), points(8, 1) + 50.0])
    K = np.kron(np.eye(2), np.ones((8, 8))) + 0.5 * gaussian(X)
    learned = LaplacianKernel(1e9, neighbours=7).fit(K).kernel_
    for part in (slice(0, 8), slice(8, 16)):
        assert np.ptp(learned[part, part]) < 1e-6
        inverse = np.linalg.inv(K[part, part]).sum()
        assert_allclose(learned[part, part].mean(), 1.0 / inverse, rtol=1e-6)
    assert np.abs(learned[:8, 8:]).max() < 1e-12


def test_repeated_points_stay_equal():
    X = points(10)
    K = gaussian(np.concatenate([X, X[:4]]))  # singular
    learned = LaplacianKernel(2.0, neighbours=3).fit(K).kernel_
    assert_allclose(learned[:4], learned[10:], atol=1e-12)
    assert_allclose(learned[:, :4], learned[:, 10:], atol=1e-12)


def test_singular_kernel_equals_its_limit():
    rng = np.random.default_rng(3)
    F = rng.random((9, 3))
    K = F @ F.T
    W = rng.random((9, 9))
    W = W + W.T
    for gamma in (0.1, 10.0):
        learned = laplacian_spectrum(kernel_root(K), W).block(gamma)
        L = laplacian_of(W)
        assert_allclose(learned, K @ np.linalg.inv(np.eye(9) + gamma * L @ K), atol=1e-12)


def test_blocks_and_diagonals_of_many_gammas():
    K = gaussian(points())
    spectrum = laplacian_spectrum(kernel_root(K), brute_weights(points(), K, 5))
    rows, columns = np.array([3, 1]), np.array([0, 7, 29])
    for gamma in (0.0, 0.01, 5.0):
        whole = spectrum.block(gamma)
        assert_allclose(spectrum.block(gamma, rows, columns), whole[np.ix_(rows, columns)])
        assert_allclose(spectrum.block(gamma, rows), whole[np.ix_(rows, rows)])
        assert_allclose(spectrum.mean_diagonal(gamma), np.diag(whole).mean())
    assert_allclose(spectrum.block(0.0), K, atol=1e-13)


def test_extension_agrees_with_the_points_of_the_fit():
    X = points()
    K = gaussian(X)
    model = LaplacianKernel(0.5, neighbours=4).fit(K)
    assert_allclose(model.extend(K), model.kernel_, atol=1e-12)
    new = gaussian(points(3, 9), X)
    L = laplacian_of(model.weights_)
    assert_allclose(model.extend(new), new @ np.linalg.inv(np.eye(30) + 0.5 * L @ K), atol=1e-11)


def test_cloned_and_pickled():
    model = LaplacianKernel(0.3, neighbours=4)
    assert clone(model).get_params() == {"gamma": 0.3, "neighbours": 4}
    fitted = pickle.loads(pickle.dumps(model.fit(gaussian(points()))))
    assert_array_equal(fitted.kernel_, model.kernel_)


@pytest.mark.parametrize("gamma", [-1.0, np.nan, np.inf, "1", None, True])
def test_unusable_gamma(gamma):
    with pytest.raises(FitError, match="gamma"):
        LaplacianKernel(gamma).fit(gaussian(points()))


def test_unusable_kernels():
    K = gaussian(points())
    with pytest.raises(FitError, match="neighbours"):
        LaplacianKernel(1.0, neighbours=30).fit(K)
    with pytest.raises(KernelError, match="negative entries"):
        LaplacianKernel(1.0).fit(K - 0.5)
    indefinite = np.ones((6, 6)) - 0.9 * np.eye(6)
    indefinite[0, 1] = indefinite[1, 0] = 3.0
    with pytest.raises(KernelError, match="eigenvalue"):
        LaplacianKernel(1.0, neighbours=2).fit(indefinite)
