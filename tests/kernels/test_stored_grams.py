import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gramworks.stored_grams as stored
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.store import write_dataset
from gramworks.errors import FileDamaged
from gramworks.gram import write_gram
from gramworks.kernels import gaussian, linear
from gramworks.shared import read_shared
from gramworks.stored_grams import GramRows, StoredGrams

POINTS = np.random.default_rng(0).standard_normal((40, 3))
KERNELS = {"K1": gaussian(POINTS, width=1), "K2": linear(POINTS)}


@pytest.fixture
def paths(tmp_path):
    for name, K in KERNELS.items():
        write_gram(tmp_path / f"{name}.h5", K)
    return {name: tmp_path / f"{name}.h5" for name in KERNELS}


def test_matrices_are_read_when_they_are_asked_for(paths, monkeypatch):
    read = []
    whole = stored.read_gram
    monkeypatch.setattr(stored, "read_gram", lambda path: read.append(path) or whole(path))
    grams = StoredGrams(paths)
    assert list(grams) == ["K1", "K2"]
    assert len(grams) == 2
    assert "K2" in grams
    assert "K3" not in grams
    assert read == []
    assert np.array_equal(grams["K2"], KERNELS["K2"])
    assert grams["K2"] is grams["K2"]
    assert read == [paths["K2"]]
    with pytest.raises(ValueError, match="read-only"):
        grams["K1"][0, 0] = 1
    assert read == [paths["K2"], paths["K1"]]
    with pytest.raises(KeyError):
        grams["K3"]


def test_rows_are_those_of_the_array(paths):
    K, rows = KERNELS["K1"], GramRows(paths["K1"])
    assert rows.shape == K.shape
    assert len(rows) == 40
    mask = np.arange(40) % 3 == 0
    for chosen in (mask, np.array([5, 2, 2]), np.zeros(40, bool)):
        assert np.array_equal(rows[chosen], K[chosen])
    points = np.array([30, 4, 7, 19])
    part = rows.part(points)
    square = K[np.ix_(points, points)]
    assert part.shape == (4, 4)
    assert np.array_equal(part[np.array([True, False, True, False])], square[[0, 2]])
    again = part.part(np.array([3, 1]))
    assert np.array_equal(again[np.array([0, 1])], square[np.ix_([3, 1], [3, 1])])


def load_script(name):
    path = Path(__file__).parents[2] / "workflow" / "scripts" / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_learning_reads_the_kernels_it_uses_and_a_damaged_one_ends_it(paths, tmp_path):
    """A damaged file is no property of the data, so that it must not become rows with a reason."""
    write_dataset(
        tmp_path / "table.h5",
        Dataset("d", POINTS, np.arange(40) % 2, ["a", "b"], ["1", "2", "3"]),
        recipe="none",
        provenance={},
    )
    inputs = SimpleNamespace(table=tmp_path / "table.h5", grams=list(paths.values()))
    kernels = [["K1", "linear"], ["K2", "linear"]]
    slice_ = {"kernels": kernels, "settings": [{"kernel": "K1"}], "parameters": {}}
    paths["K2"].write_bytes(paths["K2"].read_bytes()[:3000])
    shared = tmp_path / "shared.h5"
    main = load_script("learn.py").main
    main("s", "d", "kernel-pca", inputs, shared, slice_, "code", print)
    assert set(read_shared(shared)) == {"K1-values", "K1-vectors"}
    slice_["settings"] = [{"kernel": "K2"}]
    with pytest.raises(FileDamaged, match=r"K2\.h5.*Rebuild"):
        main("s", "d", "kernel-pca", inputs, tmp_path / "other.h5", slice_, "code", print)
    assert not (tmp_path / "other.h5").exists()
