"""Looks of methods: distinct, stable, and the same in all figures."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from scipy.optimize import LinearConstraint, minimize

from gramworks.methods.registry import method_names
from gramworks.report.answer_figures import answer_figures
from gramworks.report.class_order import ordered_classes
from gramworks.report.direct_labels import spread
from gramworks.report.looks import Looks
from gramworks.report.marks import COLOURS, LINES, MARKERS, mark, marks_of, method_mark
from gramworks.report.ranks import rank_table
from gramworks.report.score_lines import COLUMNS
from gramworks.strict_yaml import load_yaml

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB: protan and deutan.
BLIND = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def test_registered_methods_look_different_each():
    names = method_names()
    marks = [method_mark(name) for name in names]
    assert len(set(marks)) == len(names)
    # colour and shape alone tell them apart too, as a scatter plot needs it
    assert len({(m.colour, m.marker) for m in marks}) == len(names)
    lines = [method_mark(f"single-{i}") for i in range(1, 13)]
    assert len(set(lines)) == 12


STUDIES = sorted((Path(__file__).parents[2] / "config" / "studies").glob("*.yaml"))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_methods_of_a_study_are_told_apart_without_colour(path):
    marks = {name: method_mark(name) for name in load_yaml(path)["methods"]}
    for a, b in itertools.combinations(marks.values(), 2):
        if len(marks) <= len(MARKERS):
            assert a.marker != b.marker
        else:  # there are more methods than shapes
            assert a.marker != b.marker or (a.line != b.line and a.colour != b.colour)
    if path.stem.startswith("invariance-"):
        assert len({mark.line for mark in marks.values()}) == len(marks)


def test_a_new_method_has_a_look_and_changes_no_other():
    found = method_mark("some-new-method")
    assert found == method_mark("some-new-method")
    assert found.colour in COLOURS
    assert found.marker in MARKERS
    assert found.line in LINES


@pytest.mark.parametrize("sight", BLIND)
def test_colours_are_told_apart_by_the_colour_blind(sight):
    rgb = np.array([to_rgb(c) for c in COLOURS])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(BLIND[sight]).T, 0, 1) ** (1 / 2.4)
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    assert apart[np.triu_indices(len(COLOURS), 1)].min() > 0.15


def test_settings_of_one_method_have_looks_of_their_own():
    lines = pd.DataFrame({"method": ["svm", "knn", "knn", "svm"]})
    found = marks_of(lines, ["svm", "knn k=1", "knn k=2", "svm"])
    assert found["svm"] == method_mark("svm")
    assert len(set(found.values())) == 3
    assert len({mark(i) for i in range(64)}) == 64


def lines_of(methods):
    rng = np.random.default_rng(0)
    rows = [
        ("a", size, method, "", repeat, "test-accuracy-percent", rng.uniform(60, 90), False)
        for size in ("n_labelled=5", "n_labelled=50")
        for method in methods
        for repeat in range(3)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_a_method_looks_the_same_in_all_figures():
    methods = ["uniform", "svm", "knn", "majority", "kernel-ridge"]
    lines = lines_of(methods)
    truth = ["no", "yes"] * 10
    predictions = pd.concat(
        pd.DataFrame({
            "method": method, "setting": "n_labelled=50", "repeat": 0, "point": range(20),
            "truth": truth, "prediction": truth, "decision": np.arange(20.0), "positive": "yes",
        })
        for method in methods
    )  # fmt: skip
    looks = Looks(
        timings=lines.assign(metric="seconds", value=0.5, setting=lines["size"]),
        predictions={"a": predictions},
    )
    figures = dict(answer_figures(lines, rank_table(lines), looks))
    curves = figures["learning curves"].axes[0]
    ends = [line for line in curves.lines if line.get_transform() == curves.transAxes]
    named = dict(zip([t.get_text() for t in curves.texts], ends[1::2], strict=True))
    assert set(named) == set(methods)
    for name, line in named.items():
        assert (line.get_color(), line.get_marker()) == (
            method_mark(name).colour, method_mark(name).marker,
        )  # fmt: skip
    for name in ("run time against score", "ROC curves"):
        figure = figures[name]
        legend = figure.legends[0] if figure.legends else figure.axes[0].get_legend()
        found = zip(legend.get_texts(), legend.legend_handles, strict=True)
        shown = {text.get_text(): (line.get_color(), line.get_marker()) for text, line in found}
        assert shown == {
            method: (method_mark(method).colour, method_mark(method).marker) for method in methods
        }


def test_names_are_spread_as_little_as_possible():
    rng = np.random.default_rng(3)
    for count in (1, 4, 9):
        wanted = np.sort(rng.beta(2, 0.7, count))
        step = 0.09
        found = spread(wanted, step)
        assert (np.diff(found) >= step - 1e-9).all()
        assert step / 2 - 1e-9 <= found[0] <= found[-1] <= 1 - step / 2 + 1e-9
        gaps = LinearConstraint(np.diff(np.eye(count), axis=0), step, np.inf)
        best = minimize(
            lambda p, w=wanted: ((p - w) ** 2).sum(),
            np.linspace(0.1, 0.9, count),
            bounds=[(step / 2, 1 - step / 2)] * count,
            constraints=[gaps] if count > 1 else [],
            method="SLSQP",
            options={"ftol": 1e-14},
        ).x
        np.testing.assert_allclose(found, best, atol=1e-5)


def test_classes_that_are_numbers_stand_by_size():
    assert ordered_classes(["10", "2", "1.5", "-3", "2"]) == ["-3", "1.5", "2", "10"]
    assert ordered_classes(["10", "2", "x"]) == ["10", "2", "x"]
    assert ordered_classes([]) == []
