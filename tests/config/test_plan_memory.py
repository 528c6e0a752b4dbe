"""Sizes that cannot fit are refused when a run is planned, with what would fit."""

import re
import shutil
from pathlib import Path

import pytest

from gramworks.cli import main
from gramworks.config import load_config
from gramworks.datasets.recipe_rows import rows_after
from gramworks.datasets.registry import load_entry
from gramworks.errors import ConfigError
from gramworks.methods.registry import GRAM_USES, load_method, method_names
from gramworks.plan import Plan
from gramworks.studies.fewer_rows import fewer_rows

ROOT = Path(__file__).parents[2]
STUDY = """
name: big
title: A study of many points
datasets: {mnist5k: {recipe: unit-rows}}
splits: {kind: labelled, sizes: [10, 40], repeats: 1}
kernels: {K1: gaussian-median, K2: linear-unit}
methods: {uniform: {}}
metrics: [test-accuracy-percent]
"""


@pytest.fixture
def root(tmp_path):
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    (tmp_path / "config" / "studies").mkdir(parents=True)
    return tmp_path


def plan(root, *changes, **values):
    text = STUDY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (root / "config" / "studies" / "big.yaml").write_text(text)
    return Plan(load_config({"studies": ["big"], **values}), root)


def refusal(root, *changes, job_memory_mb=64, **values):
    with pytest.raises(ConfigError) as caught:
        plan(root, *changes, job_memory_mb=job_memory_mb, **values)
    return str(caught.value)


def test_a_size_that_cannot_fit_is_told_with_numbers_and_what_would_fit(root):
    said = refusal(root)
    assert "method uniform on data set mnist5k: the 2 Gram matrices of 5000 points" in said
    assert (
        "0.4 GB are needed, a job may have 0.0671 GB (job_memory_mb: 64)" in said
    )  # 2 * 8 * 5000^2
    assert "recipe: unit-rows-then-first-200-a-class" in said  # 2000 points of 10 classes
    assert "nystroem-ridge with kernel: gaussian-median and rank: 410" in said
    # Each of them does.
    first = re.search(r"recipe: (\S+-a-class)", said)[1]
    assert plan(root, ("recipe: unit-rows", f"recipe: {first}"), job_memory_mb=64)
    assert rows_after(first, load_entry("mnist5k")).most == 2000
    method = re.search(r"(nystroem-ridge) with kernel: (\S+) and rank: (\d+)", said)
    instead = f"{{{method[1]}: {{settings: {{kernel: {method[2]}, rank: {method[3]}}}}}}}"
    assert plan(root, ("{uniform: {}}", instead), job_memory_mb=64)
    assert plan(root, job_memory_mb=400)


def test_the_command_and_the_workflow_say_it_before_anything_runs(root, capsys):
    plan(root)  # 0.4 GB are there
    (root / "config.yaml").write_text("studies: [big]\njob_memory_mb: 64\n")
    assert main(["check", str(root / "config.yaml"), "--root", str(root)]) == 1
    assert "0.4 GB are needed" in capsys.readouterr().err


def test_the_default_limit_is_the_memory_of_this_machine(root, monkeypatch):
    import gramworks.plan_memory as memory

    monkeypatch.setattr(memory, "_physical", lambda: 1e8)
    assert "0.1 GB (the memory of this machine)" in refusal(root, job_memory_mb=None)
    monkeypatch.setattr(memory, "_physical", lambda: 0.0)  # a system that does not tell
    assert plan(root, job_memory_mb=None)


def test_methods_on_rows_are_counted_by_their_labelled_points(root):
    svm = ("{uniform: {}}", "{svm: {settings: {C: 1, kernel: K1}}}")
    assert plan(root, svm, job_memory_mb=64)  # 40 rows: 1.6 MB
    chosen = ("{uniform: {}}", "{svm: {settings: {kernel: K1}, parameters: {C_grid: [1]}}}")
    assert "the 2 Gram matrices of 5000" in refusal(root, chosen)
    both = load_method("svm").widest_gram_use([{"C": 1}, {"C_grid": [1]}], {}, "test")
    assert both == "full"
    many = ("sizes: [10, 40]", "sizes: [10, 4000]")
    said = refusal(root, svm, many)
    assert "4000 rows, those of the labelled points, of 5000 points: 0.16 GB" in said
    for splits in ("k-fold, folds: 5", "random-fraction, test: 0.2"):
        kind = ("kind: labelled, sizes: [10, 40]", f"kind: {splits}")
        assert "4000 rows" in refusal(root, svm, kind)
    # Draws that leave points out read the columns of their own points alone.
    counts = ", ".join(f"'{digit}': 499" for digit in range(9))  # 8 * 4491 * 5000 bytes
    kind = ("kind: labelled, sizes: [10, 40]", f"kind: class-counts, labelled: {{a: {{{counts}}}}}")
    assert plan(root, svm, kind, job_memory_mb=64)


