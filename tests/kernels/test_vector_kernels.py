import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.kernels import gaussian, linear, polynomial
from gramworks.kernels.gaussian_kernel import MEDIAN_POINTS, median_width

KERNELS = {
    "linear": linear,
    "polynomial": lambda X, Z=None: polynomial(X, Z, degree=3, offset=0.5),
    "gaussian": lambda X, Z=None: gaussian(X, Z, width=1.7),
}
FORMULAS = {
    "linear": lambda x, z: math.fsum(x * z),
    "polynomial": lambda x, z: (math.fsum(x * z) + 0.5) ** 3,
    "gaussian": lambda x, z: math.exp(-math.fsum((x - z) ** 2) / (2 * 1.7**2)),
}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def by_loops(name, X, Z):
    return np.array([[FORMULAS[name](x, z) for z in Z] for x in X])


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_formula(name, sparse, rng):
    X = rng.standard_normal((23, 4)) * (rng.random((23, 4)) < 0.6)
    Z = rng.standard_normal((17, 4)) * (rng.random((17, 4)) < 0.6)
    left, right = (sp.csr_array(X), sp.coo_matrix(Z)) if sparse else (X, Z)
    for K, wanted in (
        (KERNELS[name](left), by_loops(name, X, X)),
        (KERNELS[name](left, right), by_loops(name, X, Z)),
    ):
        assert isinstance(K, np.ndarray)
        assert K.dtype == np.float64
        np.testing.assert_allclose(K, wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_symmetric_to_the_bit_over_several_tiles_and_positive_semidefinite(name, sparse, rng):
    X = rng.standard_normal((1100, 33))
    K = KERNELS[name](sp.csr_array(X) if sparse else X)
    assert np.array_equal(K, K.T)
    values = np.linalg.eigvalsh(K)
    assert values[0] >= -1e-12 * values[-1]
    np.testing.assert_allclose(K, KERNELS[name](X, X.copy()), rtol=1e-12, atol=1e-11)


def test_gaussian_diagonal_is_one_and_equal_rows_are_at_distance_zero(rng):
    X = np.repeat(rng.standard_normal((40, 6)) * 1e3, 2, axis=0)
    K = gaussian(X, width=0.01)
    assert np.array_equal(np.diagonal(K), np.ones(80))
    assert np.array_equal(K[::2, 1::2].diagonal(), np.ones(40))
    assert K.max() <= 1


@pytest.mark.parametrize("sparse", [False, True])
def test_common_offset_in_float32(sparse, rng):
    X = (rng.standard_normal((60, 5)) + 1e4).astype(np.float32)
    K = gaussian(sp.csr_array(X) if sparse else X, width=0.8)
    exact = X.astype(np.float64)
    wanted = np.exp(-((exact[:, None] - exact[None]) ** 2).sum(axis=2) / (2 * 0.8**2))
    np.testing.assert_allclose(K, wanted, rtol=1e-11)


def test_two_tight_clusters_far_apart(rng):
    # A common shift does not help here: the differences have to be formed.
    X = rng.standard_normal((30, 3)) * 1e-4
    X[15:] += 1e5
    K = gaussian(X, width=1e-4)
    wanted = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2 * 1e-4**2))
    np.testing.assert_allclose(K, wanted, rtol=1e-9, atol=1e-300)


def test_kernels_leave_their_input_alone(rng):
    X = rng.standard_normal((9, 3))
    X.setflags(write=False)
    S = sp.csr_array((X.ravel(), np.tile([2, 0, 1], 9), np.arange(0, 28, 3)), shape=(9, 3))
    kept, indices = S.data.copy(), S.indices.copy()
    S.data.setflags(write=False)
    S.indices.setflags(write=False)
    for kernel in KERNELS.values():
        kernel(X)
        kernel(X, X)
        kernel(S)
    assert np.array_equal(S.data, kept)
    assert np.array_equal(S.indices, indices)


def test_lists_frames_integers_and_booleans():
    rows = [[1, 0], [0, 2], [3, 1]]
    for X in (rows, pd.DataFrame(rows), np.array(rows, dtype=np.int8), np.array(rows, object)):
        assert np.array_equal(linear(X), [[1, 0, 3], [0, 4, 2], [3, 2, 10]])
    assert np.array_equal(linear(np.array([[200], [100]], dtype=np.uint8))[0], [40000, 20000])
    assert np.array_equal(linear(np.array([[True], [False]])), [[1, 0], [0, 0]])


