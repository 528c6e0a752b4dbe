"""Parts of the page: the grid of verdicts, the budget of figures, the files that are looked at."""

import re

import numpy as np
import pandas as pd
import pytest

from gramworks.absent import Absent, write_absent
from gramworks.datasets.splits import Splits, write_splits
from gramworks.errors import FileDamaged
from gramworks.merging import write_predictions
from gramworks.report import build
from gramworks.report.build import build_page, tabulate_study
from gramworks.report.looks import read_looks
from gramworks.report.page import embed
from gramworks.report.published import read_published
from gramworks.report.raw_files import RawFiles
from gramworks.report.results import read_results
from gramworks.report.study_figures import figure_stem
from gramworks.report.study_section import study_section
from gramworks.report.verdict_grid import count_verdicts


def test_derived_rows_are_no_draws(tmp_path, make_study, write_scores, draws, monkeypatch):
    def with_best(study, scores):
        return pd.concat([scores, scores.assign(setting="of=best")], ignore_index=True)

    monkeypatch.setattr(build, "with_derived", with_best)
    rows = draws("iris", "svm", [4.0, 5.0]) + [
        {"dataset": "iris", "method": "svm", "repeat": 2, "status": "failed", "reason": "why"}
    ]
    study = make_study(datasets={"iris": {}}, methods={"svm": {}}, metrics=["test-error-percent"])
    tabulate_study(study, [write_scores(rows)], {}, tmp_path, {})
    found = pd.read_csv(tmp_path / "small" / "status.csv")
    assert dict(zip(found["status"], found["draws"], strict=True)) == {"ok": 2, "failed": 1}
    assert len(pd.read_csv(tmp_path / "small" / "problems.csv")) == 1
    shown = pd.read_csv(tmp_path / "small" / "comparison.csv")
    assert {"of=best"} < set(shown["setting"].fillna(""))


def test_every_published_cell_is_a_square(tmp_path, make_study, write_scores, draws):
    study = make_study(
        name="margin-tables", paper="kernel-matrix-sdp", datasets={"heart": {}},
        methods={"single-1": {}}, metrics=["test-accuracy-percent"],
    )  # fmt: skip
    rows = draws(
        "heart", "single-1", [84.0, 83.0, 82.0], metric="test-accuracy-percent",
        setting="C=1;criterion=l1", study="margin-tables",
    )  # fmt: skip
    tabulate_study(study, [write_scores(rows)], {}, tmp_path, {})
    found = read_results(study, tmp_path / "margin-tables")
    section = study_section(found, RawFiles(tmp_path))
    published = found.comparison["published"].notna().sum()
    counts = count_verdicts(section["grid"])
    assert sum(counts.values()) == published > 300
    shown = [s for line in section["grid"] for s in line["squares"] if s["verdict"] != "not-run"]
    [square] = shown
    [table] = section["tables"]
    assert square["anchor"] == table["rows"][0]["id"]
    assert square["title"].startswith("heart single-1 C=1;criterion=l1, test-accuracy-percent: ")
    assert "measured 83.0, published" in square["title"]
    idle = [s for line in section["grid"] for s in line["squares"] if s["verdict"] == "not-run"]
    # cells of rows that are not shown lead to the reasons
    assert {s["anchor"] for s in idle} <= {"idle-margin-tables", square["anchor"]}
    assert all("(the " in s["title"] for s in idle)


def test_a_run_of_some_data_sets_counts_each_published_cell_once(
    tmp_path, make_study, write_scores, draws
):
    name = "invariance-table"
    study = make_study(
        name=name, paper="invariance-rkhs", metrics=["test-error-percent"],
        datasets={
            "heart": {}, "sonar": {}, "heart-cleveland": {"published_as": "heart"}, "wisconsin": {},
        },
        methods={"svm": {}},
        splits={"kind": "labelled", "sizes": [30, 60, 90], "scheme": "free", "repeats": 2},
    )  # fmt: skip
    rows = draws("sonar", "svm", [30.0, 31.0], setting="n_labelled=30", study=name)
    absent = dict.fromkeys(["heart", "heart-cleveland", "wisconsin"], ("dataset-not-in-run", ""))
    tabulate_study(study, [write_scores(rows)], absent, tmp_path, {})
    page = build_page([study], tmp_path, benchmarks=tmp_path, provenance={}, datasets=[])
    printed = read_published()
    printed = printed[printed["study"] == name]
    section = study_section(read_results(study, tmp_path / name), RawFiles(tmp_path))
    counts = count_verdicts(section["grid"])
    assert sum(counts.values()) == len(printed)
    assert counts["not-run"] == section["counts"]["not-run"] == len(printed) - 1
    # what has no published cell is not among those
    text = page.read_text(encoding="utf-8")
    folded = re.findall(r"<details[^>]*><summary>(.*?)</summary>(.*?)</details>", text, re.S)
    [missing] = [body for head, body in folded if head.startswith("Data sets of the study that")]
    assert all(f"<strong>{dataset}</strong>" in missing for dataset in absent)
    [idle] = [body for head, body in folded if head.startswith("Published cells without")]
    assert "heart" in idle
    assert "wisconsin" not in idle


