import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from gramworks.errors import FitError
from gramworks.fitting import (
    KernelNeighbours,
    KernelRidge,
    KernelStack,
    KernelSVM,
    cross_validate,
)
from gramworks.learning import MarginKernel


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    return [X @ X.T, np.exp(-squares / 2)], y


def test_one_kernel_is_sliced_on_both_axes(data):
    kernels, y = data
    K = kernels[1]
    found = cross_validate(KernelSVM(), K, y, folds=4, repeats=2, random_state=3)
    assert found["repeat"].tolist() == [0] * 4 + [1] * 4
    assert found["fold"].tolist() == [0, 1, 2, 3] * 2
    generator = np.random.default_rng(3)
    expected = []
    for _ in range(2):
        seed = int(generator.integers(2**31))
        for train, test in StratifiedKFold(4, shuffle=True, random_state=seed).split(K, y == "no"):
            svm = SVC(kernel="precomputed").fit(K[np.ix_(train, train)], y[train])
            expected.append(svm.score(K[np.ix_(test, train)], y[test]))
    np.testing.assert_allclose(found["score"], expected)


def test_a_list_of_kernels_is_sliced_as_each_of_them(data):
    kernels, y = data
    forms = [kernels, np.array(kernels), KernelStack(kernels)]
    scores = [
        cross_validate(MarginKernel(), form, y, folds=3, random_state=0)["score"] for form in forms
    ]
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])

    class Recorder(MarginKernel):
        seen = []

        def fit(self, stack, y, labelled=None):
            Recorder.seen.append(stack.shape)
            return super().fit(stack, y, labelled)

        def predict(self, stack):
            Recorder.seen.append(stack.shape)
            return super().predict(stack)

    cross_validate(Recorder(), kernels, y, folds=3, random_state=0)
    assert Recorder.seen == [(40, 40), (20, 40)] * 3


def test_unlabelled_points_train_and_are_never_scored(data):
    kernels, y = data
    known = np.arange(60) < 30
    seen = []

    class Recorder(KernelSVM):
        def fit(self, K, y, labelled=None):
            seen.append((K.shape, int(labelled.sum())))
            return super().fit(K, y, labelled)

    found = cross_validate(Recorder(), kernels[0], y, labelled=known, folds=5, random_state=0)
    assert seen == [((54, 54), 24)] * 5
    alone = cross_validate(KernelSVM(), kernels[0][:30, :30], y[:30], folds=5, random_state=0)
    np.testing.assert_array_equal(found["score"], alone["score"])
    holes = [label if k else None for label, k in zip(y, known, strict=True)]
    same = cross_validate(KernelSVM(), kernels[0], holes, folds=5, random_state=0)
    np.testing.assert_array_equal(found["score"], same["score"])


def test_a_class_with_fewer_members_than_folds_is_named(data):
    kernels, y = data
    y = y.copy().astype(object)
    y[7] = "rare"
    with pytest.raises(FitError, match=r"class 'rare' has 1 labelled member\(s\).*the 5 folds"):
        cross_validate(KernelSVM(), kernels[0], y)
    found = cross_validate(KernelSVM(), kernels[0], y, stratified=False, random_state=0)
    assert found["score"].shape == (5,)


def test_metrics_by_name_and_by_function(data):
    kernels, y = data
    K = kernels[1]
    options = {"folds": 3, "random_state": 1}
    plain = cross_validate(KernelNeighbours(3), K, y, **options)["score"]
    percent = cross_validate(KernelNeighbours(3), K, y, scoring="test-error-percent", **options)
    np.testing.assert_allclose(percent["score"], 100 * (1 - plain))
    area = cross_validate(KernelSVM(), K, y, scoring="test-auc", **options)["score"]
    renamed = np.where(y == "yes", 0, 1)
    other = cross_validate(KernelSVM(), K, renamed, scoring="test-auc", **options)["score"]
    np.testing.assert_allclose(area, other, atol=1e-12)
    sizes = cross_validate(KernelSVM(), K, y, scoring=lambda m, K, t: len(t), **options)["score"]
    assert sizes.sum() == 60
    errors = cross_validate(
        KernelRidge(),
        K,
        kernels[0][0],
        stratified=False,
        scoring="mean-square-error",
        **options,
    )
    assert (errors["score"] > 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds=1; allowed: a whole number from 2 to"),
        ({"folds": 61, "stratified": False}, "folds=61; allowed: a whole number from 2 to the 60"),
        ({"repeats": 0}, "repeats=0"),
        ({"scoring": "test-acc-percent"}, "did you mean 'test-accuracy-percent'"),
        ({"labelled": np.zeros(3, dtype=bool)}, "boolean mask of shape"),
    ],
)
def test_unusable_options_are_named(data, options, message):
    kernels, y = data
    with pytest.raises(FitError, match=message):
        cross_validate(KernelSVM(), kernels[0], y, **options)


def test_a_stack_of_different_shapes_is_refused():
    with pytest.raises(FitError, match=r"\(2, 2\), \(3, 3\)"):
        KernelStack([np.eye(2), np.eye(3)])


def test_what_cannot_be_cross_validated_is_told():
    from gramworks.fitting import KernelSVM
    from gramworks.learning import AlignmentKernel, RankOneFamily

    y = np.arange(20) % 2
    K = np.eye(20)
    with pytest.raises(FitError, match="AlignmentKernel has no `score`"):
        cross_validate(AlignmentKernel(), [K, K], y)
    with pytest.raises(FitError, match="K is 2 kernels; what takes them one at a time"):
        cross_validate(KernelSVM(), [K, K], y)
    with pytest.raises(FitError, match="RankOneFamily cannot be cut into folds"):
        cross_validate(KernelSVM(), RankOneFamily(K[:, :3]), y)
