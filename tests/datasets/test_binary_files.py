"""MATLAB, .RData, idx and LIBSVM files: right content, and refusal of bad ones."""

import gzip
import struct

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

from gramworks.datasets.plugins import load_module
from gramworks.datasets.registry import source_options
from gramworks.errors import DataError

SIGNS = {"target": {"classes": ["no", "yes"], "labels": {"-1": "no", "1": "yes"}}}
X = np.array([[1.5, 0], [0, -2], [3, 4], [0, 0]])
T = np.array([[-1], [1], [1], [-1]], dtype=np.int16)


@pytest.fixture
def read(make_entry):
    def read(format, files, options=None, **keys):
        entry = make_entry(format, options=options, **(SIGNS | keys))
        source = entry.sources[0]
        module = load_module("parsers", format)
        return module.read(files, entry, source, source_options(source, "test"))

    return read


def _mat(path, **values):
    savemat(path, values, do_compression=True)
    return path


def test_dense_and_sparse_matlab(read, tmp_path):
    dense = read("matlab", [_mat(tmp_path / "a.mat", X=X, y=T)])
    sparse = read("matlab", [_mat(tmp_path / "b.mat", X=csc_matrix(X), y=T.T)])
    np.testing.assert_array_equal(dense.X, X)
    assert sparse.kind == "csr"
    np.testing.assert_array_equal(sparse.X.toarray(), X)
    for dataset in (dense, sparse):
        assert dataset.y.tolist() == [0, 1, 1, 0]
        assert dataset.partitions is None


def test_matlab_partitions_in_their_own_files(read, tmp_path):
    files = [
        _mat(tmp_path / "d.mat", X=X, y=T),
        _mat(tmp_path / "s2.mat", labs=[[1, 2], [3, 4]], unls=[[3, 4], [1, 2]]),
        _mat(tmp_path / "s1.mat", labs=[[4]], unls=[[1, 2, 3]]),
    ]
    families = [{"file": name, "train": "labs", "test": "unls"} for name in ("s2.mat", "s1.mat")]
    found = read("matlab", files, {"partitions": families}).partitions
    assert [(a.tolist(), b.tolist()) for a, b in found] == [
        ([0, 1], [2, 3]), ([2, 3], [0, 1]), ([3], [0, 1, 2]),
    ]  # fmt: skip


PATTERNS = {"partitions": [{"train": "train", "test": "test"}], "expand": True}


def test_patterns_that_occur_several_times_become_rows(read, tmp_path):
    train = np.array([[1, 3, 1], [2, 3, 3]])
    test = np.array([[4, 3, 2, 1], [1, 1, 1, 4]])
    path = _mat(tmp_path / "a.mat", X=X, y=T, train=train, test=test)
    dataset = read("matlab", [path], PATTERNS)
    assert dataset.X.tolist() == X[[0, 0, 0, 1, 2, 2, 3]].tolist()
    assert dataset.y.tolist() == [0, 0, 0, 1, 1, 1, 0]
    for (a, b), i, j in zip(dataset.partitions, train, test, strict=True):
        np.testing.assert_array_equal(dataset.X[a], X[i - 1])
        np.testing.assert_array_equal(dataset.X[b], X[j - 1])
        assert sorted([*a, *b]) == list(range(7))
    assert dataset.notes == ["4 distinct patterns stand for 7 points, each now a row"]
    other = _mat(tmp_path / "b.mat", X=X, y=T, train=[[1], [2]], test=[[2, 3, 4], [1, 3, 3]])
    with pytest.raises(DataError, match="partitions do not all have the same points"):
        read("matlab", [other], PATTERNS)
    other = _mat(tmp_path / "c.mat", X=X, y=T, train=[[1]], test=[[2, 3]])
    with pytest.raises(DataError, match="row 4 is in no partition"):
        read("matlab", [other], PATTERNS)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"X": X, "t": T}, "no variable 'y'"),
        ({"X": X[:3], "y": T}, "'X' has 3 rows, 'y' 4"),
        ({"X": X[:, :1], "y": T}, "1 columns, the registry names 2"),
        ({"X": X, "y": 2 * T}, "row 1 has the label -2"),
        ({"X": X, "y": T / 3}, "labels are not whole numbers"),
        ({"X": np.where(X == 4, np.nan, X), "y": T}, "values that are not finite"),
        ({"X": np.array([["a"]], dtype=object), "y": T}, "'X' is not a matrix of"),
    ],
)
def test_bad_matlab_content(read, tmp_path, values, message):
    with pytest.raises(DataError, match=message):
        read("matlab", [_mat(tmp_path / "a.mat", **values)])