def nan_at(row, column, value=np.nan):
    X = np.ones((5, 4))
    X[row, column] = value
    return X


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    ("X", "Z", "message"),
    [
        (nan_at(3, 1), None, "X has the value nan in row 3, column 1"),
        (nan_at(2, 0, -np.inf), None, "X has the value -inf in row 2, column 0"),
        (sp.csr_array(nan_at(4, 3)), None, "X has the value nan in row 4, column 3"),
        (np.ones((5, 4)), nan_at(0, 2), "Z has the value nan in row 0, column 2"),
        (np.arange(5.0), None, r"shape \(5,\).*X.reshape\(-1, 1\)"),
        (3.0, None, r"shape \(\)"),
        (np.ones((2, 2, 2)), None, r"shape \(2, 2, 2\)"),
        (np.ones((5, 4)), np.ones((3, 6)), "X has 4 features and Z has 6"),
        (np.ones((0, 4)), None, "at least one row"),
        (np.ones((4, 0)), None, "at least one row and column"),
        ([["a", "b"]], None, "real numbers"),
        ([[1.0, "b"], [2.0, None]], None, "X has"),
        ([[1.0], [1.0, 2.0]], None, "rows of different lengths"),
        (np.ones((2, 2), dtype=complex), None, "complex128"),
        (np.ma.masked_equal([[1, 2], [3, 4]], 3), None, "masked"),
    ],
)
def test_unusable_data(name, X, Z, message):
    with pytest.raises(KernelError, match=message):
        KERNELS[name](X, Z)


@pytest.mark.parametrize("width", [0, -1.0, np.nan, np.inf, 1e-200, "1", None, True])
def test_width_out_of_range(width):
    with pytest.raises(KernelError, match="width = "):
        gaussian(np.eye(3), width=width)


@pytest.mark.parametrize("degree", [0, -2, 2.0, 1.5, "2", None, True])
def test_degree_out_of_range(degree):
    with pytest.raises(KernelError, match="degree = .*integer of at least 1"):
        polynomial(np.eye(3), degree=degree)


@pytest.mark.parametrize("offset", [-1, np.nan, np.inf, "1"])
def test_offset_out_of_range(offset):
    with pytest.raises(KernelError, match="offset = "):
        polynomial(np.eye(3), degree=2, offset=offset)


def test_overflow_is_an_error_not_inf():
    with pytest.raises(KernelError, match="degree 7 overflows"):
        polynomial(np.full((3, 2), 1e60), degree=7)
    with pytest.raises(KernelError, match="overflow"):
        linear(np.full((3, 2), 1e200))
    with pytest.raises(KernelError, match="squared distances of X overflow"):
        gaussian([[0.0], [1e200]], width=1)


def test_powers(rng):
    X = rng.uniform(-0.2, 1, (6, 2))
    for degree in range(1, 12):
        K = polynomial(X, degree=np.int64(degree), offset=0)
        np.testing.assert_allclose(K, (X @ X.T) ** degree, rtol=1e-13)


@pytest.mark.parametrize("n", [2, 3, 8, 530])
def test_median_width_is_the_median_of_all_pairs(n, rng):
    X = rng.standard_normal((n, 3))
    pairs = [np.linalg.norm(X[i] - X[j]) for i in range(n) for j in range(i)]
    assert median_width(X) == pytest.approx(np.median(pairs), rel=1e-13)
    assert median_width(sp.csr_array(X)) == pytest.approx(np.median(pairs), rel=1e-13)


def test_median_width_of_many_points_uses_the_stated_subsample(rng):
    n = MEDIAN_POINTS + 1000
    X = rng.standard_normal((n, 1))
    chosen = X[[i * n // MEDIAN_POINTS for i in range(MEDIAN_POINTS)]]
    assert median_width(X) == median_width(chosen)


def test_median_width_zero_is_refused():
    with pytest.raises(KernelError, match="median distance is 0.*coincide"):
        median_width(np.ones((6, 2)))
    with pytest.raises(KernelError, match="two points"):
        median_width(np.ones((1, 2)))
