"""Studies with strings and vectors as outputs, through the engine."""

STRINGS = """
name: tiny-strings
title: Strings to strings
datasets:
  transition-strings: {output_kernel: spectrum-l2}
  iris-two: {recipe: columns-2-to-rest, output_kernel: gaussian-w1, kernels: [linear]}
splits: {kind: k-fold, folds: 2, repeats: 1, stratified: false}
kernels: [subsequence-l3-d0.01]
methods:
  oracle:
  majority:
  knn: {parameters: {neighbours: 3}, datasets: [transition-strings]}
  kernel-dependency:
    settings: [{}]
    parameters: {sigma_grid: [1], ridges: [0.1, 1]}
    datasets: [transition-strings]
  svm-one-vs-rest:
    settings: {label-of: top-half}
    parameters: {sigma_grid: [1], ridges: [0.1, 1]}
    datasets: [iris-two]
metrics: [string-loss, classification-loss, test-error-percent]
"""


def losses(project, method, metric="string-loss", setting="", dataset="transition-strings"):
    return [
        float(row["value"])
        for row in project.rows(method, study="tiny-strings", dataset=dataset)
        if row["metric"] == metric and row["setting"] == setting
    ]


def test_strings_reach_the_report_and_rerun_with_their_kernel(project):
    project.write("config/studies/tiny-strings.yaml", STRINGS)
    project.write("config.yaml", "studies: [tiny-strings]\n")
    project.run()
    assert losses(project, "oracle") == [0, 0]
    assert losses(project, "oracle", "classification-loss") == []  # values have no class
    for method in ("knn", "kernel-dependency"):
        assert sum(losses(project, method)) < sum(losses(project, "majority"))
        assert max(losses(project, method, "classification-loss")) < 0.5
    errors = losses(
        project, "svm-one-vs-rest", "test-error-percent", "label-of=top-half", "iris-two"
    )
    assert max(errors) < 50
    table = (project.folder / "results/report/tiny-strings").glob("table-*.csv")
    assert any("string-loss" in path.read_text() for path in table)
    # the kernel between outputs is part of what fits depend on, and of no Gram matrix
    project.edit("src/gramworks/kernels/spectrum_kernel.py", "width < length", "length > width")
    made = project.rerun()
    assert any(name.endswith("transition-strings/pieces/knn.0-1.json") for name in made)
    assert not any(name.startswith("results/gram") for name in made)


def test_an_output_kernel_that_does_not_fit_is_refused(project):
    project.write(
        "config/studies/tiny-strings.yaml", STRINGS.replace("spectrum-l2", "gaussian-median")
    )
    project.write("config.yaml", "studies: [tiny-strings]\n")
    told = project.gramworks("check", "config.yaml")
    assert told.returncode != 0
    assert "output_kernel: outputs are strings; state a kernel that compares them" in told.stderr
