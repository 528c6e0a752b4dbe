"""The same points from every format, and what such files must not do."""

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings
from gramworks.owndata.understanding import Request, understand


def write_mat73(path, X, y):
    with h5py.File(path, "w", userblock_size=512) as file:
        file["X"], file["y"] = X.T, y[None].astype(float)  # columns first, as MATLAB keeps them
    data = bytearray(path.read_bytes())
    data[:19] = b"MATLAB 7.3 MAT-file"
    path.write_bytes(data)


def write_h5(path, X, y):
    with h5py.File(path, "w") as file:
        file["in/X"], file["y"] = X, ["no" if v == 0 else "yes" for v in y]


def write_sparse(path, X, y):
    rows = [" ".join(f"{i}:{v!r}" for i, v in enumerate(r.tolist(), 1)) for r in X]
    path.write_text("".join(f"{c} {row}\n" for c, row in zip(y, rows, strict=True)))


def write_arff(path, X, y):
    head = "@relation r\n" + "".join(f"@attribute x{i} numeric\n" for i in range(X.shape[1]))
    rows = "".join(",".join(map(repr, r.tolist())) + f",{c}\n" for r, c in zip(X, y, strict=True))
    path.write_text(head + "@attribute y {0,1} % a note\n@data\n" + rows)


WRITERS = {
    "t.mat": lambda path, X, y: savemat(path, {"X": X, "y": y[:, None].astype(float), "s": "text"}),
    "t73.mat": write_mat73,
    "t.h5": write_h5,
    "t.npz": lambda path, X, y: np.savez(path, X=X, y=y, other=np.zeros(3)),
    "t.libsvm": write_sparse,
    "t.txt": write_sparse,
    "t.arff": write_arff,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_points(folder, points, name):
    X, y = points
    WRITERS[name](folder / name, X, y)
    target = None if name in ("t.libsvm", "t.txt") else "y"
    found = understand("t", Request((folder / name,), target), Findings()).dataset
    got = found.X.toarray() if hasattr(found.X, "toarray") else found.X
    np.testing.assert_array_equal(got, X)
    np.testing.assert_array_equal(found.y, y)


def test_pickles_are_refused(folder):
    np.savez(folder / "p.npz", X=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="p.npz: holds pickled objects.*refused"):
        understand("t", Request((folder / "p.npz",), "X"), Findings())


def test_links_out_of_a_file_are_not_followed(folder, points):
    X, y = points
    with h5py.File(folder / "secret.h5", "w") as file:
        file["X"] = X
    with h5py.File(folder / "t.h5", "w") as file:
        file["y"] = y
        file["X"] = h5py.ExternalLink("secret.h5", "X")
    with pytest.raises(DataError, match="no column is left"):
        understand("t", Request((folder / "t.h5",), "y"), Findings())


@pytest.mark.parametrize("name", ["t.mat", "t73.mat", "t.h5", "t.npz", "t.arff"])
@pytest.mark.parametrize("part", [0.3, 0.9])
def test_files_that_are_cut_off(folder, points, name, part):
    WRITERS[name](folder / name, *points)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(part * len(data))])
    with pytest.raises(DataError, match=name):
        understand("t", Request((folder / name,), "y"), Findings())


@pytest.mark.parametrize("name", ["t.xlsx", "t.pkl", "t.docx", "t"])
def test_formats_that_are_not_read(folder, name):
    (folder / name).write_bytes(b"x")
    with pytest.raises(DataError, match="CSV|rename"):
        understand("t", Request((folder / name,), "y"), Findings())


def test_several_matrices_are_several_sources(folder, points):
    X, y = points
    np.savez(folder / "t.npz", one=X[:, :2], two=X[:, 1:], y=y)
    data = understand("t", Request((folder / "t.npz",), "y"), Findings()).dataset
    np.testing.assert_array_equal(data.views["two"], X[:, 1:])
    np.testing.assert_array_equal(data.X, np.hstack([X[:, :2], X[:, 1:]]))


def test_a_matrix_is_no_target(folder, points):
    np.savez(folder / "t.npz", X=points[0], y=points[1])
    with pytest.raises(DataError, match=r"'X' is a matrix \(40, 3\).*Vectors in it: 'y'"):
        understand("t", Request((folder / "t.npz",), "X"), Findings())


def test_what_a_sparse_arff_leaves_out(read):
    head = "@relation r\n@attribute x numeric\n@attribute c {red, '0', 'blue, 1'}\n"
    head += "@attribute label {a,b}\n@data\n"
    rows = [
        f"{{0 {i}.5{', 1 ' + repr('blue, 1') if i % 3 == 0 else ''}{', 2 b' * (i % 2)}}}"
        for i in range(1, 31)
    ]
    data, _ = read(head + "\n".join(rows), name="t.arff")
    assert data.classes == ["a", "b"]
    assert data.y.tolist() == [i % 2 for i in range(1, 31)]
    assert data.feature_names == ["x", "c=red"]
    assert data.X[:, 1].tolist() == [float(i % 3 != 0) for i in range(1, 31)]
    with pytest.raises(DataError, match="line 6: attribute 'c' has the value 'rot'.*not declared"):
        read(head + "\n".join(["{0 1.5, 1 rot}", *rows]), name="t.arff")
    with pytest.raises(DataError, match="line 6: attribute 'label' has the value 'c'"):
        read(head + "1.5,red,c\n" + "\n".join(rows), name="t.arff")


def test_hard_links_in_circles_are_read_once(folder, points):
    X, y = points
    with h5py.File(folder / "t.h5", "w") as file:
        file["in/X"], file["y"] = X, y
        file["in/again"] = file["in"]
        file["in/back"] = file["/"]
        file["same"] = file["in/X"]
    data = understand("t", Request((folder / "t.h5",), "y"), Findings()).dataset
    np.testing.assert_array_equal(data.X, X)
    assert not data.views
