"""Affinities, leading eigenpairs and cuts, each against the plain computation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramworks.errors import KernelError
from gramworks.solvers import leading_eigenpairs as leading
from gramworks.solvers.affinity import normalised_affinity
from gramworks.solvers.cluster_spectrum import (
    ClusterSpectrum,
    cluster_spectrum,
    spectral_representation,
)
from gramworks.solvers.leading_eigenpairs import is_semidefinite, leading_eigenpairs
from gramworks.solvers.transfer import Transfer


def gaussian(n, width=1.0, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / (2 * width**2))


def test_products_with_the_factors_are_those_of_the_matrix():
    affinity = normalised_affinity(gaussian(30))
    L = affinity.dense()
    D = gaussian(30).sum(axis=1)
    assert_allclose(L, gaussian(30) / np.sqrt(np.outer(D, D)), rtol=1e-14)
    rng = np.random.default_rng(1)
    v, V = rng.normal(size=30), rng.normal(size=(30, 4))
    assert_allclose(affinity.multiply(v), L @ v, atol=1e-14)
    assert_allclose(affinity.multiply(V), L @ V, atol=1e-14)
    for exponent in (1, 2, 3, 5, 8):
        power = np.linalg.matrix_power(L, exponent)
        assert_allclose(affinity.power(exponent), power, atol=1e-14)


def test_near_points_are_those_of_either_side_and_all_that_are_as_near():
    K = gaussian(25)
    distances = 2 - 2 * K + np.diag(np.full(25, np.inf))
    expected = np.eye(25, dtype=bool)
    for i in range(25):
        for j in np.argsort(distances[i])[:3]:
            expected[i, j] = expected[j, i] = True
    assert_array_equal(normalised_affinity(K, 3).weights, np.where(expected, K, 0))
    # the third is as near as the second: both are kept
    tied = np.array([[1, 0.5, 0.2, 0.2], [0.5, 1, 0.1, 0.1], [0.2, 0.1, 1, 0], [0.2, 0.1, 0, 1.0]])
    assert_array_equal(normalised_affinity(tied, 2).weights[0] > 0, [True] * 4)


def test_a_zero_diagonal_admits_points_without_neighbours():
    K = gaussian(10)
    K[4], K[:, 4] = 0, 0
    K[4, 4] = 1
    affinity = normalised_affinity(K, zero_diagonal=True)
    assert affinity.scale[4] == 0
    assert K[0, 0] == 1  # only read
    rows = spectral_representation(affinity, 2)
    assert_array_equal(rows[4], 0)
    assert_allclose((rows**2).sum(axis=1), np.arange(10) != 4)


@pytest.mark.parametrize("way", ["subset", "lanczos"])
def test_each_way_finds_the_same_pairs(way, monkeypatch):
    affinity = normalised_affinity(gaussian(150, width=0.5))
    expected, U = np.linalg.eigh(affinity.dense())
    monkeypatch.setattr(leading, "FULL_POINTS", 20)
    monkeypatch.setattr(leading, "SUBSET_POINTS", 1000 if way == "subset" else 20)
    pairs = leading_eigenpairs(affinity, 12)
    assert not pairs.complete
    assert_allclose(pairs.values, expected[::-1][:12], atol=1e-12)
    projector = U[:, ::-1][:, :12] @ U[:, ::-1][:, :12].T
    assert_allclose(pairs.vectors @ pairs.vectors.T, projector, atol=1e-9)


def test_no_copy_of_a_multiple_eigenvalue_is_missed(monkeypatch):
    monkeypatch.setattr(leading, "FULL_POINTS", 20)
    monkeypatch.setattr(leading, "SUBSET_POINTS", 20)
    which = np.arange(200) % 20
    K = 1.0 * (which[:, None] == which)  # twenty eigenvalues of 1, all others 0
    for count in (5, 19, 20, 30):
        pairs = leading_eigenpairs(normalised_affinity(K), count)
        assert_allclose(pairs.values[:20], 1.0, atol=1e-12)
    spectrum = cluster_spectrum(normalised_affinity(K), [Transfer("step", 3)])
    assert spectrum.cut(3) == 20
    assert_allclose(spectrum.kernel(Transfer("step", 3)), K, atol=1e-10)


def test_a_small_and_a_large_problem_give_the_same_kernels(monkeypatch):
    K = gaussian(120, width=0.6)
    several = [Transfer("step", 7), Transfer("poly-step", 7), Transfer("polynomial"),
               Transfer("linear"), Transfer("linear-step", 7)]  # fmt: skip
    whole = cluster_spectrum(normalised_affinity(K), several)
    assert len(whole.values) == 120
    monkeypatch.setattr(leading, "FULL_POINTS", 20)
    monkeypatch.setattr(leading, "SUBSET_POINTS", 20)
    part = cluster_spectrum(normalised_affinity(K), several)
    assert len(part.values) < 30
    for transfer in several:
        assert_allclose(part.kernel(transfer), whole.kernel(transfer), atol=1e-8)


def test_blocks_are_blocks_of_the_kernel():
    K = gaussian(50, width=0.7)
    rows, columns = np.array([4, 9, 30]), np.array([2, 9, 44, 45])
    several = [Transfer("poly-step", 5), Transfer("step", 3), Transfer("polynomial")]
    spectrum = cluster_spectrum(normalised_affinity(K), several)
    for transfer in several:
        whole = spectrum.kernel(transfer)
        assert_allclose(spectrum.block(transfer, rows), whole[rows], atol=1e-13)
        block = spectrum.block(transfer, rows, columns)
        assert_allclose(block, whole[np.ix_(rows, columns)], atol=1e-13)
        assert block[1, 1] == 1.0
        diagonal = spectrum.diagonal(transfer, rows)
        assert_allclose(diagonal, spectrum.diagonal(transfer)[rows], atol=1e-15)


def test_the_cut_keeps_equal_eigenvalues_together_and_none_of_zero():
    values = np.array([1, 0.9, 0.9 - 1e-12, 0.9 - 2e-12, 0.5, 0.1, 0.0, -1e-17])
    spectrum = ClusterSpectrum(values, np.eye(8))
    assert [spectrum.cut(r) for r in range(1, 10)] == [1, 4, 4, 4, 5, 6, 6, 6, 6]
    small = ClusterSpectrum(np.array([1, 1e-8, 0.9e-8, 1e-9, 1e-11]), np.eye(5))
    assert [small.cut(r) for r in (1, 2, 3, 4)] == [1, 2, 3, 4]  # not equal, small as they are
    assert small.cut(5) == 4  # and the last is rounding
    part = ClusterSpectrum(values[:3], np.eye(8)[:, :3])
    assert part.cut(1) == 1
    with pytest.raises(KernelError, match="a cut after 2 eigenvalues needs more than the 3"):
        part.cut(2)


def test_indefinite_affinities_are_seen():
    assert is_semidefinite(normalised_affinity(gaussian(60)))
    assert not is_semidefinite(normalised_affinity(gaussian(60), zero_diagonal=True))


def test_a_tail_of_an_indefinite_affinity_has_no_negative_part():
    affinity = normalised_affinity(gaussian(40), zero_diagonal=True)
    spectrum = cluster_spectrum(affinity, [Transfer("polynomial", steps=3)])
    values, U = np.linalg.eigh(affinity.dense())
    assert values[0] < -0.01
    assert_allclose(spectrum.tails[3.0], (U * values.clip(0) ** 3) @ U.T, atol=1e-12)


def test_a_copy_that_lanczos_misses_is_found(monkeypatch):
    points = np.random.default_rng(3).standard_normal((100, 3))
    X = np.concatenate([points + 100 * i for i in range(4)])
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 0.08)
    for rank in (1, 3, 5, 8):
        whole = cluster_spectrum(normalised_affinity(K), [Transfer("step", rank)])
        with monkeypatch.context() as patch:
            patch.setattr(leading, "FULL_POINTS", 10)
            patch.setattr(leading, "SUBSET_POINTS", 20)
            part = cluster_spectrum(normalised_affinity(K), [Transfer("step", rank)])
        assert part.cut(rank) == whole.cut(rank)
        assert_allclose(
            part.kernel(Transfer("step", rank)), whole.kernel(Transfer("step", rank)), atol=1e-5
        )


def test_a_step_beyond_the_numerical_rank_is_a_function_of_the_kernel():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 4))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 1800)
    order = rng.permutation(120)
    for rank in (50, 500):
        step = Transfer("step", rank)
        learned = [
            cluster_spectrum(normalised_affinity(part), [step]).kernel(step)
            for part in (K, K[np.ix_(order, order)])
        ]
        assert_allclose(learned[1], learned[0][np.ix_(order, order)], atol=1e-4)


def test_lanczos_gives_up_where_lapack_is_quicker(monkeypatch):
    X = np.random.default_rng(0).standard_normal((300, 3))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / (2 * 0.02**2))  # eigenvalues crowd at 1
    monkeypatch.setattr(leading, "FULL_POINTS", 10)
    monkeypatch.setattr(leading, "SUBSET_POINTS", 20)
    found = leading_eigenpairs(normalised_affinity(K), 18)
    exact = np.linalg.eigvalsh(normalised_affinity(K).dense())[::-1]
    assert_allclose(found.values[:18], exact[:18], atol=1e-12)
