"""Jobs ask for what their methods hold: matrices, rows of labelled points, features, or nothing."""

import importlib
import json
import shutil
from math import ceil
from pathlib import Path

import pytest

from gramworks import job_resources
from gramworks.config import load_config
from gramworks.datasets.splits import ClassCounts, Given, HeldOut, OwnDraws, Subsets
from gramworks.job_resources import ENGINE_MB, Size
from gramworks.methods.registry import load_method, method_names
from gramworks.plan import Plan
from gramworks.plan_memory import labelled_points
from gramworks.plan_resources import PlanResources

ROOT = Path(__file__).parents[2]
MATRIX_MB = 8 * 100_000**2 / 2**20
ENTRY = """
id: points
title: Two clouds
task: binary
sources:
  - kind: generated
    generator: two-gaussians
    parameters:
      clusters:
        - {size: HALF, mean: [0, 0], deviations: [1, 1]}
        - {size: HALF, mean: [1, 0], deviations: [1, 1]}
    seed: 1
licence: free
citation: none
columns: [{name: "x{}", count: 2}]
target: {classes: [left, right]}
facts: {rows: ALL, columns: 2, classes: {left: HALF, right: HALF}, checksum: CHECKSUM}
"""
STUDY = """
name: large
title: Many points
datasets: {points: {}}
splits: {kind: labelled, sizes: [1000, 2000], repeats: 5}
kernels: {K1: gaussian-median, K2: linear}
methods: METHODS
metrics: [test-accuracy-percent]
"""


