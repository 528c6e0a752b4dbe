"""The best that `gramworks predict` takes is the best of the report."""

import csv
import math

import numpy as np
import pytest

from gramworks.datasets.dataset import Dataset
from gramworks.owndata import predicting
from gramworks.owndata.best_of_run import best_of_run
from gramworks.report.answers import answers
from gramworks.report.score_lines import score_lines
from gramworks.report.scores import read_scores
from gramworks.score_files import COLUMNS as SCORE_COLUMNS
from gramworks.score_files import text_rows, write_table
from gramworks.studies.study_file import Study

COLUMNS = ["svm kernel=K1", "svm kernel=K2", "kernel-ridge kernel=K1", "majority"]


@pytest.fixture
def study():
    return Study.model_validate(
        {
            "name": "s",
            "title": "s",
            "datasets": {"d": {"recipe": "none"}},
            "splits": {"kind": "labelled", "sizes": [8, 30], "scheme": "stratified", "repeats": 4},
            "kernels": {"K1": "linear", "K2": "gaussian-median"},
            "methods": {
                "svm": {"settings": {"kernel": ["K1", "K2"]}},
                "kernel-ridge": {"settings": {"kernel": ["K1"]}},
                "majority": {},
            },
            "metrics": ["test-auc", "test-accuracy-percent"],
        }
    )


def rows(method, setting, values, *, size=30, metric="test-auc", bad="failed"):
    """A row a draw; None is a draw that failed."""
    word = f"{setting};n_labelled={size}".strip(";")
    return [
        {
            "study": "s", "dataset": "d", "method": method, "setting": word, "repeat": repeat,
            "metric": metric, "value": "" if value is None else value,
            "status": bad if value is None else "ok", "reason": "no" if value is None else "",
        }
        for repeat, value in enumerate(values)
    ]  # fmt: skip


def best(study, found, columns=COLUMNS):
    write_table("scores.csv", SCORE_COLUMNS, text_rows(found))
    made = best_of_run(study, "d", ["scores.csv", "not-there.csv"], columns)
    lines = score_lines(study, read_scores(["scores.csv"]))
    if columns is COLUMNS:
        row = answers(lines, {}).query(f"size == '{made.size}'").iloc[0]
        assert f"{row['method']} {row['setting']}".strip() == made.column
        assert (row["mean"], row["metric"]) == (made.score, made.metric)
    return made


def test_a_method_that_lost_draws_is_not_the_best(study, folder):
    found = rows("svm", "kernel=K1", [0.8] * 4) + rows("majority", "", [0.5] * 4)
    found += rows("svm", "kernel=K2", [0.99, None, None, None])
    assert best(study, found).column == "svm kernel=K1"


def test_the_metric_and_the_size_are_those_of_the_report(study, folder):
    found = rows("svm", "kernel=K1", [0.8] * 4) + rows("majority", "", [0.9] * 4)
    found += rows("svm", "kernel=K1", [0.99] * 4, size=8)
    found += rows("svm", "kernel=K1", [99.0] * 4, metric="test-accuracy-percent")
    found += rows("majority", "", [50.0] * 4, metric="test-accuracy-percent")
    made = best(study, found)
    assert (made.column, made.metric, made.size) == ("majority", "test-auc", "n_labelled=30")
    assert best(study, found, COLUMNS[:2]).column == "svm kernel=K1"


def test_draws_that_did_not_converge_count_as_in_the_report(study, folder):
    found = rows("svm", "kernel=K1", [0.8] * 4)
    found += [row | {"status": "not-converged", "reason": "slow"} for row in found]
    found = [
        row | {"setting": row["setting"].replace("K1", "K2"), "value": 0.9}
        if row["status"] != "ok"
        else row
        for row in found
    ]
    assert best(study, found).column == "svm kernel=K2"


def test_without_scores(study, folder):
    made = best_of_run(study, "d", [], COLUMNS)
    assert made.column == COLUMNS[0]
    assert math.isnan(made.score)


def test_a_method_counts_once_in_the_agreement(folder):
    names = [f"svm kernel=K{i}" for i in range(1, 9)] + ["majority", "kernel-ridge"]
    known = np.zeros(3, dtype=bool)
    data = Dataset(
        "d", np.ones((3, 1)), np.zeros(3, dtype=int), ["a", "b"], ["x"], unlabelled=~known
    )
    said = [np.array([0, 0, 1])] * 8 + [np.array([1, 0, 1]), np.array([1, 0, 0])]
    predicting._write(folder / "p.csv", data, dict(zip(names, said, strict=True)), names[0])
    with open(folder / "p.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["agreement"] for row in found] == ["0.333", "1", "0.667"]


def test_a_method_counts_once_in_the_spread(folder):
    data = Dataset("d", np.ones((1, 1)), np.zeros(1), [], ["x"], unlabelled=np.ones(1, dtype=bool))
    said = {"svr kernel=K1": [1.0], "svr kernel=K2": [1.0], "majority": [3.0]}
    predicting._write(folder / "p.csv", data, {k: np.array(v) for k, v in said.items()}, "majority")
    assert (folder / "p.csv").read_text().splitlines()[1].split(",")[1:3] == ["3", "1"]


def test_controls_do_not_count_in_agreement_and_spread(study, folder):
    names = ["svm kernel=K1", "kernel-ridge", "majority", "oracle"]
    study.methods["oracle"] = study.methods["majority"]
    found = predicting.control_columns(study, names)
    assert found == {"majority", "oracle"}
    unlabelled = np.ones(2, dtype=bool)
    data = Dataset(
        "d", np.ones((2, 1)), np.zeros(2, dtype=int), ["a", "b"], ["x"], unlabelled=unlabelled
    )
    said = [np.array(v) for v in ([0, 0], [0, 1], [1, 1], [1, 1])]
    columns = dict(zip(names, said, strict=True))
    predicting._write(folder / "p.csv", data, columns, names[0], found)
    lines = (folder / "p.csv").read_text().splitlines()[1:]
    assert [line.split(",")[2] for line in lines] == ["1", "0.5"]
    numbers = Dataset("d", np.ones((1, 1)), np.zeros(1), [], ["x"], unlabelled=unlabelled[:1])
    columns = {name: np.array([v]) for name, v in zip(names, [1.0, 3.0, 9.0, 9.0], strict=True)}
    predicting._write(folder / "p.csv", numbers, columns, names[0], found)
    assert (folder / "p.csv").read_text().splitlines()[1].split(",")[1:3] == ["1", "1"]
    predicting._write(folder / "p.csv", numbers, {"majority": np.ones(1)}, "majority", found)
    assert (folder / "p.csv").read_text().splitlines()[1].split(",")[1:3] == ["1", "0"]
