"""Latent concepts against a brute-force expectation maximisation, and their kernel."""

import numpy as np
import pytest
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.gram import compute_gram, gram_info, read_gram
from gramworks.kernels.concepts_kernel import concepts, prepare
from gramworks.kernels.identifiers import parse_kernel
from gramworks.kernels.latent_concepts import latent_concepts
from gramworks.kernels.transforms import centre, normalise


@pytest.fixture
def counts():
    random = np.random.default_rng(4)
    counts = random.poisson(0.7, (12, 9)).astype(float)
    counts[np.arange(12), np.arange(12) % 9] += 1
    return counts


def likelihood(counts, memberships, words):
    with np.errstate(divide="ignore"):
        logs = np.log(memberships @ words.T)
    return float((counts * np.where(counts > 0, logs, 0)).sum())


def one_iteration(counts, memberships, words):
    """Hofmann's E and M step in loops over documents, words and concepts."""
    (n, d), rank = counts.shape, words.shape[1]
    new_members, new_words = np.zeros((n, rank)), np.zeros((d, rank))
    for i in range(n):
        for w in range(d):
            posterior = memberships[i] * words[w]
            posterior = posterior / posterior.sum()
            new_members[i] += counts[i, w] * posterior
            new_words[w] += counts[i, w] * posterior
    return new_members / new_members.sum(1, keepdims=True), new_words / new_words.sum(0)


def test_iterations_equal_brute_force(counts):
    X = sp.csr_array(counts)
    start = latent_concepts(X, 3, iterations=0)
    memberships, words = start.memberships, start.words
    wanted = [likelihood(counts, memberships, words)]
    for _ in range(6):
        memberships, words = one_iteration(counts, memberships, words)
        wanted.append(likelihood(counts, memberships, words))
    found = latent_concepts(X, 3, iterations=6, tolerance=0)
    np.testing.assert_allclose(found.memberships, memberships, rtol=1e-12)
    np.testing.assert_allclose(found.words, words, rtol=1e-12)
    np.testing.assert_allclose(found.likelihoods, wanted, rtol=1e-12)


def test_the_likelihood_never_falls_and_the_end_is_a_maximum(counts):
    found = latent_concepts(sp.csr_array(counts), 3, iterations=3000, tolerance=0)
    gains = np.diff(found.likelihoods)
    assert gains.min() >= -1e-12 * abs(found.likelihoods[0])
    np.testing.assert_allclose(found.memberships.sum(1), 1, rtol=1e-12)
    np.testing.assert_allclose(found.words.sum(0), 1, rtol=1e-12)
    # Conditions of the maximum over P(z|d): the derivative is the document's length where a
    # membership is above zero, and no larger elsewhere.
    expected = found.memberships @ found.words.T
    ratios = np.divide(counts, expected, out=np.zeros_like(counts), where=counts > 0)
    slope = ratios @ found.words
    sizes = counts.sum(1, keepdims=True)
    used = found.memberships > 1e-3
    np.testing.assert_allclose((slope / sizes)[used], 1, atol=1e-3)
    assert (slope / sizes).max() < 1 + 1e-2


def test_one_concept_is_the_distribution_of_all_words(counts):
    found = latent_concepts(sp.csr_array(counts), 1, tolerance=1e-14)
    np.testing.assert_allclose(found.words[:, 0], counts.sum(0) / counts.sum(), rtol=1e-12)
    np.testing.assert_array_equal(found.memberships, 1)


def test_documents_of_disjoint_words_are_told_apart():
    block = np.array([[3.0, 2, 0, 0], [1, 4, 0, 0], [0, 0, 2, 5], [0, 0, 6, 1]])
    found = latent_concepts(sp.csr_array(block), 2, iterations=2000, tolerance=1e-15)
    K = found.memberships @ found.memberships.T
    np.testing.assert_allclose(K, np.kron(np.eye(2), np.ones((2, 2))), atol=1e-6)


def test_cap_and_convergence_are_told_apart(counts):
    lines = []
    assert not latent_concepts(sp.csr_array(counts), 3, iterations=2, log=lines.append).converged
    assert "stopped by the cap after 2 iterations" in lines[-1]
    assert latent_concepts(sp.csr_array(counts), 3, tolerance=0.5, log=lines.append).converged
    assert "converged after" in lines[-1]


def test_a_fit_is_made_of_the_data_alone(counts):
    X = sp.csr_array(counts)
    first, again = (latent_concepts(X, 4).memberships for _ in range(2))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(concepts(counts, rank=4), concepts(X, rank=4))


def test_words_that_never_occur_change_no_maximum(counts):
    wider = np.hstack([counts, np.zeros((12, 1))])
    found = latent_concepts(sp.csr_array(wider), 2)
    assert np.isfinite(found.memberships).all()
    assert found.words[-1].max() < 1e-29


@pytest.mark.parametrize(
    ("change", "rank", "said"),
    [
        (lambda X: X, 0, r"rank = 0: .* from 1 to 9"),
        (lambda X: X, 10, "from 1 to 9, the least of 12 documents and 9 words"),
        (lambda X: X, 2.0, r"rank = 2\.0"),
        (lambda X: X, True, "rank = True"),
        (lambda X: X * np.where(np.arange(12) == 4, -1, 1)[:, None], 2, "row 4, column .* has -"),
        (lambda X: X * (np.arange(12) != 7)[:, None], 2, "1 documents have no word.* row 7"),
        (lambda X: np.where(X > 2.9, np.nan, X), 2, "nan"),
    ],
)
def test_unusable_counts_and_ranks(counts, change, rank, said):
    with pytest.raises(KernelError, match=said):
        prepare(change(counts), rank=rank)


def test_other_points_are_refused(counts):
    with pytest.raises(KernelError, match="put all documents into X"):
        prepare(counts, counts[:2], rank=2)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("concepts-r50", "concepts-r50"), ("concepts-r050-centred-unit", "concepts-r50-centred-unit")],
)
def test_identifiers(text, canonical):
    assert parse_kernel(text).id == canonical


@pytest.mark.parametrize(
    "text",
    [
        "concepts",
        "concepts-50",
        "concepts-r0",
        "concepts-r5.0",
        "concepts-r-5",
        "concepts-r5-r6",
        "concepts-r²",
    ],
)
def test_wrong_identifiers(text):
    with pytest.raises(KernelError, match="such as r50"):
        parse_kernel(text)


@pytest.mark.parametrize("memory_mb", [1024, 64])
def test_gram_files_of_concepts(counts, tmp_path, memory_mb):
    lines = []
    path = tmp_path / "k.h5"
    compute_gram(
        path, sp.csr_array(counts), "concepts-r3-centred-unit", memory_mb=memory_mb,
        log=lines.append,
    )  # fmt: skip
    members = latent_concepts(sp.csr_array(counts), 3).memberships
    np.testing.assert_allclose(read_gram(path), normalise(centre(members @ members.T)), atol=1e-12)
    assert gram_info(path)["parameters"] == {"rank": 3}
    assert any("latent concepts: " in line for line in lines)


@pytest.mark.parametrize("counts", [[[3.0, 0], [0, 3.0]], [[2.0, 0], [1.0, 0]]])
def test_a_perfect_fit_ends(counts):
    found = concepts(np.array(counts), rank=2)
    assert np.isfinite(found).all()
    if counts[1][1]:
        np.testing.assert_allclose(found, np.eye(2), atol=1e-9)
