"""Networks over genes: counts by hand, the real ones against their description, refusals."""

import numpy as np
import pytest

from gramworks.datasets.parsers.gene_networks import Options, read
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch
from gramworks.errors import DataError

FILES = {
    "genes": "YA\nYB\nYC\nYD\n",
    "labels": "02\n01\n",
    "pairs": "1\t1\n1\t2\n2 2\n4\t1\n",
    "numbers": "YX\nYC\nYA\nYB\n",
    "both": "1 2 0.5\n2 1 0.5\n2\t3\t0.25\n3\t2\t0.25\n",
    "one": "YA YB\nYC YX\nYD YA",
}
OPTIONS = {
    "genes": "genes", "labels": "labels", "pairs": "pairs", "outside": "drop",
    "networks": [
        {"name": "numbered", "edges": "both", "genes": "numbers", "weights": True,
         "directions": "both"},
        {"name": "named", "edges": "one", "weights": False, "directions": "one"},
    ],
}  # fmt: skip


@pytest.fixture
def read_networks(make_entry, tmp_path):
    def parse_files(options=OPTIONS, **changes):
        for name, text in (FILES | changes).items():
            (tmp_path / name).write_text(text)
        entry = make_entry("gene_networks", OPTIONS, task="multilabel", labels=("01", "02"))
        files = [tmp_path / name for name in FILES]
        return read(files, entry, entry.sources[0], Options(**options))

    return parse_files


def test_views_by_hand(read_networks):
    dataset = read_networks()
    assert dataset.X == dataset.row_ids == ["YA", "YB", "YC", "YD"]
    assert dataset.y.tolist() == [[1, 1], [1, 0], [0, 0], [0, 1]]
    assert dataset.y.dtype == np.int8
    numbered = np.zeros((4, 4))
    numbered[0, 2] = numbered[2, 0] = 0.25
    np.testing.assert_array_equal(dataset.views["numbered"].toarray(), numbered)
    named = np.zeros((4, 4))
    named[0, 1] = named[1, 0] = named[0, 3] = named[3, 0] = 1
    np.testing.assert_array_equal(dataset.views["named"].toarray(), named)
    assert dataset.notes == [
        "network numbered: 2 edges on 3 genes, 2 of them points; 1 edges between points, "
        "1 others left out",
        "network named: 3 edges on 5 genes, 4 of them points; 2 edges between points, "
        "1 others left out",
    ]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("genes", "YA\nYA\n", "genes, line 2: 'YA' stands there twice"),
        ("genes", "", "no names in it"),
        ("genes", "YA YB\n", "line 1: 2 cells, expected 1"),
        ("labels", "02\n03\n", "label '03' is not declared"),
        ("pairs", "1 3\n", "line 1: '3' is not a number from 1 to 2"),
        ("pairs", "0 1\n", "line 1: '0' is not a number from 1 to 4"),
        ("pairs", "1 1\n\n1 1\n", "line 3: gene 1 has label 1 already"),
        ("pairs", "1" * 5000 + " 1\n", "is not a number from 1 to 4"),
        ("both", "1 2 0.5\n", "'YX' - 'YC' has no equal in the other direction"),
        ("both", "1 2 0.5\n2 1 0.25\n", "has no equal in the other direction"),
        ("both", "1 5 0.5\n", "line 1: '5' is not a number from 1 to 4"),
        ("both", "1 1 0.5\n", "leads from a gene to itself"),
        ("both", "1 2 nan\n", "weight 'nan' is not a positive number"),
        ("both", "1 2 -1\n", "weight '-1' is not a positive"),
        ("both", "1 2 1e999\n", "weight '1e999' is not a positive"),
        ("both", "1 2\n", "line 1: 2 cells, expected 3"),
        ("one", "YA YB\nYB YA\n", "line 2: the edge 'YB' - 'YA' stands there twice"),
        ("one", "YA YB 1\n", "line 1: 3 cells, expected 2"),
        ("one", "YA Y\0B\n", "zero bytes"),
    ],
)
def test_refused(read_networks, file, text, message):
    with pytest.raises(DataError, match=message):
        read_networks(**{file: text})


def test_refused_options(read_networks):
    with pytest.raises(DataError, match="no file 'gens' in the source; did you mean 'genes'"):
        read_networks(OPTIONS | {"genes": "gens"})
    with pytest.raises(DataError, match="two networks are called 'named'"):
        read_networks(OPTIONS | {"networks": OPTIONS["networks"][1:] * 2})


@pytest.mark.mirror
def test_the_real_networks_are_as_described(tmp_path, mirror):
    """Edges, genes and labelled genes as found by a separate count of the files."""
    entry = load_entry("yeast-networks")
    fetch(entry, tmp_path, mirror=mirror, offline=True, log=lambda line: None)
    dataset = parse(entry, tmp_path)
    assert dataset.y.sum() == 10569
    assert dataset.y.any(axis=1).all()
    described = {
        "krogan-2006": (7075, 2674, 2322), "hu-2007": (14826, 1101, 1009),
        "costanzo-2016": (33056, 4529, 3444), "string-cooccurence": (2664, 1271, 1165),
        "string-database": (33486, 2712, 2573), "string-fusion": (1361, 1191, 1042),
        "string-neighborhood": (45610, 2172, 1921),
    }  # fmt: skip
    for name, counts in described.items():
        (note,) = [note for note in dataset.notes if note.startswith(f"network {name}: ")]
        edges, genes, points = counts
        assert f"{edges} edges on {genes} genes, {points} of them points" in note
        view = dataset.views[name]
        assert view.shape == (4443, 4443)
        assert (view - view.T).nnz == 0
        assert view.diagonal().sum() == 0
        assert int((view.sum(axis=1) > 0).sum()) <= points
    assert set(dataset.views) == set(described)
    # One edge of each kind, read off the files.
    where = {name: i for i, name in enumerate(dataset.row_ids)}
    hu = (tmp_path / "Hu-2007.txt").read_text().splitlines()
    a, b, weight = next(line.split() for line in hu if all(g in where for g in line.split()[:2]))
    assert dataset.views["hu-2007"][where[a], where[b]] == float(weight)
