import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from gramworks.errors import FitError, GramworksError, KernelError
from gramworks.fitting import KernelStack
from gramworks.learning import MarginKernel
from gramworks.solvers.svm_dual import solve_svm


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=40) > 0, "b", "a")
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    return [X @ X.T, np.exp(-squares / 2)], y


def test_attributes_belong_together(data):
    kernels, y = data
    known = np.arange(40) < 30
    model = MarginKernel(C=2.0).fit(kernels, y, known)
    total = sum(np.trace(K) for K in kernels)
    assert np.trace(model.kernel_) == pytest.approx(total)
    np.testing.assert_allclose(
        model.kernel_, sum(w * K for w, K in zip(model.weights_, kernels, strict=True))
    )
    signs = np.where(y[known] == "b", 1.0, -1.0)
    block = model.kernel_[np.ix_(known, known)]
    assert model.objective_ == pytest.approx(
        solve_svm(block, signs, 2.0, gap=1e-9).primal, rel=2e-6
    )
    assert model.margin_ == pytest.approx((2 * model.objective_) ** -0.5)
    assert 0 <= model.gap_ <= 1e-6
    assert model.C_ == 2.0
    assert model.n_iter_ >= 1
    assert not model.dual_coef_[~known].any()
    np.testing.assert_array_equal(model.classes_, ["a", "b"])
    decisions = model.decision_function()
    np.testing.assert_allclose(decisions, model.kernel_ @ model.dual_coef_ + model.intercept_)
    np.testing.assert_array_equal(model.predict(), np.where(decisions > 0, "b", "a"))
    assert model.score(None, y) == np.mean(model.predict() == y)


def test_the_trace_counts_all_points_and_the_labels_only_the_labelled(data):
    kernels, y = data
    known = np.arange(40) < 30
    inner = [K[:30, :30] for K in kernels]
    whole = MarginKernel().fit(kernels, y, known)
    alone = MarginKernel(trace=np.trace(whole.kernel_[:30, :30])).fit(inner, y[:30])
    assert np.trace(inner[0]) / np.trace(kernels[0]) != np.trace(inner[1]) / np.trace(kernels[1])
    assert whole.objective_ != pytest.approx(alone.objective_, rel=1e-6)
    other = y.copy()
    other[30:] = "zzz"
    np.testing.assert_array_equal(
        MarginKernel().fit(kernels, other, known).weights_, whole.weights_
    )


def test_unit_diagonals_make_the_weights_independent_of_the_test_points(data):
    kernels, y = data
    scale = np.sqrt(np.diag(kernels[0]))
    kernels = [kernels[0] / np.outer(scale, scale), kernels[1]]
    whole = MarginKernel(tol=1e-9).fit(kernels, y, np.arange(40) < 30)
    alone = MarginKernel(tol=1e-9).fit([K[:30, :30] for K in kernels], y[:30])
    np.testing.assert_allclose(alone.weights_, whole.weights_, atol=1e-3)
    assert alone.objective_ == pytest.approx(whole.objective_, rel=1e-8)
    new = [K[30:, :30] for K in kernels]
    np.testing.assert_allclose(
        alone.decision_function(new), whole.decision_function()[30:], atol=1e-3
    )


@pytest.mark.parametrize("missing", [None, np.nan])
def test_unlabelled_points_by_mask_or_by_missing_labels_are_the_same(data, missing):
    kernels, y = data
    known = np.arange(40) < 25
    masked = MarginKernel().fit(kernels, y, known)
    holes = [label if k else missing for label, k in zip(y, known, strict=True)]
    np.testing.assert_array_equal(MarginKernel().fit(kernels, holes).weights_, masked.weights_)


@pytest.mark.parametrize(
    "names", [("a", "-1"), (2, 1), (True, False), (-1, 1), (0.5, 1.5), ("a", 1), (None, None)]
)
def test_labels_of_any_type_come_back(data, names):
    kernels, y = data
    if names == (None, None):
        with pytest.raises(FitError, match="no label on any"):
            MarginKernel().fit(kernels, [None] * 40)
        return
    labels = [names[label == "b"] for label in y]
    model = MarginKernel().fit(kernels, labels)
    assert set(model.classes_) == set(names)
    reference = MarginKernel().fit(kernels, y)
    expected = [names[label == "b"] for label in reference.predict()]
    assert list(model.predict()) == expected
    assert model.objective_ == pytest.approx(reference.objective_, rel=1e-6)


def three(kernels):
    scores = kernels[0][0], kernels[0][1]
    return np.where(scores[0] > 1, "x", np.where(scores[1] > 0, "y", "z"))


def test_shared_weights_minimise_the_sum_and_own_weights_each_criterion(data):
    kernels, _ = data
    y = three(kernels)
    shared = MarginKernel().fit(kernels, y)
    own = MarginKernel(multiclass="own").fit(kernels, y)
    assert shared.weights_.shape == (2,)
    assert own.weights_.shape == (3, 2)
    assert own.objective_ <= shared.objective_ * (1 + 1e-6)
    assert own.kernel_.shape == (3, 40, 40)
    parts = [MarginKernel().fit(kernels, y == label) for label in own.classes_]
    assert own.objective_ == pytest.approx(sum(part.objective_ for part in parts), rel=2e-6)
    for model in (shared, own):
        assert model.gap_ <= 1e-6
        assert model.dual_coef_.shape == (3, 40)
        assert model.margin_.shape == (3,)
        values = model.decision_function()
        np.testing.assert_allclose(values, model.decision_function(kernels), atol=1e-12)
        np.testing.assert_array_equal(model.classes_[values.argmax(axis=1)], model.predict())
    single = [solve_svm(shared.kernel_, np.where(y == c, 1.0, -1.0), 1.0) for c in "xyz"]
    assert shared.objective_ == pytest.approx(sum(s.primal for s in single), rel=1e-2)


