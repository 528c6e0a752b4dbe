import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge as ReferenceRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

from gramworks.errors import FitError, KernelError
from gramworks.fitting import KernelNeighbours, KernelRidge, KernelSVM


def gaussian(X, Z, width=1.0):
    return np.exp(-((X[:, None] - Z[None]) ** 2).sum(axis=-1) / (2 * width**2))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    return X[order], load_iris().target_names[y[order]]


ESTIMATORS = [KernelSVM(), KernelRidge(task="classification"), KernelNeighbours()]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_unlabelled_points_do_not_matter_and_new_rows_are_wanted_against_all(iris, estimator):
    X, y = iris
    K = gaussian(X[:120], X[:120])
    known = np.arange(120) % 3 > 0
    model = clone(estimator).fit(K, y[:120], known)
    alone = clone(estimator).fit(K[np.ix_(known, known)], y[:120][known])
    new = gaussian(X[120:], X[:120])
    np.testing.assert_allclose(
        model.decision_function(new), alone.decision_function(new[:, known]), atol=1e-10
    )
    np.testing.assert_array_equal(model.predict(K), model.predict())
    assert model.score(new, y[120:]) > 0.8
    holes = [label if k else None for label, k in zip(y[:120], known, strict=True)]
    again = pickle.loads(pickle.dumps(clone(estimator).fit(K, holes)))
    np.testing.assert_array_equal(again.decision_function(), model.decision_function())
    assert again.score(None, holes) == pytest.approx(
        np.mean(model.predict()[known] == y[:120][known])
    )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_labels_of_any_type_give_the_same_predictions(iris, estimator):
    X, y = iris
    two = y != "setosa"
    K, y = gaussian(X[two], X[two]), y[two] == "virginica"
    K.flags.writeable = False
    expected = clone(estimator).fit(K, y).predict()
    for names in (("a", "b"), ("-1", "a"), (1, 2), (-1, 1), (0.5, 7.0), (1, "b")):
        model = clone(estimator).fit(K, [names[int(label)] for label in y])
        assert list(model.predict()) == [names[int(label)] for label in expected]
    # the other order of the names turns the sign of the decisions, not the predictions
    model = clone(estimator).fit(K, np.where(y, 1, 2))
    assert np.mean((model.predict() == 1) == expected) >= 0.98


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_scikit_learn_slices_the_kernel_on_both_axes(iris, estimator):
    X, y = iris
    K = gaussian(X, X)
    scores = cross_val_score(estimator, K, y, cv=3)
    from sklearn.model_selection import StratifiedKFold

    for score, (train, test) in zip(scores, StratifiedKFold(3).split(X, y), strict=True):
        model = clone(estimator).fit(gaussian(X[train], X[train]), y[train])
        assert score == model.score(gaussian(X[test], X[train]), y[test])
    name = {"KernelSVM": "C", "KernelRidge": "ridge"}.get(type(estimator).__name__, "neighbours")
    search = GridSearchCV(estimator, {name: [1, 3]}, cv=3).fit(K, y)
    assert search.predict(K).shape == (150,)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_shapes_and_values_that_are_unusable_are_named(iris, estimator):
    X, y = iris
    K, y = gaussian(X[:40], X[:40]), y[:40]
    model = clone(estimator).fit(K, y)
    with pytest.raises(FitError, match=r"\(20, 20\).*\(n_new, 40\).*and the 40 training rows"):
        model.predict(K[:20, :20])
    with pytest.raises(FitError, match=r"shape \(20, 40\).*square"):
        clone(estimator).fit(K[:20], y[:20])
    with pytest.raises(FitError, match=r"y has shape \(30,\)"):
        clone(estimator).fit(K, y[:30])
    with pytest.raises(FitError, match="real numbers"):
        clone(estimator).fit(K.astype(complex), y)
    with pytest.raises(FitError, match=r"K is sparse.*toarray"):
        clone(estimator).fit(csr_array(K), y)
    with pytest.raises(FitError, match="not numbers"):
        clone(estimator).fit(np.full((40, 40), "x", dtype=object), y)
    for value in (np.nan, np.inf):
        bad = K.copy()
        bad[1, 2] = value
        with pytest.raises(KernelError, match="row 1, column 2"):
            clone(estimator).fit(bad, y)
        with pytest.raises(KernelError, match="row 1, column 2"):
            model.predict(bad)
    skew = K.copy()
    skew[4, 2] += 5
    with pytest.raises(KernelError, match="not symmetric"):
        clone(estimator).fit(skew, y)
    with pytest.raises(Exception, match="not fitted"):
        clone(estimator).predict(K)


