import numpy as np
import pytest

from gramworks.errors import FitError
from gramworks.solvers.margin import CRITERIA, minimise_margin
from gramworks.solvers.margin_criterion import NotSeparable
from gramworks.solvers.rank_one import minimise_rank_one
from gramworks.solvers.reference import solve_qcqp


def problem(seed=1, n=30, p=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.8, 1.0, -1.0)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    vectors = np.linalg.eigh(np.exp(-squares / 4))[1][:, : -p - 1 : -1]
    return vectors * rng.uniform(0.5, 2.0, size=p), y, np.arange(n) < 0.75 * n


@pytest.mark.parametrize("criterion", ["l1", "l2", "l2-auto"])
@pytest.mark.parametrize("several", [False, True])
def test_the_programme_gives_what_the_list_of_kernels_gives(criterion, several):
    vectors, y, labelled = problem()
    signs = y[labelled]
    signs = np.array([signs, np.roll(signs, 4), -np.roll(signs, 9)]) if several else signs
    sizes = (vectors**2).sum(axis=0)
    found = minimise_rank_one(
        vectors[labelled], signs, sizes, criterion=criterion, C=2.0, n_points=30
    )
    grams = [np.outer(v, v) for v in vectors.T]
    other = minimise_margin(grams, signs, labelled, criterion=criterion, C=2.0)
    assert found.gap <= 1e-6
    assert found.omega == pytest.approx(other.omega, rel=2e-6)
    assert found.ridge == pytest.approx(other.ridge, rel=1e-3)
    K, L = ((vectors * mu) @ vectors.T for mu in (found.weights, other.weights))
    assert np.linalg.norm(K - L) <= 1e-3 * np.linalg.norm(L)
    # orthogonal vectors: nothing is gained by free weights
    free = minimise_margin(grams, signs, labelled, criterion=criterion, weights="free", C=2.0)
    assert free.omega == pytest.approx(found.omega, rel=2e-6)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_programme_matches_a_generic_solver(criterion):
    vectors, y, labelled = problem(seed=2, p=10)
    if criterion == "hard":
        y = np.where(vectors[:, 1] > np.median(vectors[:, 1]), 1.0, -1.0)
    sizes = (vectors**2).sum(axis=0)
    found = minimise_rank_one(
        vectors[labelled], y[labelled], sizes, criterion=criterion, n_points=30
    )
    other = solve_qcqp(
        [np.outer(v, v) for v in vectors.T], y[labelled], labelled, criterion=criterion,
        solver="CLARABEL",
    )  # fmt: skip
    assert found.gap <= 1e-6
    assert found.omega == pytest.approx(other.value, rel=1e-5)
    traces = found.weights @ sizes + (30 * found.ridge if criterion == "l2-auto" else 0)
    assert traces == pytest.approx(sizes.sum() + (30 if criterion == "l2-auto" else 0))


def test_one_vector_that_holds_the_labels():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    found = minimise_rank_one(y[:, None] / 2, y, np.ones(1), criterion="hard", total=8.0)
    # K = 8 v v' = 2 yy': features +- sqrt(2), omega = 1 / 2
    assert found.omega == pytest.approx(0.5)
    np.testing.assert_allclose(found.weights, [8.0])


def test_overlapping_classes_have_no_hard_margin():
    vectors, y, labelled = problem(p=2)
    with pytest.raises(NotSeparable, match="no combination of the rank-one kernels separates"):
        minimise_rank_one(vectors, y, (vectors**2).sum(axis=0), criterion="hard")
    with pytest.raises(FitError, match="C is 0"):
        minimise_rank_one(vectors, y, (vectors**2).sum(axis=0), C=0)
