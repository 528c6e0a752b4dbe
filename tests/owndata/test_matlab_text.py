"""Cell arrays of text in MATLAB files are columns of text; what else is in them is refused."""

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings
from gramworks.owndata.understanding import Request, understand

NAMES = ["no", "<script>alert(1)</script>"]


def cells(values):
    """Make what SciPy writes as a cell array, a column."""
    made = np.empty((len(values), 1), dtype=object)
    made[:, 0] = values
    return made


def write_mat5(path, arrays, **options):
    savemat(path, {k: cells(v) if isinstance(v, list) else v for k, v in arrays.items()}, **options)


def write_mat73(path, arrays):
    with h5py.File(path, "w", userblock_size=512) as file:
        refs = file.create_group("#refs#")
        for name, values in arrays.items():
            if not isinstance(values, list):
                file[name] = np.atleast_2d(values).T if values.ndim == 2 else values[None]
                file[name].attrs["MATLAB_class"] = np.bytes_("double")
                continue
            made = file.create_dataset(name, (1, len(values)), dtype=h5py.ref_dtype)
            made.attrs["MATLAB_class"] = np.bytes_("cell")
            for i, value in enumerate(values):
                made[0, i] = mat73_cell(refs, f"{name}{i}", value).ref
    data = bytearray(path.read_bytes())
    data[:19] = b"MATLAB 7.3 MAT-file"
    path.write_bytes(data)


def mat73_cell(refs, name, value):
    if isinstance(value, str):
        units = np.frombuffer(value.encode("utf-16-le"), "<u2")
        item = refs.create_dataset(name, data=units[:, None] if value else np.zeros(2, "u8"))
        kind = "char"
        if not value:
            item.attrs["MATLAB_empty"] = 1
    elif isinstance(value, list):
        item = refs.create_dataset(name, (1, 1), dtype=h5py.ref_dtype)
        kind = "cell"
    else:
        item, kind = refs.create_dataset(name, data=np.atleast_2d(value)), "double"
    item.attrs["MATLAB_class"] = np.bytes_(kind)
    return item


WRITERS = {"5": write_mat5, "7.3": write_mat73}


def read(path, target="y"):
    findings = Findings()
    return understand("t", Request((path,), target), findings).dataset, findings


@pytest.mark.parametrize("version", WRITERS)
def test_labels_and_columns_of_text(folder, points, version):
    X, y = points
    colours = [("red", "bl\u00fc", "\U0001f34b")[i % 3] for i in range(len(y))]
    path = folder / "t.mat"
    WRITERS[version](path, {"X": X, "y": [NAMES[v] for v in y], "colour": colours})
    data, _ = read(path)
    assert data.classes == sorted(NAMES)
    assert [data.classes[v] for v in data.y] == [NAMES[v] for v in y]
    found = data.feature_names
    assert [n for n in found if n.startswith("colour")] == [
        f"colour={c}" for c in sorted(set(colours))
    ]
    np.testing.assert_array_equal(data.X[:, :3], X)
    red = data.X[:, found.index("colour=red")]
    assert red.tolist() == [float(c == "red") for c in colours]


@pytest.mark.parametrize("version", WRITERS)
def test_empty_cells_are_rows_without_a_target(folder, points, version):
    X, y = points
    path = folder / "t.mat"
    WRITERS[version](path, {"X": X, "y": ["" if i < 4 else NAMES[v] for i, v in enumerate(y)]})
    data, findings = read(path)
    assert any("4 rows of 40 without a target" in text for text in findings.said)
    assert data.classes == sorted(NAMES)


def test_files_that_are_not_packed_are_read_alike(folder, points):
    X, y = points
    write_mat5(folder / "t.mat", {"X": X, "y": [NAMES[v] for v in y]}, do_compression=False)
    write_mat5(folder / "u.mat", {"X": X, "y": [NAMES[v] for v in y]}, do_compression=True)
    first, second = read(folder / "t.mat")[0], read(folder / "u.mat")[0]
    np.testing.assert_array_equal(first.y, second.y)