def test_svm_matches_scikit_learn_in_binary_and_one_against_rest(iris):
    X, y = iris
    K = gaussian(X, X)
    model = KernelSVM(C=2.0, tol=1e-6).fit(K, y)
    for column, label in enumerate(model.classes_):
        reference = SVC(kernel="precomputed", C=2.0, tol=1e-6).fit(K, y == label)
        np.testing.assert_allclose(
            model.decision_function()[:, column], reference.decision_function(K), atol=1e-4
        )
        binary = KernelSVM(C=2.0, tol=1e-6).fit(K, y == label)
        np.testing.assert_allclose(
            binary.decision_function(), model.decision_function()[:, column], atol=1e-4
        )
        assert binary.dual_coef_.shape == (150,)
        assert isinstance(binary.intercept_, float)
    assert model.converged_


def test_svm_ends_at_the_cap_with_a_warning():
    rng = np.random.default_rng(0)
    X = 10 * rng.normal(size=(200, 2))
    y = X[:, 0] * X[:, 1] + 30 * rng.normal(size=200) > 0
    with pytest.warns(ConvergenceWarning, match="cap of 2000 steps"):
        model = KernelSVM(max_iter=2000).fit((1 + X @ X.T) ** 7, y)
    assert not model.converged_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert KernelSVM().fit(gaussian(X, X), y).converged_


@pytest.mark.parametrize("C", [0, -1, np.nan])
def test_svm_bounds(C):
    with pytest.raises(FitError, match="allowed: a positive finite number"):
        KernelSVM(C=C).fit(np.eye(4), [0, 1, 0, 1])


