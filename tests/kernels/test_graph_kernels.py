import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from gramworks.errors import KernelError, ResourceError
from gramworks.gram import compute_gram, gram_info, read_gram
from gramworks.kernels.correlation_kernel import correlation_diffusion, correlation_graph
from gramworks.kernels.diffusion_kernel import diffusion
from gramworks.kernels.transforms import centre, normalise


def random_graph(n, share, seed, weighted=True):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) < share, 1) * (rng.random((n, n)) if weighted else 1.0)
    return A + A.T


def by_expm(A, beta):
    return expm(-beta * (np.diag(A.sum(axis=1)) - A))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.floats(0, 0.3), st.integers(0, 99), st.floats(0, 20), st.booleans())
def test_equals_the_matrix_exponential(n, share, seed, beta, weighted):
    A = random_graph(n, share, seed, weighted)
    K = diffusion(A, beta=beta)
    np.testing.assert_allclose(K, by_expm(A, beta), rtol=0, atol=1e-12)
    assert np.array_equal(K, K.T)
    np.testing.assert_allclose(K.sum(axis=1), 1, atol=1e-12)
    assert np.linalg.eigvalsh(K)[0] > -1e-13
    assert np.array_equal(K, diffusion(sp.coo_array(A), beta=beta))


def test_complete_graph_has_a_closed_form():
    n, beta = 7, 0.3
    e = np.exp(-n * beta)
    K = diffusion(np.ones((n, n)) - np.eye(n), beta=beta)
    np.testing.assert_allclose(K, (1 - e) / n + e * np.eye(n), atol=1e-14)


def test_limits_of_beta():
    A = random_graph(30, 0.1, 3)
    assert np.array_equal(diffusion(A, beta=0), np.eye(30))
    path = np.diag([1.0, 1.0, 0.0, 2.0], 1) + np.diag([1.0, 1.0, 0.0, 2.0], -1)
    blocks = np.zeros((5, 5))
    blocks[:3, :3], blocks[3:, 3:] = 1 / 3, 1 / 2
    np.testing.assert_allclose(diffusion(path, beta=1000.0), blocks, atol=1e-12)


def test_components_are_apart_and_isolated_points_alone():
    A = np.zeros((5, 5))
    A[0, 3] = A[3, 0] = 2.0
    A[1, 4] = A[4, 1] = 0.5
    K = diffusion(A, beta=1.0)
    assert K[2, 2] == 1
    assert np.array_equal(K != 0, (A != 0) | np.eye(5, dtype=bool))
    assert K[0, 3] == pytest.approx((1 - np.exp(-4)) / 2, abs=1e-15)


def test_loops_change_nothing():
    A = random_graph(12, 0.3, 5)
    assert np.array_equal(diffusion(A + np.diag(np.arange(12.0)), beta=1), diffusion(A, beta=1))


def test_the_graph_is_not_changed():
    A = sp.csr_array(random_graph(9, 0.5, 1) + np.eye(9))
    before = A.copy()
    diffusion(A, beta=1.0)
    assert (before != A).nnz == 0
    assert A.nnz == before.nnz


def edited(i, j, value, n=4):
    A = np.ones((n, n))
    A[i, j] = value
    return A


@pytest.mark.parametrize(
    ("A", "said"),
    [
        (np.ones((3, 4)), "square .n, n. matrix.*correlation-t0.8-b1"),
        (np.ones(3), "shape"),
        (np.zeros((0, 0)), "shape"),
        (edited(1, 2, np.nan), "value nan in row 1, column 2"),
        (edited(1, 2, np.inf), "value inf in row 1, column 2"),
        (edited(1, 1, np.nan), "value nan in row 1, column 1"),
        (edited(3, 0, -2.0), "negative weight -2 in row 3, column 0"),
        (edited(0, 2, 0.5), "not symmetric: 0.5 in row 0, column 2 and 1 in row 2"),
        (edited(0, 2, 0.0), "not symmetric: 0 in row 0, column 2 and 1 in row 2"),
        (np.ones((2, 2)) * 1j, "real numbers"),
        (np.array([["a", "b"], ["b", "a"]]), "numbers"),
        (np.ma.masked_equal(np.ones((2, 2)), 1), "mask"),
        (["MKV", "MKL"], "shape|numbers"),
        (None, "shape|numbers"),
    ],
)
def test_unusable_graphs_are_refused(A, said):
    with pytest.raises(KernelError, match=said):
        diffusion(A, beta=1.0)


