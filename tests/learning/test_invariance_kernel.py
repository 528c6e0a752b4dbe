"""InvarianceKernel against dense definitions, the full problem, limits and awkward data."""

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError, KernelError
from gramworks.learning import Gradient, GraphDifference, InvarianceKernel, LocalAverage, Tangent
from gramworks.learning.deformation import Deformation
from gramworks.learning.deformed_series import deformed_kernels

KERNELS = [{"width": 1.2}, {"kernel": "polynomial", "degree": 3}]


def points(t=8, n=3, seed=0):
    return np.random.default_rng(seed).normal(size=(t, n)) / 2


def by_loops(X, parameters):
    """K, Z (t, p) and N of all derivatives, an entry at a time from the printed formulas."""
    t, n = X.shape
    K, Z = np.empty((t, t)), np.empty((t, t, n))
    N = np.empty((t, n, t, n))
    for i in range(t):
        for j in range(t):
            if "width" in parameters:
                s2 = parameters["width"] ** 2
                away = X[i] - X[j]
                K[i, j] = np.exp(-away @ away / (2 * s2))
                Z[i, j] = K[i, j] * away / s2  # derivative of k(x_i, .) at x_j
                N[i, :, j] = K[i, j] / s2**2 * (s2 * np.eye(n) - np.outer(away, away))
            else:
                u, r = X[i] @ X[j] + 1.0, parameters["degree"]
                K[i, j], Z[i, j] = u**r, r * u ** (r - 1) * X[i]
                N[i, :, j] = r * u ** (r - 2) * (
                    (r - 1) * np.outer(X[j], X[i]) + u * np.eye(n)
                )  # fmt: skip
    return K, Z.reshape(t, -1), N.reshape(t * n, -1)


def definition(X, parameters, nu):
    K, Z, N = by_loops(X, parameters)
    return K - Z @ np.linalg.solve(np.eye(len(N)) / (2 * nu) + N, Z.T)


@pytest.mark.parametrize("nu", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("parameters", KERNELS)
def test_direct_and_iterative_paths_meet_the_dense_definition(parameters, nu):
    X = points(12)
    wanted = definition(X, parameters, nu)
    size = abs(wanted).max()
    direct = InvarianceKernel(nu, solver="dense", **parameters).fit(X)
    assert_allclose(direct.kernel_, wanted, atol=1e-8 * size)
    assert direct.residual_ < 1e-10
    iterative = InvarianceKernel(nu, solver="cg", **parameters).fit(X)
    assert_allclose(iterative.kernel_, wanted, atol=1e-5 * size)
    assert iterative.residual_ <= 1e-6
    for model in (direct, iterative):
        assert_array_equal(model.kernel_, model.kernel_.T)
        assert np.linalg.eigvalsh(model.kernel_)[0] > -1e-12 * size


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-3])
def test_the_stated_error_holds_and_the_kernel_stays_semidefinite(tol):
    X, nu = points(20, 6), 1.0
    wanted = definition(X, {"width": 1.2}, nu)
    model = InvarianceKernel(nu, width=1.2, solver="cg", tol=tol).fit(X)
    assert model.residual_ <= tol
    assert abs(model.kernel_ - wanted).max() <= model.error_ + 1e-6
    assert np.linalg.eigvalsh(model.kernel_)[0] > -1e-6
    # the residual is that of the systems, from the solution kept
    system, _, B = (model._fitted[0].system, *model._fitted[1:])
    K, Z, N = by_loops(X, {"width": 1.2})
    missed = Z - B @ N - B / (2 * nu)
    worst = (np.linalg.norm(missed, axis=1) / np.linalg.norm(Z, axis=1)).max()
    assert model.residual_ == pytest.approx(worst, rel=1e-3)
    assert system.count == 120


