import types
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from pydantic import BaseModel

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits
from gramworks.draws import _without_unlabelled, failed_rows, run_draws
from gramworks.methods.registry import Method
from gramworks.problem import Outcome, Skip
from gramworks.report.scores import read_scores
from gramworks.score_files import COLUMNS, text_rows, write_table


class Params(BaseModel):
    C: float = 1.0


def method(fit, **names):
    module = types.SimpleNamespace(
        NAME="toy", NEEDS=("grams",), TASKS=("binary",), Params=Params, fit=fit, **names
    )
    return Method("toy", module, None)


DATA = Dataset(
    id="d", X=np.zeros((6, 1)), y=np.array([0, 1, 0, 1, 0, 1]), classes=["a", "b"],
    feature_names=["x"], row_ids=None, partitions=None, notes=[],
)  # fmt: skip
SPLITS = Splits(
    labelled=np.array([[0, 1, -1], [2, 3, 4], [0, 1, 2]]),
    unlabelled=np.full((3, 0), 0),
    test=np.array([[2, 3, 4, 5], [0, 1, 5, -1], [3, 4, 5, -1]]),
)


def run(fit, repeats=range(3), settings=({"C": 1},), splits=None, **names):
    return run_draws(
        method(fit, **names), list(settings), {}, DATA, splits or {"": SPLITS},
        {"K1": np.eye(6)}, study="s", repeats=repeats, log=lambda line: None,
    )  # fmt: skip


def right(problem, params):
    truth = np.array([0, 1, 0, 1, 0, 1])
    noise = problem.generator.random()
    return Outcome(
        predictions=truth[problem.test_rows], metrics={"noise": noise, "C-used": params.C}
    )


def test_rows_are_tidy_and_in_order():
    scores, timings = run(right, settings=[{"C": 10}, {"C": 2}])
    assert all(tuple(row) == COLUMNS for row in scores + timings)
    assert [row["setting"] for row in timings] == ["C=10"] * 3 + ["C=2"] * 3
    accuracy = [row["value"] for row in scores if row["metric"] == "test-accuracy-percent"]
    assert accuracy == ["100"] * 6
    assert {row["value"] for row in scores if row["metric"] == "C-used"} == {"10", "2"}


def test_masks_leave_out_the_padding():
    seen = []

    def fit(problem, params):
        seen.append((problem.labelled.sum(), problem.test.sum(), problem.y.tolist()))
        return right(problem, params)

    run(fit)
    assert seen == [
        (2, 4, [0, 1, 0, 0, 0, 0]),
        (3, 3, [0, 0, 0, 1, 0, 0]),
        (3, 3, [0, 1, 0, 0, 0, 0]),
    ]


def test_test_labels_are_not_in_the_problem():
    def fit(problem, params):
        assert problem.truth is None
        assert not problem.y[~problem.labelled].any()
        return right(problem, params)

    scores, _ = run(fit)
    assert {row["status"] for row in scores} == {"ok"}
    scores, _ = run(lambda p, _: Outcome(predictions=p.truth[p.test_rows]), SEES_TEST_LABELS=True)
    assert {row["status"] for row in scores} == {"ok"}


def test_scores_do_not_depend_on_the_cut():
    whole, _ = run(right)
    cut = [row for repeats in ([2], [0], [1]) for row in run(right, repeats)[0]]

    def order(row):
        return row["setting"], row["repeat"], row["metric"]

    assert sorted(cut, key=order) == sorted(whole, key=order)


@pytest.mark.parametrize(
    ("raised", "status", "reason"),
    [
        (ValueError("two\nlines"), "failed", "ValueError: two lines"),
        (MemoryError(), "failed", "MemoryError:"),
        (Skip("not made for it"), "skipped", "not made for it"),
    ],
)
def test_a_draw_that_raises_is_a_row_with_its_reason(raised, status, reason):
    def fit(problem, params):
        if problem.repeat == 1:
            raise raised
        return right(problem, params)

    scores, timings = run(fit)
    rows = [row for row in scores if row["repeat"] == 1]
    assert len(rows) == 1
    assert (rows[0]["metric"], rows[0]["value"]) == ("", "")
    assert (rows[0]["status"], rows[0]["reason"]) == (status, reason)
    assert {row["status"] for row in scores if row["repeat"] != 1} == {"ok"}
    assert len(timings) == 3


def test_wrong_predictions_are_failed_rows():
    scores, _ = run(lambda p, _: Outcome(predictions=np.zeros(1)))
    assert {row["status"] for row in scores} == {"failed"}
    assert "cannot be scored" in scores[0]["reason"]
    scores, _ = run(lambda p, _: Outcome(predictions=np.full(p.test.sum(), np.nan)))
    assert {row["status"] for row in scores} == {"failed"}


class Unsayable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def raises(error):
    def fit(problem, params):
        raise error

    return fit