@pytest.mark.parametrize("beta", [-1, np.nan, np.inf, "1", True, None])
def test_unusable_betas_are_refused(beta):
    with pytest.raises(KernelError, match="beta"):
        diffusion(np.ones((2, 2)), beta=beta)


def test_a_beta_where_rounding_decides_is_refused():
    with pytest.raises(KernelError, match="where rounding decides; take a smaller beta"):
        diffusion(1e300 * np.ones((3, 3)), beta=1e300)
    with pytest.raises(KernelError, match="rounding decides"):
        diffusion(np.ones((3, 3)), beta=1e9)


@pytest.mark.parametrize("kernel", ["diffusion-b0.5", "diffusion-b2-centred-unit"])
def test_to_file_has_the_same_bits(kernel, tmp_path):
    A = sp.csr_array(random_graph(700, 0.0015, 8))  # many components, isolated points
    compute_gram(tmp_path / "a.h5", A, kernel)
    compute_gram(tmp_path / "b.h5", A, kernel, memory_mb=13)
    K = read_gram(tmp_path / "a.h5")
    assert np.array_equal(K, read_gram(tmp_path / "b.h5"))
    wanted = by_expm(A.toarray(), gram_info(tmp_path / "a.h5")["parameters"]["beta"])
    wanted = normalise(centre(wanted)) if "centred" in kernel else wanted
    np.testing.assert_allclose(K, wanted, atol=1e-11)


def test_memory_for_eigenvectors_is_within_the_bound(tmp_path):
    A = sp.csr_array(np.ones((600, 600)))
    with pytest.raises(ResourceError, match="eigenvectors for diffusion-b1 need at least 8 MB"):
        compute_gram(tmp_path / "a.h5", A, "diffusion-b1", memory_mb=5)
    assert not (tmp_path / "a.h5").exists()


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.8])
def test_correlation_graph_by_numpy(threshold):
    X = np.random.default_rng(2).standard_normal((600, 5)) * 10.0 ** np.arange(600)[:, None] ** 0.5
    wanted = np.corrcoef(X) > threshold
    np.fill_diagonal(wanted, False)
    A = correlation_graph(X, threshold=threshold)
    assert np.array_equal(A.toarray(), wanted)
    assert np.array_equal(correlation_graph(sp.csr_array(X), threshold=threshold).toarray(), wanted)
    K = correlation_diffusion(X[:80], threshold=threshold, beta=0.7)
    np.testing.assert_allclose(K, by_expm(wanted[:80, :80] * 1.0, 0.7), atol=1e-12)


def test_constant_rows_have_no_edges():
    X = np.array([[1.0, 2, 3], [0.1, 0.1, 0.1], [0, 0, 0], [1e300, 2e300, 3e300], [3.0, 2, 1]])
    A = correlation_graph(X, threshold=0.8).toarray()
    assert np.array_equal(np.argwhere(A), [[0, 3], [3, 0]])


@pytest.mark.parametrize(
    ("X", "threshold", "said"),
    [
        (np.ones((3, 1)), 0.8, "1 feature"),
        (np.ones(3), 0.8, "shape"),
        ([[1.0, np.nan]], 0.8, "value nan in row 0"),
        (np.eye(3), 1.0, "below 1"),
        (np.eye(3), -0.1, "from 0"),
        (np.eye(3), np.nan, "threshold = nan"),
        (np.eye(3), "0.8", "threshold = '0.8'"),
    ],
)
def test_unusable_profiles_are_refused(X, threshold, said):
    with pytest.raises(KernelError, match=said):
        correlation_graph(X, threshold=threshold)
