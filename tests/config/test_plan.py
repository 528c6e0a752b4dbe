"""What the plan refuses, and how it names files and slices."""

import json
import shutil
from pathlib import Path

import pytest

from gramworks.config import load_config, read_config
from gramworks.errors import ConfigError
from gramworks.parts import part_files
from gramworks.plan import Plan, canonical

ROOT = Path(__file__).parents[2]
OWN_DATA = ROOT / "config" / "own-data.yaml"
STUDY = """
name: tiny
title: A tiny study
datasets: {iris-two: {}, heart: {recipe: standardise}}
splits: {kind: labelled, sizes: [4, 8], repeats: 5, scheme: balanced}
kernels: {K1: linear, K2: gaussian-w1-unit}
methods:
  majority: {}
  svm: {settings: {C: 1, kernel: K1}, chunk: 3}
  kernel-ridge: {settings: {ridge: 0.1, kernel: K1}, kernels: [linear]}
metrics: [test-accuracy-percent]
chunk: 2
"""


@pytest.fixture
def root(tmp_path):
    (tmp_path / "config" / "studies").mkdir(parents=True)
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    (tmp_path / "config" / "studies" / "tiny.yaml").write_text(STUDY)
    (tmp_path / "config.yaml").write_text("studies: [tiny]\n")
    return tmp_path