def test_eigenpairs_are_of_one_matrix_at_a_time(root):
    said = refusal(
        root,
        ("{uniform: {}}", "{optimal-target: {settings: {kernel: [K1, K2]}}}"),
        job_memory_mb=300,
    )
    assert "a Gram matrix and its eigenvectors of 5000 points: 0.4 GB" in said
    assert "first-440-a-class" in said


def test_what_landmarks_cannot_stand_for_is_not_offered(root):
    said = refusal(root, ("K1: gaussian-median, K2: linear-unit", "K1: linear-unit"))
    assert "nystroem" not in said
    assert "recipe: unit-rows-then-first-280-a-class, or machines with more memory" in said


@pytest.mark.parametrize(
    ("splits", "told"),
    [
        ("labelled, sizes: [30, 1999]", True),  # 2000 points are left, one for the test
        ("labelled, sizes: [30, 2000]", False),
        ("labelled, sizes: [30, 1000], test: 1001", False),
        ("labelled, sizes: [1999], scheme: balanced", True),
        ("drawn, labelled: 10, test: 1990", True),
        ("drawn, labelled: 10, test: 1991", False),
        ("test-sizes, sizes: [2000]", False),
        ("subsets, pool: 2000, labelled: 10", False),
        ("k-fold, folds: 200", True),
        ("k-fold, folds: 201", False),
        ("k-fold, folds: 201, stratified: false", True),
        ("random-fraction, test: 0.994, stratified: true", True),
        ("random-fraction, test: 0.996, stratified: true", False),
        ("class-counts, labelled: {a: {'0': 10, '1': 199}}", True),
        ("class-counts, labelled: {a: {'0': 10, '1': 200}}", False),
    ],
)
def test_fewer_rows_are_offered_where_the_splits_find_their_points(root, splits, told):
    said = refusal(root, ("kind: labelled, sizes: [10, 40]", f"kind: {splits}"))
    assert ("first-200-a-class" in said) is told
    assert ("recipe" in said) is told


@pytest.mark.parametrize(
    ("dataset", "recipe", "most", "found"),
    [
        ("mnist5k-16", "none", 2800, "first-280-a-class"),
        ("mnist5k-16", "none", 5010, None),  # a class has 500 rows
        ("mnist5k-16", "none", 9, None),  # not one row a class
        ("mnist5k-16", "first-4000-rows", 2800, None),  # who knows of which classes
        ("mnist5k-16", "first-400-a-class", 2800, "first-400-a-class-then-first-280-a-class"),
        ("usps", "training-2000", 2800, None),
        ("boston", "standardise", 100, "standardise-then-first-100-rows"),  # real values
        ("yeast-multilabel", "none", 100, None),  # several labels a point, some could be lost
        ("transition-strings", "none", 120, "first-40-a-class"),
    ],
)
def test_the_recipe_keeps_all_classes(root, dataset, recipe, most, found):
    changes = ("{mnist5k: {recipe: unit-rows}}", "{mnist5k-16: {recipe: none}}")
    study = plan(root, changes, ("{uniform: {}}", "{majority: {}}")).studies["big"]
    splits = study.splits.model_copy(update={"sizes": [10]})
    body = study.datasets["mnist5k-16"].model_copy(update={"recipe": recipe, "splits": splits})
    if dataset == "transition-strings":
        body = body.model_copy(update={"output_kernel": "subsequence-l3-d0.01"})
    own = study.model_copy(update={"datasets": {dataset: body}, "metrics": []})
    assert fewer_rows(own, dataset, most) == found


def test_rows_without_a_target_are_in_the_way(root, monkeypatch):
    entry = load_entry("mnist5k")
    facts = entry.facts.model_copy(update={"rows": 5010, "unlabelled": 10})
    monkeypatch.setattr(
        "gramworks.studies.fewer_rows.load_entry",
        lambda dataset: entry.model_copy(update={"facts": facts}),
    )
    assert fewer_rows(plan(root).studies["big"], "mnist5k", 2000) is None


def test_sizes_beyond_the_rows_of_a_recipe_are_refused(root):
    few = ("recipe: unit-rows", "recipe: first-4-a-class")
    assert "state sizes up to 39" in refusal(root, few, job_memory_mb=None)