@pytest.fixture
def needs(tmp_path, monkeypatch):
    """Give the requests for some methods on a number of points."""
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    for folder in ("config/studies", "own/datasets"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    def make(methods, n=100_000):
        entry = ENTRY.replace("HALF", str(n // 2)).replace("ALL", str(n))
        (tmp_path / "own" / "datasets" / "points.yaml").write_text(
            entry.replace("CHECKSUM", "0" * 64)
        )
        study = STUDY.replace("METHODS", methods)
        (tmp_path / "config" / "studies" / "large.yaml").write_text(study)
        config = load_config({"studies": ["large"], "job_memory_mb": 10**9, "minutes_a_job": 10**6})
        return PlanResources(Plan(config, tmp_path))

    return make


def fits(needs):
    """Give what each part of the draws asks for, by its methods."""
    parts = needs.plan.parts("large", "points")
    return {
        "+".join(dict.fromkeys(piece.method for piece in content)): needs.fit(
            "large", "points", part, 1
        )
        for part, content in parts.items()
    }


def megabytes(numbers):
    """Give memory as a request states it, with what the interpreter and ten draws take."""
    features, draws = 2 * 8 * 2 * 100_000, 8 * 10 * 100_000
    return 100 * ceil((450 + ENGINE_MB + (8 * numbers + features + draws) / 2**20) / 100)


def test_features_of_landmarks(needs):
    rank = 500
    both = "{settings: [{rank: 500, ridge: [1, 2]}]}"
    ask = needs(f"{{nystroem-ridge: {both}}}")
    learn = ask.learn("large", "points", "nystroem-ridge", 1)
    assert 570 < learn.mem_mb < 3 * 570 + 850  # measured, see docs/scaling.md
    assert learn.mem_mb == 2100  # as docs/slurm.md says
    assert learn.minutes == 24
    fit = fits(ask)["nystroem-ridge"]
    assert fit.mem_mb == megabytes(3 * rank * (100_000 + rank))
    again = ask.fit("large", "points", *ask.plan.parts("large", "points"), 2)
    assert 2 * fit.mem_mb - 100 <= again.mem_mb <= 2 * fit.mem_mb
    # Each rank has its own features, and there are no more landmarks than points.
    two = needs("{nystroem-ridge: {settings: {rank: [500, 1000]}}}")
    assert fits(two)["nystroem-ridge"].mem_mb == megabytes(3 * (500 * 100_500 + 1000 * 101_000))
    few = needs("{nystroem-ridge: {settings: {rank: 5000}}}", 4000)
    assert few.method_size("large", "points", "nystroem-ridge").held == 2 * 4000**2


def test_rows_of_the_labelled_points(needs):
    fit = fits(needs("{svm: {settings: {kernel: [K1, K2]}}}"))["svm"]
    assert fit.mem_mb == megabytes(4 * 2000 * 100_000)  # 2000 rows of two kernels, and two copies
    # As docs/slurm.md says, of 1000 labelled points and one kernel.
    assert job_resources.fit(Size(100_000, 10, 1, held=1000 * 1e5, draws=10)).mem_mb == 3200
    whole = fits(needs("{svm: {settings: {kernel: K1}, parameters: {C_grid: [1]}}}"))["svm"]
    assert whole.mem_mb > 8 * MATRIX_MB
    # Small matrices are read whole: rows of them would take more reading.
    small = needs("{svm: {settings: {kernel: K1}}}", 5000).method_size("large", "points", "svm")
    assert small.held is None
    assert small.grams == 2


def test_nothing_is_held_by_methods_that_see_labels_alone(needs):
    fit = fits(needs("{majority: {}, oracle: {}}"))["majority+oracle"]
    assert fit.mem_mb == megabytes(0)


def test_eigenvectors_that_were_kept(needs):
    name = "transductive-linear-discrimination"
    one = needs(f"{{{name}: {{settings: {{kernel: K2}}}}}}")
    assert one.method_size("large", "points", name).grams == 1
    assert one.method_size("large", "points", name, "learn").grams == 2  # files
    both = needs(f"{{{name}: {{settings: {{kernel: [K1, K2]}}}}}}")
    assert both.method_size("large", "points", name).grams == 2
    assert fits(both)[name].mem_mb == megabytes((2 + 6) * 100_000**2)


def test_the_largest_of_a_part(needs):
    knn = "knn: {settings: {kernel: K1}}"
    part = fits(needs(f"{{majority: {{}}, svm: {{settings: {{kernel: K1}}}}, {knn}}}"))
    alone = fits(needs(f"{{{knn}}}"))
    assert part["majority+svm+knn"].mem_mb == alone["knn"].mem_mb
    assert alone["knn"].mem_mb == megabytes((2 + 6) * 100_000**2)


def test_kernels_that_methods_make_themselves(needs):
    mixtures = "{mixture-kernel: {settings: {components: [2, 3], C: [1, 10]}}}"
    ask = needs(mixtures)
    assert ask.method_size("large", "points", "mixture-kernel").held == 2 * 100_000**2
    assert ask.learn("large", "points", "mixture-kernel", 1).mem_mb > 6 * MATRIX_MB
    moves = "{virtual-sample-svm: {parameters: {moves: [rotate, scale], shape: [1, 2]}}}"
    size = needs(moves).method_size("large", "points", "virtual-sample-svm")
    assert size.held == 5 * 2000 * (5 * 2000 + 100_000)  # each image and four copies
    unknown = needs("{invariance: {}}").method_size("large", "points", "invariance")
    assert unknown.held is None


@pytest.mark.parametrize("name", method_names())
def test_requests_are_above_what_was_measured_and_near_where_no_matrix_is_held(name, monkeypatch):
    """With default settings and a fifth of the points labelled, as in docs/scaling.md."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    job_memory = importlib.import_module("scaling_fits").job_memory
    kept = json.loads((ROOT / "docs" / "benchmarks" / "scaling.json").read_text("utf-8"))
    method, measured = load_method(name), kept["methods"][name]
    params, use = method.parameters({}, "test"), measured["grams"]
    for n in (6000, 20_000, 100_000, 1_000_000):
        held = None
        if use == "rows":
            held = 0.2 * n * n
        elif not method.needs:
            held = 0
        elif hasattr(method.module, "HOLDS"):
            held = method.module.HOLDS([params], n, n // 5)
        matrices = held is None
        if matrices and n > 20_000:  # beyond what a job may have
            continue
        functionals = 10 * n if name == "invariance" else 0
        size = Size(n, 10, measured["matrices"], functionals, held, method.growth("learn"))
        for stage in ("learn", "fit"):
            if stage == "learn" and (not method.learns or functionals):
                continue  # of functionals the page has the request itself
            asked = getattr(job_resources, stage)(size).mem_mb - ENGINE_MB - 200
            needed = job_memory(measured, stage, n) / 2**20
            assert asked >= needed, (stage, n)
            if not matrices:
                assert asked <= 3 * needed + 600, (stage, n)


def test_the_time_of_learning_follows_the_growth():
    for n in (100, 1000, 3000, 30_000):
        cubic = job_resources.learn(Size(n, 10, 1)).minutes
        assert cubic == ceil(20 + n**3 / 5e10)
        slower = job_resources.learn(Size(n, 10, 1, growth=2.5)).minutes
        assert slower >= cubic if n <= 3000 else slower < cubic
    # Whoever reads a matrix takes its square, whatever the power at a few thousand points.
    low, square = (job_resources.learn(Size(30_000, 10, 1, growth=g)).minutes for g in (1, 2))
    assert low == square == 20 + 54
    free = job_resources.learn(Size(30_000, 10, 0, held=0, growth=1))
    assert free.minutes == ceil(20 + 5.4)


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        (Given(labelled=30), 30),
        (Given(), None),
        (HeldOut(sizes=[10], repeats=1), None),
        (OwnDraws(repeats=1), None),
        (Subsets(pool=100, labelled=40, repeats=2), 40),
        (ClassCounts(labelled={"a": {"1": 5, "2": 6}, "b": {"1": 1, "3": 2}}, repeats=1), 11),
        (ClassCounts(labelled={"a": {"1": 500, "2": 600}}, repeats=1), 1000),
    ],
)
def test_labelled_points_of_the_largest_draw(spec, count):
    assert labelled_points(spec, 1000) == count
