"""OptimalTarget against dense formulas, generic solvers and known limits."""

import pickle

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import KernelPCA

from gramworks.errors import FitError, KernelError
from gramworks.learning import OptimalTarget
from gramworks.solvers.target_error import kernel_eigenpairs


def points(seed=0, n=24, d=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + 1.5 * y[:, None], y


def gaussian(X):
    return np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=-1))


def dense_error(K, ridge):
    n = len(K)
    mean = np.full((n, n), 1 / n)
    K = K - mean @ K - K @ mean + mean @ K @ mean
    G = K @ np.linalg.inv(K + ridge * np.eye(n))
    return G, (np.eye(n) - G) @ (np.eye(n) - G)


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_no_descent_from_anywhere_reaches_a_smaller_training_error(kernel, ridge):
    X, y = points()
    K = X @ X.T if kernel == "linear" else gaussian(X)
    known = np.zeros(24, dtype=bool)
    known[:7] = True
    model = OptimalTarget(ridge=ridge).fit(K, y, labelled=known)
    _, H = dense_error(K, ridge)
    u = np.where(y[known] == 1, 1, -1) / np.sqrt(24)
    np.testing.assert_allclose(model.target_[known], u)
    np.testing.assert_allclose(np.linalg.norm(model.target_), 1)
    radius = np.sqrt(17 / 24)

    def energy(v):
        t = radius * v / np.linalg.norm(v)
        return t @ H[np.ix_(~known, ~known)] @ t + 2 * t @ H[np.ix_(~known, known)] @ u

    np.testing.assert_allclose(model.energy_, energy(model.target_[~known]), atol=1e-12)
    rng = np.random.default_rng(1)
    found = [minimize(energy, rng.normal(size=17), method="BFGS").fun for _ in range(8)]
    assert model.energy_ <= min(found) + 1e-10
    np.testing.assert_allclose(model.energy_, min(found), atol=1e-5)
    assert model.roots_[0] == pytest.approx(model.multiplier_, abs=1e-9)
    assert model.root_energies_[0] == pytest.approx(model.energy_, abs=1e-9)
    assert (np.diff(model.roots_) >= 0).all()


def test_nothing_known_is_kernel_principal_component_analysis():
    X, _ = points()
    K = gaussian(X)
    model = OptimalTarget().fit(K, [None] * 24)
    reference = KernelPCA(n_components=6, kernel="precomputed").fit(K)
    vectors = reference.eigenvectors_
    for k in range(6):
        overlap = abs(model.components_[:, k] @ vectors[:, k])
        np.testing.assert_allclose(overlap, 1, rtol=1e-9)
    np.testing.assert_allclose(abs(model.target_ @ vectors[:, 0]), 1)
    np.testing.assert_allclose(model.energy_, (1 / (reference.eigenvalues_[0] + 1)) ** 2)
    assert model.hard_
    np.testing.assert_array_equal(model.target_, OptimalTarget().fit(K).target_)
    with pytest.raises(FitError, match="no target was known"):
        model.predict()


def test_iris_first_principal_component_has_the_published_correlation():
    data = load_iris()
    X, y = data.data[50:], data.target[50:]
    model = OptimalTarget().fit(X @ X.T)
    assert abs(np.corrcoef(model.target_, y)[0, 1]) == pytest.approx(0.732, abs=0.0015)


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_generalised_components_are_the_eigenvectors_of_the_deflated_matrix(kernel):
    X, y = points(3)
    K = X @ X.T if kernel == "linear" else gaussian(X)
    known = np.arange(24) < 5
    model = OptimalTarget(ridge=0.5).fit(K, y, labelled=known)
    _, H = dense_error(K, 0.5)
    P = np.outer(model.target_, model.target_)
    deflated = H - P @ H - H @ P + P @ H @ P
    components, values = model.components_, model.component_eigenvalues_
    np.testing.assert_array_equal(components[:, 0], model.target_)
    np.testing.assert_allclose(deflated @ components, components * values, atol=1e-10)
    np.testing.assert_allclose(components.T @ components, np.eye(len(values)), atol=1e-6)
    expected = np.linalg.eigvalsh(deflated)
    np.testing.assert_allclose(values, expected[: len(values)], atol=1e-10)
    np.testing.assert_allclose(expected[len(values) :], 1, atol=1e-10)


