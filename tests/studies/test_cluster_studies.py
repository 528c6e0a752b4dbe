"""The studies of the cluster kernel paper: protocols, derived numbers, figures of their own."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from gramworks.config import RunConfig
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.generators.two_gaussians import Parameters, generate
from gramworks.datasets.normalisation import is_recipe, normalise_dataset
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch
from gramworks.datasets.splits import Labelled, Subsets, make_splits, split_settings
from gramworks.datasets.store import write_dataset
from gramworks.draws import run_draws
from gramworks.errors import ConfigError, DataError
from gramworks.kernels.gaussian_kernel import gaussian
from gramworks.label_tasks import group_against_rest
from gramworks.methods.registry import load_method
from gramworks.plan import Plan
from gramworks.report.published import read_published
from gramworks.settings import join_settings
from gramworks.studies import cluster_mixture, cluster_span, cluster_text, derived
from gramworks.studies.study_checks import check_study
from gramworks.studies.study_file import Study, load_study

ROOT = Path(__file__).parents[2]
NAMES = ["cluster-mixture", "cluster-text", "cluster-text-balanced", "cluster-span",
         "cluster-digits", "cluster-digits-classes"]  # fmt: skip


def study(name):
    return load_study(ROOT / "config" / "studies" / f"{name}.yaml")


def changed(name, dataset, **changes):
    loaded = study(name).model_dump()
    loaded["datasets"][dataset] |= changes
    return Study.model_validate(loaded)


def test_every_published_cell_is_asked_for():
    plan = Plan(RunConfig(studies=NAMES, sources="any"), ROOT)
    published = read_published().query("paper == 'cluster-kernels'")
    assert len(published) == 6
    derived_metrics = set(cluster_text.METRICS) | set(cluster_span.METRICS)
    for cell in published.to_dict("records"):
        loaded = plan.studies[cell["study"]]
        assert cell["dataset"] in loaded.datasets
        assert cell["metric"] in loaded.metrics
        if cell["method"]:
            rows = {
                join_settings(outer, *[f"{k}={v}" for k, v in row.items()])
                for row in loaded.methods[cell["method"]].combinations()
                for outer in plan.split_settings(cell["study"], cell["dataset"])
            }
            assert cell["setting"] in rows
        else:
            assert cell["metric"] in derived_metrics


def test_both_data_sets_of_a_paper_have_their_own_split_settings():
    plan = Plan(RunConfig(studies=NAMES, sources="any"), ROOT)
    assert plan.split_settings("cluster-span", "mac-windows") == ["n_labelled=16"]
    digits = ["n_labelled=40", "n_labelled=40;test=held-out"]
    assert plan.split_settings("cluster-span", "usps") == digits
    assert '"split_settings":["n_labelled=40","n_labelled=40;test=held-out"]' in plan.fit_slice(
        "cluster-span", "usps", "cluster-kernel"
    )
    assert plan.n_repeats("cluster-span", "usps") == 50
    assert ("cluster-span", "usps", "transductive-svm") not in plan.pairs
    assert ("cluster-span", "mac-windows", "transductive-svm") in plan.pairs


def test_subsets_are_disjoint_and_cut_one_pool():
    y = np.arange(100) % 3
    partitions = [(np.arange(70), np.arange(70, 100))]
    spec = Subsets(pool=60, labelled=12, repeats=5)
    splits = make_splits(spec, y, study="s", dataset="d", partitions=partitions)
    assert list(splits) == list(split_settings(spec))
    within, beyond = splits["n_labelled=12"], splits["n_labelled=12;test=held-out"]
    assert sorted(within.labelled.ravel()) == list(range(60))
    np.testing.assert_array_equal(within.labelled, beyond.labelled)
    for repeat in range(5):
        labelled, unlabelled, test = within.draw(repeat)
        assert sorted([*labelled, *test]) == list(range(60))
        assert not len(unlabelled)
        labelled, unlabelled, test = beyond.draw(repeat)
        assert sorted([*labelled, *unlabelled]) == list(range(60))
        assert list(test) == list(range(70, 100))
    fewer = make_splits(
        Subsets(pool=60, labelled=12, repeats=2), y, study="s", dataset="d", partitions=partitions
    )
    np.testing.assert_array_equal(fewer["n_labelled=12"].labelled, within.labelled[:2])


def test_without_a_given_partition_the_pool_is_random():
    y = np.repeat([0, 1], 50)  # sorted by class
    spec = Subsets(pool=60, labelled=20, repeats=3)
    splits = make_splits(spec, y, study="s", dataset="d")
    pool = set(splits["n_labelled=20"].labelled.ravel())
    test = set(splits["n_labelled=20;test=held-out"].draw(0)[2])
    assert len(pool) == 60
    assert len(test) == 40
    assert not pool & test
    assert 15 < sum(y[sorted(pool)]) < 45


def test_subsets_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="5 disjoint subsets of 12 points are more than a pool"):
        Subsets(pool=59, labelled=12, repeats=5)
    partitions = [(np.arange(70), np.arange(70, 100))]
    with pytest.raises(DataError, match="a pool of 80 rows .* there are 70 training and 30 other"):
        make_splits(
            Subsets(pool=80, labelled=12, repeats=5), np.zeros(100, dtype=int), study="s",
            dataset="d", partitions=partitions,
        )  # fmt: skip
    splits = {"kind": "subsets", "pool": 5000, "labelled": 40, "repeats": 50}
    with pytest.raises(ConfigError, match="pool: 5000 labelled points, with 1 for the test"):
        check_study(changed("cluster-digits", "mnist5k-16", splits=splits, repeats=None))


def digits(n=12):
    return Dataset(
        id="d", X=np.arange(2.0 * n).reshape(n, 2), y=np.arange(n) % 4, classes=list("abcd"),
        feature_names=["u", "v"], partitions=[(np.arange(3, n), np.arange(3))],
    )  # fmt: skip


def test_the_recipe_keeps_the_first_training_rows_and_the_test_rows():
    assert is_recipe("training-2000")
    assert not is_recipe("training-0")
    part = normalise_dataset(digits(), "training-5")
    np.testing.assert_array_equal(part.X[:, 0], [6, 8, 10, 12, 14, 0, 2, 4])
    np.testing.assert_array_equal(part.y, [3, 0, 1, 2, 3, 0, 1, 2])
    [(train, test)] = part.partitions
    assert (list(train), list(test)) == ([0, 1, 2, 3, 4], [5, 6, 7])
    assert "the first 5 of 9 training rows and the 3 test rows" in part.notes[-1]
    with pytest.raises(DataError, match="there are 9 training rows"):
        normalise_dataset(digits(), "training-10")


def test_several_classes_make_one_binary_task():
    task = group_against_rest(digits(), ["b", "d"])
    assert task.task == "binary"
    np.testing.assert_array_equal(task.y, np.arange(12) % 2)
    assert task.classes == ["a or c", "b or d"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"positive": ["5", "x"]}, "positive: no class 'x'"),
        ({"positive": [str(k) for k in range(10)]}, "all classes are in it"),
        ({"positive": ["5"], "labels": ["3"]}, "leave one of them out"),
    ],
)
def test_unusable_groups_of_classes_are_refused(changes, told):
    with pytest.raises(ConfigError, match=re.escape(told)):
        check_study(changed("cluster-digits", "usps", **changes))


def test_methods_on_data_sets_that_are_not_there_are_refused():
    loaded = study("cluster-span").model_dump()
    loaded["methods"]["svm"]["datasets"] = ["mac-window"]
    with pytest.raises(ConfigError, match="method svm: datasets: the study has no 'mac-window'"):
        check_study(Study.model_validate(loaded))


def test_methods_that_learn_from_all_points_take_no_subsets():
    loaded = study("cluster-digits").model_dump()
    loaded["methods"]["transductive-linear-discrimination"] = {}
    with pytest.raises(ConfigError, match="discrimination learns from all points once"):
        check_study(Study.model_validate(loaded))


def estimates(by_rank, dataset="mac-windows", outer="n_labelled=16"):
    return [
        {
            "study": "cluster-span", "dataset": dataset, "method": "cluster-kernel",
            "setting": f"{outer};rank={rank}", "repeat": repeat, "metric": "span-error-percent",
            "value": value, "status": "ok", "reason": "",
        }
        for rank, values in by_rank.items()
        for repeat, value in enumerate(values)
    ]  # fmt: skip


def test_cutoffs_are_those_of_the_mean_estimate():
    by_rank = {8: [9, 5], 9: [4, 4], 10: [6, 8], 11: [5, 8], 12: [9, 9], 13: [3, 3]}
    rows = estimates(by_rank) + estimates({2: [0, 0]}, outer="n_labelled=16;transfer=step")
    made = cluster_span.derive(rows)
    assert {row["setting"] for row in made} == {"n_labelled=16;p=2;q=2"}
    assert {row["method"] for row in made} == {""}
    found = {(row["metric"], row["repeat"]): row["value"] for row in made}
    # one row: a cut of means has no spread over the draws
    assert found == {("best-cutoff", 0): 13.0, ("local-minimum-cutoff", 0): 9.0}
    tied = {8: [5], 9: [4], 10: [5], 11: [4], 12: [5]}
    values = {r["metric"]: r["value"] for r in cluster_span.derive(estimates(tied))}
    assert values == {"best-cutoff": 9.0, "local-minimum-cutoff": 9.0}
    no_dip = cluster_span.derive(estimates({8: [5], 9: [4], 10: [3]}))
    assert [row["metric"] for row in no_dip] == ["best-cutoff"]


def test_a_missing_estimate_gives_no_cutoff():
    assert not cluster_span.derive(estimates({8: [1, 2], 9: [1, None]}))
    assert not cluster_span.derive(estimates({8: [1, 2], 9: [1]}))


def test_the_second_eigenvalue_stands_once_a_data_set():
    row = {
        "study": "cluster-text", "dataset": "mac-windows", "method": "cluster-kernel",
        "value": 0.055, "metric": "affinity-eigenvalue-2", "status": "ok", "reason": "",
    }  # fmt: skip
    rows = [
        row | {"setting": f"n_labelled={size};transfer={t}", "repeat": r}
        for size in (2, 4)
        for t in ("step", "linear")
        for r in (0, 1)
    ]
    made = derived.own_module("cluster-text").derive(rows)
    assert [(r["method"], r["setting"], r["metric"], r["repeat"]) for r in made] == [
        ("", "", "second-eigenvalue", 0), ("", "", "second-eigenvalue", 1),
    ]  # fmt: skip
    assert derived.own_module("cluster-text-balanced").METRICS == cluster_text.METRICS


def comparison(rows):
    columns = {
        "dataset": "mac-windows", "method": "cluster-kernel", "n": 3, "measured_se": 1.0,
        "published": np.nan, "published_se": np.nan, "published_as": "mac-windows",
        "assumed_spread": False,
    }  # fmt: skip
    return pd.DataFrame([columns | row for row in rows])


def test_figure_2_has_a_line_a_transfer_function():
    cells = comparison([
        {"setting": f"{c}n_labelled={size};transfer={t}", "metric": "test-error-percent",
         "measured_mean": 100 / size}
        for size in (2, 4, 8)
        for c, t in (("", "linear"), ("", "step"), ("C=10000000;", "polynomial"))
    ])  # fmt: skip
    [(name, figure)] = cluster_text.draw_figures(study("cluster-text"), cells, {})
    assert name == "figure 2"
    [panel] = figure.axes
    labels = panel.get_legend_handles_labels()[1]
    assert labels == ["linear (plain SVM)", "polynomial, hard margin", "step"]
    drawn = panel.containers[0].lines[0].get_xydata()
    np.testing.assert_allclose(drawn, [[2, 50], [4, 25], [8, 12.5]])
    assert not list(cluster_text.draw_figures(study("cluster-text"), cells.assign(n=0), {}))


def test_figure_3_has_the_fixed_cuts_and_the_dot_plot_the_rest():
    cells = comparison([
        {"setting": f"n_labelled=16;rank={rank}", "metric": metric, "measured_mean": value}
        for rank, value in ((2, 30.0), (10, 8.0), ("span", 9.0))
        for metric in ("test-error-percent", "span-error-percent")
    ])  # fmt: skip
    drawn = dict(cluster_span.draw_figures(study("cluster-span"), cells, {}))
    assert set(drawn) == {"figure 3", "test-error-percent", "span-error-percent"}
    line = drawn["figure 3"].axes[0].containers[0].lines[0]
    np.testing.assert_allclose(line.get_xydata(), [[2, 30], [10, 8]])
    texts = [t.get_text() for t in drawn["test-error-percent"].axes[0].get_yticklabels()]
    assert any("span" in text for text in texts)
    assert not any("rank=10" in text for text in texts)


def test_figure_1_cuts_the_left_cluster_and_leaves_the_right_one(tmp_path):
    entry = load_entry("two-gaussians")
    source = entry.sources[0]
    data = generate(entry, Parameters.model_validate(source.parameters), source.seed)
    path = tmp_path / "none.h5"
    write_dataset(path, data, recipe="none", provenance={})
    loaded = study("cluster-mixture")
    [(name, figure)] = cluster_mixture.draw_figures(loaded, None, {"two-gaussians": path})
    assert name == "figure 1"
    assert isinstance(figure, Figure)
    rows, signs = cluster_mixture.three_labels(data.X, data.y)
    assert [data.y[r] for r in rows] == [0, 0, 1]
    assert data.X[rows[0], 1] > data.X[rows[1], 1]
    from gramworks.fitting.svm import KernelSVM
    from gramworks.learning.mixture import MixtureKernel

    kernel = MixtureKernel().fit(data.X).kernel_
    machine = KernelSVM(C=1000.0).fit(kernel[np.ix_(rows, rows)], signs)
    classes = machine.predict(kernel[:, rows])
    assert np.mean(classes[data.y == 1] == signs[2]) > 0.9
    assert 0.2 < np.mean(classes[data.y == 0] == 1) < 0.8
    assert not list(cluster_mixture.draw_figures(loaded, None, {}))


@pytest.mark.mirror
def test_errors_on_the_papers_text_are_where_they_should_be(tmp_path, mirror):
    entry = load_entry("mac-windows")
    fetch(entry, tmp_path, mirror=mirror, log=lambda line: None)
    data = parse(entry, tmp_path)
    splits = make_splits(
        Labelled(sizes=[16], scheme="balanced", repeats=20, test=987), data.y,
        study="cluster-span", dataset="mac-windows",
    )  # fmt: skip
    method, K = load_method("cluster-kernel"), gaussian(data.X, width=0.55)
    settings = [{"rank": "span"}, {"rank": "labelled+10", "transfer": "step"}]
    shared = method.module.learn({"K1": K}, data.X, settings, {}, print)
    assert shared["K1-values"][1] == pytest.approx(0.055, abs=5e-4)
    rows, _ = run_draws(
        method, settings, {}, data, splits, {"K1": K}, study="cluster-span", repeats=range(20),
        shared=shared, log=lambda line: None,
    )  # fmt: skip
    errors = {
        setting: np.mean([
            float(row["value"])
            for row in rows
            if row["metric"] == "test-error-percent" and row["setting"] == setting
        ])
        for setting in ("n_labelled=16;rank=span", "n_labelled=16;rank=labelled+10;transfer=step")
    }  # fmt: skip
    assert errors["n_labelled=16;rank=span"] < 11
    assert errors["n_labelled=16;rank=labelled+10;transfer=step"] < 15
