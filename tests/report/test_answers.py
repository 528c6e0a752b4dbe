"""The answer: who may win, who is second, what is told apart, and how it reads."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gramworks.report.answer_section import (
    _sentence,
    _summary,
    answer_row,
    answer_section,
    p_text,
    size_words,
)
from gramworks.report.answers import SEPARATOR, answers
from gramworks.report.ranks import rank_table
from gramworks.report.raw_files import RawFiles
from gramworks.report.results import StudyResults
from gramworks.report.score_lines import (
    controls,
    labels_of,
    part_setting,
    representatives,
    score_lines,
)
from gramworks.report.scores import read_scores
from gramworks.report.significance import corrected_t_test

LABELLED = {"kind": "labelled", "sizes": [30, 5], "repeats": 4}


@pytest.fixture
def lines(make_study, write_scores):
    def make(rows, **changes):
        return score_lines(make_study(**changes), read_scores([write_scores(rows)]))

    return make


def test_settings_are_parted():
    sizes = ["n_labelled=40", "n_labelled=40;test=held-out"]
    assert part_setting("C=1;n_labelled=40", sizes) == (sizes[0], "C=1")
    assert part_setting("C=1;n_labelled=40;test=held-out", sizes) == (sizes[1], "C=1")
    assert part_setting("C=1", [""]) == ("", "C=1")
    assert part_setting("", [""]) == ("", "")


def test_the_metric_is_the_first_with_a_better_side_that_two_methods_give(lines, draws):
    rows = [
        *draws("iris", "svm", [1, 2], metric="omega-half"),
        *draws("iris", "svm", [1, 2], metric="test-auc"),
        *draws("iris", "svm", [1, 2]),
        *draws("iris", "knn", [1, 2]),
        *draws("heart", "svm", [1, 2], metric="test-auc"),
    ]
    found = lines(rows, metrics=["omega-half", "test-auc", "test-error-percent"])
    assert dict(zip(found["dataset"], found["metric"], strict=True)) == {
        "iris": "test-error-percent", "heart": "test-auc",
    }  # fmt: skip


def test_sizes_come_in_the_studys_order_and_labels_do_not_count(lines, draws):
    rows = [
        *draws("iris", "svm", [1, 2], setting="C=1;n_labelled=5"),
        *draws("iris", "svm", [3, 4], setting="C=1;n_labelled=30"),
        *draws("iris", "svm", [9, 9], setting="C=1;label=a;n_labelled=30"),
    ]
    found = lines(rows, splits=LABELLED)
    assert list(found["size"]) == ["n_labelled=30"] * 2 + ["n_labelled=5"] * 2
    assert set(found["setting"]) == {"C=1"}


def test_controls_are_known_by_what_they_see(make_study):
    study = make_study(
        methods={
            "oracle": {}, "majority": {}, "svm": {},
            "optimal-target": {"settings": {"length": ["expected", "oracle"]}},
        }
    )  # fmt: skip
    assert controls(study) == {("oracle", ""), ("optimal-target", "length=oracle")}


def answer(lines, rows, sizes=None, **changes):
    table = answers(lines(rows, **changes), sizes or {"iris": {"": (80.0, 20.0)}})
    return table.to_dict("records")


def test_best_next_and_difference(lines, draws):
    rows = [
        *draws("iris", "svm", [10.0, 12.0, 11.0, 10.5], setting="C=1"),
        *draws("iris", "svm", [9.0, 11.0, 10.0, 9.6], setting="C=10"),
        *draws("iris", "knn", [19.0, 20.0, 20.0, 19.4]),
        *draws("iris", "majority", [9.5, 11.2, 10.1, 10.3]),
    ]
    [row] = answer(lines, rows)
    # the second setting of the best method is not the next method
    assert (row["method"], row["setting"]) == ("svm", "C=10")
    assert row["runner_up"] == "majority"
    assert row["advantage"] == pytest.approx(0.375)
    # Holm's factor is 1 for the largest p, and knn's is smaller
    expected = corrected_t_test([0.5, 0.2, 0.1, 0.7], 80, 20)
    assert row["p"] == pytest.approx(expected.p)
    assert row["p_same_points"] == pytest.approx(corrected_t_test([0.5, 0.2, 0.1, 0.7], 80, 0).p)
    assert row["alike"].split(SEPARATOR) == ["majority"]
    assert (row["draws"], row["rows"], row["left_out"]) == (4, 4, 0)


def test_findings(lines, draws):
    sure = [*draws("iris", "svm", [1, 2, 1, 2]), *draws("iris", "knn", [9, 10.1, 9, 10])]
    assert answer(lines, sure)[0]["finding"] == "real"
    near = [*draws("iris", "svm", [1, 2, 1, 2]), *draws("iris", "knn", [2, 3.1, 1.6, 3.3])]
    many = {"iris": {"": (10.0, 140.0)}}
    assert answer(lines, near, many)[0]["finding"] == "on these points"
    chance = [*draws("iris", "svm", [1, 2, 1, 2]), *draws("iris", "knn", [2, 1, 1, 2.5])]
    assert answer(lines, chance)[0]["finding"] == "not told apart"
    equal = [*draws("iris", "svm", [1, 2]), *draws("iris", "knn", [2, 1])]
    assert answer(lines, equal)[0]["finding"] == "equal"
    once = [*draws("iris", "svm", [1]), *draws("iris", "knn", [2])]
    assert answer(lines, once)[0]["finding"] == "not tested"
    assert answer(lines, sure, {"heart": {}})[0]["finding"] == "not tested"
    assert answer(lines, draws("iris", "svm", [1, 2]))[0]["finding"] == "alone"


def test_oracles_and_incomplete_rows_cannot_win(lines, draws):
    rows = [
        *draws("iris", "svm", [10.0, 12.0, 11.0]),
        *draws("iris", "knn", [1.0, 2.0]),
        {"dataset": "iris", "method": "knn", "repeat": 2, "status": "failed", "reason": "x"},
        *draws("iris", "oracle", [0.0, 0.0, 0.0]),
        *draws("iris", "majority", [60.0, 61.0, 62.0]),
    ]
    methods = {name: {} for name in ("svm", "knn", "oracle", "majority")}
    [row] = answer(lines, rows, methods=methods)
    assert (row["method"], row["runner_up"], row["left_out"]) == ("svm", "majority", 2)


def test_accuracies_win_upwards_and_one_method_competes_with_itself(lines, draws):
    rows = [
        *draws("iris", "svm", [90.0, 91.0, 90.0], metric="test-accuracy-percent", setting="C=1"),
        *draws("iris", "svm", [80.0, 81.0, 80.5], metric="test-accuracy-percent", setting="C=9"),
    ]
    found = lines(rows, metrics=["test-accuracy-percent"])
    [row] = answers(found, {"iris": {"": (80.0, 20.0)}}).to_dict("records")
    assert (row["setting"], row["runner_up_setting"]) == ("C=1", "C=9")
    assert labels_of(representatives(found)) == ["svm C=1"] * 3 + ["svm C=9"] * 3


def test_ranks_over_data_sets(lines, draws):
    scores = {"svm": [10, 20, 30, 40], "knn": [12, 19, 35, 50], "majority": [50, 60, 70, 80]}
    names = ["iris", "heart", "sonar", "sonar-rounded"]
    rows = [
        row
        for method, values in scores.items()
        for name, value in zip(names, values, strict=True)
        for row in draws(name, method, [value - 1, value + 1])
    ]
    rows += draws("iris", "knn", [99, 99], setting="k=9")
    found = lines(rows, datasets={name: {} for name in names})
    table = rank_table(found)
    assert table["method"].tolist() == ["svm", "knn", "majority"]
    assert table["average_rank"].tolist() == [1.25, 1.75, 3.0]
    assert set(table["datasets"]) == {4}
    # the rounded copy is no data set of its own
    table = rank_table(found, {"sonar-rounded": "sonar"})
    assert set(table["datasets"]) == {3}
    assert rank_table(found[found["dataset"].isin(["iris", "heart"])]).empty
    assert rank_table(found.iloc[:0]).empty


def test_texts():
    assert [p_text(p) for p in (0.0004, 0.0123, 0.456, math.nan)] == [
        "< 0.001",
        "0.012",
        "0.46",
        "",
    ]
    assert size_words("n_labelled=16", 16.0) == "16 labelled"
    assert size_words("", 120.2) == "120 labelled"
    assert size_words("n_labelled=40;test=held-out", 40.0) == "40 labelled, test=held-out"
    assert size_words("n_test=5", 501.0) == "5 test points"


def test_a_few_answers_are_said_in_sentences(lines, draws, make_study, tmp_path):
    rows = [*draws("iris", "svm", [1, 2, 1, 2]), *draws("iris", "knn", [9, 10.1, 9, 10])]
    found = lines(rows)
    table = answers(found, {"iris": {"": (80.0, 20.0)}})
    nothing = pd.DataFrame()
    study = make_study()
    results = StudyResults(
        study, nothing, nothing, {}, nothing, nothing, table.astype(object), rank_table(found), {}
    )
    section = answer_section(results, RawFiles(tmp_path))
    [said] = section["sentences"]
    assert said["where"] == "iris, 80 labelled"
    assert said["score"] == "test-error-percent 1.500, 8.025 ahead of knn (9.525)"
    assert said["told"].startswith("The difference is real")
    assert section["summary"] == "The best method is ahead of the next one on new data, too."
    assert section["rows"][0]["link"] == "small/comparison.csv"


def test_raw_files_are_linked_where_they_are(tmp_path):
    report = tmp_path / "results/report"
    raw = tmp_path / "results/scores/small/iris/a b.csv"
    raw.parent.mkdir(parents=True)
    raw.write_text("")
    report.mkdir()
    files = RawFiles(report)
    assert files.rows("small", "iris", "a b") == "../scores/small/iris/a%20b.csv"
    assert files.rows("small", "iris", "gone") == "small/comparison.csv"
    assert files.rows("small", "iris/../iris", "a b") == "small/comparison.csv"
    assert files.rows("small", "iris", "\0" + "x" * 400) == "small/comparison.csv"
    assert files.notes("some-paper") == ""


def test_ties_and_spread_have_no_nan(lines, draws):
    rows = [*draws("iris", "svm", [1.0] * 3), *draws("iris", "knn", [2.0] * 3)]
    [row] = answer(lines, rows)
    assert (row["p"], row["finding"], row["advantage"]) == (0.0, "real", 1.0)
    assert np.isfinite(row["standard_error"])


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e-9, 1e-13, 1e9])
def test_findings_do_not_depend_on_the_unit_of_the_target(lines, draws, scale):
    best, next_ = [1.0, 1.01, 0.99, 1.0], [2.0, 2.02, 1.97, 2.0]
    rows = [
        *draws("iris", "svm", scale * np.array(best), metric="test-root-mean-square-error"),
        *draws("iris", "knn", scale * np.array(next_), metric="test-root-mean-square-error"),
    ]
    [row] = answer(lines, rows, metrics=["test-root-mean-square-error"])
    assert row["finding"] == "real"
    expected = corrected_t_test(np.subtract(next_, best), 80, 20)
    assert row["p"] == pytest.approx(expected.p, rel=1e-6)
    shown = answer_row(row, RawFiles(Path("none")), "small")
    texts = [shown[key] for key in ("mean", "runner_up_mean", "advantage")]
    assert [float(text) / scale for text in texts] == pytest.approx([1.0, 1.9975, 0.9975], rel=0.01)


def test_the_best_is_compared_with_the_commonest_class_and_on_these_points(lines, draws):
    rows = [
        *draws("iris", "svm", [10.0, 12.0, 11.0, 10.5]),
        *draws("iris", "knn", [11.0, 12.2, 11.9, 10.4]),
        *draws("iris", "majority", [30.0, 31.0, 36.0, 30.1]),
    ]
    few = {"iris": {"": (5.0, 95.0)}}
    [row] = answer(lines, rows, few)
    # with many test points for few labels the corrected test tells next to nothing apart
    assert row["alike"] == "knn | majority"
    assert row["alike_same_points"] == "knn"
    assert (row["over_majority"], row["draws"]) == (4, 4)
    shown = answer_row(row, RawFiles(Path("none")), "small")
    assert shown["over"] == "better than always the commonest class in 4 of 4 draws"
    numbers = answer_row(row | {"metric": "mean-square-error"}, RawFiles(Path("none")), "small")
    assert numbers["over"] == "better than always the mean of the labelled points in 4 of 4 draws"
    [row] = answer(lines, [r for r in rows if r["method"] != "majority"], few)
    assert math.isnan(row["over_majority"])
    assert answer_row(row, RawFiles(Path("none")), "small")["over"] == ""
    beaten = [*draws("iris", "svm", [10.0, 12.0]), *draws("iris", "majority", [9.0, 11.0])]
    [row] = answer(lines, beaten, few)
    assert answer_row(row, RawFiles(Path("none")), "small")["over"] == ""


def test_an_error_beyond_all_scores_is_said_in_words(lines, draws):
    """Two labelled points and 198 test points, as in two moons."""
    best = np.tile([4.0, 10.0], 25)
    ahead = np.tile([0.0, 0.0, 17.0, 6.0, 5.4], 10)
    rows = [*draws("iris", "svm", best), *draws("iris", "knn", best + ahead)]
    [row] = answer(lines, rows, {"iris": {"": (2.0, 198.0)}})
    assert row["finding"] == "on these points"
    assert row["standard_error"] > 50
    shown = answer_row(row, RawFiles(Path("none")), "small")
    why = "draws of 2 labelled and 198 test points share too many points to tell"
    assert shown["why"] == why
    assert _sentence(shown)["told"] == (
        "That would last with more draws of these points (p < 0.001), but new data of this kind "
        f"may do anything: {why}."
    )
    # an error within the scale is a number that says something
    assert answer_row(row | {"standard_error": 40.0}, RawFiles(Path("none")), "small")["why"] == ""
    ten_times = row | {"standard_error": 40.0, "advantage": 4.0}
    assert answer_row(ten_times, RawFiles(Path("none")), "small")["why"] == why
    unsure = row | {"finding": "not told apart", "p_same_points": 0.3}
    told = _sentence(answer_row(unsure, RawFiles(Path("none")), "small"))["told"]
    assert told.startswith("The draws cannot tell the two apart, not even on these points (p = 0.3")
    # it is the test points that make it so
    few = row | {"n_train": 198.0, "n_test": 2.0}
    assert answer_row(few, RawFiles(Path("none")), "small")["why"] == ""
    for metric, error, said in [
        ("test-auc", 0.6, True), ("test-auc", 0.4, False), ("test-error-percent", 0.6, False),
        ("mean-square-error", 12.0, False), ("mean-square-error", 13.0, True),
    ]:  # fmt: skip
        other = row | {"metric": metric, "standard_error": error}
        shown = answer_row(other, RawFiles(Path("none")), "small")
        assert bool(shown["why"]) == said, metric


def test_a_tie_is_said_as_one(lines, draws, make_study):
    nothing = pd.DataFrame()

    def section(rows):
        found = lines(rows)
        table = answers(found, {"iris": {"": (80.0, 20.0)}}).astype(object)
        results = StudyResults(
            make_study(), nothing, nothing, {}, nothing, nothing, table, rank_table(found), {}
        )
        return answer_section(results, RawFiles(Path("none")))

    tie = section([*draws("iris", "svm", [1, 2]), *draws("iris", "knn", [2, 1])])
    assert tie["summary"] == "The best method and the next one score the same."
    assert tie["sentences"][0]["score"] == "test-error-percent 1.5, as knn has"
    near = section([*draws("iris", "svm", [1, 2, 1, 2]), *draws("iris", "knn", [2, 1, 1, 2.5])])
    assert near["summary"] == "The draws cannot tell the best method from the next one."
    assert near["sentences"][0]["score"].startswith("test-error-percent 1.50, about 0.12 ahead of")


def test_figures_show_the_settings_that_the_answer_names(lines, draws):
    rows = [
        *draws("iris", "svm", [10.0, 12.0], setting="C=1;n_labelled=30"),
        *draws("iris", "svm", [11.0, 13.0], setting="C=9;n_labelled=30"),
        *draws("iris", "svm", [41.0, 43.0], setting="C=1;n_labelled=5"),
        *draws("iris", "svm", [30.0, 32.0], setting="C=9;n_labelled=5"),
        *draws("iris", "svm", [2.0], setting="C=3;n_labelled=5"),  # lost a draw
        *draws("iris", "knn", [40.0, 42.0], setting="n_labelled=5"),
        *draws("iris", "knn", [40.0, 42.0], setting="n_labelled=30"),
    ]
    found = lines(rows, splits=LABELLED)
    table = answers(found, {"iris": {"n_labelled=5": (5, 9), "n_labelled=30": (30, 9)}})
    named = dict(zip(table["size"], table["setting"], strict=True))
    assert named == {"n_labelled=30": "C=1", "n_labelled=5": "C=9"}
    shown = representatives(found)
    shown = shown[shown["method"] == "svm"]
    assert dict(zip(shown["size"], shown["setting"], strict=True)) == named


def test_ties_go_to_the_first_one_whatever_the_last_bit_of_a_mean(lines, draws):
    a, b = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    assert (
        answer(lines, [*draws("iris", "svm", a), *draws("iris", "knn", [0.2, 0.3, 0.1])])[0][
            "finding"
        ]
        == "equal"
    )
    assert np.mean(a) != np.mean(b)
    for first, second in ((a, b), (b, a)):
        rows = [
            *draws("iris", "svm", first, setting="C=9"),
            *draws("iris", "svm", second, setting="C=10"),
            *draws("iris", "knn", first),
            *draws("iris", "majority", second),
        ]
        found = lines(rows)
        [row] = answers(found, {"iris": {"": (80.0, 20.0)}}).to_dict("records")
        assert (row["method"], row["setting"], row["runner_up"]) == ("svm", "C=9", "knn")
        assert row["advantage"] == 0
        assert row["finding"] == "equal"
        assert set(representatives(found)["setting"]) == {"C=9", ""}
    names = ["iris", "heart", "sonar"]
    rows = [
        row
        for name in names
        for method, values in (("svm", a), ("knn", b))
        for row in draws(name, method, values)
    ]
    table = rank_table(lines(rows, datasets={name: {} for name in names}))
    assert table["average_rank"].tolist() == [1.5, 1.5]


def test_scores_that_differ_by_the_rounding_of_files_are_equal(lines, draws):
    for scale in (1.0, 1e-9, 1e9):
        rows = [
            *draws("iris", "svm", scale * np.array([1.3, 2.1, 3.7])),
            *draws("iris", "knn", scale * (np.array([1.3, 2.1, 3.7]) + 4e-10)),
        ]
        [row] = answer(lines, rows)
        assert (row["finding"], row["p"], row["alike"]) == ("equal", 1.0, "knn")


def test_a_small_advantage_is_not_shown_as_none(lines, draws):
    rows = [
        *draws("iris", "svm", [12.5, 13.5, 14.5]),
        *draws("iris", "knn", [12.50002, 13.50001, 14.50003]),
    ]
    [row] = answer(lines, rows)
    shown = answer_row(row, RawFiles(Path("none")), "small")
    assert (shown["advantage"], shown["mean"]) == ("0.000020", "13.5000")


def test_what_is_real_is_told_from_the_best_and_the_other_way_round(lines, draws):
    z = np.array([1, -1] * 5)
    w = np.array([1, 1, -1, -1] * 2 + [1, -1])
    rows = [
        *draws("iris", "svm", np.full(10, 20.0)),
        *draws("iris", "knn", 21.0 + 0.59 * z),
        *draws("iris", "majority", 21.1 + 5.0 * w),
        *draws("iris", "oracle-like", 21.2 + 6.0 * w),
    ]
    [row] = answer(lines, rows, {"iris": {"": (60.0, 20.0)}})
    alone = corrected_t_test(1.0 + 0.59 * z, 60, 20)
    assert alone.p < 0.05 < 3 * alone.p
    # each p is adjusted for all other methods, so that the row says one thing
    assert row["p"] == pytest.approx(3 * alone.p)
    assert row["runner_up"] in row["alike"].split(SEPARATOR)
    assert row["finding"] == "on these points"
    assert row["p_same_points"] == pytest.approx(3 * corrected_t_test(1.0 + 0.59 * z, 60, 0).p)


def test_what_is_not_told_apart_has_the_digits_of_its_error(lines, draws):
    rows = [
        *draws("iris", "svm", [60.123, 72.456, 69.789, 71.0]),
        *draws("iris", "knn", [70.2, 61.9, 72.9, 69.4]),
    ]
    rows = [row | {"metric": "test-accuracy-percent"} for row in rows]
    [row] = answer(lines, rows, metrics=["test-accuracy-percent"])
    assert row["finding"] == "not told apart"
    assert (row["method"], round(row["advantage"], 3)) == ("knn", 0.258)
    assert 1 < row["standard_error"] < 10
    shown = answer_row(row, RawFiles(Path("none")), "small")
    assert (shown["mean"], shown["runner_up_mean"]) == ("68.6", "68.3")
    assert shown["advantage"] == "0.3"
    nothing = answer_row(row | {"advantage": 0.012}, RawFiles(Path("none")), "small")
    assert nothing["advantage"] == "0.0"
    # what is told apart keeps the digits of a small difference
    real = answer_row(row | {"finding": "real"}, RawFiles(Path("none")), "small")
    assert real["advantage"] == "0.26"


def test_several_comparisons_are_summed_up():
    def said(*findings):
        return _summary([{"finding": finding} for finding in findings])

    assert said("not told apart", "equal", "not told apart") == (
        "In none of 3 cases (data sets and sizes) is the best method surely ahead of the next one "
        "on new data."
    )
    assert said("on these points", "equal").endswith(
        "on new data; in 1 of them it is on other draws of these points."
    )
    assert said("real", "on these points", "equal") == (
        "In 1 of 3 cases (data sets and sizes) the best method is ahead of the next one on new "
        "data, too; in 1 more it is on other draws of these points."
    )
    assert said("real", "real").startswith("In all 2 cases")