REFUSED = {
    "numbers": (3.5, r"numbers|double"),
    "nested": (["a"], "a cell array"),
}


@pytest.mark.parametrize("version", WRITERS)
@pytest.mark.parametrize("case", REFUSED)
def test_other_cells_are_refused_by_name(folder, points, version, case):
    X, y = points
    value, told = REFUSED[case]
    inner = cells(value) if isinstance(value, list) and version == "5" else value
    names = [NAMES[v] for v in y]
    names[6] = inner
    path = folder / "t.mat"
    WRITERS[version](path, {"X": X, "y": names, "z": y.astype(float)})
    with pytest.raises(
        DataError, match=rf"t.mat: the target 'y' holds ({told}) in cell 7\. A cell"
    ):
        read(path)
    # beside another target it is left out, and told
    data, findings = read(path, "z")
    assert data.X.shape == X.shape
    assert any("'y' holds" in text and "left out" in text for text in findings.warnings)


def test_matrices_of_cells_and_several_lines_are_refused(folder, points):
    X, y = points
    wide = np.full((len(y), 2), "a", dtype=object)
    savemat(folder / "t.mat", {"X": X, "y": wide})
    with pytest.raises(DataError, match=r"'y' is a cell array of 40 x 2 cells, one a row is read"):
        read(folder / "t.mat")
    names = [NAMES[v] for v in y]
    names[0] = np.array(["ab", "cd"])
    savemat(folder / "u.mat", {"X": X, "y": cells(names)})
    with pytest.raises(DataError, match=r"'y' holds 2 lines of text in cell 1"):
        read(folder / "u.mat")


def test_a_damaged_cell_is_told_and_nothing_else_happens(folder, points):
    X, y = points
    path = folder / "t.mat"
    write_mat5(path, {"y": [NAMES[v] for v in y], "X": X}, do_compression=False)
    whole = path.read_bytes()
    start = whole.index(b"y") + 8
    rng = np.random.default_rng(0)
    told = 0
    for _ in range(150):
        data = bytearray(whole)
        at = int(rng.integers(start, start + 2000))
        data[at] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        try:
            read(path)
        except DataError as error:
            told += "t.mat" in str(error)
    assert told > 20


def test_references_to_nothing_are_refused(folder, points):
    X, y = points
    path = folder / "t.mat"
    write_mat73(path, {"X": X, "y": [NAMES[v] for v in y]})
    data = path.read_bytes()
    with h5py.File(path, "r+") as file:
        made = file.create_dataset("w", (1, 40), dtype=h5py.ref_dtype)
        made.attrs["MATLAB_class"] = np.bytes_("cell")
    path.write_bytes(data[:512] + path.read_bytes()[512:])
    with pytest.raises(DataError, match="t.mat.*cell 1 leads to nothing"):
        read(path, "w")


def test_objects_are_refused_with_what_to_do(folder, points):
    X, y = points
    path = folder / "t.mat"
    write_mat5(path, {"y": [NAMES[v] for v in y], "X": X}, do_compression=False)
    data = bytearray(path.read_bytes())
    assert data[144] == 1  # the class of the first variable
    data[144] = 17
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"t.mat: holds a MATLAB object.*cellstr.*writetable"):
        read(path)
    write_mat73(folder / "u.mat", {"X": X, "z": y.astype(float)})
    with h5py.File(folder / "u.mat", "r+") as file:
        file["y"] = np.arange(6, dtype="u4")[None]
        file["y"].attrs["MATLAB_class"] = np.bytes_("string")
        file["y"].attrs["MATLAB_object_decode"] = 3
    with pytest.raises(DataError, match=r"target 'y' is a MATLAB object.*cellstr"):
        read(folder / "u.mat")
    _, findings = read(folder / "u.mat", "z")
    assert any("'y' is a MATLAB object" in text for text in findings.warnings)
