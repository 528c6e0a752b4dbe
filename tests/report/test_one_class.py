"""Methods that predict one class for all test points are named."""

import pandas as pd
import pytest

from gramworks.report.build import build_page, tabulate_study
from gramworks.report.looks import Looks
from gramworks.report.one_class import COLUMNS, one_class_notes, one_class_rows
from gramworks.report.results import read_results
from gramworks.report.score_lines import COLUMNS as LINES

HOSTILE = "=1+1 <script>alert(1)</script>"


@pytest.fixture
def study(make_study):
    return make_study(
        splits={"kind": "labelled", "sizes": [5, 20], "repeats": 3},
        metrics=["test-accuracy-percent", "mean-square-error"],
    )


def kept(method, predicted, *, size=5, setting="", truth=("a", "b")):
    """Make draws of two test points each; `predicted` is a pair a draw."""
    whole = ";".join(filter(None, (setting, f"n_labelled={size}")))
    return pd.DataFrame([
        (method, whole, repeat, point, truth[point], label, float("nan"), "")
        for repeat, pair in enumerate(predicted)
        for point, label in enumerate(pair)
    ], columns=["method", "setting", "repeat", "point", "truth", "prediction", "decision",
                "positive"])  # fmt: skip


def no_lines(metric="test-accuracy-percent"):
    row = ("iris", "n_labelled=5", "svm", "", 0, metric, 50.0, False)
    return pd.DataFrame([row], columns=list(LINES))


def test_draws_with_one_class_are_counted(study):
    table = pd.concat([
        kept("svm", ["aa", "ab", "aa"], size=20, setting="kernel=K1"),
        kept("svm", ["aa", "aa", "aa"], size=5, setting="kernel=K1"),
        kept("knn", ["ab", "ba", "ab"]),
        kept("majority", ["aa", "aa", "aa"]),
    ])  # fmt: skip
    rows = one_class_rows(study, {"iris": table}, no_lines())
    assert rows.values.tolist() == [
        ["iris", "n_labelled=5", "knn", "", "", 0, 3],
        ["iris", "n_labelled=5", "svm", "kernel=K1", "a", 3, 3],
        ["iris", "n_labelled=20", "svm", "kernel=K1", "a", 2, 3],
    ]
    [note] = one_class_notes(rows, lambda size: size.removeprefix("n_labelled="))
    assert (note["method"], note["setting"]) == ("svm", "kernel=K1")
    assert note["told"] == "'a' for every test point in 5 of 6 kept draws (5: 3 of 3; 20: 2 of 3)"


def test_what_is_no_fault_of_the_method_does_not_count(study):
    # the test points have one class alone, or the target is a number
    one = kept("svm", ["aa", "aa"], truth=("a", "a"))
    assert one_class_rows(study, {"iris": one}, no_lines()).empty
    numbers = kept("svm", ["11", "11"], truth=("1", "2"))
    assert one_class_rows(study, {"iris": numbers}, no_lines("mean-square-error")).empty
    assert len(one_class_rows(study, {"iris": numbers}, no_lines())) == 1
    assert one_class_rows(study, {}, no_lines()).columns.tolist() == list(COLUMNS)


def test_classes_that_change_from_draw_to_draw_have_no_name(study):
    rows = one_class_rows(study, {"iris": kept("svm", ["aa", "bb"])}, no_lines())
    assert rows["label"].tolist() == [""]
    [note] = one_class_notes(rows, str)
    assert note["told"] == "one class for every test point in 2 of 2 kept draws"


def test_the_page_tells_it_and_shows_names_as_text(study, write_scores, draws, tmp_path):
    rows = [
        row
        for method in ("svm", "knn")
        for row in draws(
            "iris", method, [50, 60, 70], "test-accuracy-percent", setting="n_labelled=5"
        )
    ]
    predictions = kept("svm", [(HOSTILE, HOSTILE)] * 3, truth=("a", HOSTILE))
    looks = Looks(predictions={"iris": predictions})
    tabulate_study(study, [write_scores(rows)], {}, tmp_path, {}, looks=looks)
    path = tmp_path / study.name / "one-class.csv"
    assert ",'=1+1 <script>" in path.read_text()
    found = read_results(study, tmp_path / study.name).one_class
    assert found["label"].tolist() == [HOSTILE]
    page = build_page([study], tmp_path, benchmarks=tmp_path, provenance={}, datasets=[])
    text = page.read_text()
    assert "1 row predicts one class only" in text
    assert "=1+1 &lt;script&gt;alert(1)&lt;/script&gt;&#39; for every test point in 3 of 3" in text
    assert "<script>alert(1)" not in text


def test_the_page_says_nothing_where_no_predictions_are_kept(study, write_scores, draws, tmp_path):
    rows = draws("iris", "svm", [50, 60], "test-accuracy-percent", setting="n_labelled=5")
    tabulate_study(study, [write_scores(rows)], {}, tmp_path, {})
    page = build_page([study], tmp_path, benchmarks=tmp_path, provenance={}, datasets=[])
    assert "one class only" not in page.read_text()
    assert "scores alone do not show it" in page.read_text()
