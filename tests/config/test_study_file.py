from pathlib import Path

import pytest

from gramworks.errors import ConfigError
from gramworks.studies.study_file import load_studies, load_study

ROOT = Path(__file__).parents[2]
STUDY = """
name: tiny
title: A test
datasets: {iris: {}}
splits: {kind: random-fraction, test: 0.2, repeats: 2}
kernels: [linear, gaussian-w0.50]
methods: {majority: {}, svm: {settings: {C: [1, 1.0, "2"], kernel: K1}}}
metrics: [test-accuracy-percent]
"""


def study(tmp_path, text, name="tiny"):
    path = tmp_path / f"{name}.yaml"
    path.write_text(text)
    return load_study(path)


def test_settings_multiply_out_and_equal_ones_fall_together(tmp_path):
    made = study(tmp_path, STUDY).methods["svm"].combinations()
    assert made == [{"C": 1, "kernel": "K1"}, {"C": 2, "kernel": "K1"}]


def test_kernels_are_canonical_and_naturally_ordered(tmp_path):
    assert study(tmp_path, STUDY).kernels == {"K1": "linear", "K2": "gaussian-w0.5"}
    many = "{" + ", ".join(f"K{i}: gaussian-w{i}" for i in (10, 2, 1)) + "}"
    text = STUDY.replace("[linear, gaussian-w0.50]", many)
    assert list(study(tmp_path, text).kernels) == ["K1", "K2", "K10"]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("title:", "titel:", "did you mean 'title'?"),
        ("iris: {}", "iris: {recepe: none}", "did you mean 'recipe'?"),
        ("{C: [1, 1.0", "{C: [null, 1.0", "null"),
        ("[1, 1.0", "[[1], 1.0", "number or a word"),
        ('[1, 1.0, "2"]', "[]", "C is an empty list"),
        ("kernel: K1", "kernel: a b", "no space"),
        (
            "repeats: 2}",
            "repaets: 2}",
            "did you mean 'repeats'? Valid: kind, repeats, stratified, test",
        ),
        ("settings: {C", "settings: [], parameters: {C", "settings"),
        ("[linear,", "[linaer,", "linaer"),
        ("metrics: [test-accuracy-percent]", "metrics: []", "metrics"),
        ("iris: {}", "'a b(1)/c': {}", "[A-Za-z0-9_.-]+"),
        ("test: 0.2", "test: 1.2", "test"),
        (
            "kernel: K1}",
            "kernel: K1}, not_comparable: {kernle: chosen-by-hand}",
            "no setting has the key 'kernle'; did you mean 'kernel'?",
        ),
        (
            "kernel: K1}",
            "kernel: K1}, not_comparable: {kernel: by-hand}",
            "chosen-by-hand",
        ),
        ("methods: {majority: {}", "methods: {2024-01-01: {}", "bare date"),
    ],
)
def test_faults_are_named(tmp_path, old, new, found):
    assert old in STUDY
    with pytest.raises(ConfigError) as caught:
        study(tmp_path, STUDY.replace(old, new, 1))
    assert found in str(caught.value)


def test_file_name_and_name_must_agree(tmp_path):
    with pytest.raises(ConfigError, match="name is 'tiny', the file's name says 'other'"):
        study(tmp_path, STUDY, name="other")


def test_unknown_study_lists_the_valid_ones():
    with pytest.raises(ConfigError, match="did you mean 'margin-tables'?"):
        load_studies(["margin-table"], ROOT / "config" / "studies")


@pytest.mark.parametrize("path", sorted((ROOT / "config" / "studies").glob("*.yaml")), ids=str)
def test_every_study_file_loads(path):
    assert load_study(path).methods