def test_leave_one_out_by_leaving_one_out():
    X, y = points(4)
    K = gaussian(X)
    model = OptimalTarget(ridge=0.3).fit(K, y, labelled=np.arange(24) < 6)
    mean = np.full((24, 24), 1 / 24)
    K = K - mean @ K - K @ mean + mean @ K @ mean
    for i in range(24):
        rest = np.delete(np.arange(24), i)
        block = K[np.ix_(rest, rest)] + 0.3 * np.eye(23)
        predicted = K[i, rest] @ np.linalg.solve(block, model.target_[rest])
        np.testing.assert_allclose(model.left_out_[i], predicted - model.target_[i], atol=1e-12)


@pytest.mark.parametrize(
    "labels", [("a", "-1"), (2, 1), (True, False), (-1, 1), ("", " "), (0.5, 7), (np.str_("x"), 3)]
)
def test_labels_of_any_type_come_back(labels):
    X, y = points()
    named = [labels[code] for code in y]
    known = np.arange(24) < 10
    model = OptimalTarget().fit(X @ X.T, named, labelled=known)
    reference = OptimalTarget().fit(X @ X.T, y, labelled=known)
    predicted = model.predict()
    assert set(predicted.tolist()) <= set(labels)
    assert [predicted[i] for i in np.flatnonzero(known)] == named[:10]
    same = (predicted == predicted[1]) == (reference.predict() == reference.predict()[1])
    assert same.all()


@pytest.mark.parametrize("unknown", [None, np.nan])
def test_unlabelled_as_mask_nan_or_none_is_the_same(unknown):
    X, y = points()
    known = np.arange(24) % 3 == 0
    masked = OptimalTarget().fit(X @ X.T, y, labelled=known)
    holes = [float(v) if k else unknown for v, k in zip(y, known, strict=True)]
    holed = OptimalTarget().fit(X @ X.T, holes)
    np.testing.assert_array_equal(masked.target_, holed.target_)
    np.testing.assert_array_equal(holed.labelled_, known)
    # what is hidden by the mask is not looked at
    other = np.where(known, y, 1 - y)
    np.testing.assert_array_equal(
        OptimalTarget().fit(X @ X.T, other, labelled=known).target_, masked.target_
    )


def test_three_classes_one_against_the_rest():
    data = load_iris()
    X = data.data - data.data.mean(axis=0)
    names = data.target_names[data.target]
    known = np.random.default_rng(0).permutation(150) < 60
    model = OptimalTarget(centre_targets=True).fit(gaussian(X), names, labelled=known)
    assert model.target_.shape == (3, 150)
    assert len(model.roots_) == 3
    np.testing.assert_allclose(np.linalg.norm(model.target_, axis=1), 1)
    np.testing.assert_array_equal(model.predict()[known], names[known])
    assert model.score(None, names) > 0.8
    one = OptimalTarget(centre_targets=True).fit(gaussian(X), names == "setosa", labelled=known)
    np.testing.assert_allclose(model.target_[0], one.target_)


def test_regression_follows_shift_and_scale_of_the_targets():
    X, _ = points()
    y = X @ [1.0, -2.0, 0.5]
    known = np.arange(24) < 16
    fit = lambda targets: OptimalTarget(task="regression").fit(gaussian(X), targets, known)  # noqa: E731
    one, other = fit(y), fit(1e4 + 50 * y)
    np.testing.assert_allclose(other.target_, one.target_, atol=1e-11)
    np.testing.assert_allclose(other.predict(), 1e4 + 50 * one.predict(), rtol=1e-10)
    np.testing.assert_allclose(one.predict()[known], y[known])
    np.testing.assert_allclose(np.linalg.norm(one.target_[known]) ** 2, 16 / 24)


