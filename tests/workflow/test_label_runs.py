"""Labels one against the rest, and numbers derived by a study's own module, through the engine."""

STUDY = """
name: by-label
title: Labels one by one
datasets: {iris: {labels: [virginica, setosa]}}
splits: {kind: labelled, sizes: [20], repeats: 2}
kernels: {K1: linear}
methods: {single-1: {settings: {criterion: l1, C: 1}}}
metrics: [test-accuracy-percent, test-auc, mean-roc, best-label]
chunk: 1
"""
OWN = """
METRICS = ("best-label",)


def derive(rows):
    first = next(row for row in rows if row["metric"] == "mean-roc")
    return [first | {"metric": "best-label", "value": 1.0}]
"""


def test_labels_and_derived_numbers_reach_the_report(project):
    project.write("config/studies/by-label.yaml", STUDY)
    project.write("config.yaml", "studies: [by-label]\n")
    project.write("src/gramworks/studies/by_label.py", OWN)
    project.run()
    rows = project.rows("single-1", study="by-label", dataset="iris")
    own = "C=1;criterion=l1"
    settings = {row["setting"] for row in rows}
    assert settings == {
        f"{own};n_labelled=20", f"{own};label=setosa;n_labelled=20",
        f"{own};label=virginica;n_labelled=20",
    }  # fmt: skip
    value = {(r["setting"], r["repeat"], r["metric"]): r["value"] for r in rows}
    for repeat in "01":
        parts = [
            float(value[f"{own};label={label};n_labelled=20", repeat, "test-auc"])
            for label in ("setosa", "virginica")
        ]
        mean = float(value[f"{own};n_labelled=20", repeat, "mean-roc"])
        assert abs(mean - sum(parts) / 2) < 1e-9
    report = project.folder / "results/report"
    assert "best-label" in (report / "by-label/comparison.csv").read_text()
    assert "iris, each label against the rest (2 rows)" in (report / "index.html").read_text()
    # The study's own module is part of the tables' fingerprint, and of nothing else.
    project.edit("src/gramworks/studies/by_label.py", '"value": 1.0', '"value": 2.0')
    made = project.rerun()
    assert "results/report/by-label/comparison.csv" in made
    assert not any(name.startswith(("results/scores", "results/gram")) for name in made)
