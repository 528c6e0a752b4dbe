"""Files made to harm: they are refused by name, soon, and with little memory."""

import gzip
import io
import os
import pickle
import struct
import time
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

from gramworks.datasets import matlab_structure
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.matlab_structure import check_structure
from gramworks.datasets.parsing import parse_source
from gramworks.errors import DataError
from gramworks.strict_yaml import load_yaml

pytestmark = [
    pytest.mark.filterwarnings("ignore::gramworks.datasets.dataset.DataWarning"),
    pytest.mark.filterwarnings("ignore:Unknown file type:UserWarning"),
]
SAMPLES = Path(__file__).parent / "samples"
PACKAGE = Path(__file__).parents[2] / "src" / "gramworks"


@pytest.fixture
def refused(tmp_path):
    """Put content in the place of the first file of a sample; the refusal must say `message`."""

    def check(sample, content, message, *, megabytes=32, seconds=30):
        entry = DatasetEntry.model_validate(load_yaml(SAMPLES / sample / "entry.yaml"))
        parse_source(entry, entry.sources[0], SAMPLES / sample)  # imports are not counted
        for number, file in enumerate(entry.sources[0].files):
            data = (SAMPLES / sample / file.name).read_bytes() if number else content
            (tmp_path / file.name).write_bytes(data)
        tracemalloc.start()
        start = time.perf_counter()
        try:
            with pytest.raises(DataError, match=message) as error:
                parse_source(entry, entry.sources[0], tmp_path)
            assert time.perf_counter() - start < seconds
            assert tracemalloc.get_traced_memory()[1] < megabytes << 20
        finally:
            tracemalloc.stop()
        assert len(str(error.value)) < 3000

    return check


def _idx(*shape, data=b"\1" * 12, code=8):
    return struct.pack(f">BBBB{len(shape)}I", 0, 0, code, len(shape), *shape) + data


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_idx(2**31, 28, 28), "states an implausible size"),
        (_idx(2**32 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1), "states an implausible size"),
        (_idx(*[1] * 255, data=b"\1"), "states an implausible size"),
        (_idx(2**26), "is truncated, 67108864 bytes of values are expected"),
        (_idx(0, 2, 2, data=b""), "states an implausible size"),
        (_idx(1, 2, 2), "is longer than it states"),
        (_idx(3, 2, 2)[:9], "truncated in its header"),
    ],
)
def test_idx(refused, content, message, pack):
    refused("idx", pack(content), message)


def test_a_bomb_of_zeros(refused):
    """160 megabytes of zeros in 160 kilobytes: unpacked up to the limit only."""
    packer = zlib.compressobj(9, wbits=31)
    block = bytes(1 << 20)
    bomb = b"".join(packer.compress(block) for _ in range(160)) + packer.flush()
    refused("idx", bomb, "more than 134217728 bytes; it is refused", megabytes=160, seconds=30)
    refused("delimited-gzip", bomb, "more than 67108864 bytes", megabytes=100, seconds=30)


def _matlab(X, **keys):
    file = io.BytesIO()
    y = np.array([[-1.0], [1.0], [1.0], [-1.0]])
    rows = {"train": np.array([[1.0, 2.0]]), "test": np.array([[3.0, 4.0]])}
    savemat(file, {"X": X, "y": y, **rows}, **keys)
    return file.getvalue()


DENSE = _matlab(np.arange(8.0).reshape(4, 2))
SPARSE = _matlab(csc_matrix(np.arange(8.0).reshape(4, 2)))
SIZES = struct.pack("<II", 5, 8)


def _at(data, marker, offset, value):
    """Write a value at an offset behind the first occurrence of a marker."""
    where = data.index(marker) + len(marker) + offset
    return data[:where] + value + data[where + len(value) :]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_at(DENSE, SIZES, 0, struct.pack("<i", 2**31 - 1)), "has 8 numbers, its sizes are"),
        (_at(DENSE, SIZES, 0, struct.pack("<ii", -4, -2)), "has the sizes"),
        (_at(SPARSE, SIZES, 0, struct.pack("<i", 2**31 - 1)), "takes more than"),
        (_at(SPARSE, SIZES, 4, struct.pack("<i", 2**31 - 1)), "do not begin one behind the other"),
        (_at(SPARSE, SIZES + struct.pack("<ii", 4, 2), 16, struct.pack("<i", 10**6)),
         "row numbers beyond its 4 rows"),
        (DENSE.replace(struct.pack("<II", 9, 64), struct.pack("<II", 77, 64)), "unknown type 77"),
        (DENSE.replace(struct.pack("<II", 9, 64), struct.pack("<II", 9, 2**31)), "states 21474"),
        (DENSE[:200], "an element states"),
        (DENSE[:130], "2 bytes are left"),
        (b"MATLAB 7.3 MAT-file" + DENSE[19:], "is MATLAB 7.3 .HDF5.; format hdf5_file"),
        (b"\x93NUMPY" + bytes(200), "does not begin as a MATLAB 5 file does"),
        (_matlab(np.arange(8.0).reshape(4, 2) * 1j), "'X' is not a matrix of real numbers"),
        (_matlab(np.array([["a"], [1]], dtype=object)), "'X' is not a matrix of real numbers"),
        (_matlab("text"), "'X' is not a matrix of real numbers"),
        (_matlab({"a": 1}), "'X' is not a matrix of real numbers"),
        (b"", "does not begin as"),
    ],
)  # fmt: skip
def test_matlab(refused, content, message):
    assert content not in (DENSE, SPARSE)
    refused("matlab", content, message)


