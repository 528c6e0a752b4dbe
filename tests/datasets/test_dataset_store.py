"""Data set files: what goes in comes out, and damage is found."""

import numpy as np
import pytest
from scipy.sparse import random_array

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.store import read_dataset, read_provenance, write_dataset
from gramworks.errors import FileDamaged

RANDOM = np.random.default_rng(1)


def _dense(**keys):
    y = RANDOM.integers(0, 2, 30)
    return Dataset("t", RANDOM.normal(size=(30, 4)), y, ["no", "yes"], list("abcd"), **keys)


def _sets():
    train, test = np.array([0, 0, 5]), np.array([1])
    return {
        "dense": _dense(row_ids=[f"0{i}" for i in range(30)], notes=["told"]),
        "partitions": _dense(partitions=[(train, test), (test, train)]),
        "csr": Dataset(
            "t", random_array((30, 7), density=0.2, format="csr", rng=RANDOM),
            RANDOM.integers(0, 2, 30), ["a", "b"], [f"w{i}" for i in range(7)],
        ),
        "strings": Dataset("t", ["", "abca", "größe\n"], np.array([0, 1, 0]), ["a", "b"], []),
        "regression": Dataset("t", np.ones((3, 1)), np.array([0.1, 2, 3]), [], ["a"]),
    }  # fmt: skip


@pytest.mark.parametrize("name", _sets())
def test_round_trip(tmp_path, name):
    dataset = _sets()[name]
    path = tmp_path / "x.h5"
    write_dataset(path, dataset, recipe="none", provenance={"long": "x" * 70_000})
    found = read_dataset(path)
    assert found.kind == dataset.kind
    assert found.rows == dataset.rows
    if found.kind == "csr":
        assert (found.X != dataset.X).nnz == 0
    elif found.kind == "strings":
        assert found.X == dataset.X
    else:
        np.testing.assert_array_equal(found.X, dataset.X)
    np.testing.assert_array_equal(found.y, dataset.y)
    assert found.y.dtype == dataset.y.dtype
    for name in ("id", "classes", "feature_names", "row_ids", "notes"):
        assert getattr(found, name) == getattr(dataset, name)
    if dataset.partitions is None:
        assert found.partitions is None
    else:
        for one, two in zip(found.partitions, dataset.partitions, strict=True):
            np.testing.assert_array_equal(one[0], two[0])
            np.testing.assert_array_equal(one[1], two[1])
    provenance = read_provenance(path)
    assert len(provenance["long"]) == 70_000
    assert provenance["recipe"] == "none"


def test_equal_data_make_equal_files(tmp_path):
    dataset = _dense()
    for name in ("a", "b"):
        write_dataset(tmp_path / name, dataset, recipe="none", provenance={"x": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("name", ["dense", "csr", "strings"])
def test_cut_and_flipped_files(tmp_path, name):
    path = tmp_path / "x.h5"
    write_dataset(path, _sets()[name], recipe="none", provenance={})
    good = path.read_bytes()
    original = read_dataset(path)
    for cut in (0, 10, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:cut])
        with pytest.raises(FileDamaged, match="Rebuild it with: snakemake"):
            read_dataset(path)
    random = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        bad = bytearray(good)
        for position in random.integers(0, len(good), 100):
            bad[position] ^= 1 << int(random.integers(8))
        path.write_bytes(bad)
        try:
            found = read_dataset(path)
        except FileDamaged:
            refused += 1
        else:  # flips that hit only unused bytes change nothing
            assert found.y.tolist() == original.y.tolist()
    assert refused > 50


def test_another_file_is_not_a_data_set(tmp_path):
    from gramworks.hdf5 import atomic

    with atomic(tmp_path / "x.h5", "splits"):
        pass
    with pytest.raises(FileDamaged, match="gramworks-splits"):
        read_dataset(tmp_path / "x.h5")
    with pytest.raises(FileDamaged, match="Make it with: snakemake"):
        read_dataset(tmp_path / "none.h5")