def test_the_page_on_scaling_quotes_what_is_said(root, monkeypatch):
    """Of two clouds of 100 000 points, as benchmarks/scaling.py draws them."""
    half = "{size: 50000, mean: [%s, 0], deviations: [1, 1]}"
    (root / "own" / "datasets").mkdir(parents=True)
    (root / "own" / "datasets" / "points-100000.yaml").write_text(f"""
id: points-100000
title: Two clouds
task: binary
sources:
  - kind: generated
    generator: two-gaussians
    parameters: {{clusters: [{half % 0}, {half % 1}]}}
    seed: 1
licence: free
citation: none
columns: [{{name: "x{{}}", count: 2}}]
target: {{classes: [left, right]}}
facts: {{rows: 100000, columns: 2, classes: {{left: 50000, right: 50000}}, checksum: {"0" * 64}}}
""")
    monkeypatch.chdir(root)
    text = (ROOT / "docs" / "scaling.md").read_text("utf-8")
    page = " ".join(re.sub(r"^ *>? *", "", line) for line in text.splitlines())
    changes = (
        ("name: big", "name: large"),
        ("{mnist5k: {recipe: unit-rows}}", "{points-100000: {}}"),
        ("K1: gaussian-median, K2: linear-unit", "K1: gaussian-median"),
    )
    for method in ("cluster-kernel", "optimal-target"):
        study = STUDY.replace("uniform", method)
        for old, new in changes:
            study = study.replace(old, new)
        (root / "config" / "studies" / "large.yaml").write_text(study)
        with pytest.raises(ConfigError) as caught:
            Plan(load_config({"studies": ["large"], "job_memory_mb": 24000}), root)
        said = str(caught.value)
        if method == "cluster-kernel":
            assert said in page
        else:
            found = re.search(r": (\d+ GB) are .* recipe: (\S+),", said)
            assert f"is told {found[1]} and `{found[2]}`" in page


def test_methods_without_gram_matrices_are_not_asked(root):
    assert plan(root, ("{uniform: {}}", "{majority: {}, nystroem-ridge: {}}"), job_memory_mb=64)


@pytest.mark.parametrize("name", method_names())
def test_what_each_method_needs_is_a_known_word(name):
    method = load_method(name)
    assert method.gram_use(method.parameters({}, "test")) in GRAM_USES


@pytest.mark.parametrize(
    ("dataset", "recipe", "rows"),
    [
        ("mnist5k", "none", (5000, True)),
        ("mnist5k", "first-30-rows", (30, True)),
        ("mnist5k", "first-30-a-class-then-standardise", (300, True)),
        ("mnist5k", "first-30-a-class-then-first-70-rows", (70, True)),
        ("mnist5k", "standardise", (5000, True)),
        ("usps", "training-2000", (4007, False)),  # 7291 training rows, 2007 for the test
        ("usps", "training-2000-then-first-50-rows", (50, True)),
    ],
)
def test_rows_after_a_recipe(dataset, recipe, rows):
    assert rows_after(recipe, load_entry(dataset)) == rows


def test_rows_that_no_facts_tell():
    entry = load_entry("mnist5k").model_copy(update={"facts": None})
    assert rows_after("none", entry) is None


def test_which_matrices_are_cut(root):
    found = plan(root, gram_rows_a_job=2000).gram_blocks("big", "mnist5k", "uniform")
    folder = "results/gram/mnist5k/unit-rows"
    assert found[:3] == [
        f"{folder}/gaussian-median/{rows}.h5" for rows in ("0-1499", "1500-2999", "3000-4999")
    ]
    assert len(found) == 6
    assert set(found) < set(plan(root, gram_rows_a_job=2000).targets())
    # As many rows as a job may have, kernels of all points together, rows that may be fewer.
    assert plan(root, gram_rows_a_job=5000).gram_blocks("big", "mnist5k", "uniform") == []
    mapped = ("K2: linear-unit", "K2: linear-mapped")
    cut = plan(root, mapped, gram_rows_a_job=4999).gram_blocks("big", "mnist5k", "uniform")
    assert {name.split("/")[4] for name in cut} == {"gaussian-median"}


def test_no_matrix_of_the_studies_here_is_cut():
    names = [path.stem for path in (ROOT / "config" / "studies").glob("*.yaml")]
    found = Plan(load_config({"studies": names, "sources": "any"}), ROOT)
    assert not any(found.gram_blocks(*pair) for pair in found.pairs)
