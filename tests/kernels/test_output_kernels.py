import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.kernels import (
    from_distances,
    gaussian,
    gaussian_of_kernel,
    linear,
    shared_labels,
    subsequence,
    zero_one,
)


def loss(L):
    own = np.diag(L)
    return own[:, None] + own - 2 * L


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def test_zero_one_is_the_zero_one_loss_of_labels_of_any_type():
    y = ["a", 1, "1", 2.5, None, ("x", 2), "a", 1.0, b"a", frozenset({1})]
    wanted = np.array([[float(a != b) for b in y] for a in y])
    assert np.array_equal(loss(zero_one(y)), wanted)
    assert np.array_equal(zero_one(y, ["1", "new", "a"]), zero_one(y + ["1", "new", "a"])[:10, 10:])
    assert zero_one(np.array(["a", "b"]), ["b"]).tolist() == [[0.0], [0.5]]


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([], "no labels"),
        ("abc", "a list of labels"),
        (3, "a list of labels"),
        ([1.0, np.nan], "label 1 is nan"),
        ([[1], [2]], "label 0 is a list.*shared_labels"),
        (np.ones((2, 2)), "label 0 is a ndarray"),
        ([1, pd.NA], "label 1 is a NAType"),
        (pd.DataFrame({"y": [1, 2]}), "y is a DataFrame; .* one column"),
        ({"a", "b"}, "y is a set"),
        ({"a": 1}, "y is a dict"),
    ],
)
def test_unusable_labels_are_refused(y, said):
    with pytest.raises(KernelError, match=said):
        zero_one(y)


@pytest.mark.parametrize("sets", [[{"a"}, {"b", "c"}], [["a"], ["b", "c"]], ["a", "bc"]])
def test_labels_by_name_are_to_be_zeros_and_ones(sets):
    with pytest.raises(KernelError, match="Y holds labels by name.*MultiLabelBinarizer"):
        shared_labels(sets)
    with pytest.raises(KernelError, match="Z holds labels by name"):
        shared_labels(np.eye(2), sets)


def test_messages_of_sets_of_labels_name_them():
    with pytest.raises(KernelError, match="Y has shape"):
        shared_labels(np.ones(3))
    with pytest.raises(KernelError, match="Y has 2 labels and Z has 3"):
        shared_labels(np.eye(2), np.eye(3))


def test_no_distances_have_no_negative_zeros():
    assert not np.signbit(from_distances(np.zeros((3, 3)))).any()


def test_sets_of_labels():
    Y = (random(12, 5) > 0).astype(int)
    L = shared_labels(Y)
    wanted = [[0.5 * (a != b).sum() for b in Y] for a in Y]
    assert np.array_equal(loss(L), wanted)
    assert np.array_equal(shared_labels(sp.csr_array(Y), Y[:3]), L[:, :3])
    one_each = np.eye(3)[[0, 1, 2, 1]]
    assert np.array_equal(shared_labels(one_each), zero_one([0, 1, 2, 1]))
    with pytest.raises(KernelError, match="Y has the value 2"):
        shared_labels([[0, 2]])
    with pytest.raises(KernelError, match="Z has the value -1"):
        shared_labels([[0, 1]], [[-1, 1]])


@pytest.mark.parametrize("weights", [None, np.eye(9)[4], np.array([0.5, 0.7, -0.2, *[0.0] * 6])])
def test_distances_give_back_the_kernel_about_a_weighted_mean(weights):
    Y = random(9, 3)
    D = np.linalg.norm(Y[:, None] - Y[None], axis=2)
    c = np.full(9, 1 / 9) if weights is None else weights
    L = from_distances(D, weights)
    np.testing.assert_allclose(L, linear(Y - c @ Y), atol=1e-13)
    assert np.array_equal(L, L.T)
    np.testing.assert_allclose(loss(L), D**2, atol=1e-12)
    assert np.array_equal(from_distances(D, weights, indefinite="clip"), L)


def test_distances_of_no_euclidean_space():
    # a star: four points at distance 2 from each other, and 1 from their centre
    D = 2.0 * (1 - np.eye(5))
    D[4, :4] = D[:4, 4] = 1.0
    centred = np.eye(5) - 0.2
    values, vectors = np.linalg.eigh(-0.5 * centred @ D**2 @ centred)
    assert values[0] < -0.1
    with pytest.raises(KernelError, match=f"not Euclidean.*1 negative.*{values[0]:.3g}.*clip"):
        from_distances(D)
    L = from_distances(D, indefinite="clip")
    np.testing.assert_allclose(L, (vectors * values.clip(0)) @ vectors.T, atol=1e-14)
    assert np.array_equal(L, L.T)
    assert np.linalg.eigvalsh(L)[0] > -1e-14


@pytest.mark.parametrize(
    ("D", "options", "said"),
    [
        ([[0, 1], [2, 0]], {}, "not symmetric"),
        ([[0, -1], [-1, 0]], {}, "not negative"),
        ([[0.1, 1], [1, 0]], {}, "distance 0 from itself"),
        ([[0, np.nan], [1, 0]], {}, "value nan in row 0"),
        ([[0, 1]], {}, "square"),
        ([[0, 1e200], [1e200, 0]], {}, "overflow"),
        ([[0, 1], [1, 0]], {"weights": [0.5, 0.6]}, "sum 1.1"),
        ([[0, 1], [1, 0]], {"weights": [1.0]}, r"shape \(1,\)"),
        ([[0, 1], [1, 0]], {"indefinite": "klip"}, "did you mean 'clip'"),
    ],
)
def test_unusable_distances_are_refused(D, options, said):
    with pytest.raises(KernelError, match=said):
        from_distances(D, **options)


def test_gaussian_on_a_linear_kernel_is_the_gaussian_kernel():
    X, Z = random(20, 4), random(7, 4, seed=1)
    np.testing.assert_allclose(gaussian_of_kernel(linear(X), 1.3), gaussian(X, width=1.3), 1e-12)
    found = gaussian_of_kernel(linear(Z, X), 1.3, (Z**2).sum(1), (X**2).sum(1))
    np.testing.assert_allclose(found, gaussian(Z, X, width=1.3), 1e-12)


def test_gaussian_on_strings_is_symmetric_with_a_unit_diagonal():
    S = ["abca", "bcab", "abca", "ab", "ab", ""]
    K = subsequence(S, length=3, decay=0.3)
    G = gaussian_of_kernel(K, 0.5)
    assert np.array_equal(G, G.T)
    assert np.array_equal(G == 1, [[a == b for b in S] for a in S])
    np.testing.assert_allclose(G, np.exp(-(2 - 2 * K) / 0.5), rtol=1e-14)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[1.0, 0.5]], 1.0), "own_rows and own_columns"),
        (([[1.0]], 1.0, [1.0]), "give both"),
        (([[1.0]], 1.0, [1.0], [1.0, 2.0]), "1 and 2 values"),
        (([[1.0, 2], [2, 1]], 1.0), "squared distance -2"),
        (([[1.0]], 0), "above 0"),
        (([[np.inf]], 1.0), "value inf"),
        (([1.0], 1.0), "shape"),
        (([["a"]], 1.0), "real numbers"),
    ],
)
def test_unusable_kernels_below_a_gaussian_are_refused(arguments, said):
    with pytest.raises(KernelError, match=said):
        gaussian_of_kernel(*arguments)
