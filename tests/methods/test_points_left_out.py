"""Draws that leave points out of their problem."""

import types

import numpy as np
import pytest
import scipy.sparse as sp
from pydantic import BaseModel

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Given, make_splits
from gramworks.draws import run_draws
from gramworks.methods.registry import Method
from gramworks.problem import Outcome

TRAIN, TEST = np.array([5, 1, 0, 4]), np.array([7, 2])
X = np.arange(8.0)[:, None]
Y = np.array([0, 1, 2, 0, 1, 2, 0, 1])
K = np.add.outer(10 * np.arange(8.0), np.arange(8.0))


class Params(BaseModel):
    pass


def run(fit, X=X, labels=("b",), **spec):
    module = types.SimpleNamespace(
        NAME="toy", NEEDS=("grams", "features"), TASKS=("binary", "multiclass"), Params=Params,
        fit=fit,
    )  # fmt: skip
    data = Dataset(
        id="d", X=X, y=Y, classes=["a", "b", "c"], feature_names=["x"],
        partitions=[(TRAIN, TEST)],
    )  # fmt: skip
    splits = make_splits(
        Given(labelled=2, repeats=3, **spec), Y, study="s", dataset="d", partitions=data.partitions
    )
    rows, _ = run_draws(
        Method("toy", module, None), [{}], {}, data, splits, {"K1": K}, study="s",
        repeats=range(3), labels=labels, log=lambda line: None,
    )  # fmt: skip
    return rows


@pytest.mark.parametrize("X", [X, sp.csr_array(X)])
@pytest.mark.parametrize("labels", [("b",), ()])
def test_left_out_points_are_in_no_part_of_the_problem(X, labels):
    seen = []

    def fit(problem, params):
        features = problem.features
        points = (features.toarray() if sp.issparse(features) else features)[:, 0].astype(int)
        seen.append(points)
        labelled = set(points[problem.labelled])
        assert len(points) == 4
        assert labelled < set(TRAIN)
        assert list(points[problem.test_rows]) == [2, 7]
        assert not problem.unlabelled.any()
        np.testing.assert_array_equal(problem.kernels["K1"], K[np.ix_(points, points)])
        truth = (Y[points] == 1).astype(int) if labels else Y[points]
        np.testing.assert_array_equal(problem.y, np.where(problem.labelled, truth, 0))
        return Outcome(predictions=truth[problem.test_rows])

    rows = run(fit, X=X, labels=labels, rest="left-out")
    assert len({tuple(points) for points in seen}) > 1
    # Scored against the test points 2 and 7, not against rows 2 and 7 of what was cut.
    found = {row["value"] for row in rows if row["metric"] == "test-accuracy-percent"}
    assert found == {"100"}


def test_by_default_they_are_unlabelled():
    def fit(problem, params):
        assert problem.unlabelled.sum() == 4
        assert problem.kernels["K1"].shape == (8, 8)
        return Outcome(predictions=np.zeros(2, int))

    assert {row["status"] for row in run(fit)} == {"ok"}


def test_whole_training_parts_leave_out_what_is_in_neither():
    made = make_splits(
        Given(rest="left-out"), Y, study="s", dataset="d", partitions=[(TRAIN, TEST)]
    )[""]
    assert made.unlabelled.shape == (1, 0)
    assert list(made.draw(0)[0]) == list(TRAIN)
