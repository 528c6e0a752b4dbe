"""HDF5 files from outside: the layout of usps, and what is refused."""

import h5py
import numpy as np
import pytest

from gramworks.datasets.parsers import hdf5_file
from gramworks.errors import DataError

PARTS = [{"X": "train/data", "y": "train/target"}, {"X": "test/data", "y": "test/target"}]


@pytest.fixture
def read_file(make_entry, tmp_path):
    def read(fill, **options):
        path = tmp_path / "t.h5"
        with h5py.File(path, "w") as file:
            file["train/data"] = np.array([[0, 1], [2, 3]], dtype="f4")
            file["train/target"] = np.array([0, 1], dtype="i4")
            file["test/data"] = np.array([[4, 5]], dtype="f4")
            file["test/target"] = np.array([1], dtype="i4")
            fill(file)
        entry = make_entry("hdf5_file", options={"parts": PARTS}, labels=("0", "1"))
        chosen = hdf5_file.Options(parts=PARTS, **options)
        return hdf5_file.read([path], entry, entry.sources[0], chosen)

    return read


def test_parts_and_partition(read_file):
    dataset = read_file(lambda file: None, partition=True)
    np.testing.assert_array_equal(dataset.X, [[0, 1], [2, 3], [4, 5]])
    assert dataset.X.dtype == np.float64
    assert dataset.y.tolist() == [0, 1, 1]
    ((train, test),) = dataset.partitions
    assert (train.tolist(), test.tolist()) == ([0, 1], [2])


def _replace(name, value):
    def fill(file):
        del file[name]
        if value is not None:
            file[name] = value

    return fill


def _virtual(file):
    del file["test/data"]
    layout = h5py.VirtualLayout(shape=(1, 2), dtype="f4")
    layout[:] = h5py.VirtualSource("elsewhere.h5", "data", shape=(1, 2))
    file.create_virtual_dataset("test/data", layout)


def _external(file):
    del file["test/data"]
    file.create_dataset("test/data", (1, 2), "f4", external=[("/etc/hostname", 0, 8)])


def _huge(file):
    del file["test/data"], file["test/target"]
    file.create_dataset("test/data", (10**9, 2), "f4", chunks=(1024, 2))
    file.create_dataset("test/target", (10**9,), "i4", chunks=(1024,))


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (_replace("test/data", h5py.ExternalLink("/etc/x.h5", "/")), "ExternalLink; refused"),
        (_replace("test", h5py.SoftLink("/train")), "SoftLink; refused"),
        (_virtual, "in another file"),
        (_external, "in another file"),
        (_huge, "implausible size"),
        (_replace("test/data", None), "no 'test/data' in it; .*Valid: target"),
        (_replace("test/data", b"text"), "not an array of numbers"),
        (_replace("test/data", np.zeros(2)), "1 dimensions, not 2"),
        (_replace("test/data", np.zeros((2, 2))), "2 rows, 'test/target' has 1"),
        (_replace("test/data", np.array([[0, np.nan]])), "row 3, column 2 is not a finite"),
        (_replace("test/target", np.array([7])), "row 3 has the label 7; Valid: 0, 1"),
        (_replace("test/target", np.array([0.5])), "labels are not whole numbers"),
    ],
)
def test_refused(read_file, fill, message):
    with pytest.raises(DataError, match=message):
        read_file(fill)


@pytest.mark.parametrize("content", [b"", b"not hdf5", b"\x89HDF\r\n\x1a\n" + bytes(100)])
def test_other_files(make_entry, tmp_path, content):
    (tmp_path / "t.h5").write_bytes(content)
    entry = make_entry("hdf5_file", options={"parts": PARTS}, labels=("0", "1"))
    with pytest.raises(DataError, match="cannot be read as HDF5"):
        hdf5_file.read([tmp_path / "t.h5"], entry, entry.sources[0], hdf5_file.Options(parts=PARTS))
