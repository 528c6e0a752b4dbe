"""Classifiers on the graph of a kernel: random walk, label propagation and spreading."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError, KernelError
from gramworks.fitting import LabelDiffusion, RandomWalkClassifier

MODELS = [
    RandomWalkClassifier(),
    RandomWalkClassifier(rule="likelihood"),
    LabelDiffusion("propagation"),
    LabelDiffusion("spreading"),
]


def problem(n=30, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    X = rng.normal(size=(n, 2)) + 3 * np.array([[0, 0], [1, 0], [0, 1]])[codes]
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / 2)
    known = np.zeros(n, dtype=bool)
    known[rng.permutation(n)[:12]] = True
    assert len(set(codes[known])) == 3
    return K, codes, known


def normalised(F):
    return F / F.sum(axis=1, keepdims=True)


def near(K, neighbours):
    """Weights between nearest neighbours: of a unit diagonal, the largest entries."""
    if neighbours is None:
        return K
    W = K.copy()
    np.fill_diagonal(W, 2.0)
    kept = np.sort(W, axis=1)[:, [-1 - neighbours]] <= W
    return np.where(kept | kept.T, K, 0)


@pytest.mark.parametrize("neighbours", [None, 8])
@pytest.mark.parametrize("alpha", [0.2, 0.9])
def test_spreading_is_its_closed_form(alpha, neighbours):
    K, codes, known = problem()
    model = LabelDiffusion("spreading", alpha, neighbours, tol=1e-13).fit(K, codes, known)
    W = near(K, neighbours)
    W = W - np.diag(np.diag(W))
    d = W.sum(axis=1)
    S = W / np.sqrt(np.outer(d, d))
    Y = np.eye(3)[codes] * known[:, None]
    expected = normalised(np.linalg.solve(np.eye(len(K)) - alpha * S, Y))
    np.testing.assert_allclose(model.distribution_, expected, atol=1e-10)


@pytest.mark.parametrize("neighbours", [None, 8])
def test_propagation_is_harmonic(neighbours):
    K, codes, known = problem()
    model = LabelDiffusion("propagation", neighbours=neighbours, tol=1e-13).fit(K, codes, known)
    K = near(K, neighbours)
    Y = np.eye(3)[codes]
    np.testing.assert_array_equal(model.distribution_[known], Y[known])
    rest = ~known
    laplacian = np.diag(K.sum(axis=1)) - K
    expected = np.linalg.solve(laplacian[np.ix_(rest, rest)], K[np.ix_(rest, known)] @ Y[known])
    np.testing.assert_allclose(model.distribution_[rest], expected, atol=1e-9)


@pytest.mark.parametrize("neighbours", [None, 4])
def test_the_random_walk_is_its_formula(neighbours):
    K, codes, known = problem()
    model = RandomWalkClassifier(3, neighbours).fit(K, codes, known)
    W = near(K, neighbours)
    walk = np.linalg.matrix_power(W / W.sum(axis=1, keepdims=True), 3)
    starts = walk / walk.sum(axis=0)
    means = np.column_stack([starts[:, known & (codes == c)].mean(axis=1) for c in range(3)])
    parameters = np.eye(3)[means.argmax(axis=1)]
    parameters[means.max(axis=1) == 0] = np.bincount(codes[known]) / 12
    np.testing.assert_allclose(model.parameters_, parameters)
    np.testing.assert_allclose(model.posterior_, starts.T @ parameters, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_two_moons(model):
    X, y = make_moons(200, noise=0.05, random_state=0)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / (2 * 0.1**2))
    known = np.isin(np.arange(200), [*np.flatnonzero(y)[:4], *np.flatnonzero(1 - y)[:4]])
    model = clone(model).set_params(neighbours=8)
    if isinstance(model, RandomWalkClassifier):
        model.set_params(steps=20)
    else:
        model.set_params(tol=1e-6)
    model.fit(K, y, known)
    assert model.converged_
    assert model.score(K, y) > 0.95


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_labels_of_any_type(model):
    K, codes, known = problem()
    whole = clone(model).fit(K, codes, known)
    K.setflags(write=False)
    before = K.copy()
    for classes in (["a", "b", "c"], [-1, 0, 1], [-2.5, -1.0, 7.0]):
        named = [classes[c] if k else None for c, k in zip(codes, known, strict=True)]
        again = clone(model).fit(K, named)
        assert list(again.predict()) == [again.classes_[c] for c in whole.predict()]
        assert set(again.classes_) == set(classes)
    np.testing.assert_array_equal(K, before)
    kept = pickle.loads(pickle.dumps(whole))
    np.testing.assert_array_equal(kept.decision_function(), whole.decision_function())
    altered = np.where(known, codes, 1)
    np.testing.assert_array_equal(clone(model).fit(K, altered, known).predict(), whole.predict())


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_two_classes_have_one_decision_value(model):
    K, codes, known = problem()
    two = np.where(codes == 2, 0, codes)
    model = clone(model).fit(K, two, known)
    values = model.decision_function()
    assert values.shape == (30,)
    np.testing.assert_array_equal(model.predict(), (values > 0).astype(int))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_parts_of_the_graph_without_labels_get_the_shares_of_the_labelled(model):
    K, codes, known = problem()
    K = K.copy()
    K[20:, :20] = K[:20, 20:] = 0.0  # two parts
    K[:, 5] = K[5] = 0.0
    K[5, 5] = 1.0  # a point alone
    known = np.zeros(30, dtype=bool)
    known[[0, 1, 2, 3, 6, 9]] = True  # classes 0, 1, 2, 0, 0, 0
    model = clone(model).fit(K, codes, known)
    lost = np.isin(np.arange(30), [5, *range(20, 30)])
    np.testing.assert_array_equal(model.unreached_, lost)
    shares = getattr(model, "posterior_", getattr(model, "distribution_", None))
    np.testing.assert_allclose(shares[lost], np.tile([4 / 6, 1 / 6, 1 / 6], (11, 1)))
    assert (model.predict()[lost] == 0).all()
    assert np.isfinite(shares).all()


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_unusable_graphs_and_labels_are_refused(model):
    K, codes, known = problem()
    negative = K.copy()
    negative[3, 7] = negative[7, 3] = -0.25
    with pytest.raises(KernelError, match=r"negative entries, the least -0.25 at \(3, 7\)"):
        clone(model).fit(negative, codes, known)
    empty = K.copy()
    empty[4] = empty[:, 4] = 0.0
    with pytest.raises(KernelError, match="row 4 of K is all zeros"):
        clone(model).fit(empty, codes, known)
    with pytest.raises(FitError, match="1 class"):
        clone(model).fit(K, codes, codes == 2)
    for count in (0, 30, 2.5):
        with pytest.raises(FitError, match=f"neighbours={count}; allowed: a whole number"):
            clone(model).set_params(neighbours=count).fit(K, codes, known)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RandomWalkClassifier(steps=0), "steps=0; allowed"),
        (RandomWalkClassifier(rule="em"), "rule='em'"),
        (LabelDiffusion("spread"), "variant='spread'"),
        (LabelDiffusion(alpha=1), "alpha=1; allowed: a number between 0 and 1"),
        (LabelDiffusion(alpha=0), "alpha=0; allowed"),
        (LabelDiffusion(tol=0), "tol=0; allowed"),
        (LabelDiffusion(max_iter=0), "max_iter=0; allowed"),
    ],
)
def test_unusable_parameters_are_refused(model, message):
    K, codes, known = problem()
    with pytest.raises(FitError, match=message):
        model.fit(K, codes, known)


@pytest.mark.parametrize("variant", ["propagation", "spreading"])
def test_the_cap_is_said(variant):
    K, codes, known = problem()
    with pytest.warns(ConvergenceWarning, match="after 2 steps"):
        assert not LabelDiffusion(variant, max_iter=2).fit(K, codes, known).converged_


@pytest.mark.parametrize("classifier", [LabelDiffusion(), RandomWalkClassifier()])
@pytest.mark.parametrize("call", ["predict", "decision_function"])
def test_new_points_are_refused_with_what_to_do(classifier, call):
    K = np.ones((4, 4)) + np.eye(4)
    model = classifier.fit(K, ["a", "b", None, None])
    with pytest.raises(FitError, match="alone; call without K_new .* unlabelled"):
        getattr(model, call)(K[:2])
