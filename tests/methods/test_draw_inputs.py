"""What jobs read of Gram files: whole ones once, and no more than rows where these suffice."""

from types import SimpleNamespace

import numpy as np
import pytest

from gramworks import draw_inputs
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits, write_splits
from gramworks.datasets.store import write_dataset
from gramworks.draws import run_draws
from gramworks.gram import write_gram
from gramworks.methods.registry import load_method
from gramworks.stored_grams import GramRows

N = 24


@pytest.fixture
def inputs(tmp_path):
    rng = np.random.default_rng(3)
    y = np.arange(N) % 2
    X = rng.normal(size=(N, 3)) + y[:, None]
    names = [f"p{i}" for i in range(N)]
    data = Dataset("d", X, y, ["a", "b"], ["u", "v", "w"])
    write_dataset(tmp_path / "none.h5", data, recipe="none", provenance={})
    order = np.stack([rng.permutation(N) for _ in range(2)])
    # some points are in no part of a draw
    splits = {"": Splits(order[:, :10], np.zeros((2, 0), dtype=int), order[:, 12:])}
    write_splits(tmp_path / "splits.h5", splits, {})
    paths = {"gaussian-w0.5": np.exp(-2 * ((X[:, None] - X) ** 2).sum(2)), "linear": X @ X.T}
    for kernel, K in paths.items():
        write_gram(tmp_path / f"{kernel}.h5", K, row_ids=names)
    return SimpleNamespace(
        table=tmp_path / "none.h5", splits=tmp_path / "splits.h5",
        grams=[tmp_path / f"{kernel}.h5" for kernel in paths], shared=[],
    )  # fmt: skip


def slice_of(settings, kernel="gaussian-w0.5"):
    return {
        "settings": settings, "parameters": {}, "kernels": [["K1", kernel]], "split_settings": [""],
    }  # fmt: skip


def test_files_are_found_by_their_kernels(inputs):
    made = draw_inputs.DrawInputs(inputs)
    paths = made.paths("svm", slice_of([{"C": 1}]))
    assert [path.rpartition("/")[2] for path in paths] == [
        "none.h5", "splits.h5", "gaussian-w0.5.h5",
    ]  # fmt: skip


def test_a_matrix_is_read_once_for_all_methods(inputs, monkeypatch):
    read = []
    original = draw_inputs.read_gram
    monkeypatch.setattr(
        draw_inputs, "read_gram", lambda path: read.append(str(path)) or original(path)
    )
    made = draw_inputs.DrawInputs(inputs)
    for method in ("svm", "kernel-ridge", "svm"):
        given = made.read(method, slice_of([{"C": 1}] if method == "svm" else [{"ridge": 1}]))
        assert not given["kernels"]["K1"].flags.writeable
    assert len(read) == 1
    made.read("svm", slice_of([{"C": 1}], "linear"))
    made.read("svm", slice_of([{"C": 1}]))  # was let go in between
    assert len(read) == 3


@pytest.mark.parametrize(
    ("method", "settings"), [("svm", [{"C": 1}, {"C": 10}]), ("kernel-ridge", [{"ridge": 0.1}])]
)
def test_rows_give_the_scores_of_the_whole_matrix(inputs, monkeypatch, method, settings):
    found = {}
    for held in (2**30, 0):
        monkeypatch.setattr(draw_inputs, "READ_WHOLE", held)
        given = draw_inputs.DrawInputs(inputs).read(method, slice_of(settings))
        assert isinstance(given["kernels"]["K1"], GramRows) == (held == 0)
        found[held], _ = run_draws(
            load_method(method), study="s", repeats=range(2), log=lambda line: None, **given
        )
    assert found[0] == found[2**30]
    assert {row["status"] for row in found[0]} == {"ok"}


def test_methods_on_eigenpairs_leave_the_matrix_alone(inputs, monkeypatch):
    monkeypatch.setattr(draw_inputs, "read_gram", lambda path: pytest.fail("was read"))
    given = draw_inputs.DrawInputs(inputs).read("kernel-pca", slice_of([{}]))
    assert isinstance(given["kernels"]["K1"], GramRows)