def test_oracle_takes_the_length_of_the_true_targets_and_nothing_else():
    X, _ = points()
    y = X @ [1.0, -2.0, 0.5]
    known = np.arange(24) < 16
    model = OptimalTarget(task="regression", length="oracle").fit(gaussian(X), y, known)
    rest = y - y[known].mean()
    np.testing.assert_allclose(model.target_[known], rest[known] / np.linalg.norm(rest))
    np.testing.assert_allclose(np.linalg.norm(model.target_), 1)
    np.testing.assert_allclose(
        np.linalg.norm(model.predict()[~known] - y[known].mean()), np.linalg.norm(rest[~known])
    )
    turned = np.where(known, y, 2 * y[known].mean() - y[::1])
    same = OptimalTarget(task="regression", length="oracle").fit(gaussian(X), turned, known)
    np.testing.assert_allclose(same.target_, model.target_)
    with pytest.raises(FitError, match=r"y\[16\] is not known"):
        OptimalTarget(task="regression", length="oracle").fit(
            gaussian(X), np.where(known, y, np.nan)
        )
    # +-1/sqrt(n) has its length without looking
    labels = (y > 0).astype(int)
    a = OptimalTarget(length="oracle").fit(gaussian(X), labels, known)
    b = OptimalTarget().fit(gaussian(X), labels, known)
    np.testing.assert_allclose(a.target_, b.target_)


def test_all_known_and_two_to_four_points():
    X, y = points()
    model = OptimalTarget().fit(X @ X.T, y)
    np.testing.assert_array_equal(model.predict(), y)
    assert model.energy_ == 0
    assert np.isnan(model.multiplier_)
    assert model.roots_.size == 0
    for n in (2, 3, 4):
        K = X[:n] @ X[:n].T
        assert np.linalg.norm(OptimalTarget().fit(K).target_) == pytest.approx(1)
        if n > 2:
            model = OptimalTarget().fit(K, y[:n], labelled=np.arange(n) < 2)
            assert np.linalg.norm(model.target_) == pytest.approx(1)


@pytest.mark.parametrize("ridge", [1e-90, 1e-12, 1e12, 1e90])
def test_extreme_ridges(ridge):
    X, y = points()
    known = np.arange(24) < 8
    model = OptimalTarget(ridge=ridge).fit(X @ X.T, y, labelled=known)
    assert np.isfinite(model.target_).all()
    np.testing.assert_allclose(np.linalg.norm(model.target_), 1)
    if ridge > 1:  # H tends to I - 2 K / ridge, whose minimum does not depend on ridge
        limit = OptimalTarget(ridge=1e8).fit(X @ X.T, y, labelled=known)
        np.testing.assert_allclose(model.target_, limit.target_, atol=1e-5)


def test_a_shift_of_the_features_changes_nothing():
    X, y = points()
    known = np.arange(24) < 8
    far = X + 100.0
    one = OptimalTarget().fit(X @ X.T, y, labelled=known)
    other = OptimalTarget().fit(far @ far.T, y, labelled=known)
    np.testing.assert_allclose(other.target_, one.target_, atol=1e-7)


def test_decomposed_kernels_and_repeated_points():
    X, y = points()
    twice = np.vstack([X, X])
    K = gaussian(twice)
    labels = np.concatenate([y, y]).astype(float)
    labels[24:] = np.nan
    one = OptimalTarget().fit(K, labels)
    other = OptimalTarget().fit(kernel_eigenpairs(K), labels)
    np.testing.assert_array_equal(one.target_, other.target_)
    assert np.linalg.norm(one.target_) == pytest.approx(1)


def test_convention_of_scikit_learn():
    model = OptimalTarget(ridge=2.0, length="oracle", task="regression", centre_targets=True)
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    X, y = points()
    fitted = OptimalTarget().fit(X @ X.T, y, labelled=np.arange(24) < 8)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(), fitted.predict())
    np.testing.assert_array_equal(again.components_, fitted.components_)
    K = X @ X.T
    K.setflags(write=False)
    fitted.fit(K)
    assert not hasattr(fitted, "classes_")


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"ridge": 0}, FitError, "ridge=0; allowed: a positive"),
        ({"length": "true"}, FitError, "length='true'"),
        ({"task": "ranking"}, FitError, "task='ranking'"),
        ({"centre_targets": 1}, FitError, "centre_targets=1; allowed: True or False"),
        ({"y": ["a"] * 24}, FitError, "y has 1 class"),
        ({"y": [5.0] * 24, "task": "regression"}, FitError, "all 8 known targets are 5"),
        ({"y": [1, 2]}, FitError, "y has shape"),
        ({"y": np.ma.masked_array(np.arange(24) % 2, np.arange(24) > 20)}, FitError, "masked"),
        ({"K": np.ones((24, 24))}, FitError, "the centred kernel is zero on the unknown points"),
        ({"K": -np.eye(24)}, KernelError, "not positive semidefinite"),
        ({"K": np.eye(24)[:20]}, FitError, "wants the square kernel matrix"),
        ({"K": np.full((24, 24), np.nan)}, KernelError, "nan at row 0"),
    ],
)
def test_unusable_inputs_are_refused_with_what_is_allowed(changes, error, message):
    X, y = points()
    parameters = {k: v for k, v in changes.items() if k not in ("K", "y")}
    with pytest.raises(error, match=message):
        OptimalTarget(**parameters).fit(
            changes.get("K", X @ X.T), changes.get("y", y), labelled=np.arange(len(y)) < 8
        )