def test_every_row_twice_and_a_constant_kernel():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 2))
    y = X[:, 0] > 0
    K = gaussian(X, X)
    twice = np.tile(K, (2, 2))
    single = KernelSVM(C=1.0, tol=1e-7).fit(K, y).decision_function()
    double = KernelSVM(C=0.5, tol=1e-7).fit(twice, np.tile(y, 2)).decision_function()
    np.testing.assert_allclose(double[:20], single, atol=1e-5)
    constant = KernelSVM().fit(np.ones((5, 5)), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(constant.predict(), 0)
    flat = KernelRidge().fit(np.ones((5, 5)), [1.0, 2, 3, 4, 5])
    np.testing.assert_allclose(flat.predict(), 3.0)


def test_ridge_matches_scikit_learn_on_centred_data(iris):
    X, _ = iris
    target = X[:, 3]
    X = X[:, :3]
    K, new = gaussian(X[:100], X[:100]), gaussian(X[100:], X[:100])
    model = KernelRidge(ridge=0.1).fit(K, target[:100])
    centrer = KernelCenterer().fit(K)
    reference = ReferenceRidge(alpha=0.1, kernel="precomputed")
    reference.fit(centrer.transform(K), target[:100] - target[:100].mean())
    expected = reference.predict(centrer.transform(new)) + target[:100].mean()
    np.testing.assert_allclose(model.predict(new), expected, atol=1e-10)
    plain = KernelRidge(ridge=0.1, centre=False).fit(K, target[:100])
    reference = ReferenceRidge(alpha=0.1, kernel="precomputed").fit(K, target[:100])
    np.testing.assert_allclose(plain.predict(new), reference.predict(new), atol=1e-10)
    assert plain.intercept_ == 0


@pytest.mark.parametrize("shift", [100, 1e6])
def test_ridge_follows_a_shift_of_the_targets(iris, shift):
    X, _ = iris
    K = gaussian(X[:, :3], X[:, :3])
    known = np.arange(150) < 100
    model = KernelRidge(0.1).fit(K, X[:, 3], known)
    moved = KernelRidge(0.1).fit(K, X[:, 3] + shift, known)
    np.testing.assert_allclose(moved.predict() - shift, model.predict(), atol=1e-8)
    np.testing.assert_allclose(moved.residuals_, model.residuals_, atol=1e-8)
    assert np.isnan(model.residuals_[~known]).all()
    assert model.score(None, X[:, 3]) > 0.9


def test_ridge_on_classes_regresses_on_signs(iris):
    X, y = iris
    K = gaussian(X, X)
    model = KernelRidge(task="classification").fit(K, y)
    for column, label in enumerate(model.classes_):
        regression = KernelRidge().fit(K, np.where(y == label, 1.0, -1.0))
        np.testing.assert_allclose(
            model.decision_function()[:, column], regression.predict(), atol=1e-12
        )
    assert model.dual_coef_.shape == (3, 150)
    assert is_classifier(model)
    assert is_regressor(KernelRidge())
    assert hasattr(model, "decision_function")
    assert not hasattr(KernelRidge(), "decision_function")  # numbers come from predict
    with pytest.raises(FitError, match="did you mean 'classification'"):
        KernelRidge(task="clasification").fit(K, y)


def test_neighbours_match_scikit_learn_on_a_linear_kernel(iris):
    rng = np.random.default_rng(2)
    X = iris[0] + 1e-3 * rng.normal(size=(150, 4))  # no equal distances
    y = iris[1]
    model = KernelNeighbours(3).fit(X[:100] @ X[:100].T, y[:100])
    reference = KNeighborsClassifier(3).fit(X[:100], y[:100])
    new = X[100:] @ X[:100].T
    np.testing.assert_allclose(model.decision_function(new), reference.predict_proba(X[100:]))
    one = KernelNeighbours(1).fit(X[:100] @ X[:100].T, y[:100])
    np.testing.assert_array_equal(one.predict(), y[:100])


def test_neighbours_break_ties_by_order():
    X = np.array([[0.0], [2.0], [-2.0], [3.0]])
    model = KernelNeighbours(1).fit(X @ X.T, ["x", "b", "a", "c"])
    # x = 1 is as far from the first as from the second; -1 from the first as from the third
    assert model.predict(np.array([[1.0], [-1.0]]) @ X.T).tolist() == ["x", "x"]
    pair = KernelNeighbours(2).fit(X @ X.T, ["x", "b", "a", "c"])
    assert pair.predict(np.array([[2.6], [2.4]]) @ X.T).tolist() == ["b", "b"]
    for k in (0, 5, 1.5, True):
        with pytest.raises(FitError, match="from 1 to the 4 labelled points"):
            KernelNeighbours(k).fit(X @ X.T, ["x", "b", "a", "c"])


@pytest.mark.parametrize("far", [1e3, 1e6, 1e8])
def test_one_point_far_away_leaves_the_neighbours_of_the_others(far):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(60, 3)), rng.normal(size=(200, 3))
    X[7] = far
    y = np.arange(60)
    model = KernelNeighbours(neighbours=1).fit(X @ X.T, y)
    nearest = ((new[:, None] - X[None]) ** 2).sum(axis=-1).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(new @ X.T), nearest)
    np.testing.assert_array_equal(model.predict(), y)
    others = np.delete(y, 7)
    known = np.isin(y, others)  # the far one asks, and is no candidate
    asked = KernelNeighbours(neighbours=1).fit(X @ X.T, y, known).predict()
    assert asked[7] == others[((X[others] - X[7]) ** 2).sum(axis=-1).argmin()]
