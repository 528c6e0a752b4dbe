"""Losses of predicted strings and vectors, and what methods get to see of them."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits
from gramworks.draws import run_draws
from gramworks.errors import DataError, FitError, KernelError
from gramworks.fitting.output_scoring import score_outputs
from gramworks.label_tasks import classes_behind
from gramworks.methods.registry import load_method
from gramworks.output_kernel import OutputKernel, misfit, output_kernel_of
from gramworks.problem import Outcome

RNG = np.random.default_rng(5)
Y = RNG.standard_normal((9, 3))
GROUPS = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
VECTORS = Dataset("d", RNG.standard_normal((9, 2)), Y, ["a", "b", "c"], ["p", "q"], groups=GROUPS)
TEXTS = ["abad", "abd", "dbbd", "dbd", "aabc", "bc", "abad", "dbbd", "bc"]
STRINGS = Dataset("d", list("abcdefghi"), TEXTS, ["a", "b", "c"], [], groups=GROUPS)
LABELLED = np.arange(9) < 6
TEST = np.array([6, 7, 8])
GAUSSIAN = OutputKernel("gaussian-w1.5", {"width": 1.5})


def splits():
    none = np.zeros((1, 0), dtype=np.int64)
    return {"": Splits(np.flatnonzero(LABELLED)[None], none, TEST[None])}


def rows_of(dataset, fit, kernel, monkeypatch):
    method = load_method("oracle")
    monkeypatch.setattr(method.module, "fit", fit)
    monkeypatch.setattr(method.module, "SEES_TEST_LABELS", False)
    log = []
    found, _ = run_draws(
        method, [{}], {}, dataset, splits(), {}, study="s", repeats=[0], output_kernel=kernel,
        log=log.append,
    )  # fmt: skip
    return {row["metric"]: row for row in found}


def test_losses_are_distances_in_feature_space():
    truth, predicted = Y[:5], Y[4:]
    squares = ((truth - predicted) ** 2).sum(axis=1)
    assert_allclose(GAUSSIAN.losses(truth, predicted), 2 - 2 * np.exp(-squares / 4.5), rtol=1e-12)
    assert_allclose(OutputKernel("linear").losses(truth, predicted), squares, rtol=1e-9)
    codes = np.array([0, 1, 2, 1])
    zero_one = OutputKernel("zero-one").losses(codes, np.array([0, 2, 2, 0]))
    assert_array_equal(zero_one, [0, 1, 0, 1])


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_linear_losses_of_outputs_far_from_zero(offset):
    far = Y + offset
    squares = ((far[:5] - far[4:]) ** 2).sum(axis=1)
    assert_allclose(OutputKernel("linear").losses(far[:5], far[4:]), squares, rtol=1e-14)
    wide = (far - far.mean(axis=0)) @ (far - far.mean(axis=0)).T
    assert_allclose(OutputKernel("linear").gram(far), wide, atol=1e-12)
    assert_allclose(
        OutputKernel("linear").losses(far[:5, 0], far[4:, 0]), (far[:5, 0] - far[4:, 0]) ** 2
    )


def test_losses_by_parts_are_those_of_the_whole():
    many = RNG.standard_normal((600, 2))
    other = RNG.standard_normal((600, 2))
    squares = ((many - other) ** 2).sum(axis=1)
    assert_allclose(GAUSSIAN.losses(many, other), 2 - 2 * np.exp(-squares / 4.5), rtol=1e-12)
    assert_array_equal(GAUSSIAN.losses(many, many), np.zeros(600))


def test_a_loss_does_not_depend_on_the_pairs_beside_it():
    small = np.array([[1e-12, 0.0], [1e12, 1.0]])
    losses = OutputKernel("linear-unit").losses(small, small[:, ::-1])
    alone = OutputKernel("linear-unit").losses(small[:1], small[:1, ::-1])
    assert_allclose(losses, [2, 2 - 4e-12], rtol=1e-12)
    assert losses[0] == alone[0]


def test_preimages_are_scored_with_their_classes():
    chosen = np.array([0, 2, 5])
    found = score_outputs(Y, GROUPS, TEST, LABELLED, GAUSSIAN, task="vectors", preimages=chosen)
    assert found["rbf-loss"] == pytest.approx(GAUSSIAN.losses(Y[TEST], Y[chosen]).mean())
    assert found["classification-loss"] == pytest.approx(1 / 3)


def test_values_have_no_class():
    found = score_outputs(
        Y, GROUPS, TEST, LABELLED, OutputKernel("linear"), task="vectors", predictions=Y[:3]
    )
    assert list(found) == ["output-loss"]
    found = score_outputs(
        Y, None, TEST, LABELLED, GAUSSIAN, task="vectors", preimages=np.array([0, 1, 2])
    )
    assert list(found) == ["rbf-loss"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"preimages": np.array([0, 1, 6])}, "pre-image 6 is no labelled point"),
        ({"preimages": np.array([0, 1])}, r"preimages have shape \(2,\)"),
        ({"preimages": np.array([0.0, 1, 2])}, "type float64"),
        ({"predictions": Y[:2]}, r"shape \(2, 3\), wanted is \(3, 3\)"),
        ({"predictions": np.full((3, 3), np.nan)}, "not finite"),
    ],
)
def test_unusable_predictions(given, words):
    with pytest.raises(FitError, match=words):
        score_outputs(Y, GROUPS, TEST, LABELLED, GAUSSIAN, task="vectors", **given)


def test_methods_see_no_test_output_and_no_class(monkeypatch):
    seen = []

    def fit(problem, params):
        seen.append(problem)
        return Outcome(preimages=np.array([0, 1, 2]))

    rows = rows_of(VECTORS, fit, "gaussian-w1.5", monkeypatch)
    assert {"rbf-loss", "classification-loss"} == set(rows)
    (problem,) = seen
    assert_array_equal(problem.y[~LABELLED], np.zeros((3, 3)))
    assert_array_equal(problem.known_outputs, Y[:6])
    assert problem.truth is None
    assert not any(GROUPS is value for value in vars(problem).values())
    rows = rows_of(STRINGS, fit, "spectrum-l1", monkeypatch)
    assert {"string-loss", "classification-loss"} == set(rows)
    assert seen[1].y == [*TEXTS[:6], "", "", ""]
    assert seen[1].known_outputs == TEXTS[:6]


def test_a_fault_of_a_method_is_a_row(monkeypatch):
    rows = rows_of(VECTORS, lambda *_: Outcome(preimages=TEST), "gaussian-w1", monkeypatch)
    assert rows[""]["status"] == "failed"
    assert "pre-image 6 is no labelled point" in rows[""]["reason"]
    plain = classes_behind(VECTORS)
    assert plain.task == "multiclass"
    rows = rows_of(plain, lambda *_: Outcome(preimages=TEST), None, monkeypatch)
    assert "pre-images are for structured and vectors, not for multiclass" in rows[""]["reason"]


@pytest.mark.parametrize("labels", [[], ["a", "b"]])
def test_no_classes_behind_the_outputs_are_rows(labels):
    for dataset, kernel in (
        (Dataset("d", VECTORS.X, Y, [], ["p", "q"]), "linear"), (classes_behind(VECTORS), None),
    ):  # fmt: skip
        rows, timings = run_draws(
            load_method("knn"), [{"label-of": "top-half"}], {}, dataset, splits(), {}, study="s",
            repeats=[0], labels=labels, output_kernel=kernel,
        )  # fmt: skip
        assert {row["status"] for row in rows + timings} == {"skipped"}
        assert all("no classes stand behind its outputs" in row["reason"] for row in rows)
        settings = [f"label={label};label-of=top-half" for label in labels]
        assert [row["setting"] for row in rows] == sorted([*settings, "label-of=top-half"])


@pytest.mark.parametrize(
    ("task", "kernel", "words"),
    [
        ("structured", None, "outputs are strings; state the kernel"),
        ("structured", "gaussian-w1", "state a kernel that compares them"),
        ("vectors", "spectrum-l2", "outputs are vectors"),
        ("vectors", "gaussian-w1-centred", "neither centred nor mapped"),
        ("vectors", "linear@expression", "has no view"),
        ("vectors", "concepts-r2", "by all others.*state one of gaussian, .*poly"),
        ("vectors", "correlation-t0.5-b2", "by all others beside"),
        ("vectors", "concepts-r2-unit", "by all others beside"),
        ("structured", "smith-waterman-mapped", "state one of spectrum, subsequence$"),
        ("multiclass", "linear", "whose output kernel is fixed"),
    ],
)
def test_output_kernels_that_do_not_fit(task, kernel, words):
    assert re.search(words, misfit(task, kernel))


def test_output_kernels_of_data():
    assert misfit("vectors", "gaussian-w1-unit") == misfit("binary", None) == ""
    assert output_kernel_of(classes_behind(VECTORS), None).id == "zero-one"
    with pytest.raises(KernelError, match="outputs are vectors; state the kernel"):
        output_kernel_of(VECTORS, None)
    with pytest.raises(KernelError, match="leave output_kernel out"):
        output_kernel_of(classes_behind(VECTORS), "linear")
    median = output_kernel_of(VECTORS, "gaussian-median").parameters["width"]
    distances = np.sqrt(((Y[:, None] - Y[None]) ** 2).sum(-1))[np.triu_indices(9, 1)]
    assert median == pytest.approx(np.median(distances))


def test_classes_must_be_known():
    with pytest.raises(DataError, match="no classes stand behind"):
        classes_behind(Dataset("d", VECTORS.X, Y, [], ["p", "q"]))