def test_the_largest_folded_figures_leave_the_page_first():
    def figure(size, first):
        return {"source": "x" * size, "first": first}

    studies = [{"figures": [figure(50, False), figure(60, False), figure(80, True)]}]
    embed(studies, most=150)
    assert [len(f["source"]) for f in studies[0]["figures"]] == [50, 0, 80]
    embed(studies, most=100)
    assert [len(f["source"]) for f in studies[0]["figures"]] == [0, 0, 80]
    embed(studies, most=10)
    assert [len(f["source"]) for f in studies[0]["figures"]] == [0, 0, 0]


def test_figures_have_plain_file_names():
    assert figure_stem("figure 1") == "figure-1"
    assert figure_stem("test-error-percent by label") == "figure-test-error-percent-by-label"
    assert figure_stem("../x y") == "figure-.._x-y"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Write the files of a run whose study is called as a folder of the results is."""
    monkeypatch.chdir(tmp_path)
    whole = Splits(np.array([[0, 1], [2, -1]]), np.zeros((2, 0), int), np.array([[3, 4], [3, 4]]))
    write_splits("results/splits/maps/iris.h5", {"n_labelled=2": whole}, {})
    write_absent("results/splits/maps/gone.h5", Absent("failed", "x", "y"))
    for kind in ("alignments", "maps"):
        (tmp_path / "results" / kind / "maps").mkdir(parents=True)
    pairs = "kernel,other,alignment\nlinear,gaussian-w1,0.25\n"
    (tmp_path / "results/alignments/maps/iris.csv").write_text(pairs)
    points = "point,label,target,first,second\n3,'=1+1,,0.5,-1e-3\n"
    (tmp_path / "results/maps/maps/iris.csv").write_text(points)
    path = tmp_path / "results/predictions/maps/iris/svm.csv"
    path.parent.mkdir(parents=True)
    write_predictions(path, [("n_labelled=2", 0, 3, "=1+1", "b", "0.5", "=1+1")])
    return [
        "results/alignments/maps/iris.csv", "results/maps/maps/iris.csv",
        "results/predictions/maps/iris/svm.csv",
    ]  # fmt: skip


def test_looks_are_read_by_kind_and_data_set(run, write_scores, tmp_path):
    times = write_scores([{"dataset": "iris", "method": "svm", "metric": "seconds", "value": "2"}])
    splits = ["results/splits/maps/iris.h5", "results/splits/maps/gone.h5"]
    looks = read_looks(splits, [times], run)
    assert looks.sizes == {"iris": {"n_labelled=2": (1.5, 2.0)}}
    assert looks.timings["value"].tolist() == [2.0]
    assert looks.alignments["iris"]["alignment"].tolist() == [0.25]
    assert looks.maps["iris"]["label"].tolist() == ["=1+1"]
    assert looks.predictions["iris"]["truth"].tolist() == ["=1+1"]
    assert looks.predictions["iris"]["positive"].tolist() == ["=1+1"]
    points = tmp_path / run[1]
    points.write_text(points.read_text().replace(",,", ",much,"))
    with pytest.raises(FileDamaged, match="target that is no number"):
        read_looks(splits, [times], run)
    (tmp_path / run[0]).write_text("kernel,other,alignment\nlinear")
    with pytest.raises(FileDamaged, match=r"iris.csv.*snakemake"):
        read_looks(splits, [times], run)
    assert isinstance(looks.maps["iris"], pd.DataFrame)