def test_list_array_stack_and_read_only_kernels_are_the_same(data):
    kernels, y = data
    reference = MarginKernel().fit(kernels, y).weights_
    array = np.array(kernels)
    array.flags.writeable = False
    for form in (array, tuple(kernels), KernelStack(kernels), [K.tolist() for K in kernels]):
        np.testing.assert_array_equal(MarginKernel().fit(form, y).weights_, reference)


def test_zero_kernels_get_no_weight_and_are_told(data):
    kernels, y = data
    K = kernels[1]
    with pytest.warns(UserWarning, match=r"kernels \[2\] have trace 0"):
        model = MarginKernel().fit([K, 1e8 * K, 0 * K, K], y)
    assert model.weights_[2] == 0
    np.testing.assert_allclose(model.kernel_, (2 + 1e8) * K, rtol=1e-9)
    assert model.gap_ <= 1e-6


def test_clone_parameters_and_pickle(data):
    kernels, y = data
    model = MarginKernel(C=3.0, trace=50.0, tol=1e-5, multiclass="own")
    assert clone(model).get_params() == model.get_params()
    model.fit(kernels, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(), model.decision_function())
    assert np.trace(model.kernel_) == pytest.approx(50.0)


def test_scikit_learn_slices_a_stack_on_both_axes(data):
    kernels, y = data
    scores = cross_val_score(MarginKernel(), KernelStack(kernels), y, cv=3)
    search = GridSearchCV(MarginKernel(), {"C": [0.1, 1.0]}, cv=3).fit(KernelStack(kernels), y)
    assert search.cv_results_["split0_test_score"][1] == scores[0]
    assert search.best_estimator_.kernel_.shape == (40, 40)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0}, "C=0; allowed: a positive finite number"),
        ({"criterion": "hrad"}, "did you mean 'hard'"),
        ({"weights": "fre"}, "did you mean 'free'"),
        ({"multiclass": "shraed"}, "did you mean 'shared'"),
        ({"trace": 0}, "trace=0; allowed: a positive finite number"),
    ],
)
def test_unusable_parameters_are_named_with_what_is_allowed(data, params, message):
    kernels, y = data
    with pytest.raises(FitError, match=message):
        MarginKernel(**params).fit(kernels, y)


def test_wrong_shapes_are_named(data):
    kernels, y = data
    K = kernels[0]
    with pytest.raises(FitError, match=r"kernels\[2\] is \(40, 60\)"):
        MarginKernel().fit([K, K, np.ones((40, 60))], y)
    with pytest.raises(FitError, match=r"kernels\[0\] is \(60, 60\)"):
        MarginKernel().fit([np.ones((60, 60)), K, K], y)
    with pytest.raises(FitError, match=r"for one kernel K give \[K\]"):
        MarginKernel().fit(K, y)
    model = MarginKernel().fit(kernels, y)
    with pytest.raises(FitError, match=r"\(n_new, 40\).*new rows and the 40 training rows"):
        model.predict([K[:20, :20]] * 2)
    with pytest.raises(FitError, match=r"holds 3 .* \(2, n_new, 40\)"):
        model.predict([K[:20]] * 3)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_named_by_kernel_and_place(data, value):
    kernels, y = data
    bad = kernels[1].copy()
    bad[3, 5] = bad[5, 3] = value
    with pytest.raises(KernelError, match=r"kernels\[1\] has (nan|inf) at row 3, column 5"):
        MarginKernel().fit([kernels[0], bad], y)


def test_asymmetric_and_indefinite_kernels_are_refused_and_rounding_is_not(data):
    kernels, y = data
    K = kernels[1]
    skew = np.zeros((40, 40))
    skew[2, 7] = 1.0
    with pytest.raises(KernelError, match=r"not symmetric: entry \(2, 7\)"):
        MarginKernel().fit([K, K + 5 * skew], y)
    with pytest.raises(KernelError, match=r"kernels\[1\] is not positive semidefinite.*eigenvalue"):
        MarginKernel().fit([K, K - 0.1 * np.eye(40)], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MarginKernel().fit([K, K + 1e-9 * skew, kernels[0] - 1e-12 * np.eye(40)], y)


def test_one_class_is_refused_and_named(data):
    kernels, _ = data
    with pytest.raises(FitError, match="1 class .'a'. on the 40 labelled"):
        MarginKernel().fit(kernels, ["a"] * 40)


def test_decisions_before_a_fit_are_refused(data):
    with pytest.raises(Exception, match="not fitted"):
        MarginKernel().predict(data[0])
    assert issubclass(FitError, GramworksError)


@pytest.mark.parametrize("weights", ["nonnegative", "free"])
def test_kernels_that_were_checked_before_are_taken_at_their_word(data, weights):
    kernels, y = data[0], data[1]
    told = MarginKernel(weights=weights, checked=True).fit(kernels, y)
    looked = MarginKernel(weights=weights).fit(kernels, y)
    np.testing.assert_array_equal(told.weights_, looked.weights_)
    assert told.gap_ == looked.gap_
    with pytest.raises(FitError, match="the others are"):
        MarginKernel(checked=True).fit([kernels[0], kernels[1][:5, :5]], y)
    with pytest.raises(FitError, match="square kernel matrix"):
        MarginKernel(checked=True).fit([K[:, :9] for K in kernels], y)
    with pytest.raises(FitError, match="checked='no'; allowed: True or False"):
        MarginKernel(checked="no").fit(kernels, y)