@pytest.mark.parametrize("parameters", KERNELS)
def test_ridge_regression_on_it_solves_the_full_problem(parameters):
    X, X_new, nu, weight = points(10), points(4, seed=1), 0.3, 2.0
    known, y = np.arange(6), np.array([1.0, -1.0, 0.5, 2.0, 0.0, -0.5])
    # min |f|^2/2 + weight sum (f(x_i) - y_i)^2 + nu sum L_j(f)^2 over f = sum a k + sum b z
    K, Z, N = by_loops(X, parameters)
    joint = np.block([[K[:6, :6], Z[:6]], [Z[:6].T, N]])
    values, slopes = joint[:6], joint[6:]
    left = joint + 2 * weight * values.T @ values + 2 * nu * slopes.T @ slopes
    solution = np.linalg.lstsq(left, 2 * weight * values.T @ y, rcond=1e-13)[0]
    model = InvarianceKernel(nu, **parameters).fit(X)
    block = model.kernel_[np.ix_(known, known)]
    alpha = np.linalg.solve(block + np.eye(6) / (2 * weight), y)
    assert_allclose(model.kernel_[:, known] @ alpha, np.c_[K[:, :6], Z] @ solution, atol=1e-7)
    both = np.vstack([X, X_new])
    K2, Z2, _ = by_loops(both, parameters)
    cross = np.c_[K2[10:, :6], Z2[10:, : Z.shape[1]]]
    assert_allclose(model.extend(X_new)[:, known] @ alpha, cross @ solution, atol=1e-7)


@pytest.mark.parametrize("solver", ["dense", "cg", "span"])
@pytest.mark.parametrize("parameters", KERNELS)
def test_extension_agrees_with_the_kernel_of_the_fit(parameters, solver):
    X = points(9, 14)  # fewer points than features: turned to principal axes
    model = InvarianceKernel(0.05, solver=solver, tol=1e-9, **parameters).fit(X)
    assert_allclose(model.extend(X), model.kernel_, atol=1e-7 * abs(model.kernel_).max())
    X_new = points(3, 14, seed=1)
    if solver != "span":
        K, Z, N = by_loops(np.vstack([X, X_new]), parameters)
        p = X.size
        wanted = K[9:, :9] - Z[9:, :p] @ np.linalg.solve(np.eye(p) * 10 + N[:p, :p], Z[:9, :p].T)
        assert_allclose(model.extend(X_new), wanted, atol=1e-7 * abs(wanted).max())


def test_no_weight_gives_the_plain_kernel_and_much_weight_a_flat_one():
    X = points(7)
    plain = InvarianceKernel(0, width=1.2).fit(X)
    K, _, _ = by_loops(X, {"width": 1.2})
    assert_allclose(plain.kernel_, K, atol=1e-15)
    assert_array_equal(plain.kernel_, InvarianceKernel(0.0, width=1.2, solver="cg").fit(X).kernel_)
    assert_allclose(plain.extend(X[:2]), K[:2], atol=1e-15)
    near = InvarianceKernel(1e-9, width=1.2).fit(X).kernel_
    assert 0 < abs(near - K).max() < 1e-7
    # derivatives of k~(x_a, .) at the points, by moving them
    step, slopes = 1e-5, {}
    for nu in (1e-2, 1.0, 1e4):
        model = InvarianceKernel(nu, width=1.2).fit(X)
        moved = [model.extend(X + s * step * np.eye(3)[0]) for s in (1, -1)]
        slopes[nu] = abs(moved[0] - moved[1]).max() / (2 * step)
    assert slopes[1e-2] > 3 * slopes[1.0]
    assert slopes[1e4] < 1e-4
    linear = InvarianceKernel(1e8, kernel="polynomial", degree=1).fit(X).kernel_
    assert_allclose(linear, 1.0, atol=1e-6)  # what is left of x'z + 1 has no slope


def test_the_span_is_below_and_near_for_small_weights():
    X = points(15)
    for nu, bound in ((1e-4, 1e-4), (1.0, 1.0)):
        exact = InvarianceKernel(nu, width=1.2).fit(X).kernel_
        span = InvarianceKernel(nu, width=1.2, solver="span").fit(X)
        assert np.isnan(span.residual_)
        assert np.linalg.eigvalsh(exact - span.kernel_)[0] > -1e-10
        assert 0 < np.linalg.norm(exact - span.kernel_) < bound * np.linalg.norm(exact)
    K, Z, _ = by_loops(X, {"width": 1.2})
    wanted = K @ np.linalg.lstsq(K + 2 * Z @ Z.T, K, rcond=1e-14)[0]
    assert_allclose(span.kernel_, wanted, atol=1e-7)


