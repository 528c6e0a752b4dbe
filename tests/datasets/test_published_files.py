"""The numbers that are known of each file, by an inventory made apart from the parsers."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from gramworks.datasets.arff_text import read_arff
from gramworks.datasets.label_paths import top_labels
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch

pytestmark = pytest.mark.mirror

# problem: distinct patterns, columns, rows of -1 and 1 among them, partitions, training and test
# rows, distinct partitions; then the points that the patterns stand for
IDA = """
banana 5300 2 2924 2376 100 400 4900 80 5300
breast_cancer 263 9 186 77 100 200 77 100 277
diabetis 768 8 500 268 100 468 300 80 768
flare_solar 144 9 50 94 100 666 400 87 1066
german 1000 20 700 300 100 700 300 80 1000
heart 270 13 150 120 100 170 100 80 270
image 2086 18 898 1188 20 1300 1010 15 2310
ringnorm 7400 20 3736 3664 100 400 7000 80 7400
splice 2991 60 1647 1344 20 1000 2175 20 3175
thyroid 215 5 150 65 100 140 75 99 215
titanic 24 3 10 14 100 150 2051 100 2201
twonorm 7400 20 3697 3703 100 400 7000 80 7400
waveform 5000 21 3353 1647 100 400 4600 80 5000
"""
# id: set, points, columns, points of -1 and 1
SSL = """
digit1 1 1500 241 766 734
usps-ssl 2 1500 241 1200 300
bci 4 400 117 200 200
g241c 5 1500 241 750 750
g241n 7 1500 241 752 748
"""
# file: rows, attributes, genes of each class of the first level
FUNCAT_LEVELS = "01 02 10 11 12 14 16 18 20 30 32 34 38 40 41 42 43 99"
FUNCAT = """
seq train 1701 478 584 156 357 362 191 412 381 81 407 80 209 175 51 98 28 287 168 10
seq valid 879 478 295 72 190 181 87 213 204 48 201 49 96 96 27 53 8 162 78 8
seq test 1339 478 455 112 289 329 149 337 297 69 300 67 175 143 33 78 14 252 139 4
cellcycle train 1628 77 581 147 349 360 187 404 373 80 392 80 202 171 6 97 28 283 166 9
cellcycle valid 848 77 294 71 189 176 87 213 202 47 200 49 96 96 1 53 8 161 78 8
cellcycle test 1281 77 453 109 285 319 140 334 292 68 295 67 173 142 2 78 13 249 139 4
gasch1 train 1634 173 582 147 351 359 188 405 373 80 394 80 205 170 6 96 28 283 165 9
gasch1 valid 846 173 294 70 189 176 87 213 202 47 198 49 96 95 1 53 8 161 78 8
gasch1 test 1284 173 452 109 283 319 146 333 293 67 295 67 174 142 2 78 13 249 138 4
pheno train 656 69 260 68 161 129 70 150 147 36 162 41 104 66 2 50 8 129 82 3
pheno valid 353 69 132 32 82 78 40 89 87 18 74 24 42 39 0 24 3 82 32 3
pheno test 582 69 218 65 127 136 64 152 122 32 137 34 89 72 2 41 6 139 68 2
"""
# id: points, columns, points of each class, smallest and largest value
TABLES = {
    "usps": (9298, 256, [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821], 0, 1),
    "colon": (62, 2000, [22, 40], 5.82, 20903.2),
    "leukemia": (72, 7129, [47, 25], -28400, 71369),
    "mac-windows": (1946, 7511, [961, 985], 0.0028, 0.877),
    "heart": (270, 13, [150, 120], 0, 564),
    "bupa": (345, 6, [145, 200], 0, 297),
    "australian": (690, 14, [383, 307], 0, 100001),
    "ionosphere": (351, 34, [126, 225], -1, 1),
    "sonar": (208, 60, [97, 111], 0, 1),
    "mnist-test": (10000, 784, [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009], 0, 255),
}
YEAST = {
    "train": [476, 645, 598, 532, 441, 378, 261, 289, 98, 161, 198, 1128, 1116, 21],
    "test": [286, 393, 385, 330, 281, 219, 167, 191, 80, 92, 91, 688, 683, 13],
}


def _rows(text):
    return [pytest.param(line.split(), id=line.split()[0]) for line in text.strip().splitlines()]


@pytest.fixture
def dataset(mirror, tmp_path):
    """Parse a data set from the mirror's files alone."""

    def read(name):
        entry = load_entry(name)
        sources = [source for source in entry.sources if source.kind == "url"]
        entry = entry.model_copy(update={"sources": sources})
        fetch(entry, tmp_path, mirror=mirror, offline=True, log=lambda line: None)
        return parse(entry, tmp_path)

    return read


