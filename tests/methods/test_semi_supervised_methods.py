"""Rows of the semi-supervised baselines: settings arrive, and what they cannot do is said."""

import numpy as np
import pytest

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits
from gramworks.draws import run_draws
from gramworks.fitting import KernelSVM, LabelDiffusion, RandomWalkClassifier, SelfTrainingSVM
from gramworks.methods.registry import load_method

RNG = np.random.default_rng(0)
CODES = np.arange(40) % 2
X = RNG.normal(size=(40, 2)) + 2.0 * np.eye(2)[CODES]
K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / 2)
DATA = Dataset(id="d", X=X, y=CODES, classes=["a", "b"], feature_names=["x", "z"])
SPLITS = {"": Splits(
    labelled=np.array([[0, 1, 2, 3, 4], [0, 2, 4, 6, 8]]),
    unlabelled=np.array([[5, 6, 7, 8, 9, 10, 11], [1, 3, 5, 7, 9, 10, 11]]),
    test=np.tile(np.arange(12, 40), (2, 1)),
)}  # fmt: skip
KNOWN = np.arange(40) < 5
GRAPH_METHODS = ["random-walk", "label-propagation", "label-spreading"]


def run(name, values=None, kernel=K, repeats=(0,)):
    return run_draws(
        load_method(name), [values or {}], {}, DATA, SPLITS, {"K1": kernel}, study="s",
        repeats=repeats, log=lambda line: None,
    )[0]  # fmt: skip


def error(rows):
    [row] = [row for row in rows if row["metric"] == "test-error-percent"]
    return float(row["value"])


@pytest.mark.parametrize(
    ("name", "values", "model"),
    [
        ("transductive-svm", {"C": 5, "C_unlabelled": 0}, KernelSVM(C=5)),
        ("random-walk", {"steps": 3, "neighbours": 6}, RandomWalkClassifier(3, 6)),
        ("random-walk", {"rule": "likelihood"}, RandomWalkClassifier(rule="likelihood")),
        ("label-propagation", {"neighbours": 6}, LabelDiffusion("propagation", neighbours=6)),
        ("label-spreading", {"alpha": 0.7}, LabelDiffusion("spreading", 0.7)),
        ("self-training", {"C": 5, "per_round": 3}, SelfTrainingSVM(5, 3)),
    ],
)
def test_rows_are_those_of_the_estimator(name, values, model):
    rows = run(name, values)
    assert {row["status"] for row in rows} == {"ok"}
    expected = model.fit(K, CODES, KNOWN).predict()[12:] != CODES[12:]
    assert error(rows) == pytest.approx(100 * expected.mean())


@pytest.mark.parametrize("name", GRAPH_METHODS)
def test_a_kernel_with_negative_entries_is_a_failed_row_that_says_so(name):
    [row] = run(name, kernel=X @ X.T - 3.0)
    assert row["status"] == "failed"
    assert "negative entries" in row["reason"]
    assert "Gaussian" in row["reason"]


@pytest.mark.parametrize("name", [*GRAPH_METHODS, "transductive-svm", "self-training"])
def test_one_labelled_class_is_a_failed_row_that_says_so(name):
    [row] = run(name, repeats=(1,))
    assert row["status"] == "failed"
    assert "1 class" in row["reason"]


@pytest.mark.parametrize("name", ["label-propagation", "label-spreading"])
def test_a_cap_marks_the_row(name):
    rows = run(name, {"max_iter": 1, "tol": 1e-9})
    assert {row["status"] for row in rows} == {"not-converged"}
    assert "cap of 1 steps" in rows[0]["reason"]