@pytest.mark.parametrize("precomputed", [False, True])
@pytest.mark.parametrize("solver", ["auto", "cg", "span"])
def test_graph_differences_give_the_kernel_of_the_laplacian_norm(precomputed, solver):
    X, nu = points(10), 0.7
    W = np.random.default_rng(2).random((10, 10))
    W = W + W.T
    L = np.diag(W.sum(1) - np.diag(W)) - (W - np.diag(np.diag(W)))
    K = by_loops(X, {"width": 1.2})[0]
    wanted = K - K @ np.linalg.solve(np.eye(10) / (2 * nu) + L @ K, L @ K)
    kernel = {"kernel": "precomputed"} if precomputed else {"width": 1.2}
    model = InvarianceKernel(nu, GraphDifference(W), solver=solver, tol=1e-10, **kernel)
    model.fit(K if precomputed else X)
    assert_allclose(model.kernel_, wanted, atol=1e-9)
    assert_allclose(model.extend(K[:3] if precomputed else X[:3]), wanted[:3], atol=1e-8)


def test_kinds_of_functionals_together_and_images():
    X = np.random.default_rng(3).random((6, 16))
    kinds = [Tangent((4, 4)), LocalAverage(0.5), GraphDifference(np.ones((6, 6))), Gradient()]
    direct = InvarianceKernel(0.2, kinds, solver="dense").fit(X)
    iterative = InvarianceKernel(0.2, kinds, solver="cg", tol=1e-9).fit(X)
    assert_allclose(iterative.kernel_, direct.kernel_, atol=1e-10)
    assert_allclose(direct.extend(X), direct.kernel_, atol=1e-12)


@pytest.mark.parametrize("solver", ["dense", "cg", "span"])
def test_degenerate_data(solver):
    X = np.repeat(points(5), 2, axis=0)
    X = np.c_[X, np.full(10, 3.0)]  # every row twice, a constant feature
    model = InvarianceKernel(0.5, width=1.2, solver=solver).fit(X)
    assert_allclose(model.kernel_[::2], model.kernel_[1::2], atol=1e-6)
    if solver != "span":
        assert_allclose(model.kernel_, definition(X, {"width": 1.2}, 0.5), atol=1e-6)
    same = InvarianceKernel(0.5, width=1.0, solver=solver).fit(np.ones((4, 3)))
    assert_allclose(same.kernel_, 1.0, atol=1e-9)
    one = InvarianceKernel(0.5, width=1.0, solver=solver).fit(np.ones((1, 3)))
    assert_allclose(one.kernel_, [[1.0]], atol=1e-12)


def test_several_nu_share_and_come_one_after_another():
    X, told = points(10), []
    nus = [1e-2, 0, 1.0]
    for nu, (own, found) in zip(
        nus, deformed_kernels(X, nus, solver="cg", log=told.append), strict=True
    ):
        model = InvarianceKernel(nu, solver="cg").fit(X)
        assert own == nu
        assert_array_equal(found.kernel, model.kernel_)
        assert found.residual == model.residual_ <= 1e-6
        assert found.error == model.error_
    assert any("nu = 1: block 1 of 1" in line for line in told)
    with pytest.raises(FitError, match="nu=-1"):
        deformed_kernels(X, [0, -1])


def test_too_few_iterations_are_told():
    X = points(20, 5)
    with pytest.warns(ConvergenceWarning, match="raise max_iterations"):
        model = InvarianceKernel(10.0, solver="cg", tol=1e-10, max_iterations=2).fit(X)
    assert model.residual_ > 1e-10
    assert model.n_iter_ == 2
    assert np.linalg.eigvalsh(model.kernel_)[0] > -1e-12


