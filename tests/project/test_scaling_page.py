"""The program behind docs/scaling.md runs, and the page has every method and kept number."""

import importlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from gramworks.methods.registry import load_method, method_names

ROOT = Path(__file__).parents[2]
AGAIN = "run: python benchmarks/scaling.py --methods NAME --write"


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("scaling")


def kept_numbers():
    return json.loads((ROOT / "docs" / "benchmarks" / "scaling.json").read_text("utf-8"))


def rows_of(text, name):
    table = text.split(f"<!-- {name}: ")[1].split(f"<!-- end {name} -->")[0]
    return re.findall(r"^\| `([^`]+)`", table, re.M)


def test_every_method_is_in_the_tables():
    text = (ROOT / "docs" / "scaling.md").read_text("utf-8")
    for table in ("methods", "large"):
        assert rows_of(text, table) == method_names(), AGAIN


def test_tables_are_those_of_the_kept_numbers(program):
    page = importlib.import_module("scaling_page")
    text = (ROOT / "docs" / "scaling.md").read_text("utf-8")
    assert page.filled(text, kept_numbers()) == text, "run: python benchmarks/scaling.py --page"


def test_figures_that_the_page_shows_exist():
    text = (ROOT / "docs" / "scaling.md").read_text("utf-8")
    for path in re.findall(r"\]\((benchmarks/[^)]+)\)", text):
        assert (ROOT / "docs" / path).stat().st_size > 0


def test_what_methods_use_is_that_of_the_registry():
    for name, found in kept_numbers()["methods"].items():
        method = load_method(name)
        use = method.gram_use(method.module.Params()) if "grams" in method.needs else "none"
        assert found["grams"] == use, f"{name}: {AGAIN}"


def test_methods_grow_as_they_say(program):
    fit_law = importlib.import_module("scaling_fits").fit_law
    for name, found in kept_numbers()["methods"].items():
        for stage in ("fit", "learn"):
            if found.get(stage):
                stated = load_method(name).growth(stage)
                measured = fit_law(found[stage]).exponent
                assert abs(measured - stated) < 0.5, f"{name}: GROWTH {stage}: {measured:.2f}"


def test_the_program_runs_at_tiny_sizes(program, tmp_path):
    (tmp_path / "benchmarks").mkdir()
    names = ["uniform", "svm", "kernel-pca", "majority", "nystroem-ridge", "virtual-sample-svm"]
    tiny = ["--sizes", "30", "60", "--larger", "90", "--counts", "1", "2", "--at", "30", "30",
            "30", "60", "--runs", "1", "--docs", str(tmp_path), "--write"]  # fmt: skip
    program.main(["--methods", *names, *tiny])
    kept = json.loads((tmp_path / "benchmarks" / "scaling.json").read_text())
    assert sorted(kept["methods"]) == sorted(names)
    found = kept["methods"]
    assert [n for n, _ in found["svm"]["fit"]] == [30, 60]
    assert [n for n, _ in found["nystroem-ridge"]["learn"]] == [30, 60, 90]
    assert [m for m, _ in found["uniform"]["kernels"]] == [1, 2]
    assert "kernels" not in found["svm"]
    assert all(cost > 0 for one in found.values() for _, cost in one["fit"] + one["draws"])
    assert {path.stem for path in tmp_path.glob("benchmarks/*.png")} == {
        "scaling-draw", "scaling-learn", "scaling-kernels", "scaling-draws",
    }  # fmt: skip
    program.main(["--methods", "svm", *tiny])  # the others stay
    again = json.loads((tmp_path / "benchmarks" / "scaling.json").read_text())
    assert again["methods"]["uniform"] == found["uniform"]
    assert again["methods"]["svm"] != found["svm"]


def test_draws_are_never_made_twice(program, monkeypatch):
    """Two measurements of one method share no draw, whose results methods may keep."""
    seen = []
    method = load_method("majority")
    monkeypatch.setattr(method.module, "fit", lambda problem, params: seen.append(problem) or 1 / 0)
    for _ in range(2):
        draws = program.Draws(method, program.inputs_of(method, 40), 3)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            draws.run(3)
    assert len({tuple(problem.labelled) for problem in seen}) == 6
    assert len({tuple(np.atleast_1d(problem.study)) for problem in seen}) == 2


def test_power_laws(program):
    fits = importlib.import_module("scaling_fits")
    points = [[n, 1.0 if n < 100 else 3e-6 * n**2] for n in (10, 20, 100, 200, 400)]
    law = fits.fit_law(points)  # of the larger half
    assert law.exponent == pytest.approx(2)
    assert law.at(1000) == pytest.approx(3)
    assert law.reaches(300) == pytest.approx(10_000)
    assert abs(law.low) + abs(law.high) < 1e-9
    bent = fits.fit_law([[100, 1.0], [200, 8.0], [400, 16.0]])
    x = np.log([100.0, 200.0, 400.0])
    slope, level = np.linalg.lstsq(
        np.stack([x, np.ones(3)], axis=1), np.log([1.0, 8, 16]), rcond=None
    )[0]
    assert bent.exponent == pytest.approx(slope)
    assert bent.high == pytest.approx(8 / math.exp(level + slope * x[1]) - 1)
    assert fits.fit_law([[100, 1.0]]) is None


def test_what_breaks_first(program):
    fits = importlib.import_module("scaling_fits")
    gram = fits.Law(2.0, 1e-8, 0.0, 0.0)
    looked = [{"n": n, "run": 16 * n**2, "learned": 0} for n in (500, 1000)]
    method = {"grams": "full", "matrices": 3, "memory": looked, "fit": [[500, 0.1], [1000, 0.2]]}
    assert fits.job_memory(method, "fit", 2000) == pytest.approx(40 * 2000**2)
    n, stage, what = fits.breaks(method, gram)[0]
    assert (stage, what) == ("fit", "memory")
    assert n == pytest.approx(math.sqrt(24e9 / 40), rel=1e-6)
    slow = method | {"fit": [[500, 10.0], [1000, 100.0]]}
    n, stage, what = fits.breaks(slow, gram)[0]
    assert (stage, what) == ("fit", "time")
    assert n == pytest.approx(1000 * 36 ** (1 / math.log2(10)))
