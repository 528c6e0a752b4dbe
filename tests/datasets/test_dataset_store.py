"""Data set files: what goes in comes out, and damage is found."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import Dataset, kind_of
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
        "multilabel": Dataset(
            "t", np.ones((3, 1)), np.array([[0, 1], [1, 1], [0, 0]], dtype=np.int8), ["p", "q"],
            ["a"],
        ),
        "structured": Dataset(
            "t", ["ab", "", "c"], ["x", "yy", ""], ["p", "q"], [], groups=np.array([0, 1, 1])
        ),
        "views": _dense(
            views={
                "graph": random_array((30, 30), density=0.1, format="csr", rng=RANDOM),
                "block": RANDOM.normal(size=(30, 2)),
                "words": [f"w{i}" for i in range(30)],
            }
        ),
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
    assert found.task == dataset.task
    np.testing.assert_array_equal(found.y, dataset.y)
    if not isinstance(dataset.y, list):
        assert found.y.dtype == dataset.y.dtype
    np.testing.assert_array_equal(found.strata, dataset.strata)
    assert list(found.views) == sorted(dataset.views)
    for name, view in dataset.views.items():
        assert kind_of(found.views[name]) == kind_of(view)
        if kind_of(view) == "csr":
            assert (found.views[name] != view).nnz == 0
        else:
            np.testing.assert_array_equal(found.views[name], view)
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


def test_every_part_is_in_the_checksum():
    """Two data sets that differ in one part only have different checksums."""
    sets = list(_sets().values())
    one = _dense()
    order = np.arange(30)[::-1]
    sets += [
        one,
        replace(one, row_ids=[str(i) for i in range(30)]),
        replace(one, row_ids=[str(i) for i in order]),
        replace(one, partitions=[(np.array([0]), np.array([1]))]),
        replace(one, partitions=[(np.array([1]), np.array([0]))]),
        replace(one, groups=one.y),
        replace(one, views={"a": one.X}),
        replace(one, views={"b": one.X}),
        replace(one, views={"a": one.X[order]}),
    ]
    assert len({checksum(dataset) for dataset in sets}) == len(sets)


def test_rows_are_taken_with_all_their_parts():
    adjacency = csr_array(np.arange(16.0).reshape(4, 4))
    dataset = Dataset(
        "t", ["a", "b", "c", "d"], ["A", "B", "C", "D"], ["p", "q"], [], list("0123"),
        groups=np.array([0, 1, 1, 0]),
        views={"graph": adjacency, "block": np.arange(4.0)[:, None], "text": list("wxyz")},
    )  # fmt: skip
    taken = dataset.take(np.array([2, 0]))
    assert (taken.X, taken.y, taken.row_ids) == (["c", "a"], ["C", "A"], ["2", "0"])
    assert taken.groups.tolist() == [1, 0]
    assert taken.views["graph"].toarray().tolist() == [[10.0, 8.0], [2.0, 0.0]]
    assert taken.views["block"].tolist() == [[2.0], [0.0]]
    assert taken.views["text"] == ["y", "w"]


@pytest.mark.parametrize("name", ["dense", "csr", "strings", "views", "structured"])
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
            assert list(found.y) == list(original.y)
    assert refused > 50


def test_another_file_is_not_a_data_set(tmp_path):
    from gramworks.hdf5 import atomic

    with atomic(tmp_path / "x.h5", "splits"):
        pass
    with pytest.raises(FileDamaged, match="gramworks-splits"):
        read_dataset(tmp_path / "x.h5")
    with pytest.raises(FileDamaged, match="Make it with: snakemake"):
        read_dataset(tmp_path / "none.h5")