@pytest.mark.parametrize("row", _rows(IDA))
def test_ida(row, dataset, mirror):
    from scipy.io import loadmat

    name, *numbers = row
    patterns, columns, negative, positive, count, n_train, n_test, distinct, points = map(
        int, numbers
    )
    file = loadmat(Path(mirror) / "ida" / f"{name}mat.mat")
    labels = file["t"].ravel()
    assert file["x"].shape == (patterns, columns)
    assert [(labels == -1).sum(), (labels == 1).sum()] == [negative, positive]
    assert file["train"].shape == (count, n_train)
    assert file["test"].shape == (count, n_test)
    pairs = {(a.tobytes(), b.tobytes()) for a, b in zip(file["train"], file["test"], strict=True)}
    assert len(pairs) == distinct
    found = dataset(f"ida-{name.replace('_', '-')}")
    assert found.X.shape == (points, columns)
    assert len(found.partitions) == count
    told = any(str(distinct) in caveat for caveat in load_entry(found.id).caveats)
    assert told == (distinct < count)
    # Each partition has the points that the file's row numbers name, in their order.
    for k, (train, test) in enumerate(found.partitions):
        for part, rows in ((train, file["train"][k] - 1), (test, file["test"][k] - 1)):
            np.testing.assert_array_equal(found.X[part], file["x"][rows])
            np.testing.assert_array_equal(2 * found.y[part] - 1, labels[rows])
        assert len(np.unique(np.concatenate([train, test]))) == points


@pytest.mark.parametrize("row", _rows(SSL))
def test_ssl_book(row, dataset):
    name, _, points, columns, negative, positive = row
    found = dataset(name)
    assert found.X.shape == (int(points), int(columns))
    assert np.bincount(found.y).tolist() == [int(negative), int(positive)]
    assert [len(train) for train, _ in found.partitions] == [10] * 12 + [100] * 12
    for train, test in found.partitions:
        assert sorted([*train, *test]) == list(range(int(points)))
        assert set(found.y[train].tolist()) == {0, 1}


def test_g241_share_their_splits(dataset):
    for one, two in zip(dataset("g241c").partitions, dataset("g241n").partitions, strict=True):
        np.testing.assert_array_equal(one[0], two[0])
        np.testing.assert_array_equal(one[1], two[1])


@pytest.mark.parametrize("name", TABLES)
def test_tables(name, dataset):
    rows, columns, classes, low, high = TABLES[name]
    found = dataset(name)
    values = found.X.data if found.kind == "csr" else found.X
    assert found.X.shape == (rows, columns)
    assert np.bincount(found.y).tolist() == classes
    assert (values.min(), values.max()) == pytest.approx((low, high), rel=0.01)


def test_usps_halves(dataset):
    found = dataset("usps")
    train = [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644]
    assert np.bincount(found.y[found.partitions[0][0]]).tolist() == train
    assert [len(part) for part in found.partitions[0]] == [7291, 2007]


def test_mac_windows(dataset):
    found = dataset("mac-windows")
    np.testing.assert_allclose(np.sqrt(found.X.multiply(found.X).sum(axis=1)), 1, atol=1e-6)
    assert [(len(train), len(test)) for train, test in found.partitions] == [(50, 1896)] * 10