@pytest.mark.parametrize(
    ("fit", "reason"),
    [
        (lambda p, _: None, "returned NoneType"),
        (lambda p, _: (1, 2), "returned tuple"),
        (lambda p, _: Outcome(), "neither predictions nor metrics"),
        (lambda p, _: Outcome(metrics={"x": None}), "metric x is NoneType"),
        (lambda p, _: Outcome(metrics={"x": "1"}), "metric x is str"),
        (lambda p, _: Outcome(metrics={"x": np.ones(2)}), "metric x is ndarray"),
        (lambda p, _: Outcome(metrics={"": 1.0}), "the metric name ''"),
        (lambda p, _: Outcome(metrics={1: 1.0}), "the metric name 1"),
        (raises(SystemExit("bye")), "SystemExit: bye"),
        (raises(Unsayable()), "Unsayable: (its message cannot be made: RuntimeError)"),
        (raises(ValueError("lone \ud800")), "ValueError: lone ?"),
    ],
)
def test_whatever_a_method_does_is_a_row(tmp_path, fit, reason):
    scores, timings = run(fit, repeats=[0])
    assert [row["status"] for row in scores] == ["failed"]
    assert reason in scores[0]["reason"]
    write_table(tmp_path / "0-0.csv", COLUMNS, text_rows(scores))
    assert read_scores([tmp_path / "0-0.csv"])["reason"][0] == scores[0]["reason"]


@pytest.mark.parametrize("X", [np.ones((6, 2)), scipy.sparse.csr_array(np.ones((6, 2)))])
def test_a_draw_cannot_alter_what_the_next_one_gets(X):
    seen = []

    def fit(problem, params):
        seen.append((sorted(problem.kernels), sorted(problem.shared), problem.features.sum()))
        problem.kernels.clear()
        problem.shared.clear()
        array = (
            problem.features if isinstance(problem.features, np.ndarray) else problem.features.data
        )
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 2
        with pytest.raises(ValueError, match="read-only"):
            problem.labelled[:] = True
        return right(problem, params)

    made = method(fit)
    made.module.NEEDS = ("grams", "features")
    run_draws(
        made, [{}], {}, replace(DATA, X=X), {"": SPLITS}, {"K1": np.eye(6)}, study="s",
        repeats=range(3), shared={"a": np.ones(2)}, log=lambda line: None,
    )  # fmt: skip
    assert seen == [(["K1"], ["a"], 12.0)] * 3


def test_a_metric_that_is_not_finite_fails_alone():
    def fit(problem, params):
        return Outcome(predictions=right(problem, params).predictions, metrics={"bad": np.inf})

    scores, _ = run(fit)
    assert {row["metric"] for row in scores if row["status"] == "failed"} == {"bad"}
    assert {row["value"] for row in scores if row["metric"] == "bad"} == {""}


def test_not_converged_keeps_its_values():
    def fit(problem, params):
        return Outcome(
            predictions=right(problem, params).predictions, converged=False, reason="cap"
        )

    scores, _ = run(fit)
    assert {(row["status"], row["reason"]) for row in scores} == {("not-converged", "cap")}
    assert all(row["value"] for row in scores)


def test_a_task_that_a_method_is_not_made_for_is_skipped():
    made = method(right)
    made.module.TASKS = ("regression",)
    scores, _ = run_draws(
        made, [{}], {}, DATA, {"": SPLITS}, {}, study="s", repeats=[0], log=lambda line: None
    )
    assert scores[0]["status"] == "skipped"
    assert "made for regression, not for binary" in scores[0]["reason"]


def test_area_under_the_curve_is_undefined_with_one_class_in_the_test():
    one_class = Splits(
        labelled=np.array([[0, 1]]), unlabelled=np.zeros((1, 0), int), test=np.array([[2, 4]])
    )

    def fit(problem, params):
        return Outcome(predictions=np.zeros(2, int), decision=np.zeros(2))

    scores, _ = run(fit, repeats=[0], splits={"": one_class})
    by_metric = {row["metric"]: row for row in scores}
    assert "test-auc" not in by_metric
    assert by_metric["test-accuracy-percent"]["value"] == "100"
    assert {row["status"] for row in scores} == {"ok"}


def test_absent_inputs_give_a_row_a_draw():
    rows = failed_rows(
        "svm", [{"C": 1}, {"C": 2}], ["labelled=3", "labelled=10"], study="s", dataset="d",
        repeats=[0, 1], status="skipped", reason="source-unreachable: no network",
    )  # fmt: skip
    assert len(rows) == 8
    assert rows[0]["setting"] == "C=1;labelled=10"
    assert {row["reason"] for row in rows} == {"source-unreachable: no network"}


def test_score_files_keep_odd_text(tmp_path):
    rows = failed_rows(
        "m", [{}], [""], study="NA", dataset="None", repeats=[0], status="failed",
        reason='comma, "quote" and <script>é',
    )  # fmt: skip
    write_table(tmp_path / "a.csv", COLUMNS, text_rows(rows))
    back = read_scores([tmp_path / "a.csv"]).iloc[0]
    assert back["reason"] == 'comma, "quote" and <script>é'
    assert (back["study"], back["dataset"]) == ("NA", "None")


def test_targets_of_any_task_are_hidden_but_for_the_labelled():
    labelled = np.array([True, False, True])
    assert _without_unlabelled(["x", "y", "z"], labelled) == ["x", "", "z"]
    y = np.array([[1, 0], [1, 1], [0, 1]], dtype=np.int8)
    hidden = _without_unlabelled(y, labelled)
    assert hidden.tolist() == [[1, 0], [0, 0], [0, 1]]
    assert hidden.dtype == np.int8
    assert y[1].tolist() == [1, 1]
