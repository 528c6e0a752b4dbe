"""Predictions point by point, and the engine's own report, through the engine."""

import csv
import subprocess
import zipfile


def test_predictions_are_kept_and_the_engine_reports(project):
    study = "config/studies/tiny.yaml"
    project.edit(study, "chunk: 2", "chunk: 2\npredictions: 2")
    project.run()
    results = project.folder / "results"
    with open(results / "predictions/tiny/iris-two/svm.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = sum(r["truth"] != r["prediction"] for r in rows if r["repeat"] == "1")
    count = sum(r["repeat"] == "1" for r in rows)
    [scored] = [
        float(row["value"])
        for row in project.rows("svm")
        if row["metric"] == "test-accuracy-percent" and row["repeat"] == "1"
    ]
    assert abs(100 * (1 - wrong / count) - scored) < 1e-6
    assert {row["repeat"] for row in rows} == {"0", "1"}
    figures = results / "report/tiny/figures"
    made = {path.stem for path in figures.glob("*.svg")}
    assert made >= {
        "figure-ROC-curves", "figure-map-of-the-points", "figure-kernel-alignment",
        "figure-run-time-against-score", "figure-test-accuracy-percent",
    }  # fmt: skip
    page = (results / "report/index.html").read_text()
    assert 'href="../scores/tiny/iris-two/svm.csv"' in page

    # the engine's own report: every figure, with its caption and category
    command = project.command("--report", "report.zip")
    subprocess.run(
        command, cwd=project.folder, env=project.environment(), check=True, capture_output=True
    )
    with zipfile.ZipFile(project.folder / "report.zip") as archive:
        names = archive.namelist()
        assert sum(name.endswith(".svg") for name in names) >= len(made)
        [told] = [archive.read(name).decode() for name in names if name.endswith("report.html")]
    for words in (
        "Figures",
        "corrected resampled t-test",
        "best methods",
        "Kernel methods compared",
    ):
        assert words in told, words

    # they are kept by the jobs that fit, so that another number fits again, to the same scores
    before = project.scores("svm")
    project.edit(study, "predictions: 2", "predictions: 1")
    changed = project.rerun()
    assert "results/predictions/tiny/iris-two/svm.csv" in changed
    assert project.scores("svm") == before
    assert not any(name.startswith("results/gram") for name in changed)
