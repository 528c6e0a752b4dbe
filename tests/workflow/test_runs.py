"""Runs from the beginning: failures, kills, configurations that are wrong."""

import pytest

pytestmark = pytest.mark.workflow

RAISES = '''
"""A method that always raises."""

from gramworks.fields import StrictModel

NAME = "always-raises"
SUMMARY = "Raises"
REFERENCE = "-"
NEEDS = ("grams",)
TASKS = ("binary",)


class Params(StrictModel):
    """None."""


def fit(problem, params):
    raise RuntimeError("no luck with <b>this</b>")
'''

LEARNS = '''
"""A method that shares an eigendecomposition between its draws."""

import numpy as np

from gramworks.fields import StrictModel
from gramworks.problem import Outcome

NAME = "toy-learner"
SUMMARY = "Nearest class mean in the leading eigenvectors"
REFERENCE = "-"
NEEDS = ("grams",)
TASKS = ("binary",)


class Params(StrictModel):
    """Settings."""

    rank: int = 2
    """Number of eigenvectors."""


def learn(kernels, X, settings, parameters, log):
    values, vectors = np.linalg.eigh(kernels["K2"])
    log("decomposed once")
    return {"vectors": vectors[:, ::-1] * np.sqrt(np.abs(values[::-1]))}


def fit(problem, params):
    Z = problem.shared["vectors"][:, : params.rank]
    means = [Z[problem.labelled & (problem.y == c)].mean(axis=0) for c in (0, 1)]
    distance = np.stack([((Z - mean) ** 2).sum(axis=1) for mean in means])
    return Outcome(predictions=distance.argmin(axis=0)[problem.test_rows])
'''


def test_the_finished_run_has_every_stage(finished):
    names = finished.stamps()
    for expected in (
        "data/raw/iris-two/manifest.json",
        "results/datasets/iris-two/none.h5",
        "results/splits/tiny/iris-two.h5",
        "results/gram/iris-two/none/linear.h5",
        "results/draws/tiny/iris-two/pieces/majority.0-1.json",
        "results/scores/tiny/iris-two/svm.csv",
        "results/timings/tiny/iris-two/svm.csv",
        "results/report/index.html",
    ):
        assert expected in names
    assert list(finished.folder.glob("results/benchmarks/fit/tiny/iris-two/*.tsv"))
    header, *rows = finished.scores("svm").splitlines()
    assert header == "study,dataset,method,setting,repeat,metric,value,status,reason"
    assert len(rows) == 9  # three metrics, three repeats
    assert all(row.startswith("tiny,iris-two,svm,C=1;kernel=K1,") for row in rows)


def test_status_counts_rows(finished):
    made = finished.gramworks("status")
    assert made.returncode == 0, made.stderr
    assert "ok" in made.stdout
    assert "index.html" in made.stdout


def test_nothing_is_written_while_the_workflow_is_read(project):
    def listed():
        return {
            str(path.relative_to(project.folder))
            for path in project.folder.rglob("*")
            if ".snakemake" not in path.parts
        }

    before = listed()
    assert "fit" in project.run("--dry-run")
    assert listed() == before


def test_a_method_that_always_raises_is_a_row(project):
    project.write("src/gramworks/methods/always_raises.py", RAISES)
    project.edit("config/studies/tiny.yaml", "  majority: {}", "  majority: {}\n  always-raises:")
    project.run()
    rows = project.scores("always-raises").splitlines()[1:]
    assert len(rows) == 3
    assert all("failed,RuntimeError: no luck with <b>this</b>" in row for row in rows)
    status = project.gramworks("status")
    assert status.returncode == 3
    page = (project.folder / "results/report/index.html").read_text()
    assert "no luck with &lt;b&gt;this&lt;/b&gt;" in page
    assert "no luck with <b>" not in page
    [log] = project.folder.glob("results/logs/fit/tiny/iris-two/*.log")
    assert "Traceback" in log.read_text()


def test_a_new_method_with_shared_arrays_edits_no_existing_file(project):
    project.write("src/gramworks/methods/toy_learner.py", LEARNS)
    project.edit(
        "config/studies/tiny.yaml", "  majority: {}", "  toy-learner: {settings: {rank: [10, 20]}}"
    )
    project.run()
    assert "results/kernels/tiny/iris-two/toy-learner.h5" in project.stamps()
    rows = [row.split(",") for row in project.scores("toy-learner").splitlines()[1:]]
    assert {row[3] for row in rows} == {"rank=10", "rank=20"}
    assert {row[7] for row in rows} == {"ok"}
    assert all(float(row[6]) >= 80 for row in rows if row[5] == "test-accuracy-percent")
    # One decomposition for all parts.
    log = (project.folder / "results/logs/learn/tiny/iris-two/toy-learner.log").read_text()
    assert log.count("decomposed once") == 1