def test_it_follows_the_conventions_of_scikit_learn():
    X = points()
    model = InvarianceKernel(0.3, [Gradient(), LocalAverage(0.5)], width=1.2).fit(X)
    copy = clone(model)
    assert copy.get_params()["nu"] == 0.3
    assert not hasattr(copy, "kernel_")
    assert_array_equal(copy.fit(X).kernel_, model.kernel_)
    back = pickle.loads(pickle.dumps(model))
    assert_array_equal(back.extend(X), model.extend(X))
    assert model.n_features_in_ == 3
    assert model.solver_ == "dense"
    before = X.copy()
    model.set_params(solver="cg").fit(X)
    pickle.dumps(model)
    assert_array_equal(X, before)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"nu": -0.1}, FitError, "nu=-0.1"),
        ({"nu": float("nan")}, FitError, "nu=nan"),
        ({"nu": True}, FitError, "nu=True"),
        ({"nu": "1"}, FitError, "nu='1'"),
        ({"width": 0}, FitError, "width=0"),
        ({"width": -1.0}, FitError, "width=-1"),
        ({"kernel": "rbf"}, FitError, "gaussian, polynomial"),
        ({"kernel": "polynomial"}, FitError, "degree=None"),
        ({"kernel": "polynomial", "degree": 0}, FitError, "degree=0"),
        ({"kernel": "polynomial", "degree": 2, "offset": -1}, KernelError, "offset"),
        ({"kernel": "polynomial", "degree": 2, "offset": None}, KernelError, "offset"),
        ({"functionals": Tangent((1, 3), background=np.nan)}, FitError, "background=nan"),
        ({"functionals": Tangent((1, 3), background="x")}, FitError, "background='x'"),
        ({"functionals": Tangent((1, 3), moves=5)}, FitError, "moves=5"),
        ({"kernel": "polynomial", "degree": 2, "width": 1.0}, KernelError, "width=1.0"),
        ({"degree": 2}, KernelError, "degree=2"),
        ({"solver": "lu"}, FitError, "cg, dense, span"),
        ({"tol": 0}, FitError, "tol=0"),
        ({"max_iterations": 0}, FitError, "max_iterations=0"),
    ],
)
def test_unusable_parameters_are_refused(parameters, error, words):
    with pytest.raises(error, match=words):
        InvarianceKernel(**{"nu": 0.1, **parameters}).fit(points())


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.full((4, 2), np.nan), "nan in row 0"),
        (np.ones((4, 0)), "at least one row and column"),
        (np.ones(4), "reshape"),
        (np.array([["a", "b"]]), "real numbers"),
        (np.ones((1, 3)), "two points"),  # the median distance of one point
    ],
)
def test_unusable_data_are_refused(X, words):
    with pytest.raises(KernelError, match=words):
        InvarianceKernel(0.1).fit(X)


def test_new_points_of_another_width_are_refused():
    model = InvarianceKernel(0.1).fit(points())
    with pytest.raises(KernelError, match="the points of the fit have 3"):
        model.extend(points(2, 4))
    with pytest.raises(KernelError, match="nan"):
        model.extend(np.full((1, 3), np.nan))
    other = InvarianceKernel(0.1, GraphDifference(np.ones((8, 8))), kernel="precomputed")
    with pytest.raises(FitError, match=r"\(n_new, 8\)"):
        other.fit(np.eye(8)).extend(np.ones((2, 7)))


def test_the_structured_product_keeps_within_its_memory():
    # the size of BCI: 46800 functionals, whose Gram matrix would take 17 GB
    X = np.random.default_rng(4).normal(size=(400, 117))
    system = Deformation(X, solver="cg").system
    assert system.count == 46800
    B = np.random.default_rng(5).normal(size=(8, system.count))
    tracemalloc.start()
    NB, _ = system.product(B)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert B[0] @ NB[1] == pytest.approx(B[1] @ NB[0], rel=1e-9)


@pytest.mark.parametrize("nu", [0, 0.3])
@pytest.mark.parametrize("solver", ["dense", "cg", "span"])
def test_a_kernel_of_new_points_is_only_read(nu, solver):
    K = by_loops(points(), {"width": 1.2})[0]
    model = InvarianceKernel(
        nu, GraphDifference(np.ones((8, 8))), kernel="precomputed", solver=solver
    ).fit(K)
    K_new = K[:3].copy()
    K_new.setflags(write=False)
    first = model.extend(K_new)
    assert not np.shares_memory(first, K_new)
    assert_array_equal(model.extend(K_new), first)
    assert_array_equal(K_new, K[:3])
    assert_allclose(first, model.kernel_[:3], atol=1e-5)
