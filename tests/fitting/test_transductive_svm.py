"""Transductive machines: what they are without unlabelled weight, and on two moons."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError
from gramworks.fitting import KernelSVM, SelfTrainingSVM, TransductiveSVM


def gaussian(X, Z, width):
    return np.exp(-((X[:, None] - Z[None]) ** 2).sum(axis=-1) / (2 * width**2))


def moons(seed, a_class=2):
    X, y = make_moons(200, noise=0.1, random_state=seed)
    rng, known = np.random.default_rng(seed), np.zeros(200, dtype=bool)
    for code in (0, 1):
        known[rng.choice(np.flatnonzero(y == code), a_class, replace=False)] = True
    return gaussian(X, X, 0.35), y, known


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    known = np.zeros(150, dtype=bool)
    known[np.random.default_rng(0).permutation(150)[:30]] = True
    return gaussian(X, X, 1.0), load_iris().target_names[y], known


@pytest.mark.parametrize("classes", [2, 3])
def test_without_unlabelled_weight_it_is_the_svm(iris, classes):
    K, y, known = iris
    rows = y != "setosa" if classes == 2 else np.ones(150, dtype=bool)
    K, y, known = K[np.ix_(rows, rows)], y[rows], known[rows]
    plain = KernelSVM(C=10).fit(K, y, known)
    for C_unlabelled, mask in ((0, known), (10, np.ones(len(y), dtype=bool))):
        plain = KernelSVM(C=10).fit(K, y, mask)
        model = TransductiveSVM(C=10, C_unlabelled=C_unlabelled).fit(K, y, mask)
        np.testing.assert_allclose(model.dual_coef_, plain.dual_coef_, atol=1e-12)
        np.testing.assert_allclose(model.intercept_, plain.intercept_, atol=1e-12)
        np.testing.assert_array_equal(model.predict(), plain.predict())
        assert model.n_switches_ == 0
        signs = np.atleast_2d(model.signs_)[:, mask]
        slack = np.maximum(0, 1 - signs * np.atleast_2d(plain.decision_function().T)[:, mask])
        beta = np.atleast_2d(plain.dual_coef_)
        expected = 0.5 * np.einsum("qi,ij,qj->q", beta, K, beta) + 10 * slack.sum(axis=1)
        np.testing.assert_allclose(model.objective_, np.squeeze(expected), rtol=1e-9)


def test_a_vanishing_weight_comes_near_the_svm():
    K, y, known = moons(1)
    plain = KernelSVM(C=10, tol=1e-8).fit(K, y, known)
    model = TransductiveSVM(C=10, C_unlabelled=1e-7, tol=1e-8).fit(K, y, known)
    np.testing.assert_allclose(
        K @ model.dual_coef_, K @ plain.dual_coef_, atol=1e-3 * np.abs(plain.dual_coef_).max()
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_differs_on_two_moons_and_is_better(seed):
    K, y, known = moons(seed)
    plain = KernelSVM(C=10).fit(K, y, known).score(None, y)
    model = TransductiveSVM(C=10).fit(K, y, known)
    assert model.converged_
    assert model.n_switches_ > 0
    assert model.score(None, y) >= plain + 0.04
    assert model.score(None, y) > 0.98


def test_a_class_against_the_rest(iris):
    K, y, known = iris
    model = TransductiveSVM(C=10).fit(K, y, known)
    assert model.dual_coef_.shape == model.signs_.shape == (3, 150)
    assert model.objective_.shape == (3,)
    shares = [(y[known] == name).mean() for name in model.classes_]
    wanted = np.floor(np.array(shares) * 120 + 0.5)
    np.testing.assert_array_equal((model.signs_[:, ~known] > 0).sum(axis=1), wanted)
    given = TransductiveSVM(C=10, positive_fraction=[1 / 3, 0.35, 0.4]).fit(K, y, known)
    np.testing.assert_array_equal((given.signs_[:, ~known] > 0).sum(axis=1), [40, 42, 48])
    assert given.score(None, y) > 0.9


@pytest.mark.parametrize("kind", [TransductiveSVM, SelfTrainingSVM])
def test_labels_masks_and_new_points(kind):
    K, y, known = moons(2)
    whole = kind(C=10).fit(K, y, known)
    for classes in (["no", "yes"], [-1, 1], [False, True], [2.5, -3.5][::-1]):
        named = [classes[c] if k else None for c, k in zip(y, known, strict=True)]
        model = kind(C=10).fit(K, named)
        np.testing.assert_array_equal(model.dual_coef_, whole.dual_coef_)
        assert list(model.predict()) == [model.classes_[c] for c in whole.predict()]
    altered = np.where(known, y, 1)
    np.testing.assert_array_equal(kind(C=10).fit(K, altered, known).dual_coef_, whole.dual_coef_)
    np.testing.assert_array_equal(whole.predict(K[:7]), whole.predict()[:7])
    again = pickle.loads(pickle.dumps(clone(whole).fit(K, y, known)))
    np.testing.assert_array_equal(again.decision_function(), whole.decision_function())
    with pytest.raises(FitError, match=r"\(n_new, 200\)"):
        whole.decision_function(K[:, :9])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C_unlabelled": -1}, "C_unlabelled=-1; allowed: a positive"),
        ({"C_unlabelled": "a"}, "C_unlabelled='a'; allowed"),
        ({"positive_fraction": 1.5}, "positive_fraction=1.5; allowed: a number from 0 to 1"),
        ({"positive_fraction": [0.2, 0.8]}, r"positive_fraction=\[0.2, 0.8\]; allowed"),
        ({"positive_fraction": "half"}, "positive_fraction='half'; allowed"),
        ({"positive_fraction": np.nan}, "positive_fraction=nan; allowed"),
        ({"max_switches": 0}, "max_switches=0; allowed"),
    ],
)
def test_unusable_parameters_are_refused(parameters, message):
    K, y, known = moons(0)
    with pytest.raises(FitError, match=message):
        TransductiveSVM(**parameters).fit(K, y, known)


@pytest.mark.parametrize("kind", [TransductiveSVM, SelfTrainingSVM])
def test_one_class_is_refused(kind):
    K, y, _ = moons(0)
    with pytest.raises(FitError, match="1 class"):
        kind().fit(K, y, y == 1)


def test_caps_are_said():
    K, y, known = moons(0)
    with pytest.warns(ConvergenceWarning, match="cap of 1 switches"):
        model = TransductiveSVM(C=10, max_switches=1).fit(K, y, known)
    assert (model.converged_, model.n_switches_) == (False, 1)
    with pytest.warns(ConvergenceWarning, match="cap of 2 steps"):
        assert not SelfTrainingSVM(C=10, max_iter=2).fit(K, y, known).converged_


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("per_round", "max_rounds"), [(7, 4), (50, None), (1000, 3)])
def test_self_training_round_by_round(iris, classes, per_round, max_rounds):
    K, y, known = iris
    rows = y != "setosa" if classes == 2 else np.ones(150, dtype=bool)
    K, y, known = K[np.ix_(rows, rows)], y[rows], known[rows]
    model = SelfTrainingSVM(10, per_round, max_rounds, tol=1e-9).fit(K, y, known)
    current, labels, rounds = known.copy(), list(np.where(known, y, "")), 0
    while not current.all() and (max_rounds is None or rounds < max_rounds):
        machine = KernelSVM(C=10, tol=1e-9).fit(K, labels, current)
        values = machine.decision_function()
        confidence = np.abs(values) if classes == 2 else values.max(axis=1)
        order = np.argsort(np.where(current, np.inf, -confidence))
        for i in order[: min(per_round, (~current).sum())]:
            labels[i], current[i] = machine.predict()[i], True
        rounds += 1
    expected = KernelSVM(C=10, tol=1e-9).fit(K, labels, current)
    assert (model.n_rounds_, model.n_added_) == (rounds, (current & ~known).sum())
    np.testing.assert_allclose(model.decision_function(), expected.decision_function(), atol=1e-6)
    assert not np.atleast_2d(model.dual_coef_)[:, ~current].any()


def test_self_training_with_nothing_to_add_is_the_svm(iris):
    K, y, _ = iris
    model = SelfTrainingSVM(C=10).fit(K, y)
    np.testing.assert_array_equal(model.dual_coef_, KernelSVM(C=10).fit(K, y).dual_coef_)
    assert (model.n_rounds_, model.n_added_) == (0, 0)