def test_a_gram_that_is_refused_is_rows_with_the_reason(project):
    # A degree at which the polynomial overflows.
    project.edit("config/studies/tiny.yaml", "gaussian-w1-unit", "poly-d400-o1")
    project.edit(
        "config/studies/tiny.yaml", "kernel: K1}}\n  kernel-ridge", "kernel: K2}}\n  kernel-ridge"
    )
    project.run()
    rows = project.rows("svm")
    assert len(rows) == 3
    assert {row["status"] for row in rows} == {"failed"}
    assert all(row["reason"].startswith("gram-refused: poly-d400-o1 on iris-two") for row in rows)
    assert {row["status"] for row in project.rows("kernel-ridge")} == {"ok"}
    assert project.gramworks("status").returncode == 3


def test_an_unreachable_source_is_rows_and_is_tried_again(project, tmp_path):
    project.edit("config/studies/tiny.yaml", "{iris-two: {}}", "{iris-two: {}, heart: {}}")
    project.write("config.yaml", "studies: [tiny]\nsources: any\n")
    offline = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
    project.run(GRAMWORKS_MIRROR=str(tmp_path / "no-mirror"), **offline)
    rows = project.rows("svm", dataset="heart")
    assert len(rows) == 3
    assert {row["status"] for row in rows} == {"skipped"}
    assert all(row["reason"].startswith("source-unreachable: ") for row in rows)
    assert project.gramworks("status").returncode == 0
    manifest = project.folder / "data/raw/heart/manifest.json"
    first = manifest.read_text()
    project.run(GRAMWORKS_MIRROR=str(tmp_path / "no-mirror"), **offline)
    assert manifest.read_text() != first, "the second run did not try again"


@pytest.mark.mirror
def test_a_source_that_is_back_is_used(project, tmp_path, mirror):
    project.edit("config/studies/tiny.yaml", "{iris-two: {}}", "{heart: {recipe: standardise}}")
    project.write("config.yaml", "studies: [tiny]\nsources: any\n")
    offline = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
    project.run(GRAMWORKS_MIRROR=str(tmp_path / "no-mirror"), **offline)
    assert ",ok," not in project.scores("svm", dataset="heart")
    project.run(GRAMWORKS_MIRROR=mirror, **offline)
    assert ",ok," in project.scores("svm", dataset="heart")
    # The mirror is not needed any more, and its absence reruns nothing.
    assert project.rerun(GRAMWORKS_MIRROR=str(tmp_path / "no-mirror"), **offline) == set()


def test_kill_in_mid_run_then_the_documented_resume(project, finished):
    pieces = "results/draws/tiny/iris-two/pieces/*.json"
    project.kill_when(lambda: any(project.folder.glob(pieces)))
    assert not (project.folder / "results/report/index.html").exists()
    project.run("--unlock")
    project.run()
    for method in ("svm", "majority", "kernel-ridge"):
        assert project.scores(method) == finished.scores(method)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("config/studies/tiny.yaml", "majority: {}", "majorty: {}", "did you mean 'majority'"),
        ("config/studies/tiny.yaml", "chunk: 2", "\tchunk: 2", "tabs"),
        ("config.yaml", "studies: [tiny]", "studies: [tiny]\nrepaets: 2", "did you mean 'repeats'"),
        ("config.yaml", "studies: [tiny]", "studies: [tiny]\nstudies: [tiny]", "already in line 1"),
    ],
)
def test_wrong_input_ends_the_engine_at_once_and_without_a_traceback(project, name, old, new, said):
    project.edit(name, old, new)
    output = project.run("--dry-run", check=False)
    assert said in output
    assert "Traceback" not in output


def test_another_configuration_file_replaces_the_default_one(project):
    # The engine merges files key by key; keys of config.yaml must not leak into another run.
    project.write("config.yaml", "studies: [tiny]\nrepeats: 1\nmethods: [majority]\n")
    project.write("config/other.yaml", "studies: [tiny]\n")
    output = project.run("--dry-run", "--configfile", "config/other.yaml")
    assert "Fitting majority.0-1+5." in output
    output = project.run("--dry-run", "--config", "repeats=2")
    assert "Fitting majority.0-1 on iris-two" in output
    assert "svm" not in output
