import types

import numpy as np
import pytest
from pydantic import BaseModel

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import KFold, Splits, make_splits
from gramworks.draws import failed_rows, run_draws
from gramworks.errors import DataError
from gramworks.label_tasks import (
    _ON_EDGE,
    all_settings,
    label_of,
    label_word,
    one_against_rest,
    with_label,
    without_label,
)
from gramworks.methods.registry import Method
from gramworks.problem import Outcome, Skip
from gramworks.report.grid_edges import ON_EDGE
from gramworks.score_files import COLUMNS

CODES = np.array([0, 1, 2, 0, 1, 2])
MANY = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0], [0, 1, 1]], dtype=np.int8)
SPLITS = Splits(
    labelled=np.array([[0, 1, 2], [3, 4, 5]]), unlabelled=np.zeros((2, 0), int),
    test=np.array([[3, 4, 5], [0, 1, 2]]),
)  # fmt: skip


class Params(BaseModel):
    C: float = 1.0


def data(y, classes=("a", "b", "c")):
    return Dataset(id="d", X=np.zeros((6, 1)), y=y, classes=list(classes), feature_names=["x"])


def run(fit, y=CODES, labels=("a", "b", "c"), repeats=range(2), settings=({"C": 1},)):
    module = types.SimpleNamespace(
        NAME="toy", NEEDS=("grams",), TASKS=("binary",), Params=Params, fit=fit
    )
    return run_draws(
        Method("toy", module, None), list(settings), {}, data(y), {"": SPLITS}, {"K1": np.eye(6)},
        study="s", repeats=repeats, labels=labels, log=lambda line: None,
    )  # fmt: skip


def values(rows, metric):
    return {(r["setting"], r["repeat"]): r["value"] for r in rows if r["metric"] == metric}


def none_has_it(problem, params):
    """Predict the rest everywhere; the weight tells the label."""
    weight = {"a": 1.0, "b": 2.0, "c": 6.0}[problem.setting["label"]]
    return Outcome(
        predictions=np.zeros(problem.test.sum(), int), decision=np.arange(3.0),
        metrics={"weight-1": weight, "on-edge-C": 1.0},
    )  # fmt: skip


def test_rows_of_labels_and_their_means_by_hand():
    scores, timings = run(none_has_it, y=MANY)
    assert all(tuple(row) == COLUMNS for row in scores + timings)
    keys = [(row["setting"], row["repeat"], row["metric"]) for row in scores]
    assert keys == sorted(set(keys))
    # Test points 3, 4, 5 have a: 1 0 0, b: 1 0 1, c: 0 0 1; points 0, 1, 2 a: 100, b: 010, c: 101.
    accuracy = {k: float(v) for k, v in values(scores, "test-accuracy-percent").items()}
    third = pytest.approx(100 / 3)
    assert accuracy["C=1;label=a", 0] == pytest.approx(200 / 3)
    assert accuracy["C=1;label=b", 0] == third
    assert accuracy["C=1;label=c", 1] == third
    assert accuracy["C=1", 0] == pytest.approx((200 / 3 + 100 / 3 + 200 / 3) / 3)
    assert accuracy["C=1", 1] == pytest.approx((200 / 3 + 200 / 3 + 100 / 3) / 3)
    assert values(scores, "weight-1")["C=1", 0] == "3"
    # Decision values 0, 1, 2: area 0 for a, 1/2 for b, 1 for c.
    assert values(scores, "test-auc")["C=1;label=b", 0] == "0.5"
    assert values(scores, "test-auc")["C=1", 0] == values(scores, "mean-roc")["C=1", 0] == "0.5"
    assert set(values(scores, "mean-roc")) == {("C=1", 0), ("C=1", 1)}
    assert ("C=1", 0) not in values(scores, "on-edge-C")
    assert set(values(timings, "seconds")) == {
        (setting, repeat)
        for setting in ("C=1", "C=1;label=a", "C=1;label=b", "C=1;label=c")
        for repeat in (0, 1)
    }
    assert {row["status"] for row in scores} == {"ok"}


def test_methods_see_a_binary_problem():
    seen = []

    def fit(problem, params):
        seen.append((problem.task, problem.n_classes, problem.y.tolist(), problem.setting["label"]))
        return Outcome(predictions=np.zeros(3, int))

    run(fit, repeats=[0])
    assert seen == [
        ("binary", 2, [1, 0, 0, 0, 0, 0], "a"),
        ("binary", 2, [0, 1, 0, 0, 0, 0], "b"),
        ("binary", 2, [0, 0, 1, 0, 0, 0], "c"),
    ]


def test_every_label_and_repeat_has_a_generator_of_its_own():
    def fit(problem, params):
        return Outcome(metrics={"noise": problem.generator.random()})

    scores, _ = run(fit)
    noise = {k: v for k, v in values(scores, "noise").items() if "label" in k[0]}
    assert len(set(noise.values())) == len(noise) == 6
    again, _ = run(fit, labels=("c",), repeats=[1])
    assert values(again, "noise")["C=1;label=c", 1] == noise["C=1;label=c", 1]


@pytest.mark.parametrize(
    ("raised", "status", "reason"),
    [
        (ValueError("no"), "failed", "b: ValueError: no"),
        (Skip("not for me"), "skipped", "b: not for me"),
    ],
)
def test_one_label_without_a_fit_leaves_no_mean(raised, status, reason):
    def fit(problem, params):
        if problem.setting["label"] == "b" and problem.repeat == 0:
            raise raised
        return none_has_it(problem, params)

    scores, timings = run(fit)
    mean = [row for row in scores if row["setting"] == "C=1" and row["repeat"] == 0]
    assert [(row["metric"], row["value"], row["status"], row["reason"]) for row in mean] == [
        ("", "", status, reason)
    ]
    assert values(scores, "weight-1")["C=1", 1] == "3"
    assert {r["status"] for r in timings if r["setting"] == "C=1"} == {status, "ok"}


