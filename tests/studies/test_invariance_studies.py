"""The studies of the invariance paper: protocols, splits by classes, figures of their own."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gramworks.config import RunConfig
from gramworks.datasets.generators.two_moons import Parameters, generate
from gramworks.datasets.registry import load_entry
from gramworks.datasets.splits import ClassCounts, leaves_points_out, make_splits, split_settings
from gramworks.datasets.store import write_dataset
from gramworks.errors import ConfigError, DataError
from gramworks.plan import Plan
from gramworks.report.published import read_published
from gramworks.settings import join_settings
from gramworks.studies import invariance_moons, invariance_pairs
from gramworks.studies.study_checks import check_study
from gramworks.studies.study_file import Study, load_study

ROOT = Path(__file__).parents[2]
NAMES = ["invariance-moons", "invariance-table", "invariance-pairs"]


def study(name):
    return load_study(ROOT / "config" / "studies" / f"{name}.yaml")


def test_every_published_cell_is_asked_for():
    plan = Plan(RunConfig(studies=NAMES, sources="any"), ROOT)
    published = read_published().query("paper == 'invariance-rkhs'")
    assert len(published) == 81
    for cell in published.to_dict("records"):
        loaded = plan.studies[cell["study"]]
        assert cell["metric"] in loaded.metrics
        assert loaded.datasets[cell["dataset"]].not_comparable is None
        rows = {
            join_settings(outer, *[f"{k}={v}" for k, v in row.items()])
            for row in loaded.methods[cell["method"]].combinations()
            for outer in plan.split_settings(cell["study"], cell["dataset"])
        }
        assert cell["setting"] in rows


def test_embedded_data_sets():
    plan = Plan(RunConfig(studies=NAMES, sources="embedded"), ROOT)
    assert plan.datasets("invariance-table") == [
        "bupa", "ionosphere", "heart-cleveland", "sonar-rounded", "wisconsin"
    ]  # fmt: skip
    assert plan.datasets("invariance-pairs") == ["mnist5k"]


Y = np.arange(60) % 4
COUNTS = ClassCounts(labelled={"a-c": {"a": 7, "c": 2}, "b-d": {"d": 1, "b": 5}}, repeats=3)


def test_labelled_points_of_stated_classes():
    splits = make_splits(COUNTS, Y, study="s", dataset="d", classes=list("abcd"))
    assert list(splits) == list(split_settings(COUNTS)) == ["classes=a-c", "classes=b-d"]
    assert leaves_points_out(COUNTS)
    for setting, (few, many), counts in (
        ("classes=a-c", (2, 0), (2, 7)), ("classes=b-d", (3, 1), (1, 5)),
    ):  # fmt: skip
        for repeat in range(3):
            labelled, unlabelled, test = splits[setting].draw(repeat)
            assert [np.sum(Y[labelled] == code) for code in (few, many)] == list(counts)
            assert sorted([*labelled, *test]) == list(np.flatnonzero(np.isin(Y, (few, many))))
            assert not len(unlabelled)
    drawn = {tuple(row) for row in splits["classes=a-c"].labelled}
    assert len(drawn) == 3
    more = make_splits(
        COUNTS.model_copy(update={"repeats": 5}), Y, study="s", dataset="d", classes=list("abcd")
    )
    np.testing.assert_array_equal(more["classes=a-c"].labelled[:3], splits["classes=a-c"].labelled)


def test_order_in_the_file_changes_nothing():
    other = ClassCounts(labelled={"b-d": {"b": 5, "d": 1}, "a-c": {"c": 2, "a": 7}}, repeats=3)
    assert list(other.model_dump()["labelled"].items()) == list(COUNTS.labelled.items())


def test_classes_that_there_are_not():
    with pytest.raises(DataError, match="no class 'd'"):
        make_splits(COUNTS, Y, study="s", dataset="d", classes=list("abc"))
    many = ClassCounts(labelled={"x": {"a": 15, "b": 1}}, repeats=1)
    with pytest.raises(DataError, match="15 labelled points of class code 0.*15 members"):
        make_splits(many, Y, study="s", dataset="d", classes=list("abcd"))
    with pytest.raises(ValueError, match="state two"):
        ClassCounts(labelled={"x": {"a": 1}}, repeats=1)
    loaded = study("invariance-pairs").model_dump()
    for counts, told in (
        ({"4": 50, "11": 10}, "no class '11'"), ({"4": 500, "9": 10}, "state up to 499"),
    ):  # fmt: skip
        loaded["splits"]["labelled"] = {"pair": counts}
        with pytest.raises(ConfigError, match=told):
            check_study(Study.model_validate(loaded))


def test_boundaries_move_out_of_the_moons(tmp_path):
    entry = load_entry("two-moons")
    source = entry.sources[0]
    data = generate(entry, Parameters.model_validate(source.parameters), source.seed)
    path = tmp_path / "none.h5"
    write_dataset(path, data, recipe="none", provenance={})
    loaded = study("invariance-moons")
    [(name, figure)] = invariance_moons.draw_figures(loaded, None, {"two-moons": path})
    assert name == "figure 1"
    wrong = [int(axes.get_title().split()[-2]) for axes in figure.axes]
    assert len(wrong) == 8
    assert wrong[0] == wrong[4]  # without penalty all losses have the same boundary
    assert wrong[0] > wrong[1] > wrong[2] > wrong[3]
    assert wrong[3] < 5
    assert min(wrong[4:]) < 10
    assert not list(invariance_moons.draw_figures(loaded, None, {}))


def test_scatter_of_draws():
    rows = [
        {"dataset": "mnist5k", "method": method, "setting": "classes=4-9", "repeat": repeat,
         "metric": "test-error-percent", "value": value}
        for method, values in (("invariance", [5, 6, None]), ("virtual-sample-svm", [7, 4, 3]))
        for repeat, value in enumerate(values)
    ]  # fmt: skip
    scores = pd.DataFrame(rows)
    pairs = invariance_pairs.paired_errors(scores, "mnist5k", "classes=4-9")
    np.testing.assert_array_equal(pairs, [[5, 7], [6, 4]])
    loaded = study("invariance-pairs")
    [(name, figure)] = invariance_pairs.draw_figures(loaded, None, {}, scores)
    assert name == "figure 2"
    assert len(figure.axes) == 4
    titles = {axes.get_title() for axes in figure.axes}
    assert "4-9: better in 1 of 2" in titles
    assert not list(invariance_pairs.draw_figures(loaded, None, {}, scores.iloc[:0]))
    assert not list(invariance_pairs.draw_figures(loaded, None, {}))
