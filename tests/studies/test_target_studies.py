"""The studies of the optimal target paper: cells asked for, and figures of their own."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from gramworks.config import RunConfig
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import OwnDraws, make_splits
from gramworks.datasets.store import write_dataset
from gramworks.draws import run_draws
from gramworks.errors import ConfigError, DataError
from gramworks.learning.target_draws import targets_of
from gramworks.methods.registry import load_method
from gramworks.plan import Plan
from gramworks.report.published import read_published
from gramworks.report.study_figures import own_figures, study_figures
from gramworks.settings import join_settings
from gramworks.studies import derived, target_boston, target_fraction, target_ida, target_iris
from gramworks.studies.study_checks import check_study
from gramworks.studies.study_file import Study, load_study

ROOT = Path(__file__).parents[2]
STUDIES = ("target-iris", "target-fraction", "target-boston", "target-ida")


def study(name):
    return load_study(ROOT / "config" / "studies" / f"{name}.yaml")


@pytest.mark.parametrize("name", STUDIES)
def test_every_published_cell_is_asked_for(name):
    loaded = study(name)
    plan = Plan(RunConfig(studies=[name], sources="any"), ROOT)
    asked = {
        (loaded.datasets[dataset].published_as or dataset, method, join_settings(outer, own))
        for dataset in loaded.datasets
        for method in loaded.methods
        for own in [_text(row) for row in loaded.methods[method].combinations()]
        for outer in plan.split_settings(name)
    }
    printed = read_published()
    for row in printed[printed["study"] == name].to_dict("records"):
        for dataset in row["dataset"].split():
            assert (dataset, row["method"], row["setting"]) in asked
        assert row["metric"] in loaded.metrics


def _text(row):
    return ";".join(f"{key}={row[key]}" for key in sorted(row))


def test_stand_ins_have_a_hundred_partitions_of_the_sizes_of_the_benchmark():
    plan = Plan(RunConfig(studies=["target-ida"], sources="any"), ROOT)
    for dataset in study("target-ida").datasets:
        assert plan.n_repeats("target-ida", dataset) == 100
    capped = Plan(RunConfig(studies=["target-ida"], sources="any", repeats=3), ROOT)
    assert capped.n_repeats("target-ida", "pima") == 3
    assert '"labelled":468' in capped.splits_slice("target-ida", "pima")


def with_splits(loaded, dataset, **changes):
    """Change keys of one data set of a study."""
    body = loaded.datasets[dataset].model_dump() | changes
    return Study.model_validate(loaded.model_dump() | {"datasets": {dataset: body}})


def test_a_cap_above_the_given_partitions_takes_them_all():
    plan = Plan(RunConfig(studies=["target-ida"], sources="any", repeats=1000), ROOT)
    assert plan.n_repeats("target-ida", "ida-heart") == 100
    assert '"repeats":100' in plan.splits_slice("target-ida", "ida-heart")


def test_repeats_beside_own_splits_are_refused():
    splits = {"kind": "test-sizes", "sizes": [5, 10, 15, 20, 25], "repeats": 9}
    told = "its splits are its own; state `repeats` in them"
    with pytest.raises(ConfigError, match=re.escape(told)):
        check_study(with_splits(study("target-boston"), "boston", splits=splits, repeats=3))


def test_a_stand_in_has_the_settings_of_what_it_stands_for():
    loaded = study("target-ida").model_dump()
    loaded["datasets"]["pima"]["splits"] = {"kind": "test-sizes", "sizes": [300], "repeats": 9}
    told = (
        "its splits distinguish n_test=300, those of ida-diabetis, which it stands for, no setting"
    )
    with pytest.raises(ConfigError, match=re.escape(told)):
        check_study(Study.model_validate(loaded))


def test_more_points_than_there_are_are_refused():
    boston = study("target-boston")
    splits = boston.splits.model_copy(update={"sizes": [5, 506]})
    told = "506 test points, with 1 labelled at least, are more than its 506 points; state sizes up"
    with pytest.raises(ConfigError, match=told):
        check_study(boston.model_copy(update={"splits": splits}))
    splits = {"kind": "drawn", "labelled": 469, "test": 300, "repeats": 9}
    with pytest.raises(ConfigError, match="state labelled up to 468"):
        check_study(with_splits(study("target-ida"), "pima", splits=splits))


def changed(study_name, methods=None, **changes):
    changes |= {"methods": methods} if methods else {}
    return Study.model_validate(study(study_name).model_dump() | changes)


OWN = {"kind": "own-draws", "repeats": 2}
SIZES = {"kind": "labelled", "sizes": [4], "repeats": 2}
DRAWS = {"draws": 5, "n_labelled": 4}


@pytest.mark.parametrize(
    ("dataset", "splits", "method", "parameters", "told"),
    [
        ("iris-two", OWN, "kernel-ridge", {}, "wants labelled points; splits of kind own-draws"),
        ("iris-two", OWN, "transductive-linear-discrimination", {}, "wants labelled points"),
        ("iris-two", OWN, "optimal-target", {}, "such as optimal-target with draws"),
        ("iris-two", OWN, "majority", {}, "wants labelled points"),
        ("iris-two", SIZES, "optimal-target", DRAWS, "state splits: {kind: own-draws"),
        ("iris-two", SIZES, "optimal-target", {"n_labelled": 4}, "of no use without draws"),
        ("iris-two", OWN, "optimal-target", DRAWS | {"n_labelled": 100}, "of 100 leave none"),
        ("iris-two", OWN, "optimal-target", {"draws": 5, "labelled_fraction": 0.999}, "leave none"),
        ("iris", OWN, "optimal-target", DRAWS, "is for two classes, the data are multiclass"),
        ("iris", SIZES, "kernel-pca", {}, "made for binary, the data are multiclass"),
        ("boston", SIZES, "svm", {}, "made for binary, multiclass, the data are regression"),
        ("boston", SIZES, "optimal-target", {"threshold": "oracle"}, "leave it out"),
        ("boston", SIZES, "optimal-target", {"centre_targets": 1}, "always centred"),
        ("boston", SIZES, "optimal-target", {"components": 2}, "is for two classes"),
    ],
)
def test_what_cannot_run_is_refused_before_it_does(dataset, splits, method, parameters, told):
    made = changed(
        "target-iris", {method: {"parameters": parameters}},
        datasets={dataset: {}}, splits=splits,
    )  # fmt: skip
    with pytest.raises(ConfigError, match=re.escape(told)) as caught:
        check_study(made)
    assert f"method {method}" in str(caught.value)


@pytest.mark.parametrize(
    ("splits", "method", "parameters"),
    [
        (OWN, "kernel-pca", {}), (SIZES, "kernel-pca", {}), (OWN, "optimal-target", DRAWS),
        (SIZES, "optimal-target", {"threshold": "oracle"}), (SIZES, "kernel-ridge", {}),
    ],
)  # fmt: skip
def test_what_can_run_is_not_refused(splits, method, parameters):
    made = changed(
        "target-iris", {method: {"parameters": parameters}},
        datasets={"iris-two": {}}, splits=splits, metrics=["test-error-percent"],
    )  # fmt: skip
    check_study(made)


def test_columns_that_a_study_makes_itself_are_told_from_measured_ones():
    error = {"metrics": ["oracle-test-error-percent"]}
    body = {"optimal-target": {"parameters": DRAWS}}
    with pytest.raises(ConfigError, match="not measured: a study's own columns") as caught:
        check_study(changed("target-iris", body, **error))
    assert "gramworks.studies.target_iris" in str(caught.value)
    assert "?" not in str(caught.value).partition("Valid:")[2]
    check_study(study("target-ida"))  # its module makes that column
    other = changed("target-iris", body, name="few-labels", **error)
    with pytest.raises(ConfigError, match="a module of its name, studies/few_labels.py"):
        check_study(other)


def test_a_data_set_of_fewer_repeats_has_the_first_of_the_draws():
    boston = with_splits(study("target-boston"), "boston", repeats=3)
    y = np.arange(506.0)
    few, all_of_them = (
        make_splits(spec, y, study="target-boston", dataset="boston")["n_test=5"]
        for spec in (boston.splits_of("boston"), boston.splits)
    )
    assert few.repeats == 3
    np.testing.assert_array_equal(few.test, all_of_them.test[:3])


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    data = load_iris()
    iris = Dataset(
        id="iris-two", X=data.data[50:], y=(data.target[50:] - 1).astype(np.int64),
        classes=["versicolor", "virginica"], feature_names=list("abcd"),
    )  # fmt: skip
    path = tmp_path_factory.mktemp("iris") / "none.h5"
    write_dataset(path, iris, recipe="none", provenance={})
    return iris, path


def small_iris():
    loaded = study("target-iris")
    body = loaded.methods["optimal-target"].model_copy(
        update={"parameters": {"ridge": 1, "draws": 60, "components": 4}}
    )
    return loaded.model_copy(update={"methods": {"optimal-target": body}})


def rows_of(n, **columns):
    row = {"dataset": "iris-two", "method": "optimal-target", "n": n} | columns
    return pd.DataFrame([row])


def test_figures_of_iris_are_those_of_the_draws_that_were_scored(table):
    iris, path = table
    loaded = small_iris()
    drawn = list(target_iris.draw_figures(loaded, rows_of(2), {"iris-two": path}))
    assert [name for name, _ in drawn] == list(target_iris.FIGURES)
    assert all(isinstance(figure, Figure) for _, figure in drawn)
    draws = target_iris._draw_again(
        path, loaded, loaded.methods["optimal-target"].parameters, repeats=2
    )
    parameters = loaded.methods["optimal-target"].parameters
    scores, _ = run_draws(
        load_method("optimal-target"), [{"n_labelled": 4}], parameters,
        iris, make_splits(OwnDraws(repeats=2), iris.y, study="target-iris", dataset="iris-two"),
        {"K1": iris.X @ iris.X.T}, study="target-iris", repeats=range(2), log=lambda line: None,
    )  # fmt: skip
    for metric, column in (("correlation", 0), ("correlation-4", 3)):
        means = [float(row["value"]) for row in scores if row["metric"] == metric]
        halves = draws.found[:, column].reshape(2, 60).mean(axis=1)
        np.testing.assert_allclose(means, halves, rtol=1e-8)
    # the rows that are circled are the ones labelled in those draws
    y = targets_of(draws.spectrum, draws.signs, draws.known[:5])
    for k in range(5):
        correlation = abs(np.corrcoef(y[k], draws.signs)[0, 1])
        assert correlation == pytest.approx(draws.found[k, 0], abs=1e-9)


def test_figures_of_iris_without_the_data_are_left_out(table):
    assert not list(target_iris.draw_figures(small_iris(), rows_of(0), {"iris-two": table[1]}))
    assert not list(target_iris.draw_figures(small_iris(), rows_of(2), {}))


def test_figure_5_has_a_line_a_data_set_and_ridge():
    cells = pd.concat([
        rows_of(2, metric="fraction-better-than-kpca", setting=setting, measured_mean=value,
                measured_se=0.01)
        for setting, value in (
            ("labelled_fraction=0.04", 0.8), ("labelled_fraction=0.16", 0.99),
            ("labelled_fraction=0.16;relative_ridge=1", 0.95),
        )
    ], ignore_index=True)  # fmt: skip
    [(name, figure)] = target_fraction.draw_figures(study("target-fraction"), cells, {})
    assert name == "figure 5"
    assert len(figure.axes[0].containers) == 2
    assert not list(target_fraction.draw_figures(study("target-fraction"), cells[:0], {}))


def test_a_figure_that_is_not_stated_is_refused(monkeypatch):
    monkeypatch.setattr(target_fraction, "FIGURES", {"another": ("Plot", "read so.")})
    monkeypatch.setattr(target_fraction, "draw_figures", lambda *_: iter([("figure 5", Figure())]))
    with pytest.raises(DataError, match="allowed are its FIGURES, another"):
        list(study_figures(study("target-fraction"), rows_of(1), {}))


def test_studies_without_own_figures_have_none():
    assert own_figures(study("margin-reuters")) == {}
    assert derived.derives("target-iris") == set()


def test_oracle_rows_stand_as_a_column_beside_the_honest_ones():
    row = {"study": "s", "dataset": "d", "method": "optimal-target", "repeat": 0, "value": 1.0}
    error, squares = "root-mean-square-error", "mean-square-error"
    rows = [
        row | {"setting": "n_test=5", "metric": error},
        row | {"setting": "kernel=K2;length=oracle;n_test=5", "metric": error, "value": 2.0},
        row | {"setting": "length=oracle;n_test=5", "metric": squares, "value": 3.0},
    ]
    assert target_boston.derive(rows) == [
        rows[1] | {"setting": "kernel=K2;n_test=5", "metric": f"oracle-{error}"}
    ]
    wrong = {"metric": "test-error-percent", "setting": "threshold=oracle"}
    assert target_ida.derive([row | wrong]) == [
        row | {"metric": "oracle-test-error-percent", "setting": ""}
    ]


def test_table_1_is_drawn_with_a_panel_a_kernel():
    boston = study("target-boston")
    cells = pd.concat([
        rows_of(
            100, dataset="boston", method=method, metric=metric, published=published,
            setting=f"{more}n_test={size}", measured_mean=size / 5, measured_se=0.1,
        )
        for size in (5, 10)
        for more in ("", "kernel=K2;", "length=oracle;")
        for method in ("optimal-target", "kernel-ridge")
        for metric, published in (
            ("root-mean-square-error", np.nan), ("oracle-root-mean-square-error", np.nan),
            ("mean-square-error", np.nan if more else 3.0),
        )
    ], ignore_index=True)  # fmt: skip
    [(name, figure)] = target_boston.draw_figures(boston, cells, {})
    assert name in target_boston.FIGURES
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["Gaussian kernel, width 1", "Gaussian kernel, width √2"]
    assert target_boston.kernel_title("gaussian-w1.4") == "Gaussian kernel, width 1.4"
    assert target_boston.kernel_title("linear-unit") == "linear-unit"
    for axes in figure.axes:
        assert len(axes.containers) == 3
        for line in axes.containers:
            np.testing.assert_allclose(line[0].get_xydata(), [[5, 1], [10, 2]])
        marks = [line for line in axes.lines if line.get_label().startswith("published")]
        assert [list(line.get_ydata()) for line in marks] == [[3, 3], [3, 3]]
    assert not list(target_boston.draw_figures(boston, cells.assign(n=0), {}))
