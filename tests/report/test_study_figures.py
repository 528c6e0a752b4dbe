import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from gramworks.report.choice_figure import choice_plot
from gramworks.report.dot_figure import dot_plot
from gramworks.report.figures import panel_grid
from gramworks.report.label_figure import label_bars
from gramworks.report.marks import COLOURS
from gramworks.report.study_figures import figure_reading, study_figures
from gramworks.report.weight_figure import weight_plot


def row(metric, mean, *, method="margin-free", setting="criterion=l1", sd=0.1, **more):
    return {
        "dataset": "ionosphere", "method": method, "setting": setting, "metric": metric,
        "measured_mean": mean, "measured_sd": sd, "measured_se": sd / 5, "n": 25,
        "published": np.nan, "published_se": np.nan, "assumed_spread": "", **more,
    }  # fmt: skip


def learned():
    return pd.DataFrame(
        [
            row("weight-1", 0.9, published=1.0),
            row("weight-2", 2.2),
            row("weight-3", -0.1),
            row("weight-1", 3.0, method="single-1", sd=0.0),
            row("weight-2", 0.0, method="single-1", sd=0.0),
            row("test-accuracy-percent", 93.0),
        ]
    )


def test_learned_weights_stand_beside_each_other_with_the_published_ones():
    figure = weight_plot(learned())
    (panel,) = figure.axes
    means = [float(bars[0].get_xdata()[0]) for bars in panel.containers]
    assert means == [0.9, 2.2, -0.1]
    spans = [bars[2][0].get_segments()[0][:, 0] for bars in panel.containers]
    np.testing.assert_allclose(spans[0], [0.8, 1.0])
    published = [line for line in panel.lines if line.get_markersize() == 8]
    assert [list(line.get_xdata()) for line in published] == [[1.0], [], []]
    labels = [text.get_text() for text in panel.get_yticklabels()]
    assert labels == ["margin-free  criterion=l1"]  # nothing is learned of one kernel alone


@pytest.mark.parametrize(
    ("metric", "mean", "expected"),
    [
        ("correlation", 0.98, (0.78, 1.0)),
        ("correlation-3", 0.1, (0.0, 0.3)),
        ("test-auc", 0.95, (0.75, 1.0)),
        ("fraction-better-than-kpca", 1.0, (0.8, 1.0)),
        ("test-error-percent", 0.1, (0.0, 0.3)),
        ("test-accuracy-percent", 99.9, (99.7, 100.0)),
        ("omega-half", 0.1, (-0.1, 0.3)),
    ],
)
def test_error_bars_end_where_a_metric_does(metric, mean, expected):
    table = pd.DataFrame([row(metric, mean, sd=0.5, verdict="measured-only")])
    (panel,) = dot_plot(table, metric).axes
    (segment,) = panel.containers[0][2][0].get_segments()
    np.testing.assert_allclose(segment[:, 0], expected)


def test_no_weights_no_figure():
    table = learned()
    assert weight_plot(table[table["method"] == "single-1"]) is None
    assert weight_plot(table[table["metric"] == "weight-1"]) is None


@pytest.mark.parametrize(
    ("metric", "means", "floor"),
    [
        ("test-accuracy-percent", {"earn": 97.0, "acq": 94.0}, 90),
        ("test-accuracy-percent", {"earn": 97.0, "acq": 90.5}, 80),
        ("test-error-percent", {"earn": 3.0, "acq": 6.0}, 0),
        ("test-auc", {"earn": 0.9, "acq": 0.8}, 0.5),
        ("test-auc", {"earn": 0.9, "acq": 0.3}, 0),
    ],
)
def test_bars_of_labels_start_where_they_say(metric, means, floor):
    table = pd.DataFrame(
        row(metric, mean, setting=f"criterion=l1;label={label}", method=method, sd=0.05)
        for method in ("single-1", "uniform")
        for label, mean in means.items()
    )
    figure = label_bars(table, metric)
    (panel,) = figure.axes
    assert [text.get_text() for text in panel.get_xticklabels()] == ["earn", "acq"]
    for bar, mean in zip(panel.patches, [*means.values()] * 2, strict=True):
        assert bar.get_y() == floor
        assert bar.get_y() + bar.get_height() == pytest.approx(mean)
    assert (f"start at {floor:g}" in panel.get_ylabel()) == (floor > 0)
    assert len({bar.get_facecolor() for bar in panel.patches}) == 2 <= len(COLOURS)


def test_a_study_draws_its_metrics_in_order_and_weights_once(make_study):
    metrics = ["test-accuracy-percent", "weight-1", "weight-2", "weight-3", "omega-half"]
    study = make_study(metrics=metrics)
    assert [name for name, _ in study_figures(study, learned(), {})] == [
        "test-accuracy-percent", "weights",
    ]  # fmt: skip


def choices(values, metric="chosen-ridge"):
    kept = {"dataset": "ionosphere", "method": "margin-free", "setting": "criterion=l1"}
    return pd.DataFrame([kept | {"metric": metric, "value": value} for value in values])


