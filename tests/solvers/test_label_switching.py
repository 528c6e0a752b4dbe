"""Label switching: its machines, its switches, and its end."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.svm import SVC

from gramworks.solvers.label_switching import switch_labels
from gramworks.solvers.sequential_minimal import minimise_weighted
from gramworks.solvers.svm_dual import solve_svm


def problem(seed, n=60, n_labelled=6, width=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = rng.normal(size=(n, 2))
    X[:, 0] += 1.2 * y
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / (2 * width**2))
    known = np.zeros(n, dtype=bool)
    known[rng.permutation(n // 2)[: n_labelled // 2] * 2] = True
    known[rng.permutation(n // 2)[: n_labelled // 2] * 2 + 1] = True
    return K, y, known


def run(K, y, known, C=10.0, cost=10.0, count=None, scores=None, **options):
    if scores is None:
        machine = solve_svm(K[np.ix_(known, known)], y[known], C)
        scores = K[:, known] @ (y[known] * machine.alpha) + machine.intercept
    count = (y[~known] > 0).sum() if count is None else count
    return switch_labels(K, known, y[known], scores, C, cost, count, **options)


def primal(K, y, costs):
    """Value of the machine whose points have these costs, by another solver."""
    svm = SVC(C=1.0, kernel="precomputed", tol=1e-8).fit(K, y, sample_weight=costs)
    beta = np.zeros(y.size)
    beta[svm.support_] = svm.dual_coef_[0]
    return 0.5 * beta @ K @ beta + costs @ np.maximum(0, 1 - y * (K @ beta + svm.intercept_))


@pytest.mark.parametrize("seed", range(4))
def test_machines_with_costs_of_their_own_are_those_of_libsvm(seed):
    rng = np.random.default_rng(seed)
    K, y, _ = problem(seed)
    costs = rng.uniform(0.01, 20, y.size)
    beta, slopes = np.zeros(y.size), y.copy()
    b, _, converged = minimise_weighted(K, y, costs, beta, slopes, tol=1e-8)
    assert converged
    np.testing.assert_allclose(slopes, y - K @ beta, atol=1e-10)
    assert abs(beta.sum()) < 1e-10
    assert (y * beta >= 0).all()
    assert (y * beta <= costs).all()
    value = 0.5 * beta @ K @ beta + costs @ np.maximum(0, 1 - y * (K @ beta + b))
    assert value == pytest.approx(primal(K, y, costs), rel=1e-6)
    dual = beta @ y - 0.5 * beta @ K @ beta
    assert value == pytest.approx(dual, rel=1e-6)
    # from there to other costs, as from nothing
    wider = costs * rng.uniform(1, 3, y.size)
    minimise_weighted(K, y, wider, beta, slopes, tol=1e-8)
    anew = np.zeros(y.size)
    minimise_weighted(K, y, wider, anew, y.copy(), tol=1e-8)
    np.testing.assert_allclose(K @ beta, K @ anew, atol=1e-6)


def test_the_cap_on_steps_is_reported():
    K, y, _ = problem(0)
    *_, steps, converged = minimise_weighted(
        K, y, np.full(60, 5.0), np.zeros(60), y.copy(), max_iter=3
    )
    assert (steps, converged) == (3, False)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("cost", [0.1, 10.0, 1000.0])
def test_every_switch_lowers_the_objective(cost, tol):
    switches = 0
    for seed in range(5):
        K, y, known = problem(seed)
        # a start at random leaves much to switch
        scores = np.random.default_rng(seed).normal(size=y.size)
        found = run(K, y, known, cost=cost, tol=tol, scores=scores)
        assert found.converged
        assert all(after < before for before, after in found.trace)
        switches += found.n_switches
    assert switches > 10


@pytest.mark.parametrize("seed", range(5))
def test_the_end_is_the_machine_of_its_labels_without_a_pair_to_switch(seed):
    K, y, known = problem(seed)
    found = run(K, y, known, cost=3.0, tol=1e-7)
    np.testing.assert_array_equal(found.signs[known], y[known])
    assert (found.signs[~known] > 0).sum() == (y[~known] > 0).sum()
    costs = np.where(known, 10.0, 3.0)
    assert found.objective == pytest.approx(primal(K, found.signs, costs), rel=1e-5)
    slack = 1 - found.signs * (K @ found.coefficients + found.intercept)
    up, down = (~known & (found.signs == sign) for sign in (1, -1))
    pairs = slack[up][:, None] + slack[down]
    assert not np.any((pairs > 2 + 1e-5) & (slack[up][:, None] > 0) & (slack[down] > 0))


def test_few_points_against_all_labellings():
    best = 0
    for seed in range(6):
        K, y, known = problem(seed, n=12, n_labelled=4)
        found = run(K, y, known, cost=10.0, tol=1e-6)
        free, values = np.flatnonzero(~known), []
        for chosen in combinations(free, 4):
            labels = np.where(np.isin(np.arange(12), chosen), 1.0, -1.0)
            labels[known] = y[known]
            values.append(primal(K, labels, np.full(12, 10.0)))
        assert found.objective >= min(values) * (1 - 1e-6)
        best += found.objective <= min(values) * (1 + 1e-5)
    assert best >= 3


@pytest.mark.parametrize("count", [0, 1, 53, 54])
def test_all_unlabelled_points_on_one_side(count):
    K, y, known = problem(0)
    found = run(K, y, known, count=count)
    assert (found.signs[~known] > 0).sum() == count
    assert found.converged
    costs = np.full(60, 10.0)
    assert found.objective == pytest.approx(primal(K, found.signs, costs), rel=1e-3)


def test_the_caps_are_reported():
    K, y, known = problem(1)
    scores = np.random.default_rng(0).normal(size=y.size)
    assert run(K, y, known, scores=scores).n_switches > 1
    capped = run(K, y, known, scores=scores, max_switches=1)
    assert (capped.n_switches, capped.converged) == (1, False)
    assert not run(K, y, known, max_iter=2).converged
