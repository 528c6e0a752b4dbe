"""Names from data stand in figures as text: in SVG nothing of them is markup, or mathematics."""

import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from gramworks.report import view_columns
from gramworks.report.alignment_figure import alignment_matrix
from gramworks.report.choice_figure import choice_plot
from gramworks.report.confusion_figure import confusion_matrices
from gramworks.report.dot_figure import dot_plot
from gramworks.report.figures import save_figure
from gramworks.report.label_figure import label_bars
from gramworks.report.learning_curves import learning_curves
from gramworks.report.map_figure import point_maps
from gramworks.report.rank_figure import rank_plot
from gramworks.report.ranks import rank_table
from gramworks.report.roc_figure import roc_curves
from gramworks.report.score_lines import COLUMNS
from gramworks.report.time_figure import time_plot
from gramworks.report.weight_figure import weight_plot

NAME = "<script>alert(1)</script>"
MATHS = "$\\frac{x$"
METHODS = ("svm", NAME, MATHS)
METRIC = "test-accuracy-percent"


def lines(datasets):
    rng = np.random.default_rng(0)
    return pd.DataFrame([
        (dataset, f"n_labelled={size}", method, "", repeat, METRIC, rng.uniform(50, 90), False)
        for dataset in datasets for size in (5, 50) for method in METHODS for repeat in range(3)
    ], columns=list(COLUMNS))  # fmt: skip


def cells(metrics, setting=""):
    blank = {
        "study": "own", "dataset": NAME, "setting": setting, "measured_sd": 1.0, "n": 3,
        "measured_se": 0.5, "published": np.nan, "published_se": np.nan, "assumed_spread": "",
    }  # fmt: skip
    return pd.DataFrame([
        blank | {"metric": metric, "method": method, "measured_mean": 60.0 + i}
        for metric in metrics for i, method in enumerate(METHODS)
    ])  # fmt: skip


def points():
    n = 30
    truth = np.array([NAME, MATHS, "b"])[np.arange(n) % 3]
    shown = pd.DataFrame({
        "point": range(n), "label": truth, "target": "", "first": np.cos(np.arange(n)),
        "second": np.sin(np.arange(n)),
    })  # fmt: skip
    rows = pd.DataFrame({
        "method": NAME, "setting": "", "repeat": 0, "point": range(n), "truth": truth,
        "prediction": np.roll(truth, 1), "decision": np.nan, "positive": "",
    })  # fmt: skip
    return shown, rows


def two_classes():
    truth = np.array([NAME, MATHS])[np.arange(30) % 2]
    return points()[1].assign(truth=truth, decision=np.arange(30.0), positive=NAME)


def pairs():
    rows = [(NAME, MATHS, 0.5), (NAME, NAME, 1.0), (MATHS, MATHS, 1.0)]
    return pd.DataFrame(rows, columns=list(view_columns.ALIGNMENT))


def timed(datasets):
    found = lines(datasets)
    return time_plot(found, found.assign(metric="seconds", value=0.5, setting=found["size"]))


FIGURES = {
    "dots": lambda: dot_plot(cells([METRIC]), METRIC),
    "dots by size": lambda: dot_plot(
        pd.concat([cells([METRIC], f"n_labelled={n}") for n in (5, 50)]), METRIC
    ),
    "weights": lambda: weight_plot(cells(["weight-1", "weight-2"])),
    "choices": lambda: choice_plot(
        cells(["chosen-C"]).assign(value=1.0, repeat=0), cells(["chosen-C"]), "chosen-C"
    ),
    "labels": lambda: label_bars(
        pd.concat([cells([METRIC], f"label={label}") for label in ("a", "b")]), METRIC
    ),
    "curves": lambda: learning_curves(lines([NAME])),
    "curves of several": lambda: learning_curves(lines([NAME, "other"])),
    "ranks": lambda: rank_plot(rank_table(lines([NAME, "b", "c"]))),
    "times": lambda: timed([NAME]),
    "times of several": lambda: timed([NAME, "other"]),
    "alignment": lambda: alignment_matrix({NAME: pairs()}),
    "ROC": lambda: roc_curves({NAME: two_classes()}),
    "confusion": lambda: confusion_matrices({NAME: points()[1]}),
    "map": lambda: point_maps({NAME: points()[0]}, {NAME: points()[1]}),
}


@pytest.mark.parametrize("name", FIGURES)
def test_names_are_text_in_every_figure(name, tmp_path):
    figure = FIGURES[name]()
    save_figure(figure, tmp_path / "figure", version="0")
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "<script" not in text
    tree = ET.fromstring(text)
    assert not [e for e in tree.iter() if e.tag.endswith(("}script", "}foreignObject", "}a"))]
    assert not [k for e in tree.iter() for k in e.attrib if k.lower().startswith("on")]
    words = " ".join("".join(e.itertext()) for e in tree.iter() if e.tag.endswith("}text"))
    assert NAME in words.replace("\n", "")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
