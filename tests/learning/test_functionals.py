"""Inner products of functionals against finite differences, quadrature and loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from gramworks.errors import FitError, KernelError
from gramworks.learning.deformation import Deformation
from gramworks.learning.functionals import Gradient, GraphDifference, LocalAverage, Tangent
from gramworks.learning.image_moves import image_tangents

WIDTH = 1.3
KERNELS = {
    "gaussian": ({"width": WIDTH}, lambda x, z: np.exp(-np.sum((x - z) ** 2) / (2 * WIDTH**2))),
    "linear": ({"degree": 1, "offset": 0.5}, lambda x, z: x @ z + 0.5),
    "quadratic": ({"degree": 2, "offset": 1.0}, lambda x, z: (x @ z + 1.0) ** 2),
    "quartic": ({"degree": 4, "offset": 0.0}, lambda x, z: (x @ z) ** 4),
}


def points(t=6, n=3, seed=0):
    return np.random.default_rng(seed).normal(size=(t, n))


def system(X, functionals, name="gaussian"):
    parameters, _ = KERNELS[name]
    kernel = "gaussian" if name == "gaussian" else "polynomial"
    return Deformation(X, functionals=functionals, kernel=kernel, **parameters).system


def differences(k, X, directions):
    """N, and z_j at the points, by central differences of the kernel alone."""
    step = 1e-4
    places = [(x, v) for x, vs in zip(X, directions, strict=True) for v in vs]
    values = np.array(
        [[(k(x + step * v, z) - k(x - step * v, z)) / (2 * step) for x, v in places] for z in X]
    )
    N = np.array([[
        (k(x + step * v, z + step * u) - k(x + step * v, z - step * u)
         - k(x - step * v, z + step * u) + k(x - step * v, z - step * u)) / (4 * step**2)
        for z, u in places] for x, v in places])  # fmt: skip
    return N, values


@pytest.mark.parametrize("name", KERNELS)
def test_derivatives_are_finite_differences(name):
    X = points()
    found = system(X, Gradient(), name)
    N, values = differences(KERNELS[name][1], X, [np.eye(3)] * len(X))
    assert_allclose(found.dense(), N, atol=3e-6 * abs(N).max())
    assert_allclose(found.columns(slice(None)), values, atol=1e-7 * abs(values).max())
    assert_array_equal(found.dense(), found.dense().T)


@pytest.mark.parametrize("name", KERNELS)
def test_tangents_are_finite_differences(name):
    X = np.random.default_rng(1).random((3, 16))
    described = Tangent((4, 4), {"translate-rows": 1.0, "rotate": 20.0})
    found = system(X, described, name)
    tangents = image_tangents(X, (4, 4), {"translate-rows": 1.0, "rotate": 20.0})
    N, values = differences(KERNELS[name][1], X, tangents)
    assert_allclose(found.dense(), N, atol=3e-6 * abs(N).max())
    assert_allclose(found.columns(slice(None)), values, atol=1e-7 * abs(values).max())


def test_linear_kernel_through_the_origin_has_no_division_by_zero():
    X = np.zeros((4, 2))
    found = Deformation(X, kernel="polynomial", degree=1, offset=0.0).system
    assert_array_equal(found.dense(), np.kron(np.ones((4, 4)), np.eye(2)))


@pytest.mark.parametrize("n", [1, 2])
def test_local_averages_are_quadrature(n):
    X, theta = points(4, n, seed=2), 0.6
    # the average by Gauss-Hermite quadrature, exact beyond float64 for so smooth a kernel
    nodes, weights = np.polynomial.hermite_e.hermegauss(24)
    weights /= weights.sum()
    grid = np.stack(np.meshgrid(*[nodes] * n, indexing="ij"), axis=-1).reshape(-1, n)
    mass = np.prod(np.meshgrid(*[weights] * n, indexing="ij"), axis=0).ravel()

    def z(i, x):
        around = X[i] + theta * grid
        return mass @ np.exp(-((around - x) ** 2).sum(1) / (2 * WIDTH**2)) - np.exp(
            -((X[i] - x) ** 2).sum() / (2 * WIDTH**2)
        )

    found = Deformation(X, functionals=LocalAverage(theta), width=WIDTH).system
    values = np.array([[z(i, x) for i in range(4)] for x in X])
    assert_allclose(found.columns(slice(None)), values, atol=1e-12)
    N = np.array([
        [mass @ [z(i, x) for x in X[j] + theta * grid] - z(i, X[j]) for j in range(4)]
        for i in range(4)
    ])  # fmt: skip
    assert_allclose(found.dense(), N, atol=1e-12)


def test_graph_differences_are_their_loop():
    X = points(5)
    W = np.triu(np.random.default_rng(3).random((5, 5)), 1)
    W[0, 3] = 0.0
    W += W.T
    K = np.array([[KERNELS["gaussian"][1](x, z) for z in X] for x in X])
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5) if W[i, j]]
    N = np.array([
        [np.sqrt(W[i, j] * W[p, q]) * (K[i, p] + K[j, q] - K[j, p] - K[i, q]) for p, q in pairs]
        for i, j in pairs
    ])  # fmt: skip
    family = GraphDifference(sp.csr_array(W)).family(system(X, Gradient()).expansion, X)
    full = type(system(X, Gradient()))(system(X, Gradient()).expansion, [family])
    assert full.count == 9
    assert_allclose(full.dense(), N, atol=1e-13)
    assert system(X, GraphDifference(W)).count == 4  # as few have the same sum of squares


def test_functionals_of_several_kinds_have_joint_inner_products():
    X = points(5)
    W = np.ones((5, 5))
    kinds = [Gradient(), LocalAverage(0.5), GraphDifference(W), LocalAverage(0.8)]
    found = system(X, kinds)
    N, Z = found.dense(), found.columns(slice(None))
    assert np.linalg.eigvalsh(N)[0] > -1e-12
    starts = found.ends
    for i, kind in enumerate(kinds):
        alone = system(X, kind)
        part = slice(starts[i], starts[i + 1])
        own, values = Z[:, part], alone.columns(slice(None))
        # of graph differences only the sum of squares is theirs
        assert_allclose(
            np.linalg.eigvalsh(N[part, part]), np.linalg.eigvalsh(alone.dense()), atol=1e-12
        )
        assert_allclose(own @ own.T, values @ values.T, atol=1e-12)
    # <grad, average>: derivative of z of the average, which its values at moved points give
    step, average = 1e-5, slice(starts[1], starts[2])
    for axis in range(3):
        move = np.zeros(3)
        move[axis] = step
        slopes = (found.new_columns(X + move) - found.new_columns(X - move)) / (2 * step)
        assert_allclose(N[axis : starts[1] : 3, average], slopes[:, average], atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 4), (5, 1), (3, 7), (8, 2), (1, 1)])
@pytest.mark.parametrize("name", KERNELS)
def test_structured_products_are_those_of_the_dense_matrix(shape, name):
    X = points(*shape, seed=4)
    found = system(X, Gradient(), name)
    assert found.count == shape[0] * min(shape)
    B = np.random.default_rng(5).normal(size=(4, found.count))
    N, Z = found.dense(), found.columns(slice(None))
    NB, Zb = found.product(B)
    assert_allclose(NB, B @ N, atol=1e-13 * max(abs(N).max(), 1))
    assert_allclose(Zb, B @ Z.T, atol=1e-13 * max(abs(Z).max(), 1))
    single = found.single().product(B.astype(np.float32))[0]
    assert single.dtype == np.float32
    assert_allclose(single, NB, atol=1e-5 * max(abs(NB).max(), 1))


@pytest.mark.parametrize("name", ["gaussian", "quartic"])
def test_structured_products_of_tangents_and_of_mixed_kinds(name):
    X = np.random.default_rng(6).random((4, 16))
    kinds = [Tangent((4, 4)), GraphDifference(np.ones((4, 4))), Gradient()]
    kinds += [LocalAverage(0.4)] * (name == "gaussian")
    found = system(X, kinds, name)
    B = np.random.default_rng(7).normal(size=(3, found.count))
    N = np.zeros((found.count, found.count))
    for j, row in enumerate(np.eye(found.count)):
        N[j] = found.product(row[None])[0]
    assert_allclose(found.product(B)[0], B @ N, atol=1e-12 * abs(N).max())
    alone = system(X, Tangent((4, 4)), name)
    assert_allclose(alone.dense(), N[: alone.count, : alone.count], atol=1e-13 * abs(N).max())


@pytest.mark.parametrize(
    ("functionals", "parameters", "error", "words"),
    [
        (LocalAverage(0.5), {"kernel": "polynomial", "degree": 2}, FitError, "gaussian"),
        (LocalAverage(0.0), {}, FitError, "theta"),
        (Tangent((2, 2)), {}, FitError, "4 pixels and X has 3"),
        (GraphDifference(np.ones((5, 5))), {}, FitError, r"\(6, 6\)"),
        (GraphDifference(-np.ones((6, 6))), {}, FitError, "row 0, column 0"),
        (GraphDifference(np.triu(np.ones((6, 6)))), {}, KernelError, "not symmetric"),
        ("gradients", {}, FitError, "'gradient'"),
        ([], {}, FitError, "one or more"),
        (3, {}, FitError, "Gradient, Tangent"),
    ],
)
def test_what_does_not_exist_is_refused(functionals, parameters, error, words):
    with pytest.raises(error, match=words):
        Deformation(points(), functionals=functionals, **parameters)


@pytest.mark.parametrize("described", [Gradient(), Tangent((2, 3)), LocalAverage(1.0)])
def test_a_precomputed_kernel_goes_with_graph_differences_alone(described):
    with pytest.raises(FitError, match="closed form"):
        Deformation(np.eye(6), functionals=described, kernel="precomputed")
