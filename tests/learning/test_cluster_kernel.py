"""ClusterKernel against dense formulas, the paper's identities, and awkward kernels."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from gramworks.errors import FitError, KernelError
from gramworks.learning import ClusterKernel
from gramworks.solvers.affinity import normalised_affinity
from gramworks.solvers.cluster_spectrum import spectral_representation
from gramworks.solvers.transfer import TRANSFERS


def gaussian(X, Z=None, width=1.0):
    Z = X if Z is None else Z
    return np.exp(-((X[:, None] - Z[None]) ** 2).sum(-1) / (2 * width**2))


def points(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 3.0 * (np.arange(n) % 3)[:, None]


def dense(K, phi):
    """Do the four steps of section 3 as they are printed."""
    D = K.sum(axis=1)
    values, U = np.linalg.eigh(K / np.sqrt(np.outer(D, D)))
    L = (U[:, ::-1] * phi(values[::-1].clip(0))) @ U[:, ::-1].T
    return L / np.sqrt(np.outer(np.diag(L), np.diag(L)))


def head(values, r):
    return np.arange(len(values)) < r


PHI = {
    "linear": lambda v: v,
    "step": lambda v: 1.0 * head(v, 5),
    "linear-step": lambda v: v * head(v, 5),
    "polynomial": lambda v: v**4,
    "poly-step": lambda v: np.where(head(v, 5), v ** (1 / 3), v**2),
}


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_each_transfer_function_is_the_dense_formula(transfer):
    K = gaussian(points())
    model = ClusterKernel(transfer, rank=5, p=3, q=2, steps=4).fit(K)
    assert_allclose(model.kernel_, dense(K, PHI[transfer]), atol=1e-9)
    assert_array_equal(model.kernel_, model.kernel_.T)
    assert_array_equal(np.diag(model.kernel_), 1.0)
    assert np.linalg.eigvalsh(model.kernel_)[0] > -1e-12
    assert model.eigenvalues_[0] == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(model.eigenvalues_) <= 0).all()


@pytest.mark.parametrize("q", [0.5, 1, 1.7, 3])
def test_any_power_of_the_tail(q):
    K = gaussian(points())
    model = ClusterKernel(rank=4, p=1.5, q=q).fit(K)
    phi = lambda v: np.where(head(v, 4), v ** (1 / 1.5), v**q)  # noqa: E731
    assert_allclose(model.kernel_, dense(K, phi), atol=1e-9)


def test_linear_gives_the_kernel_back():
    K = gaussian(points(), width=0.5)
    assert np.abs(ClusterKernel("linear").fit(K).kernel_ - K).max() < 1e-10


def test_step_is_the_dot_product_of_the_spectral_representation():
    K = gaussian(points())
    rows = spectral_representation(normalised_affinity(K), 3)
    assert rows.shape == (40, 3)
    assert np.abs(ClusterKernel("step", rank=3).fit(K).kernel_ - rows @ rows.T).max() < 1e-10


def test_polynomial_is_the_random_walk():
    K = gaussian(points())
    model = ClusterKernel("polynomial", steps=5).fit(K)
    D = K.sum(axis=1)
    walk = np.linalg.matrix_power(K / D[:, None], 5)
    # L = D^1/2 P D^-1/2, so that L~_ii = P^t_ii and D~ = diag(1 / P^t_ii)
    outer = 1 / np.sqrt(np.diag(walk))
    expected = outer[:, None] * np.sqrt(D)[:, None] * walk / np.sqrt(D) * outer
    assert np.abs(model.kernel_ - expected).max() < 1e-10


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("width", [0.5, 2.0, 20.0])  # the last is singular to rounding
def test_extension_of_training_points_gives_training_rows(transfer, width):
    K = gaussian(points(), width=width)
    model = ClusterKernel(transfer, rank=4).fit(K)
    assert np.abs(model.extend(K[7:15]) - model.kernel_[7:15]).max() < 1e-10


def test_extension_to_new_points_is_the_formula():
    X = points()
    new = points(6, seed=9) + 0.1
    K, v = gaussian(X, width=0.4), gaussian(new, X, width=0.4)
    model = ClusterKernel(rank=4).fit(K)
    assert_allclose(model.extend(v), v @ np.linalg.inv(K) @ model.kernel_, atol=1e-9)
    assert_allclose(ClusterKernel("linear").fit(K).extend(v), v, atol=1e-10)


def test_extension_of_a_singular_kernel():
    X = np.repeat(points(20), 2, axis=0)
    K, new = gaussian(X, width=0.5), points(5, seed=4)
    v = gaussian(new, X, width=0.5)
    assert_allclose(ClusterKernel("linear").fit(K).extend(v), v, atol=1e-9)
    model = ClusterKernel("poly-step", rank=3).fit(K)
    assert np.abs(model.extend(K) - model.kernel_).max() < 1e-12
    # any solution of K a = v will do, since equal points have equal rows
    expected = v @ np.linalg.pinv(K, rcond=1e-10, hermitian=True) @ model.kernel_
    assert_allclose(model.extend(v), expected, atol=1e-7)


def test_duplicates_stay_one_point():
    X = np.repeat(points(15), 2, axis=0)
    for transfer in TRANSFERS:
        for rank in (3, 30, 99):
            K = ClusterKernel(transfer, rank=rank).fit(gaussian(X)).kernel_
            assert_allclose(K[::2], K[1::2], atol=1e-6)
            assert_allclose(np.diag(K[::2, 1::2]), 1.0, atol=1e-6)


def test_from_n_eigenvalues_on_there_is_nothing_beyond_the_cut():
    K = gaussian(points(), width=0.3)
    for rank in (40, 41, 10_000):
        model = ClusterKernel("step", rank=rank).fit(K)
        assert model.rank_ == 40
        assert_allclose(model.kernel_, np.eye(40), atol=1e-9)
        linear = ClusterKernel("linear-step", rank=rank).fit(K)
        assert_allclose(linear.kernel_, K, atol=1e-10)


def blocks(sizes):
    """Make a disconnected graph of cliques."""
    which = np.repeat(np.arange(len(sizes)), sizes)
    return np.where(which[:, None] == which, 0.5, 0.0) + 0.5 * np.eye(len(which)), which


def test_a_disconnected_graph_keeps_all_its_parts_or_none():
    K, which = blocks([5, 7, 4, 6])
    same = which[:, None] == which
    for rank in (1, 2, 3, 4):
        model = ClusterKernel("step", rank=rank).fit(K)
        assert model.rank_ == 4  # four eigenvalues are 1
        assert_allclose(model.kernel_, same, atol=1e-10)
    assert not model.outside_.any()


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_the_order_of_points_does_not_matter_even_with_ties(transfer):
    K, _ = blocks([5, 5, 4, 6])
    order = np.random.default_rng(1).permutation(20)
    for rank in (1, 3, 6):
        first = ClusterKernel(transfer, rank=rank).fit(K)
        second = ClusterKernel(transfer, rank=rank).fit(K[np.ix_(order, order)])
        assert first.rank_ == second.rank_
        assert_allclose(second.kernel_, first.kernel_[np.ix_(order, order)], atol=1e-9)


def test_an_isolated_point_is_a_cluster_of_its_own():
    K = gaussian(points())
    K[3], K[:, 3] = 0, 0
    K[3, 3] = 1
    for transfer in TRANSFERS:
        model = ClusterKernel(transfer, rank=3).fit(K)
        assert_allclose(model.kernel_[3], np.eye(40)[3], atol=1e-12)
        assert np.isfinite(model.kernel_).all()
    assert model.eigenvalues_[1] == pytest.approx(1.0)


def test_a_point_outside_the_kept_directions_is_like_itself_alone():
    # bipartite parts have the largest eigenvalues 1, 1; the pair's second is far below
    K = np.eye(5)
    K[:3, :3] = 1.0
    K[3:, 3:] = [[1.0, -0.4], [-0.4, 1.0]]
    values = ClusterKernel("step", rank=1).fit(K).eigenvalues_
    assert values[0] > 2  # L of a negative entry can be above 1: (1, -1) on the pair
    model = ClusterKernel("step", rank=1).fit(K)
    assert_array_equal(model.outside_, [True, True, True, False, False])
    assert_allclose(model.kernel_[:3], np.eye(5)[:3])
    assert_allclose(model.kernel_[3:, 3:], [[1, -1], [-1, 1]])


def test_negative_row_sums_are_refused_with_the_row():
    K = gaussian(points())
    K[2, 5] = K[5, 2] = -30.0
    with pytest.raises(KernelError, match=r"row 2 \(counted from 0\) sum to -2\d.*2 of 40 rows"):
        ClusterKernel().fit(K)
    with pytest.raises(KernelError, match="row 4 .* sum to 0"):
        ClusterKernel().fit(np.diag([1.0, 1, 1, 1, 0]))


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_sparse_affinities_give_semidefinite_kernels(transfer):
    K = gaussian(points(60), width=3.0)
    L = normalised_affinity(K, neighbours=4).dense()
    assert np.linalg.eigvalsh(L)[0] < -1e-3  # cutting makes it indefinite
    model = ClusterKernel(transfer, rank=5, neighbours=4).fit(K)
    assert np.linalg.eigvalsh(model.kernel_)[0] > -1e-12
    near = normalised_affinity(K, neighbours=4).weights
    phi = {**PHI, "poly-step": lambda v: np.where(head(v, 5), v**0.5, v**2),
           "polynomial": lambda v: v**5}[transfer]  # fmt: skip
    assert_allclose(model.kernel_, dense(near, phi), atol=1e-8)


def test_neighbours_beyond_all_points_are_all_points():
    K = gaussian(points())
    assert_allclose(
        ClusterKernel(neighbours=500).fit(K).kernel_, ClusterKernel().fit(K).kernel_, atol=1e-12
    )


def test_the_kernel_is_only_read():
    K = gaussian(points())
    K.setflags(write=False)
    for transfer in TRANSFERS:
        ClusterKernel(transfer, neighbours=5).fit(K)
        ClusterKernel(transfer).fit(K)


def test_one_and_two_points():
    assert_array_equal(ClusterKernel().fit([[2.0]]).kernel_, [[1.0]])
    K = np.array([[1.0, 0.2], [0.2, 1.0]])
    assert_allclose(ClusterKernel("linear").fit(K).kernel_, K)
    assert_allclose(ClusterKernel("step", rank=1).fit(K).kernel_, np.ones((2, 2)))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"transfer": "stepp"}, "step"),
        ({"rank": 0}, "rank=0; allowed: a whole number from 1"),
        ({"rank": 2.5}, "rank=2.5"),
        ({"p": 0}, "p=0; allowed: a positive"),
        ({"q": -1}, "q=-1"),
        ({"steps": 1.5}, "steps=1.5"),
        ({"neighbours": 0}, "neighbours=0"),
    ],
)
def test_unusable_parameters_are_named(values, told):
    with pytest.raises(FitError, match=told):
        ClusterKernel(**values).fit(np.eye(4))


def test_unusable_kernels_are_refused():
    with pytest.raises(FitError, match="square"):
        ClusterKernel().fit(np.ones((3, 4)))
    with pytest.raises(KernelError, match="nan at row 1, column 1"):
        ClusterKernel().fit(np.diag([1.0, np.nan, 1]))
    model = ClusterKernel().fit(gaussian(points()))
    with pytest.raises(FitError, match=r"wants \(n_new, 40\)"):
        model.extend(np.ones((20, 20)))


def test_it_is_a_scikit_learn_estimator():
    model = ClusterKernel("step", rank=3, neighbours=7)
    assert clone(model).get_params() == model.get_params()
    fitted = pickle.loads(pickle.dumps(model.fit(gaussian(points()))))
    assert_array_equal(fitted.kernel_, model.kernel_)
