"""What OptimalTarget and TransductiveDiscrimination share: points of the fit only, and classes."""

import re

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from gramworks.errors import FitError
from gramworks.fitting import cross_validate
from gramworks.learning import OptimalTarget, TransductiveDiscrimination

BOTH = pytest.mark.parametrize("make", [OptimalTarget, TransductiveDiscrimination])
RNG = np.random.default_rng(0)
Y = np.arange(30) % 3
X = RNG.normal(size=(30, 4)) + 3 * np.eye(4)[Y]
K = X @ X.T
KNOWN = np.arange(30) < 15


@BOTH
@pytest.mark.parametrize(
    "y",
    [
        X.sum(axis=1),
        X.sum(axis=1).astype(np.float32),
        list(X.sum(axis=1)),
        np.where(KNOWN, X[:, 0], np.nan),
        [0.3, 1.7, *[None] * 28],
        np.array([*X[:29, 0], None], dtype=object),
    ],
)
def test_measured_numbers_are_no_classes(make, y):
    with pytest.raises(FitError, match=re.escape('task="regression"')):
        make().fit(K, y)
    OptimalTarget(task="regression").fit(K, y)


@BOTH
@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "c"], [0, 1, 2], [0.0, 1.0, 2.0], [-1.0, 1.0, -1.0], [False, True, True],
        np.float32([1, 2, 3]), ["0.5", "1.5", "2.5"],
        [0.5, 1.5, 2.5],
    ],
)  # fmt: skip
def test_coded_classes_are_taken(make, labels):
    y = np.array(labels)[Y]
    model = make().fit(K, y, labelled=KNOWN)
    assert set(model.classes_) == set(labels)
    assert model.score(K, y) > 0.8


@BOTH
def test_numbers_where_nothing_is_known_are_not_looked_at(make):
    y = np.where(KNOWN, Y, 0.5 + Y)
    assert make().fit(K, y, labelled=KNOWN).classes_.tolist() == [0, 1, 2]


@BOTH
def test_decision_values_are_those_that_predict_goes_by(make):
    for y in (Y, Y > 0):
        model = make().fit(K, y, labelled=KNOWN)
        values = model.decision_function()
        assert values.shape == ((3, 30) if len(model.classes_) == 3 else (30,))
        codes = values.argmax(axis=0) if values.ndim == 2 else (values > 0).astype(int)
        np.testing.assert_array_equal(model.classes_[codes], model.predict())


@BOTH
def test_a_score_of_nothing_unknown_says_so(make):
    model = make().fit(K, Y)
    with pytest.raises(FitError, match="no target of a point that was unknown in the fit"):
        model.score(K, Y)


@BOTH
def test_cross_validation_says_what_transductive_means(make):
    for scoring in (None, "test-accuracy-percent", lambda *given: 0.0):
        with pytest.raises(FitError, match="predicts the points of its fit only"):
            cross_validate(make(), K, Y, scoring=scoring)
    search = GridSearchCV(make(), {"ridge": [0.1, 1.0]}, error_score="raise", cv=3)
    with pytest.raises(FitError, match="a transductive method predicts those alone"):
        search.fit(K, Y)


def test_the_ridge_can_be_chosen_by_what_was_left_out():
    # the rule of the docstring prefers a ridge that predicts to ones that fit all or nothing
    y = X[:, 0] + 0.1 * RNG.normal(size=30)
    found = {}
    for ridge in (1e-6, 1.0, 1e6):
        model = OptimalTarget(ridge, task="regression").fit(K, y, labelled=KNOWN)
        found[ridge] = np.mean(model.left_out_[model.labelled_] ** 2)
    assert min(found, key=found.get) == 1.0