def test_boston_and_iris(dataset, mirror, tmp_path):
    found = dataset("boston")
    assert found.X.shape == (506, 13)
    assert (found.y.min(), found.y.max(), (found.y == 50).sum()) == (5, 50, 16)
    lines = (Path(mirror) / "uci" / "iris.csv").read_text().split()
    assert len(lines) == 150
    iris = load_entry("iris")
    fetch(iris, tmp_path / "iris", log=lambda line: None)
    cells = np.array([line.split(",")[:4] for line in lines], dtype=float)
    differ = np.argwhere(cells != parse(iris, tmp_path / "iris").X)
    assert differ.tolist() == [[34, 3], [37, 1], [37, 2]]


def test_wisconsin_file(mirror):
    lines = (Path(mirror) / "uci" / "breast-cancer-wisconsin.data").read_text().split()
    rows = [line.split(",") for line in lines]
    assert {len(row) for row in rows} == {11}
    assert [row[-1] for row in rows].count("2") == 458
    assert [row[-1] for row in rows].count("4") == 241
    assert [row[6] for row in rows].count("?") == 16


def test_leukemia_parts(mirror):
    import rdata

    content = rdata.read_rda(Path(mirror) / "golub_leukemia/golub.RData", default_encoding="utf-8")
    shapes = {name: np.asarray(content[name]["x"]).shape for name in content}
    assert shapes == {"golub": (72, 7129), "golub_train": (38, 7129), "golub_test": (34, 7129)}


def test_mnist_headers(mirror):
    folder = Path(mirror) / "mnist_test"
    with gzip.open(folder / "t10k-images-idx3-ubyte.gz") as file:
        assert struct.unpack(">4I", file.read(16)) == (2051, 10000, 28, 28)
    with gzip.open(folder / "t10k-labels-idx1-ubyte.gz") as file:
        assert struct.unpack(">2I", file.read(8)) == (2049, 10000)


def test_yeast_multilabel(dataset):
    found = dataset("yeast-multilabel")
    train, test = found.partitions[0]
    assert found.X.shape == (2417, 103)
    assert found.y[train].sum(axis=0).tolist() == YEAST["train"]
    assert found.y[test].sum(axis=0).tolist() == YEAST["test"]
    np.testing.assert_allclose(np.linalg.norm(found.X, axis=1), 1, atol=1e-3)
    np.testing.assert_array_equal(
        np.hstack([found.views["expression"], found.views["phylogenetic"]]), found.X
    )
    # The cut between the views is where the two sides are least correlated.
    R = np.abs(np.corrcoef(found.X.T))
    cuts = range(20, 98)
    across = [R[:cut, cut:].mean() for cut in cuts]
    assert cuts[int(np.argmin(across))] == 79


@pytest.mark.parametrize(
    "row", [p.values[0] for p in _rows(FUNCAT)], ids=lambda row: "-".join(row[:2])
)
def test_funcat_files(row, mirror):
    source, part, rows, attributes, *counts = row
    text = read_arff(Path(mirror) / "yeast_heterogeneous" / f"{source}_FUN.{part}.arff")
    assert len(text.rows) == int(rows)
    assert len(text.attributes) == int(attributes) + 1
    labels = [top_labels(cells[-1]) for cells in text.rows]
    found = [sum(level in row for row in labels) for level in FUNCAT_LEVELS.split()]
    assert found == [int(count) for count in counts]


def _kernel(X):
    X = X - X.mean(axis=0)
    K = X @ X.T
    K = K - K.mean(axis=0)
    return K / np.linalg.norm(K)


def test_funcat_rows_are_aligned(dataset):
    """Two sources that were measured apart agree gene by gene, and not when moved by one."""
    found = dataset("yeast-funcat")
    assert found.y.shape == (found.rows, 18)
    assert list(found.views) == ["cellcycle", "gasch1", "pheno"]
    measured = found.views["pheno"].any(axis=1)
    assert measured.sum() == 1579
    assert (found.views["pheno"][measured].sum(axis=1) == 69).all()
    cellcycle, gasch1 = (found.views[name][:900] for name in ("cellcycle", "gasch1"))
    right = (_kernel(cellcycle) * _kernel(gasch1)).sum()
    moved = (_kernel(np.roll(cellcycle, 1, axis=0)) * _kernel(gasch1)).sum()
    assert right > 0.2
    assert abs(moved) < 0.05