def plan(root, **values):
    return Plan(load_config({"studies": ["tiny"], **values}), root)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("majority: {}", "majorty: {}", ["'majorty'", "did you mean 'majority'"]),
        ("iris-two: {}", "iris-too: {}", ["'iris-too'", "did you mean 'iris-two'"]),
        ("settings: {ridge: 0.1,", "settings: {rigde: 0.1,", ["'rigde'", "did you mean 'ridge'"]),
        ("ridge: 0.1", "ridge: -1", ["ridge", "greater than 0"]),
        ("ridge: 0.1", "ridge: 0.1, ridge: 0.2", ["'ridge' stands already"]),
        ("chunk: 2", "\tchunk: 2", ["tiny.yaml, line", "tabs"]),
        ("gaussian-w1-unit", "gausian-w1-unit", ["gausian-w1-unit", "gaussian"]),
        ("{C: 1, kernel: K1}", "{C: []}", ["C is an empty list"]),
        (
            "{C: 1, kernel: K1}",
            "{C_grid: [1, 10], kernel: K1}",
            ["C_grid: Input should be a valid list (found 10)", "put C_grid under parameters"],
        ),
        ("chunk: 3", "parameters: {C: 2}", ["['C'] stands in both settings and parameters"]),
        ("kernels: {K1: linear, K2: gaussian-w1-unit}", "", ["'iris-two' has no kernels"]),
        (
            "[test-accuracy-percent]",
            "[test-acuracy-percent]",
            ["did you mean 'test-accuracy-percent'"],
        ),
        ("{C: 1, kernel: K1}", "{C: 1, kernel: K9}", ["no kernel 'K9'", "K1, K2"]),
        ("recipe: standardise", "recipe: standardize", ["recipe", "standardise"]),
        (
            "majority: {}",
            "virtual-sample-svm: {parameters: {shape: [2, 3]}}",
            ["data set iris-two: shape: [2, 3] has 6 pixels, the points have 4 features"],
        ),
        ("gaussian-w1-unit", "linear@left", ["tiny: method svm", "iris-two", "no view 'left'"]),
        ("gaussian-w1-unit", "diffusion-b1", ["X of data set 'iris-two' is vectors of features"]),
        ("gaussian-w1-unit", "smith-waterman", ["'smith-waterman'", "no kernel", "-mapped"]),
        ("iris-two: {}", "iris-two: {repeats: 0}", ["repeats", "greater than or equal to 1"]),
    ],
)
def test_wrong_studies_are_refused_with_what_is_allowed(root, old, new, said):
    path = root / "config" / "studies" / "tiny.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        plan(root)
    for words in said:
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("studies: [tinny]\n", ["no study 'tinny'", "did you mean 'tiny'"]),
        ("studies: [tiny]\nmethods: [mayority]\n", ["'mayority'", "did you mean 'majority'"]),
        ("studies: [tiny]\ndatasets: [iris]\n", ["'iris'", "iris-two"]),
        ("studies: [tiny]\nrepeats: 1e-3\n", ["repeats"]),
        ("studies: [2024-01-01]\n", ["bare date"]),
        ("studies: tiny\n", ["studies", "list"]),
    ],
)
def test_wrong_configurations_are_refused_with_what_is_allowed(root, text, said):
    (root / "config.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        Plan(read_config(root / "config.yaml"), root)
    for words in said:
        assert words in str(caught.value)


def test_files_of_a_run(root):
    made = plan(root, sources="any")
    [file] = part_files(made, "tiny", "heart", "svm")
    assert file.startswith("results/draws/tiny/heart/majority.0-1+7.")
    assert made.grams("tiny", "heart", "kernel-ridge") == [
        "results/gram/heart/standardise/linear.h5"
    ]
    assert made.grams("tiny", "heart", "majority") == []
    assert made.split_settings("tiny") == ["n_labelled=4", "n_labelled=8"]
    assert len(made.scores("tiny")) == 6


def test_embedded_runs_leave_out_what_is_fetched_with_the_reason(root):
    made = plan(root)
    assert made.datasets("tiny") == ["iris-two"]
    assert made.left_out("tiny") == {"heart": "source-not-embedded"}
    assert plan(root, sources="any", datasets=["heart"]).left_out("tiny") == {
        "iris-two": "dataset-not-in-run"
    }


def test_repeats_are_capped(root):
    assert plan(root, repeats=2).n_repeats("tiny", "iris-two") == 2
    assert plan(root, repeats=99).n_repeats("tiny", "iris-two") == 5


def test_a_data_set_may_have_fewer_repeats_than_its_study(root):
    path = root / "config" / "studies" / "tiny.yaml"
    text = path.read_text().replace("iris-two: {}", "iris-two: {repeats: 3}")
    path.write_text(text)
    made = plan(root, sources="any")
    assert made.n_repeats("tiny", "iris-two") == 3
    assert made.n_repeats("tiny", "heart") == 5
    assert plan(root, repeats=2).n_repeats("tiny", "iris-two") == 2
    path.write_text(
        text.replace(
            "{kind: labelled, sizes: [4, 8], repeats: 5, scheme: balanced}",
            "{kind: k-fold, folds: 4, repeats: 5}",
        )
    )
    assert plan(root).n_repeats("tiny", "iris-two") == 12


def test_the_kernels_of_views_have_files_of_their_own(root):
    path = root / "config" / "studies" / "tiny.yaml"
    text = path.read_text().replace(
        "iris-two: {}, heart: {recipe: standardise}", "brown-selected: {recipe: standardise}"
    )
    path.write_text(text.replace("gaussian-w1-unit", "gaussian-w1.0-unit@cold"))
    assert plan(root).grams("tiny", "brown-selected", "svm") == [
        "results/gram/brown-selected/standardise/linear.h5",
        "results/gram/brown-selected/standardise/gaussian-w1-unit@cold.h5",
    ]


def test_given_partitions_are_counted_by_the_registry(root):
    path = root / "config" / "studies" / "tiny.yaml"
    text = path.read_text().replace(
        "{kind: labelled, sizes: [4, 8], repeats: 5, scheme: balanced}", "{kind: given}"
    )
    path.write_text(text)
    with pytest.raises(ConfigError, match="'iris-two' has no given partitions"):
        plan(root)
    text = text.replace("iris-two: {}, heart: {recipe: standardise}", "usps: {}")
    path.write_text(text)
    assert plan(root, sources="any").n_repeats("tiny", "usps") == 1
    path.write_text(text.replace("given}", "given, sizes: [9]}"))
    with pytest.raises(ConfigError, match="no given partition with 9 labelled points; it has 7291"):
        plan(root, sources="any")


def test_a_setting_of_both_splits_and_method_is_refused(root):
    path = root / "config" / "studies" / "tiny.yaml"
    text = path.read_text().replace("majority: {}", "majority: {settings: {n_labelled: 1}}")
    path.write_text(text)
    with pytest.raises(ConfigError, match="n_labelled"):
        plan(root)


def test_every_file_of_the_run_is_a_target(root):
    made = plan(root)
    targets = set(made.targets())
    assert targets >= set(part_files(made, "tiny", "iris-two"))
    assert "results/timings/tiny/iris-two/svm.csv" in targets
    assert "results/gram/iris-two/none/linear.h5" in targets
    assert "data/raw/iris-two/manifest.json" in targets
    assert targets >= {*made.scores("tiny"), made.comparison("tiny")}
    assert not any("heart" in target for target in targets)


def test_slices_hold_only_what_a_job_needs(root):
    made = plan(root)
    slice_ = json.loads(made.fit_slice("tiny", "iris-two", "svm"))
    assert slice_ == {
        "settings": [{"C": 1, "kernel": "K1"}],
        "parameters": {},
        "kernels": [["K1", "linear"], ["K2", "gaussian-w1-unit"]],
        "split_settings": ["n_labelled=4", "n_labelled=8"],
    }


def test_canonical_json_has_one_form():
    assert (
        canonical({"b": 1.0, "a": [0.20, {"d": 1, "c": (2,)}]})
        == '{"a":[0.2,{"c":[2],"d":1}],"b":1}'
    )


# config/own-data.yaml names a study of the user's: tests/owndata has one of that name
@pytest.mark.parametrize(
    "path",
    sorted(ROOT.glob("config*.yaml")) + sorted({*ROOT.glob("config/*.yaml")} - {OWN_DATA}),
)
def test_every_configuration_of_the_project_is_a_plan(path):
    assert Plan(read_config(path), ROOT).pairs


def write_study(root, *changes):
    text = STUDY.replace("iris-two: {}", "iris: {}")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (root / "config" / "studies" / "tiny.yaml").write_text(text)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [("iris: {}", "iris: {labels: [setossa]}")],
            ["iris: labels: no label 'setossa'", "did you mean 'setosa'"],
        ),
        ([("iris: {}", "iris: {labels: []}")], ["labels"]),
        ([("iris: {}", "iris: {labels: some}")], ["labels"]),
        ([("iris: {}", "iris: {labels: [a, a]}")], ["a stands more than once"]),
        ([("iris: {}", "iris-two: {labels: all}")], ["its task is binary", "leave `labels` out"]),
        ([("iris: {}", "boston: {labels: all}")], ["its task is regression"]),
        (
            [("iris: {}", "iris: {labels: all}"), ("{C: 1,", "{label: 1, C: 1,")],
            ["label"],
        ),
        (
            [("iris: {}", "yeast-multilabel: {labels: all}")],
            ["data set yeast-multilabel", "`scheme: free`"],
        ),
        (
            [
                ("iris: {}", "yeast-multilabel: {labels: all}"),
                (
                    "{kind: labelled, sizes: [4, 8], repeats: 5, scheme: balanced}",
                    "{kind: k-fold, folds: 5, repeats: 3}",
                ),
            ],
            ["`stratified: false`"],
        ),
    ],
)
def test_unusable_labels_are_refused(root, changes, said):
    write_study(root, *changes)
    with pytest.raises(ConfigError) as caught:
        plan(root, sources="any")
    for words in said:
        assert words in str(caught.value)