def test_packed_matlab(refused, monkeypatch, tmp_path):
    monkeypatch.setattr(matlab_structure, "LARGEST", 1 << 22)
    bomb = zlib.compress(bytes(1 << 25))
    element = struct.pack("<II", 15, len(bomb)) + bomb
    refused("matlab", DENSE[:128] + element, "unpacks to more than 4194304 bytes")
    inner = zlib.compress(element)
    nested = struct.pack("<II", 15, len(inner)) + inner
    refused("matlab", DENSE[:128] + nested, "elements in a packed variable, one is expected")
    packed = _matlab(np.arange(8.0).reshape(4, 2), do_compression=True)
    (tmp_path / "good.mat").write_bytes(packed)
    check_structure(tmp_path / "good.mat", ["X", "y"])
    size = struct.unpack("<I", packed[132:136])[0]
    cut = packed[:132] + struct.pack("<I", size - 8) + packed[136 : 136 + size - 8]
    refused("matlab", cut, "packed variable is cut off|incorrect|incomplete")


def test_sound_matlab_files_pass(tmp_path):
    """Whatever SciPy writes of real matrices, beside variables of other kinds."""
    others = {"c": np.array([[1, "a"]], dtype=object), "s": {"f": 1.0}, "t": "text", "e": []}
    for matrix in (np.eye(3), np.eye(3, dtype="u1"), np.zeros((0, 4)), csc_matrix((3, 0)),
                   csc_matrix(np.eye(3)), np.eye(2) > 0, np.float32([[1, 2]])):  # fmt: skip
        for compression in (False, True):
            path = tmp_path / "sound.mat"
            savemat(path, {"m": matrix, **others}, do_compression=compression)
            check_structure(path, ["m"])


SAMPLE_NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/entry.yaml"))


class _Trap:
    def __reduce__(self):
        return os.mkdir, (os.environ["TRAP"],)


@pytest.mark.parametrize("sample", SAMPLE_NAMES)
def test_a_pickle_is_not_opened(refused, sample, tmp_path, monkeypatch):
    trap = tmp_path / "sprung"
    monkeypatch.setenv("TRAP", str(trap))
    content = pickle.dumps(_Trap())
    refused(sample, content, ".")
    refused(sample, gzip.compress(content), ".")
    assert not trap.exists()
    pickle.loads(content)
    assert trap.exists(), "the trap itself works"


def test_nothing_reads_pickles():
    for path in (PACKAGE / "datasets").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for word in ("import pickle", "joblib", "allow_pickle", "read_pickle", "eval(", "np.load("):
            assert word not in text, f"{path.name} has {word!r}"


@pytest.mark.parametrize("sample", SAMPLE_NAMES)
@pytest.mark.parametrize("kind", ["missing", "folder", "empty", "page", "endless"])
def test_what_is_no_file_of_the_format(sample, kind, tmp_path):
    entry = DatasetEntry.model_validate(load_yaml(SAMPLES / sample / "entry.yaml"))
    for number, file in enumerate(entry.sources[0].files):
        path = tmp_path / file.name
        if number or kind == "page":
            page = b"<!DOCTYPE html>\n<html><title>Sign in</title></html>"
            path.write_bytes(page if not number else (SAMPLES / sample / file.name).read_bytes())
        elif kind == "folder":
            path.mkdir()
        elif kind == "empty":
            path.touch()
        elif kind == "endless":
            path.symlink_to("/dev/zero")
    with pytest.raises(DataError, match=entry.sources[0].files[0].name.split(".")[0]):
        parse_source(entry, entry.sources[0], tmp_path)


@pytest.mark.parametrize(
    ("sample", "content"),
    [
        ("delimited", '"' * 300_000),
        ("delimited", "id;u;v;class\n" + ";" * 300_000),
        ("delimited", "id;u;v;class\n" + "1;1;1;" + "a" * 300_000),
        ("keel", "@attribute " + "'" * 300_000),
        ("keel", "@attribute u real\n" * 20_000),
        ("arff", "@relation r\n@attribute '" + "\\" * 300_000 + "\n@data\n"),
        ("arff", "@relation r\n@attribute u {" + "a," * 150_000 + "}\n@data\n"),
        ("arff", "@relation r\n@attribute u numeric\n@data\n{" + "0 1," * 80_000 + "}\n"),
        ("arff-hierarchical", "@relation r\n@attribute class hierarchical " + "1/" * 150_000),
        ("libsvm", "1 " + "1:1 " * 80_000),
        ("libsvm", "1" * 300_000),
        ("libsvm", "1 " + " " * 300_000 + "x"),
        ("orange-tab", "u\tv\tclass\n" + "c d " * 80_000 + "\n\n"),
        ("orange-text", "class\tText\nd\tstring\nclass\t\n" + "a" * 300_000),
        ("gene-networks", "Y " * 150_000),
        ("reuters-sgml", '<!DOCTYPE lewis SYSTEM "lewis.dtd">' + "<REUTERS>" * 30_000),
        ("reuters-sgml", '<!DOCTYPE lewis SYSTEM "lewis.dtd">' + "</REUTERS>" * 30_000),
    ],
)
def test_long_lines_take_little_time(refused, sample, content):
    refused(sample, content.encode(), ".", seconds=30, megabytes=128)