def test_the_worst_status_of_the_labels_is_the_mean_s():
    def fit(problem, params):
        hung = problem.setting["label"] == "c"
        return Outcome(metrics={"weight-1": 1.0}, converged=not hung, reason="cap" if hung else "")

    scores, _ = run(fit, repeats=[0])
    rows = {row["setting"]: (row["value"], row["status"], row["reason"]) for row in scores}
    assert rows["C=1;label=a"] == ("1", "ok", "")
    assert rows["C=1"] == ("1", "not-converged", "c: cap")


def test_a_metric_that_a_label_has_no_value_of_has_no_mean_over_the_others():
    def fit(problem, params):
        bad = problem.setting["label"] == "b"
        metrics = {"x": np.nan if bad else 1.0, "y": 2.0} | ({} if bad else {"z": 1.0})
        return Outcome(metrics=metrics)

    scores, _ = run(fit, repeats=[0])
    rows = {r["metric"]: r for r in scores if r["setting"] == "C=1"}
    assert (rows["x"]["value"], rows["x"]["status"]) == ("", "failed")
    assert rows["x"]["reason"] == "x has no value for b: b: x is nan"
    assert (rows["y"]["value"], rows["y"]["status"]) == ("2", "ok")
    assert (rows["z"]["value"], rows["z"]["status"]) == ("", "skipped")
    assert rows["z"]["reason"] == "z has no value for b: it is not defined there"


def test_an_area_that_one_label_does_not_define_has_no_mean():
    # Points 0, 1, 2 and 3, 4, 5 have each class once; class c of a test of two points is absent.
    scores, _ = run(none_has_it, y=np.array([0, 1, 2, 0, 1, 1]), repeats=[0])
    rows = {(r["setting"], r["metric"]): r for r in scores}
    assert ("C=1;label=c", "test-auc") not in rows
    for metric in ("test-auc", "mean-roc"):
        assert (rows["C=1", metric]["value"], rows["C=1", metric]["status"]) == ("", "skipped")
    assert rows["C=1", "test-accuracy-percent"]["status"] == "ok"


def test_rows_of_labels_do_not_depend_on_the_cut():
    settings = all_settings(["C=1", "C=2"], ["a", "b", "c"])
    assert settings == sorted(settings)
    assert len(settings) == 8
    cut = []
    for repeat in (1, 0):
        cut += run(none_has_it, repeats=[repeat], settings=[{"C": 2}, {"C": 1}])[0]
    whole, _ = run(none_has_it, settings=[{"C": 1}, {"C": 2}])
    cut.sort(key=lambda row: (row["setting"], row["repeat"], row["metric"]))
    assert cut == whole
    assert {row["setting"] for row in whole} == set(settings)


def test_absent_inputs_leave_rows_of_labels_and_means():
    rows = failed_rows(
        "toy", [{"C": 1}], ["n_labelled=2"], study="s", dataset="d", repeats=[0], status="skipped",
        reason="gone", labels=["a", "b"],
    )  # fmt: skip
    assert [row["setting"] for row in rows] == all_settings(["C=1;n_labelled=2"], ["a", "b"])


@pytest.mark.parametrize(
    ("label", "word"),
    [("earn", "earn"), ("01", "1"), ("1.50", "1.5"), ("a b=c;d", "a-b-c-d"), (" ", "-")],
)
def test_labels_as_values_of_settings(label, word):
    assert label_word(label) == word
    setting = with_label("C=1;ridge=2", label)
    assert setting == f"C=1;label={word};ridge=2"
    assert label_of(setting) == word
    assert without_label(setting) == "C=1;ridge=2"
    assert label_of("C=1;xlabel=2") == ""


def test_one_against_the_rest_by_hand():
    assert one_against_rest(data(CODES), "c").y.tolist() == [0, 0, 1, 0, 0, 1]
    found = one_against_rest(data(MANY), "b")
    assert found.y.tolist() == [0, 1, 0, 1, 0, 1]
    assert (found.task, found.classes) == ("binary", ["not b", "b"])
    with pytest.raises(DataError, match="no label 'bb'; did you mean 'b'"):
        one_against_rest(data(CODES, ["a", "b", "cc"]), "bb")
    with pytest.raises(DataError, match="is regression"):
        one_against_rest(data(np.zeros(6), []), "a")
    with pytest.raises(DataError, match="is binary"):
        one_against_rest(data(np.array([0, 1] * 3), ["a", "b"]), "a")


def test_folds_of_points_with_several_labels():
    spec = KFold(folds=3, repeats=2, stratified=False)
    made = make_splits(spec, MANY, study="s", dataset="d")[""]
    assert made.repeats == 6
    for repeat in range(2):
        tests = np.concatenate([made.draw(3 * repeat + fold)[2] for fold in range(3)])
        assert sorted(tests) == list(range(6))
    with pytest.raises(DataError, match="stratified: false"):
        make_splits(KFold(folds=3, repeats=1), MANY, study="s", dataset="d")


def test_the_prefix_of_grid_edges_is_that_of_the_report():
    assert _ON_EDGE == ON_EDGE
