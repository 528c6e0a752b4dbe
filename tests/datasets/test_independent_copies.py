"""Wheel sources beside copies that came by another way: what the caveats say about them."""

from collections import Counter

import numpy as np
import pytest

from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch

pytestmark = [pytest.mark.network, pytest.mark.mirror]


@pytest.fixture
def read(raw_folder, tmp_path, mirror):
    def read(name):
        entry = load_entry(name)
        embedded = entry.embedded
        folder = raw_folder / name if embedded else tmp_path / name
        fetch(entry, folder, mirror="" if embedded else mirror, log=lambda line: None)
        return parse(entry, folder)

    return read


def _standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def _matched(A, B):
    """Pair the rows of two tables, each row once; return B's row for each of A's."""
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    rows, partners = linear_sum_assignment(cdist(A, B, "chebyshev"))
    assert rows.tolist() == list(range(len(A)))
    return partners


def test_pima_is_ida_diabetis(read):
    pima, ida = read("pima"), read("ida-diabetis")
    X = _standardised(pima.X)
    partners = _matched(X, ida.X)
    np.testing.assert_allclose(ida.X[partners], X, atol=2e-7)
    np.testing.assert_array_equal(ida.y[partners], pima.y)


def test_breast_ljubljana_is_ida_breast_cancer(read):
    keel, ida = read("breast-ljubljana"), read("ida-breast-cancer")
    codes = np.column_stack([np.unique(x, return_inverse=True)[1] for x in ida.X.T])
    found = np.column_stack([np.unique(x, return_inverse=True)[1] for x in keel.X.T])
    one = Counter(map(tuple, np.column_stack([found, keel.y]).tolist()))
    assert one == Counter(map(tuple, np.column_stack([codes, ida.y]).tolist()))


def test_titanic_is_ida_titanic(read):
    keel, ida = read("titanic"), read("ida-titanic")
    counts = [
        Counter(map(tuple, np.column_stack([np.round(data.X, 2), data.y]).tolist()))
        for data in (keel, ida)
    ]
    assert sorted(counts[0].values()) == sorted(counts[1].values())
    assert len(counts[0]) == 24
    values = [[sorted(set(column)) for column in data.X.T.tolist()] for data in (keel, ida)]
    for column in range(3):
        np.testing.assert_allclose(values[0][column], values[1][column], atol=0.0051)


def test_new_thyroid_is_ida_thyroid_but_for_its_classes(read):
    keel, ida = read("new-thyroid1"), read("ida-thyroid")
    mapped = np.empty_like(keel.X)
    for j in range(5):
        slope, shift = np.polyfit(np.sort(keel.X[:, j]), np.sort(ida.X[:, j]), 1)
        mapped[:, j] = slope * keel.X[:, j] + shift
    partners = _matched(mapped, ida.X)
    np.testing.assert_allclose(ida.X[partners], mapped, atol=1e-6)
    pairs = Counter(zip(keel.y.tolist(), ida.y[partners].tolist(), strict=True))
    assert pairs == {(0, 0): 150, (0, 1): 30, (1, 1): 35}


def test_statlog_heart_is_a_part_of_cleveland(read):
    cleveland, statlog = read("heart-cleveland"), read("heart")
    names = cleveland.feature_names
    columns = []
    for feature in load_entry("heart-cleveland").features():
        if not feature.one_hot:
            columns.append(cleveland.X[:, names.index(feature.name)])
            continue
        hot = cleveland.X[:, [names.index(name) for name in feature.encoded]]
        values = {"chest pain": [1, 2, 3, 4], "rest ECG": [0, 1, 2], "thal": [3, 6, 7]}
        columns.append(hot @ values.get(feature.name, [1, 2, 3]))
    ours = Counter(map(tuple, np.column_stack([*columns, cleveland.y]).tolist()))
    theirs = Counter(map(tuple, np.column_stack([statlog.X, statlog.y]).tolist()))
    assert not theirs - ours
    assert theirs.total() == 270


def test_ida_heart_is_heart(read):
    heart, ida = read("heart"), read("ida-heart")
    X = _standardised(heart.X)
    partners = _matched(X, ida.X)
    np.testing.assert_allclose(ida.X[partners], X, atol=1e-6)
    np.testing.assert_array_equal(ida.y[partners], heart.y)


def test_brown_classes_are_those_of_mips(read, mirror):
    from pathlib import Path

    folder = Path(mirror) / "yeast_heterogeneous"
    genes, terms, pairs = (
        (folder / f"yeast_mips_level1_{name}.txt").read_text().split()
        for name in ("genes", "terms", "adjacency")
    )
    columns = len((folder / "yeast_mips_level1_adjacency.txt").open().readline().split())
    table = np.array(pairs, dtype=float).astype(int).reshape(-1, columns)
    known = {(genes[row[0] - 1], terms[row[1] - 1]) for row in table}
    brown = read("brown-selected")
    for gene, code in zip(brown.row_ids, brown.y, strict=True):
        assert (gene, {"Proteas": "14", "Resp": "02", "Ribo": "12"}[brown.classes[code]]) in known


def test_sixteen_pixel_digits_are_those_of_mnist5k(read):
    small, large = read("mnist5k-16"), read("mnist5k")
    np.testing.assert_array_equal(small.y, large.y)
    inner = large.X.reshape(-1, 28, 28)[:, 4:24, 4:24].mean(axis=(1, 2))
    np.testing.assert_allclose(small.X.mean(axis=1), inner / 127.5 - 1, atol=1e-12)