def test_sign_of_the_hard_case_is_a_rule_and_not_chance():
    X, _ = points(6)
    model = OptimalTarget().fit(X @ X.T)
    pairs = kernel_eigenpairs(X @ X.T)
    coordinates = pairs.vectors.T @ model.target_
    assert coordinates[np.abs(coordinates).argmax()] > 0
    order = np.random.default_rng(0).permutation(24)
    shuffled = OptimalTarget().fit(X[order] @ X[order].T)
    np.testing.assert_allclose(shuffled.target_, model.target_[order], atol=1e-9)


def test_a_mask_that_is_none_is_refused_even_where_nothing_is_known():
    X, _ = points()
    with pytest.raises(FitError, match="it is a boolean mask"):
        OptimalTarget().fit(X @ X.T, [None] * 24, labelled=np.zeros(24, dtype=int))
    # a mask that hides all is principal components
    model = OptimalTarget().fit(X @ X.T, np.arange(24) % 2, labelled=np.zeros(24, dtype=bool))
    np.testing.assert_array_equal(model.target_, OptimalTarget().fit(X @ X.T).target_)


def test_a_fit_that_fails_leaves_the_one_before():
    X, y = points()
    K = gaussian(X)
    known = np.arange(24) < 8
    labels = np.where(np.arange(24) % 2, "a", "b")
    model = OptimalTarget().fit(K, labels, labelled=known)
    before, shown = model.predict().copy(), model.levels_.copy()
    with pytest.raises(FitError):
        model.fit(K, np.full(24, "a"), labelled=np.arange(24) < 5)
    np.testing.assert_array_equal(model.predict(), before)
    np.testing.assert_array_equal(model.levels_, shown)
    np.testing.assert_array_equal(model.labelled_, known)


def test_the_oracle_length_of_nothing_is_nothing():
    K = gaussian(points()[0])[:12, :12]
    known = np.arange(12) < 2
    y = np.r_[1.0, -1.0, np.zeros(10)]
    model = OptimalTarget(task="regression", length="oracle").fit(K, y, labelled=known)
    np.testing.assert_array_equal(model.target_[~known], 0.0)
    assert np.isnan(model.multiplier_)
    y[2:] = 1e-9 * np.resize([1, -1], 10)
    model = OptimalTarget(task="regression", length="oracle").fit(K, y, labelled=known)
    size = np.linalg.norm(y[2:]) / np.linalg.norm(y)
    np.testing.assert_allclose(np.linalg.norm(model.target_[~known]), size, rtol=1e-12)


@pytest.mark.parametrize("length", ["expected", "oracle"])
def test_targets_beyond_all_sizes_are_refused(length):
    K = gaussian(points()[0])[:6, :6]
    y = 1.7e308 * np.array([1, 0.5, -1, 0.2, 0.1, 0.3])
    with pytest.raises(FitError, match="reach 1.7e[+]308 in size; allowed: up to 1e[+]100"):
        OptimalTarget(task="regression", length=length).fit(K, y, labelled=np.arange(6) < 4)


def test_a_kernel_beyond_all_sizes_is_refused():
    with pytest.raises(KernelError, match="entries of 1.7e[+]308"):
        OptimalTarget().fit(1.7e308 * np.eye(4), [1, 0, None, None])


def test_a_kernel_far_from_its_origin_is_semidefinite_up_to_rounding():
    X, y = points()
    far = X + 1e4
    near = OptimalTarget(ridge=1.0).fit(X @ X.T, y, labelled=np.arange(24) < 8)
    model = OptimalTarget(ridge=1.0).fit(far @ far.T, y, labelled=np.arange(24) < 8)
    np.testing.assert_allclose(model.target_, near.target_, atol=1e-4)