def test_slices_with_labels(root):
    write_study(root, ("iris: {}", "iris: {labels: [virginica, setosa]}"))
    made = plan(root, sources="any")
    assert json.loads(made.fit_slice("tiny", "iris", "svm"))["labels"] == [
        "virginica", "setosa",
    ]  # fmt: skip
    assert "labels" not in json.loads(made.fit_slice("tiny", "heart", "svm"))
    assert json.loads(made.settings_slice("tiny", "iris", "majority")) == [
        "label=setosa;n_labelled=4", "label=setosa;n_labelled=8",
        "label=virginica;n_labelled=4", "label=virginica;n_labelled=8",
        "n_labelled=4", "n_labelled=8",
    ]  # fmt: skip
    assert len(json.loads(made.settings_slice("tiny", "heart", "majority"))) == 2
    write_study(root, ("iris: {}", "iris: {labels: all}"))
    assert len(plan(root).labels("tiny", "iris")) == 3


def test_the_mean_area_is_a_metric_of_studies_with_labels_alone(root):
    metric = ("[test-accuracy-percent]", "[mean-roc]")
    write_study(root, metric)
    with pytest.raises(ConfigError, match="nothing measures 'mean-roc'"):
        plan(root)
    write_study(root, metric, ("iris: {}", "iris: {labels: all}"))
    plan(root)


def test_folds_of_points_with_several_labels_are_planned(root):
    write_study(
        root,
        ("iris: {}", "yeast-multilabel: {labels: [Class1]}"),
        (
            "{kind: labelled, sizes: [4, 8], repeats: 5, scheme: balanced}",
            "{kind: k-fold, folds: 5, repeats: 3, stratified: false}",
        ),
    )
    assert plan(root, sources="any").n_repeats("tiny", "yeast-multilabel") == 15


def test_tabulating_depends_on_the_study_s_own_module_alone(root, monkeypatch):
    made = plan(root)
    before = made.study_code("tabulate.py", "tiny")
    assert before == made.code("tabulate.py", ["gramworks.report.build"])
    monkeypatch.setattr("gramworks.plan.derived_module", lambda study: "gramworks.draws")
    assert made.study_code("tabulate.py", "tiny") != before


def test_draws_out_of_given_parts_are_counted_and_checked(root):
    splits = "{kind: labelled, sizes: [4, 8], repeats: 5, scheme: balanced}"
    data = ("iris: {}, heart: {recipe: standardise}", "usps: {}")
    write_study(root, data, (splits, "{kind: given, labelled: 100, repeats: 20}"))
    made = plan(root, sources="any")
    assert made.n_repeats("tiny", "usps") == 20
    assert made.split_settings("tiny") == [""]
    assert plan(root, sources="any", repeats=3).n_repeats("tiny", "usps") == 3
    write_study(root, data, (splits, "{kind: given, labelled: 7292, repeats: 20}"))
    with pytest.raises(ConfigError, match="7292 points are to be drawn.* part of 7291"):
        plan(root, sources="any")


def test_methods_of_features_alone_want_no_kernels(root):
    path = root / "config" / "studies" / "tiny.yaml"
    text = path.read_text().replace("kernels: {K1: linear, K2: gaussian-w1-unit}\n", "")
    head, _ = text.split("  majority: {}")
    path.write_text(
        head + "  majority: {}\n  mixture-kernel: {}\nmetrics: [test-accuracy-percent]\n"
    )
    made = plan(root)
    assert made.kernels("tiny", "iris-two", "mixture-kernel") == {}
    assert json.loads(made.fit_slice("tiny", "iris-two", "mixture-kernel"))["kernels"] == []
    assert made.grams("tiny", "iris-two", "mixture-kernel") == []
