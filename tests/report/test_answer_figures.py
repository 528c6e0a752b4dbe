"""What the figures of the answer show, and when there is none."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from gramworks.report import view_columns
from gramworks.report.alignment_figure import alignment_matrix
from gramworks.report.answer_figures import READINGS, answer_figures
from gramworks.report.answers import answers
from gramworks.report.confusion_figure import confusion_matrices
from gramworks.report.kept_rows import shown_rows
from gramworks.report.learning_curves import OTHERS, learning_curves
from gramworks.report.looks import Looks
from gramworks.report.map_figure import point_maps
from gramworks.report.rank_figure import rank_plot
from gramworks.report.ranks import rank_table
from gramworks.report.roc_figure import roc, roc_curves
from gramworks.report.score_lines import COLUMNS
from gramworks.report.time_figure import time_plot

HOSTILE = "<script>alert(1)</script> $x$"


def lines(methods, sizes=("n_labelled=5", "n_labelled=50"), datasets=("a", "b", HOSTILE)):
    rng = np.random.default_rng(0)
    rows = [
        (dataset, size, method, "", repeat, "test-error-percent", 10 + place + rng.random(), False)
        for dataset in datasets
        for size in sizes
        for place, method in enumerate(methods)
        for repeat in range(3)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def draw(truth, prediction, decision, positive=""):
    n = len(truth)
    return pd.DataFrame({
        "method": "svm", "setting": "", "repeat": 0, "point": range(n), "truth": truth,
        "prediction": prediction, "decision": decision, "positive": positive,
    })  # fmt: skip


def words(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_the_roc_curve_has_the_area_of_the_metric(positive):
    rng = np.random.default_rng(1)
    truth = rng.permutation(["no", "yes"] * 25)
    decision = np.round((truth == positive) + rng.normal(size=50), 1)  # with ties
    negative = {"no": "yes", "yes": "no"}[positive]
    prediction = np.where(decision > 0.5, positive, negative)
    false, hits = roc(draw(truth, prediction, decision, positive))
    area = np.trapezoid(hits, false)
    assert area == pytest.approx(roc_auc_score(truth == positive, decision))
    assert (false[0], hits[0], false[-1], hits[-1]) == (0, 0, 1, 1)
    # whatever is predicted, and wherever the threshold lies
    for shifted in (decision - 9, decision + 9):
        for name in ("no", "yes"):
            false, hits = roc(draw(truth, [name] * 50, shifted, positive))
            assert np.trapezoid(hits, false) == pytest.approx(area)


def test_no_roc_curve_without_decisions_or_of_one_class():
    assert roc(draw(["a", "b"], ["a", "b"], [np.nan, np.nan])) is None
    assert roc(draw(["a", "a"], ["a", "b"], [1.0, -1.0])) is None
    assert roc_curves({"a": draw(["a", "b", "c"], ["a", "b", "c"], [1.0, 2, 3])}) is None
    assert roc_curves({}) is None


def test_confusion_counts_points():
    rows = draw(["a", "a", "b", "c", HOSTILE], ["a", "b", "b", HOSTILE, HOSTILE], np.nan)
    figure = confusion_matrices({"own": rows})
    shown = words(figure)
    assert [w for w in shown if w in "12"].count("1") == 5
    assert any(w.startswith("<script>") for w in shown)
    assert confusion_matrices({"own": rows[rows["truth"].isin(["a", "b"])].iloc[:3]}) is None


def test_classes_that_are_numbers_stand_by_size():
    names = ["10", "2", "1"]
    figure = confusion_matrices({"own": draw(names, names, np.nan)})
    ticks = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert ticks == ["1", "2", "10"]


def test_numbers_have_no_confusion_matrix_however_few_there_are():
    table = lines(["svm", "knn"], sizes=("",), datasets=("own",))
    stars = ["1", "2", "3", "1"]
    looks = Looks(predictions={"own": draw(stars, stars, np.nan)})
    ranks = rank_table(table)
    assert "confusion matrices" in dict(answer_figures(table, ranks, looks))
    for metric in ("mean-square-error", "root-mean-square-error"):
        numbers = table.assign(metric=metric)
        assert "confusion matrices" not in dict(answer_figures(numbers, ranks, looks))


def test_the_map_rings_what_is_wrong():
    points = pd.DataFrame({
        "point": range(4), "label": ["a", "b", "a", HOSTILE], "target": "",
        "first": [0.0, 1, 2, 3], "second": [0.0, 1, 0, 1],
    })  # fmt: skip
    rows = draw(["b", "a", HOSTILE], ["b", HOSTILE, HOSTILE], np.nan).assign(point=[1, 2, 3])
    figure = point_maps({"own": points}, {"own": rows})
    [wrong] = [line for line in figure.axes[1].lines if line.get_label() == "wrong"]
    assert wrong.get_xdata().tolist() == [2.0]
    assert figure.axes[1].lines[0].get_xdata().tolist() == [0.0]  # labelled, so not predicted
    # each panel says what grey is in it
    assert figure.axes[1].lines[0].get_label() == "not tested"
    legends = [[t.get_text() for t in panel.get_legend().get_texts()] for panel in figure.axes]
    assert "not tested" not in legends[0]
    assert legends[1] == ["not tested", "wrong"]
    assert point_maps({"own": points.iloc[:0]}, {}) is None
    assert point_maps({"own": points.assign(label="")}, {}) is None


def test_points_without_a_target_are_of_no_class_on_the_map():
    points = pd.DataFrame({
        "point": range(4), "label": ["", "no", "yes", ""], "target": "",
        "first": [0.0, 1, 2, 3], "second": 0.0,
    })  # fmt: skip
    [panel] = point_maps({"own": points}, {}).axes
    found = {line.get_label(): line.get_xdata().tolist() for line in panel.lines}
    assert found == {"no target": [0.0, 3.0], "no": [1.0], "yes": [2.0]}
    shown = [text.get_text() for text in panel.get_legend().get_texts()]
    assert sorted(shown) == ["no", "no target", "yes"]
    numbers = points.assign(label="", target=["", "1.5", "2.5", ""])
    panel = point_maps({"own": numbers}, {}).axes[0]
    assert panel.collections[0].get_array().tolist() == [1.5, 2.5]
    assert panel.lines[0].get_xdata().tolist() == [0.0, 3.0]


def test_classes_on_the_map_are_classes_whatever_their_names():
    names = [f"{v}" for v in range(30)]
    points = pd.DataFrame({
        "point": range(30), "label": names, "target": "", "first": range(30), "second": 0.0,
    })  # fmt: skip
    figure = point_maps({"own": points}, {})
    assert len(figure.axes) == 1  # no colour bar
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == [*names[:12], "and 18 more"]  # 2 before 10
    assert len(figure.axes[0].lines) == 30
    # and numbers are numbers, however few
    few = points.assign(label="", target=["1", "2"] * 15)
    rows = draw(["1", "2"], ["1.25", "1.75"], np.nan).assign(point=[0, 1])
    figure = point_maps({"own": few}, {"own": rows})
    assert len(figure.axes) == 4
    assert figure.axes[1].collections[0].get_array().tolist() == [1.25, 1.75]


def test_legends_have_names_that_begin_with_a_line():
    points = pd.DataFrame({
        "point": range(4), "label": ["_neg", "pos", "_pos", "__"], "target": "",
        "first": range(4), "second": 0.0,
    })  # fmt: skip
    [panel] = point_maps({"own": points}, {}).axes
    shown = [text.get_text() for text in panel.get_legend().get_texts()]
    assert shown == ["__", "_neg", "_pos", "pos"]
    rows = draw(["a", "b"], ["a", "b"], [-1.0, 1.0], "b").assign(method="_own")
    panel = roc_curves({"own": rows}).axes[0]
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["_own"]
    figure = learning_curves(lines(["_own", "svm"], datasets=("a",)))
    assert [text.get_text() for text in figure.axes[0].texts] == ["_own", "svm"]
    figure = learning_curves(lines(["_own", "svm"], datasets=("a", "b")))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["_own", "svm"]


def test_what_figures_are_is_not_said_twice():
    for name, (kind, _) in READINGS.items():
        assert not set(kind.lower().split()) & set(name.lower().split()), name


def test_shown_rows_are_of_the_largest_size_best_first():
    table = lines(["svm", "knn"])
    found = [
        draw(["a"], ["a"], np.nan).assign(method=method, setting=size)
        for method in ("knn", "svm")
        for size in ("n_labelled=5", "n_labelled=50")
    ]
    chosen = shown_rows({"a": pd.concat(found), "unknown": pd.concat(found)}, table)
    assert list(chosen) == ["a"]
    assert chosen["a"]["method"].tolist() == ["svm", "knn"]


def test_learning_curves_show_sizes_and_leave_chance_outside():
    table = lines(["svm", "knn", "majority"])
    table.loc[table["method"] == "majority", "value"] = 66.0
    figure = learning_curves(table)
    panel = figure.axes[0]
    assert panel.get_xscale() == "log"
    assert [tick.get_text() for tick in panel.get_xticklabels()] == ["5", "50"]
    assert panel.get_ylim()[1] < 20
    assert HOSTILE in words(figure)
    assert learning_curves(lines(["svm"], sizes=("n_labelled=5",))) is None
    assert learning_curves(lines(["svm", "knn"], sizes=("",))) is None


def test_what_is_never_better_than_chance_lies_outside_and_is_told():
    table = lines(["svm", "knn", "majority", "random-walk"], datasets=("a",))
    table.loc[table["method"] == "majority", "value"] = 60.0
    table.loc[table["method"] == "random-walk", "value"] = 80.0
    figure = learning_curves(table)
    assert figure.axes[0].get_ylim()[1] < 20
    named = [text.get_text() for text in figure.axes[0].texts]
    assert {"majority (60, above)", "random-walk (80, above)", "svm", "knn"} == set(named)
    better = (table["method"] == "random-walk") & (table["size"] == "n_labelled=50")
    table.loc[better, "value"] = 50.0
    assert learning_curves(table).axes[0].get_ylim()[1] > 80


def test_ranks_are_drawn_for_many_methods():
    names = [f"method-{i}" for i in range(9)] + [HOSTILE]
    figure = rank_plot(rank_table(lines(names, sizes=("",))))
    shown = words(figure)
    assert {*names} <= set(shown)
    assert rank_plot(rank_table(lines(names, datasets=("a", "b")))) is None


def test_times_need_two_methods_with_times():
    table = lines(["svm", "knn"])
    times = table.assign(metric="seconds", value=0.5, setting=table["size"])
    figure = time_plot(table, times)
    assert [line.get_xdata()[0] for line in figure.axes[0].lines] == [0.5, 0.5]
    assert time_plot(table, times[times["method"] == "svm"]) is None
    assert time_plot(table, times.iloc[:0]) is None


def test_alignments_are_symmetric_and_many_kernels_have_no_numbers():
    def pairs(names):
        rows = [(a, b, 0.25) for i, a in enumerate(names) for b in names[i + 1 :]]
        return pd.DataFrame(rows, columns=list(view_columns.ALIGNMENT))

    figure = alignment_matrix({"own": pairs(["linear", HOSTILE, "wide"])})
    image = figure.axes[0].images[0].get_array()
    assert np.array_equal(image, image.T)
    assert words(figure).count(".25") == 6
    assert ".25" not in words(alignment_matrix({"own": pairs([f"g{i}" for i in range(14)])}))
    assert alignment_matrix({"own": pairs(["linear"])}) is None
    assert alignment_matrix({}) is None


def test_a_study_without_scores_has_none_of_them():
    nothing = lines([])
    figures = dict(answer_figures(nothing, rank_table(nothing), Looks()))
    assert figures == {}
    assert answers(nothing, {}).empty
    some = dict(answer_figures(lines(["svm", "knn"]), rank_table(lines(["svm", "knn"])), Looks()))
    assert list(some) == ["ranks over data sets", "learning curves"]
    assert set(some) <= set(READINGS)


def test_times_are_medians_since_the_first_draw_of_a_job_pays_for_imports():
    table = lines(["svm", "knn"], datasets=("a",))
    times = table.assign(metric="seconds", setting=table["size"])
    times["value"] = times["repeat"].map({0: 231.7, 1: 0.25, 2: 0.35})
    figure = time_plot(table, times)
    assert [line.get_xdata()[0] for line in figure.axes[0].lines] == [0.35, 0.35]
    assert "median" in figure.get_supxlabel()
    assert READINGS["run time against score"][1].startswith("median seconds")


def test_of_many_methods_the_best_and_the_controls_are_named():
    names = [f"method-{i}" for i in range(14)]
    table = lines([*names, "majority", "oracle"], datasets=("a",))
    table.loc[table["method"] == "oracle", "control"] = True
    table.loc[table["method"].isin(["oracle", "majority"]), "value"] += 50
    first = (table["method"] == "method-13") & (table["size"] == "n_labelled=5")
    table.loc[first, "value"] = 1.0
    figure = learning_curves(table)
    named = {text.get_text().split(" (")[0] for text in figure.axes[0].texts}
    # the best at the last size, and the winner at the first one
    assert named == {*names[:8], "method-13", "majority", "oracle"}
    grey = [line for line in figure.axes[0].lines if line.get_color() == OTHERS]
    assert len(grey) == 5
    several = learning_curves(pd.concat([table, table.assign(dataset="b")]))
    shown = {text.get_text().split(" (")[0] for text in several.legends[0].get_texts()}
    assert shown == named - {"method-13"}
    few = learning_curves(table[table["method"].isin(names[:12])])
    assert len(few.axes[0].texts) == 12
    assert OTHERS not in {line.get_color() for line in few.axes[0].lines}
