"""What captions say of this run's figures."""

import numpy as np
import pandas as pd
import pytest

from gramworks.report import view_columns
from gramworks.report.comparison import COLUMNS as CELLS
from gramworks.report.escaping import original
from gramworks.report.figure_remarks import figure_remarks, write_remarks
from gramworks.report.looks import Looks
from gramworks.report.score_lines import COLUMNS


def table(method, datasets, metric="test-error-percent"):
    rows = [
        (dataset, "", method, "", repeat, metric, 10.0, False)
        for dataset in datasets
        for repeat in range(5)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def kept(classes, draws=3, points=20, decision=np.nan):
    rows = [
        ("svm", "", repeat, point, name, name, decision, classes[-1])
        for repeat in range(draws)
        for point, name in enumerate((classes * points)[:points])
    ]
    names = ["method", "setting", "repeat", "point", "truth", "prediction", "decision", "positive"]
    return pd.DataFrame(rows, columns=names)


def cells(*datasets):
    rows = pd.DataFrame({"dataset": datasets, "metric": "weight-1"})
    return rows.reindex(columns=list(CELLS))


def pairs(value):
    rows = [("a", "a", 1.0), ("a", "b", value), ("a", "c", 0.999), ("b", "c", 0.995)]
    return pd.DataFrame(rows, columns=list(view_columns.ALIGNMENT))


def remarks(lines, looks, comparison=None):
    comparison = cells() if comparison is None else comparison
    found = figure_remarks(comparison, lines, looks)
    return dict(zip(found["figure"], found["text"], strict=True))


def test_kept_draws_are_counted():
    looks = Looks(predictions={"own": kept(["a", "b", "c"])})
    told = remarks(table("svm", ["own"]), looks)
    assert told == {"confusion matrices": "They rest on 3 kept draws of 20 test points."}
    looks = Looks(predictions={"own": kept(["a", "b"], draws=1, decision=0.5)})
    told = remarks(table("svm", ["own"]), looks)
    assert told == {"ROC curves": "They rest on 1 kept draw of 20 test points."}
    # numbers have neither
    assert remarks(table("svm", ["own"], "mean-square-error"), looks) == {}


def test_data_sets_that_differ_are_named():
    looks = Looks(predictions={"x": kept(["a", "b", "c"]), "y": kept(["a", "b", "c"], points=45)})
    told = remarks(table("svm", ["x", "y"]), looks)["confusion matrices"]
    assert "x on 3 kept draws of 20 test points; y on 3 kept draws of 45 test points" in told


@pytest.mark.parametrize(("value", "alike"), [(0.981, True), (0.98, False), (-0.99, False)])
def test_kernels_that_are_nearly_the_same_are_told_beside_the_weights(value, alike):
    looks = Looks(alignments={"own": pairs(value)})
    told = remarks(table("svm", ["own"]), looks, cells("own"))
    assert ("weights" in told) == alike
    if alike:
        assert told["weights"].startswith("The base kernels are nearly the same (")
    # without weights there is nothing to say of them
    assert remarks(table("svm", ["own"]), looks, cells()) == {}


def test_only_the_data_sets_with_kernels_alike_are_named(tmp_path):
    looks = Looks(alignments={"=1+1": pairs(0.99), "far": pairs(0.5)})
    found = figure_remarks(cells("=1+1", "far"), table("svm", ["far"]), looks)
    assert "nearly the same on =1+1 (" in found["text"].iloc[0]
    one = pd.DataFrame([("a", "a", 1.0)], columns=list(view_columns.ALIGNMENT))
    assert remarks(table("svm", ["own"]), Looks(alignments={"own": one}), cells("own")) == {}
    path = tmp_path / "remarks.csv"
    write_remarks(path, found)
    assert original(pd.read_csv(path)["text"].iloc[0]) == found["text"].iloc[0]
