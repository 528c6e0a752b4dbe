"""The studies of kernel dependency estimation: protocols, class figures and pictures."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from gramworks.config import RunConfig
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.normalisation import normalise_dataset
from gramworks.datasets.splits import make_splits
from gramworks.datasets.store import write_dataset
from gramworks.errors import ConfigError
from gramworks.plan import Plan
from gramworks.report.published import read_published
from gramworks.report.verdicts import direction
from gramworks.score_files import COLUMNS
from gramworks.settings import format_setting
from gramworks.studies import dependency_completion, dependency_digits
from gramworks.studies.study_checks import check_study
from gramworks.studies.study_file import Study, load_study

ROOT = Path(__file__).parents[2]
NAMES = ["dependency-strings", "dependency-digits", "dependency-completion"]
ROW = dict.fromkeys(COLUMNS, "") | {
    "study": "dependency-completion", "dataset": "usps", "method": "knn", "repeat": 0,
    "status": "ok",
}  # fmt: skip


def study(name):
    return load_study(ROOT / "config" / "studies" / f"{name}.yaml")


def test_every_published_cell_is_asked_for():
    plan = Plan(RunConfig(studies=NAMES, sources="any"), ROOT)
    published = read_published().query("paper == 'kernel-dependency-estimation'")
    assert len(published) == 16
    for cell in published.to_dict("records"):
        loaded = plan.studies[cell["study"]]
        assert cell["dataset"] in loaded.datasets
        assert cell["metric"] in loaded.metrics
        rows = {format_setting(row) for row in loaded.methods[cell["method"]].combinations()}
        assert cell["setting"] in rows | {"label-of=pre-image"}
        assert direction(cell["metric"]) == "lower"


def test_stand_ins_have_the_same_numbers_of_points():
    plan = Plan(RunConfig(studies=NAMES, sources="any"), ROOT)
    for name in NAMES[1:]:
        assert plan.studies[name].datasets["mnist5k-16"].published_as == "usps"
        assert plan.n_repeats(name, "usps") == 5
    y = np.repeat(np.arange(10), 100)
    for name in NAMES[1:]:
        draws = make_splits(study(name).splits, y, study=name, dataset="usps")[""]
        assert draws.labelled.shape == (5, 200)
        assert draws.test.shape == (5, 800)


def test_the_output_kernel_is_part_of_the_fits_alone():
    plan = Plan(RunConfig(studies=NAMES, sources="any"), ROOT)
    assert '"output_kernel":"gaussian-clusters-k30"' in plan.fit_slice(
        "dependency-completion", "usps", "knn"
    )
    assert "output_kernel" not in plan.fit_slice("dependency-digits", "usps", "knn")
    codes = {
        plan.fit_code("fit.py", *pair)
        for pair in plan.pairs
        if pair[0] != "dependency-strings" and pair[2] == "knn"
    }
    assert len(codes) == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"output_kernel": None}, "outputs are vectors; state the kernel between them"),
        ({"output_kernel": "spectrum-l3"}, "state a kernel that compares them"),
        ({"recipe": "first-1000-rows"}, "the task is multiclass, whose output kernel is fixed"),
        ({"labels": "all"}, "its task is vectors, labels one against the rest"),
        ({"positive": ["1"]}, "its task is vectors and"),
        ({"recipe": "columns-128-to-rest-then-nothing"}, "no recipe"),
        ({"recipe": "columns-256-to-rest"}, "has 256 features; state up to 255, so that some are"),
        ({"recipe": "columns-9-to-rest-then-columns-9-to-rest"}, "it has 9 features; state up to"),
        ({"recipe": "first-9299-rows-then-columns-128-to-rest"}, "first-9299-rows: .* 9298 rows"),
        ({"recipe": "first-709-a-class"}, "class '8' has 708 rows"),
        ({"recipe": "first-100-a-class-then-first-1001-rows"}, "it has 1000 rows"),
    ],
)
def test_what_does_not_fit_is_refused(change, words):
    loaded = study("dependency-completion").model_dump()
    loaded["datasets"]["usps"] |= change
    with pytest.raises(ConfigError, match=words):
        check_study(Study.model_validate(loaded))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dependency-digits", "label-of: .*; the data are multiclass"),
        ("dependency-strings", "label-of: .*; the data are structured"),
    ],
)
def test_classes_behind_nothing_are_not_predicted(name, words):
    loaded = study(name).model_dump()
    loaded["methods"]["knn"]["settings"] = [{"label-of": ["top-half"]}]
    with pytest.raises(ConfigError, match=words):
        check_study(Study.model_validate(loaded))


@pytest.mark.parametrize(
    ("name", "metric", "words"),
    [
        ("dependency-strings", "rbf-loss", "rbf-loss: .*that of transition-strings is string-loss"),
        ("dependency-completion", "output-loss", "that of usps is rbf-loss"),
        ("dependency-digits", "string-loss", "all have classes or numbers"),
    ],
)
def test_losses_of_other_outputs_are_refused(name, metric, words):
    loaded = study(name).model_dump()
    loaded["metrics"].append(metric)
    with pytest.raises(ConfigError, match=words):
        check_study(Study.model_validate(loaded))


def test_machines_do_not_predict_vectors():
    loaded = study("dependency-completion").model_dump()
    loaded["methods"]["svm-one-vs-rest"]["settings"] = [{}]
    with pytest.raises(ConfigError, match="made for binary, multiclass, the data are vectors"):
        check_study(Study.model_validate(loaded))


def test_errors_become_losses():
    rows = [
        ROW | {"metric": "test-error-percent", "value": 12.5},
        ROW | {"metric": "test-error-percent", "value": None, "status": "failed"},
        ROW | {"metric": "test-auc", "value": 0.9},
    ]
    found = dependency_digits.derive(rows)
    assert [row["value"] for row in found] == [0.125, None]
    assert {row["metric"] for row in found} == {"classification-loss"}
    assert found[1]["status"] == "failed"


def test_pre_images_have_the_name_of_the_paper():
    rows = [
        ROW | {"metric": "classification-loss", "value": 0.25},
        ROW | {"metric": "rbf-loss", "value": 0.9},
        ROW | {"metric": "test-error-percent", "value": 20.0, "setting": "label-of=top-half"},
    ]
    found = {row["setting"]: row["value"] for row in dependency_completion.derive(rows)}
    assert found == {"label-of=top-half": 0.2, "label-of=pre-image": 0.25}


def test_the_picture_shows_the_first_fold(tmp_path):
    rng = np.random.default_rng(4)
    codes = np.arange(150) % 3
    images = np.clip(rng.random((3, 256))[codes] + 0.2 * rng.standard_normal((150, 256)), 0, 1)
    plain = Dataset("usps", images, codes, ["0", "1", "2"], [f"p{i}" for i in range(256)])
    data = normalise_dataset(plain, "signed-then-columns-128-to-rest")
    path = tmp_path / "usps.h5"
    write_dataset(path, data, recipe="r", provenance={})
    loaded = study("dependency-completion").model_dump()
    del loaded["datasets"]["mnist5k-16"]
    [(name, figure)] = dependency_completion.draw_figures(
        Study.model_validate(loaded), pd.DataFrame(), {"usps": path}
    )
    assert name in dependency_completion.FIGURES
    assert isinstance(figure, Figure)
    upper, lower = figure.axes
    shown = upper.images[0].get_array()
    step = 16 + dependency_completion.GAP
    assert shown.shape == (3 * step, dependency_completion.SHOWN * step)
    # the first row are images of the test set as they are, the upper halves are those below too
    first = shown[:16, :16].ravel()
    assert (np.abs(np.hstack([data.X, data.y]) - first).max(axis=1) == 0).any()
    for row in (step, 2 * step):
        assert np.array_equal(shown[row : row + 8], shown[:8])
    ends = [y for part in upper.collections for y in {*np.ravel(part.get_segments())[1::2]}]
    assert ends == [7.5, step + 7.5, 2 * step + 7.5]  # where the given halves end
    words = [axes.get_title(loc="left") for axes in (upper, lower)]
    ahead, behind = (int(re.fullmatch(r"\S+ nearer in (\d+) of 120", text)[1]) for text in words)
    assert 0 < ahead + behind <= 120
    assert not list(
        dependency_completion.draw_figures(Study.model_validate(loaded), pd.DataFrame(), {})
    )