def test_choices_are_medians_and_ranges_on_a_log_axis():
    table = pd.DataFrame([row("chosen-ridge", 2.0)])
    (panel,) = choice_plot(choices([1e-4, 1e-2, 10.0, np.nan]), table, "chosen-ridge").axes
    (bars,) = panel.containers
    assert bars[0].get_xdata().tolist() == [1e-2]
    np.testing.assert_allclose(bars[2][0].get_segments()[0][:, 0], [1e-4, 10.0])
    assert panel.get_xscale() == "log"
    low, high = panel.get_xlim()
    assert 0 < low < 1e-4
    assert sum(low <= tick <= high for tick in panel.get_xticks()) >= 3
    (panel,) = choice_plot(choices([0.0, 2.0, 3.0]), table, "chosen-ridge").axes
    assert panel.get_xscale() == "linear"  # a zero has no logarithm
    (panel,) = choice_plot(choices([5.0, 5.0]), table, "chosen-ridge").axes
    assert panel.containers[0][0].get_xdata().tolist() == [5.0]
    assert choice_plot(choices([]), table, "chosen-width") is None


def test_a_study_draws_choices_by_draw(make_study):
    study = make_study(metrics=["chosen-C"])
    table = pd.DataFrame([row("chosen-C", 2.0)])
    ((name, figure),) = study_figures(study, table, {}, choices([0.1, 10, 1000], "chosen-C"))
    assert (name, figure.axes[0].get_xscale()) == ("chosen-C", "log")
    assert "medians" in figure_reading(study, "chosen-C")[1]
    assert "diamonds" not in figure_reading(study, "chosen-C")[1]


def test_captions_speak_of_published_numbers_where_there_are_any(make_study):
    study = make_study(metrics=["test-error-percent", "weight-1", "weight-2", "C"])
    for name, metric, told in (
        ("test-error-percent", "test-error-percent", "diamonds published numbers"),
        ("weights", "weight-2", "published weights"),
    ):
        assert told in figure_reading(study, name, [metric])[1]
        assert "published" not in figure_reading(study, name)[1]
    assert "the best at the top" in figure_reading(study, "test-error-percent")[1]
    assert "top" not in figure_reading(study, "test-error-percent", ["test-error-percent"])[1]
    assert "top" not in figure_reading(study, "C")[1]


def dots(rows):
    blank = {
        "dataset": "iris", "setting": "", "metric": "test-error-percent", "measured_sd": 1.0,
        "measured_se": 0.1, "n": 3, "published": np.nan, "published_se": np.nan,
        "assumed_spread": "",
    }  # fmt: skip
    return pd.DataFrame([blank | row for row in rows])


def names_of(panel):
    return [text.get_text() for text in panel.get_yticklabels()]


def test_dots_stand_by_score_in_a_panel_for_each_number_of_labels():
    rows = dots([
        {"method": method, "setting": f"kernel=K1;n_labelled={size}", "measured_mean": mean}
        for method, means in {"svm": (1, 5), "knn": (2, 3), "uniform": (3, 4)}.items()
        for size, mean in zip((5, 50), means, strict=True)
    ])  # fmt: skip
    figure = dot_plot(rows, "test-error-percent")
    assert [p.get_title(loc="left") for p in figure.axes] == [
        "iris: 5 labelled", "iris: 50 labelled",
    ]  # fmt: skip
    # by the largest size, where knn is best
    order = ["knn  kernel=K1", "uniform  kernel=K1", "svm  kernel=K1"]
    assert names_of(figure.axes[0]) == order
    assert figure.axes[0].lines[0].get_xdata().tolist() == [1, 2, 3]
    assert figure.axes[0].lines[0].get_ydata().tolist() == [2, 0, 1]


def test_dots_beside_published_numbers_stand_in_the_order_of_the_study():
    rows = dots([
        {"method": "svm", "measured_mean": 5.0, "published": 4.0},
        {"method": "knn", "measured_mean": 3.0},
    ])  # fmt: skip
    assert names_of(dot_plot(rows, "test-error-percent").axes[0]) == ["svm", "knn"]
    assert names_of(dot_plot(rows.assign(published=np.nan), "test-error-percent").axes[0]) == [
        "knn", "svm",
    ]  # fmt: skip


def test_many_dots_take_little_height_each():
    rows = dots([{"method": f"m{i}", "measured_mean": float(i)} for i in range(60)])
    assert dot_plot(rows, "test-error-percent").get_figheight() < 14


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 12])
def test_titles_of_panels_stand_beside_each_other(count):
    names = [f"mammogram-mum: {11 + place} labelled" for place in range(count)]
    figure, panels = panel_grid(names, ["svm", "laplacian-svm loss=squared"])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    titles = [
        text for panel in panels.values() for text in panel.findobj(Text)
        if "labelled" in text.get_text()
    ]  # fmt: skip
    assert [title.get_text().replace("\n", " ") for title in titles] == names
    boxes = [title.get_window_extent(canvas.get_renderer()) for title in titles]
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)
    assert max(box.x1 for box in boxes) <= figure.bbox.width
