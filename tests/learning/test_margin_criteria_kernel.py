"""All criteria and both weight sets of MarginKernel, and inputs that break such programs."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError, KernelError
from gramworks.learning import AlignmentKernel, MarginKernel, RankOneFamily

CRITERIA = ["hard", "l1", "l2", "l2-auto"]
WEIGHTS = ["nonnegative", "free"]
BOTH = [(c, w) for c in CRITERIA for w in WEIGHTS]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(36, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=36) > 0, "b", "a")
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    return [np.exp(-squares / 2), (1 + X @ X.T) ** 2, X @ X.T], y, np.arange(36) < 27


@pytest.mark.parametrize(("criterion", "weights"), BOTH)
def test_attributes_belong_together(data, criterion, weights):
    kernels, y, known = data
    model = MarginKernel(criterion, weights, C=2.0).fit(kernels, y, known)
    assert model.gap_ <= 1e-6
    assert model.converged_
    total = sum(np.trace(K) for K in kernels) + (36 if criterion == "l2-auto" else 0)
    assert np.trace(model.kernel_) + 36 * model.ridge_ * (criterion == "l2-auto") == pytest.approx(
        total
    )
    values = np.linalg.eigvalsh(model.kernel_)
    assert values[0] >= -1e-9 * values[-1]
    assert model.margin_ == pytest.approx((2 * model.objective_) ** -0.5)
    expected = {"hard": np.inf, "l1": 2.0, "l2": 2.0}
    if criterion == "l2-auto":
        assert pytest.approx(1.0 / model.ridge_) == model.C_
    else:
        assert expected[criterion] == model.C_
    assert model.ridge_ == pytest.approx(0.0 if criterion in ("hard", "l1") else 1 / model.C_)
    # the dual at the coefficients gives the same value: the machine is that of this kernel
    signs = np.where(y == "b", 1.0, -1.0)
    alpha = model.dual_coef_ * signs
    assert alpha.min() >= 0
    assert abs(model.dual_coef_.sum()) <= 1e-8 * alpha.sum()
    ridged = model.kernel_ + model.ridge_ * np.eye(36)
    dual = alpha.sum() - 0.5 * model.dual_coef_ @ ridged @ model.dual_coef_
    assert dual == pytest.approx(model.objective_, rel=2e-6)
    # the identity is not in the kernel that predicts
    np.testing.assert_allclose(
        model.decision_function(), model.kernel_ @ model.dual_coef_ + model.intercept_
    )
    if criterion == "hard":
        assert (signs * model.decision_function())[known].min() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(("criterion", "weights"), BOTH)
def test_scale_duplicates_and_zeros_do_not_matter(data, criterion, weights):
    kernels, y, known = data
    plain = MarginKernel(criterion, weights, trace=60.0).fit(kernels, y, known)
    given = [kernels[0], 1e8 * kernels[1], 0 * kernels[0], kernels[2], kernels[2]]
    with pytest.warns(UserWarning, match=r"kernels \[2\] have trace 0"):
        model = MarginKernel(criterion, weights, trace=60.0).fit(given, y, known)
    assert model.objective_ == pytest.approx(plain.objective_, rel=2e-6)
    assert np.linalg.norm(model.kernel_ - plain.kernel_) <= 5e-3 * np.linalg.norm(plain.kernel_)
    assert model.weights_[2] == 0


@pytest.mark.parametrize(("criterion", "weights"), BOTH)
def test_one_kernel_leaves_nothing_to_learn_but_the_ridge(data, criterion, weights):
    kernels, y, known = data
    model = MarginKernel(criterion, weights).fit(kernels[:1], y, known)
    assert model.gap_ <= 1e-6
    if criterion != "l2-auto":
        assert model.weights_ == pytest.approx([1.0])
    else:
        assert model.weights_[0] + model.ridge_ == pytest.approx(2.0)


@pytest.mark.parametrize(("criterion", "weights"), BOTH)
def test_a_common_null_space_and_repeated_rows(data, criterion, weights):
    kernels, y, _ = data
    rows = np.repeat(np.arange(36), 2)
    repeated = [K[np.ix_(rows, rows)] for K in kernels]
    known = np.arange(72) < 60
    model = MarginKernel(criterion, weights).fit(repeated, y[rows], known)
    assert model.gap_ <= 1e-6
    values = np.linalg.eigvalsh(model.kernel_)
    assert values[0] >= -1e-9 * values[-1]
    flat = [K[:, :4] @ K[:4] for K in kernels]  # rank four
    if criterion != "hard":
        model = MarginKernel(criterion, weights).fit(flat, y)
        assert model.gap_ <= 1e-6


@pytest.mark.parametrize("weights", WEIGHTS)
def test_hard_margin_of_overlapping_classes_is_refused_with_what_to_do(data, weights):
    kernels, y, _ = data
    with pytest.raises(FitError, match="no combination of the kernels separates .* narrow Gauss"):
        MarginKernel("hard", weights).fit(kernels[2:], ["a", "b"] * 18)
    twice = np.repeat(np.arange(36), 2)
    with pytest.raises(FitError, match="no combination of the kernels separates"):
        MarginKernel("hard", weights).fit(
            [K[np.ix_(twice, twice)] for K in kernels], np.tile(["a", "b"], 36)
        )


@pytest.mark.parametrize("weights", WEIGHTS)
def test_hard_margin_reaches_the_only_kernel_that_separates(data, weights):
    kernels, y, _ = data
    # one kernel does not separate: the criterion is infinite in a corner of the set
    model = MarginKernel("hard", weights).fit([kernels[2], kernels[0]], y)
    assert model.gap_ <= 1e-6
    assert model.score(None, y) == 1.0
    # and the limit of soft margins is the hard one
    soft = MarginKernel("l1", weights, C=1e6).fit([kernels[2], kernels[0]], y)
    assert soft.objective_ == pytest.approx(model.objective_, rel=1e-5)


@pytest.mark.parametrize(("criterion", "weights"), BOTH)
def test_one_class_is_refused(data, criterion, weights):
    kernels, _, _ = data
    with pytest.raises(FitError, match="1 class .'a'."):
        MarginKernel(criterion, weights).fit(kernels, ["a"] * 36)


@pytest.mark.parametrize(("criterion", "weights"), BOTH)
def test_no_test_point_and_no_new_row(data, criterion, weights):
    kernels, y, _ = data
    model = MarginKernel(criterion, weights).fit(kernels, y)
    assert model.labelled_.all()
    with pytest.raises(FitError, match="at least one row"):
        model.predict([K[:0] for K in kernels])


@pytest.mark.parametrize(("criterion", "weights"), BOTH)
@pytest.mark.parametrize("multiclass", ["shared", "own"])
def test_more_classes_with_labels_of_any_type(data, criterion, weights, multiclass):
    kernels, y, known = data
    labels = np.where(kernels[2][0] > 1, "third", y).astype(object)
    model = MarginKernel(criterion, weights, multiclass=multiclass).fit(kernels, labels, known)
    assert model.gap_ <= 1e-6
    assert list(model.classes_) == ["a", "b", "third"]
    assert model.weights_.shape == ((3,) if multiclass == "shared" else (3, 3))
    assert model.margin_.shape == (3,)
    assert model.objective_ == pytest.approx(0.5 * (model.margin_**-2).sum())
    assert model.score(None, labels) > 0.7
    if multiclass == "own":
        parts = [
            MarginKernel(criterion, weights).fit(kernels, labels == c, known)
            for c in model.classes_
        ]
        assert model.objective_ == pytest.approx(sum(p.objective_ for p in parts), rel=3e-6)
        if criterion == "l2-auto":
            assert model.C_.shape == (3,)


def test_free_weights_need_kernels_that_are_semidefinite_on_the_test_points_too(data):
    kernels, y, known = data
    bad = kernels[0].copy()
    bad[-1, -1] = -1.0  # a test point
    MarginKernel().fit([bad, kernels[1]], y, known)
    with pytest.raises(KernelError, match=r"kernels\[0\] is not positive semidefinite"):
        MarginKernel(weights="free").fit([bad, kernels[1]], y, known)


def test_free_weights_reuse_on_new_rows(data):
    kernels, y, known = data
    model = MarginKernel(weights="free").fit(kernels, y, known)
    np.testing.assert_allclose(
        model.decision_function([K[30:] for K in kernels]), model.decision_function()[30:]
    )


def test_a_gap_that_cannot_be_reached_is_told(data):
    kernels, y, _ = data
    with pytest.warns(ConvergenceWarning, match="certified gap"):
        model = MarginKernel(weights="free", tol=1e-15).fit(kernels, y)
    assert not model.converged_
    assert 0 < model.gap_ < 1e-7


@pytest.mark.parametrize("criterion", CRITERIA)
def test_rank_one_family_gives_what_its_kernels_give(data, criterion):
    kernels, y, known = data
    family = RankOneFamily.from_kernel(kernels[0], rank=30 if criterion == "hard" else 8)
    model = MarginKernel(criterion).fit(family, y, known)
    assert model.gap_ <= 1e-6
    assert model.weights_.shape == (len(family),)
    assert model.weights_.min() >= 0
    if criterion != "hard":
        grams = [np.outer(v, v) for v in family.vectors.T]
        listed = MarginKernel(criterion).fit(grams, y, known)
        assert model.objective_ == pytest.approx(listed.objective_, rel=2e-6)
    assert np.trace(model.kernel_) + 36 * model.ridge_ * (criterion == "l2-auto") == pytest.approx(
        len(family) + (36 if criterion == "l2-auto" else 0)
    )
    # the family on its own points is itself
    np.testing.assert_allclose(
        model.decision_function(family.extend(kernels[0])), model.decision_function(), atol=1e-6
    )


def test_rank_one_families_are_refused_by_name():
    with pytest.raises(FitError, match="rank=40; allowed: 1 to the 3 points"):
        RankOneFamily.from_kernel(np.eye(3), rank=40)
    with pytest.raises(FitError, match="no positive eigenvalue"):
        RankOneFamily.from_kernel(np.zeros((3, 3)))
    with pytest.raises(FitError, match="column 1 of vectors is zero"):
        RankOneFamily(np.array([[1.0, 0.0], [1.0, 0.0]]))
    with pytest.raises(FitError, match="use from_kernel"):
        RankOneFamily(np.eye(2)).extend(np.eye(2))
    assert len(RankOneFamily.from_kernel(np.ones((3, 3)))) == 1


def test_no_warning_where_nothing_is_wrong(data):
    kernels, y, known = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for criterion, weights in BOTH:
            MarginKernel(criterion, weights).fit(kernels, y, known)


def test_a_family_of_vectors_that_are_not_orthogonal_is_refused():
    rng = np.random.default_rng(4)
    basis = rng.normal(size=(20, 2))
    with pytest.raises(FitError, match="columns . and . of vectors have the cosine"):
        RankOneFamily(np.hstack([basis, basis @ rng.normal(size=(2, 3))]))
    RankOneFamily(np.linalg.qr(basis)[0] * [1e-6, 1e6])


def nearly_dependent(eps, extra):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y = np.where(np.arange(20) % 2, 1.0, -1.0)
    K = X @ X.T
    K *= 20 / np.trace(K)
    return [K, K + eps * (np.eye(20) if extra == "identity" else np.outer(y, y))], y


@pytest.mark.parametrize("eps", [1e-2, 1e-4, 2e-5, 1e-6])
def test_kernels_that_hardly_differ_are_told_apart(eps):
    # (K2 - K1) / eps is the identity: the optimum does not depend on eps
    kernels, y = nearly_dependent(eps, "identity")
    model = MarginKernel("l1", weights="free", trace=20.0).fit(kernels, y)
    assert model.gap_ <= 1e-6
    plain = MarginKernel("l1", weights="free", trace=20.0).fit([kernels[0], np.eye(20)], y)
    assert model.objective_ == pytest.approx(plain.objective_, rel=2e-6)


def test_alignment_finds_the_labels_in_a_small_difference():
    kernels, y = nearly_dependent(1e-5, "labels")
    model = AlignmentKernel("free").fit(kernels, y)
    assert model.objective_ == pytest.approx(20.0, rel=1e-6)
    assert model.alignment_ == pytest.approx(1.0, rel=1e-6)


def test_a_difference_that_counts_as_zero_is_told():
    kernels, y = nearly_dependent(1e-9, "identity")
    for model in (MarginKernel("l1", weights="free"), AlignmentKernel("free")):
        with pytest.warns(UserWarning, match="depend on each other up to 1e-10"):
            model.fit(kernels, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the same kernel three times is no surprise
        MarginKernel("l1", weights="free").fit([kernels[0], kernels[0] * 3, kernels[0] / 7], y)


def test_a_learned_kernel_that_rounding_leaves_indefinite_proves_nothing():
    rng = np.random.default_rng(47)
    x, v = rng.normal(size=10), rng.normal(size=10)
    D = (x[:, None] - x) ** 2
    y = np.where(rng.random(10) < 0.5, 1.0, -1.0)
    y[:2] = 1, -1
    kernels = [np.outer(v, v), np.exp(-0.5940236142790349 * D), np.exp(-0.5962933054188164 * D)]
    with pytest.warns(ConvergenceWarning, match="an eigenvalue of -.* of the largest"):
        model = MarginKernel("hard", weights="free").fit(kernels, y)
    values = np.linalg.eigvalsh(model.kernel_)
    assert values[0] < -1e-9 * values[-1]
    assert model.gap_ == 1.0
    assert not model.converged_


@pytest.mark.parametrize("C", [1e8, 1e10, 1e12])
def test_errors_at_a_huge_price_are_no_missing_hard_margin(C):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.where(np.arange(40) % 2, 1.0, -1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        family = MarginKernel("l1", C=C).fit(RankOneFamily.from_kernel(X @ X.T), y)
        squared = MarginKernel("l2", C=C).fit([X @ X.T], y)
    assert family.objective_ >= 34.8803 * C * (1 - 1e-4)  # the least sum of errors, by bisection
    assert family.objective_ <= 34.8803 * C * (1 + 1e-3) or not family.converged_
    assert np.isfinite(squared.objective_)
    assert not np.isnan(squared.gap_)
