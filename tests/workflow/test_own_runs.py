"""A run on a user's own table, rows without a target included, and their prediction."""

import csv

import numpy as np
import pytest
from sklearn.svm import SVC

from gramworks.cli import main

pytestmark = pytest.mark.workflow
EVIL = "<script>alert(1)</script>"


def write_table(path, X, y, known):
    rows = [["patient", "a", EVIL, "c", "ill"]]
    for i, (row, label) in enumerate(zip(X, y, strict=True)):
        rows.append([f"P{i:02}", *row, ["no", EVIL][label] if known[i] else ""])
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)


def test_own_rows_are_compared_and_predicted(project, monkeypatch, capsys):
    monkeypatch.chdir(project.folder)
    random = np.random.default_rng(8)
    y = np.arange(90) % 2
    X = np.round(random.normal(size=(90, 3)) + 1.5 * y[:, None], 3)
    known = np.arange(90) < 70
    write_table(project.folder / "clinic.csv", X, y, known)
    assert main(["new", "clinic.csv", "--target", "ill"]) == 0
    project.write("own/clinic.yaml", "studies: [clinic]\nsources: any\nmethods: [svm, majority]\n")
    project.run("--configfile", "own/clinic.yaml")
    with open(project.folder / "results/scores/clinic/clinic/svm.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["status"] for row in rows} == {"ok"}
    page = (project.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert "clinic" in page
    assert EVIL not in page

    assert main(["predict", "clinic"]) == 0
    with open(project.folder / "own/clinic-predictions.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["row"] for row in table] == [f"P{i}" for i in range(70, 90)]
    Z = (X - X.mean(0)) / X.std(0)
    K = Z @ Z.T
    K /= np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    machine = SVC(C=1, kernel="precomputed").fit(K[np.ix_(known, known)], y[known])
    wanted = [["no", EVIL][code] for code in machine.predict(K[np.ix_(~known, known)])]
    assert [row["svm kernel=K1"] for row in table] == wanted
    assert all(row["prediction"] in row.values() for row in table)

    # a run that was limited on the command line
    project.write("own/clinic.yaml", "studies: [clinic]\nsources: any\n")
    capsys.readouterr()
    assert main(["predict", "clinic"]) == 1
    said = capsys.readouterr().err
    assert "methods have run: the run was limited to them" in said
    assert "`gramworks predict clinic --methods majority svm`" in said
    assert main(["predict", "clinic", "--methods", "majority", "svm"]) == 0

    assert main(["predict", "nothing"]) == 1
    assert "Valid: clinic" in capsys.readouterr().err