def test_bad_matlab_files(read, tmp_path):
    path = _mat(tmp_path / "a.mat", X=np.random.default_rng(0).normal(size=(40, 2)), y=T)
    data = path.read_bytes()
    for bad in (b"", data[:60], data[: len(data) // 2], b"MATLAB 5.0" * 40):
        path.write_bytes(bad)
        with pytest.raises(DataError, match="MATLAB 5|no variable|is empty"):
            read("matlab", [path])
    with pytest.raises(DataError, match="no such file"):
        read("matlab", [tmp_path / "none.mat"])
    rows = {"partitions": [{"train": "i", "test": "j"}]}
    for i in (0, 5, 1.5):
        path = _mat(tmp_path / "b.mat", X=X, y=T, i=[[float(i)]], j=[[1.0, 2.0]])
        with pytest.raises(DataError, match="'i' has row numbers outside 1 to 4"):
            read("matlab", [path], rows)


def _idx(array, code=8):
    head = struct.pack(f">4B{array.ndim}I", 0, 0, code, array.ndim, *array.shape)
    return head + array.tobytes()


DIGITS = {"target": {"classes": ["three", "five"], "labels": {"3": "three", "5": "five"}}}


def test_idx(read, tmp_path):
    images = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    labels = np.array([5, 3, 5], dtype=np.uint8)
    a, b = tmp_path / "images.gz", tmp_path / "labels"
    keys = DIGITS | {"columns": [{"name": "p{}", "count": 4}]}
    a.write_bytes(gzip.compress(_idx(images)))
    b.write_bytes(_idx(labels))
    dataset = read("idx", [a, b], **keys)
    assert dataset.X.tolist() == images.reshape(3, 4).tolist()
    assert dataset.y.tolist() == [1, 0, 1]
    for data, message in [
        (_idx(images)[:-1], "is truncated, 12 bytes"),
        (_idx(images) + b"x", "is longer than it states"),
        (_idx(images[:2]), r"shape \(3,\), \(2,\) labels are expected"),
        (_idx(images)[:9], "truncated in its header"),
        (b"\x89PNG" + _idx(images), "not an idx file"),
        (struct.pack(">4B3I", 0, 0, 8, 3, 2**31, 2**31, 9), "states an implausible size"),
        (_idx(images.reshape(3, 1, 4))[:4] + b"\0" * 12, "states an implausible size"),
        (_idx(images.reshape(2, 6)), "6 values a point|labels are expected"),
    ]:
        a.write_bytes(gzip.compress(data))
        with pytest.raises(DataError, match=message):
            read("idx", [a, b], **keys)
    a.write_bytes(gzip.compress(_idx(images))[:-9])
    with pytest.raises(DataError, match=r"cannot be read|is truncated"):
        read("idx", [a, b], **keys)


def test_libsvm(read, tmp_path):
    path = tmp_path / "t"
    path.write_text("# head\n+1 1:0.5 2:-2e0 # why\n-1\n1 2:3\n")
    dataset = read("libsvm", [path])
    assert dataset.kind == "csr"
    assert dataset.X.toarray().tolist() == [[0.5, -2], [0, 0], [0, 3]]
    assert dataset.y.tolist() == [1, 0, 1]
    assert isinstance(read("libsvm", [path], {"dense": True}).X, np.ndarray)
    path.write_text("1 0:1 1:2\n-1 0:3\n")
    assert read("libsvm", [path], {"first_index": 0}).X.toarray().tolist() == [[1, 2], [3, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\n1 3:1\n", "line 2: index 3, 1 to 2 are allowed"),
        ("1 0:2\n", "line 1: index 0, 1 to 2 are allowed"),
        ("1 2:1 1:1\n", "line 1: indices do not rise"),
        ("1 1:1 1:1\n", "line 1: indices do not rise"),
        ("1 1:nan\n", "line 1: .* is not `label index:value"),
        ("yes 1:2\n", "line 1: .* is not `label index:value"),
        ("1 qid:3 1:2\n", "line 1: .* is not `label index:value"),
        ("1 1:1e999\n", "not finite"),
        ("7 1:1\n", "row 1 has the label 7"),
        ("# nothing\n", "no rows of data"),
    ],
)
def test_bad_libsvm(read, tmp_path, text, message):
    (tmp_path / "t").write_text(text)
    with pytest.raises(DataError, match=message):
        read("libsvm", [tmp_path / "t"])


TISSUE = {"target": {"classes": ["normal", "tumour"], "labels": {"n": "normal", "t": "tumour"}}}


def _rdata(path, **objects):
    import rdata

    rdata.write_rda(path, objects, compression="gzip")
    return path


def test_rdata(read, tmp_path):
    path = _rdata(tmp_path / "a.RData", set={"x": X, "y": np.array(["t", "n", "t", "t"])})
    dataset = read("rdata_file", [path], {"object": "set"}, **TISSUE)
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.y.tolist() == [1, 0, 1, 1]
    for options, message in [
        ({"object": "sets"}, "no object 'sets'; did you mean 'set'"),
        ({"object": "set", "X": "z"}, "has no part 'z'"),
    ]:
        with pytest.raises(DataError, match=message):
            read("rdata_file", [path], options, **TISSUE)
    data = path.read_bytes()
    for bad in (b"", data[: len(data) // 2], gzip.compress(b"RDX3\nX\n" + b"\0" * 50), b"RDX3"):
        path.write_bytes(bad)
        with pytest.raises(DataError, match=r"cannot be read"):
            read("rdata_file", [path], {"object": "set"}, **TISSUE)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"x": X, "y": np.array(["t", "n", "t", "q"])}, "label 'q' is not declared"),
        ({"x": X[:3], "y": np.array(["t"] * 4)}, r"'x' has shape \(3, 2\)"),
        ({"x": X * np.nan, "y": np.array(["t"] * 4)}, "not finite"),
    ],
)
def test_bad_rdata_content(read, tmp_path, values, message):
    path = _rdata(tmp_path / "a.RData", set=values)
    with pytest.raises(DataError, match=message):
        read("rdata_file", [path], {"object": "set"}, **TISSUE)
