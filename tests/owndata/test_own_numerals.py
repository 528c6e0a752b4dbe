"""Numbers keep their digits, whatever the file, and say so where they cannot."""

import numpy as np
import pytest

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings
from gramworks.owndata.understanding import Request, understand

LONG = [9007199254740992, 9007199254740993]


def understood(path, target):
    findings = Findings()
    return understand("t", Request((path,), target), findings).dataset, findings


def test_targets_of_sparse_text_keep_all_digits(folder):
    wanted = [1234567.25 + i / 7 for i in range(30)]
    (folder / "t.svm").write_text("".join(f"{v!r} 1:{i}.5\n" for i, v in enumerate(wanted)))
    assert understood(folder / "t.svm", None)[0].y.tolist() == wanted


@pytest.mark.parametrize("name", ["t.svm", "t.npz", "t.csv"])
def test_long_whole_numbers_stay_two_classes(folder, name):
    labels = [LONG[i % 2] for i in range(20)]
    x = np.arange(20) ** 2 % 23 + 0.5
    if name == "t.npz":
        np.savez(folder / name, X=np.column_stack([x, -(x**2)]), label=np.array(labels))
    elif name == "t.svm":
        (folder / name).write_text("".join(f"{c} 1:{v}\n" for c, v in zip(labels, x, strict=True)))
    else:
        rows = "".join(f"{c},{v}\n" for c, v in zip(labels, x, strict=True))
        (folder / name).write_text("label,x\n" + rows)
    assert understood(folder / name, "label")[0].classes == [str(v) for v in LONG]


def test_classes_that_are_fractions_are_called_as_written(folder, points):
    X, y = points
    np.savez(folder / "t.npz", X=X, label=np.array([0.1, 0.3])[y])
    request = Request((folder / "t.npz",), "label", task="classification")
    assert understand("t", request, Findings()).dataset.classes == ["0.1", "0.3"]


def test_long_numbers_that_are_rounded_are_told(read, table):
    text = table(extra="z", cell=lambda i: str(2**60 + i * i))
    assert "'z': '1152921504606846977' and" in read(text)[1]
    text = "x,label\n" + "".join(f"{i * 7 % 41}.5,{2**60 + i * i}\n" for i in range(40))
    assert "target 'label': '1152921504606846977' and" in read(text)[1]


def test_names_of_rows_keep_their_digits(read, table):
    data, _ = read(table(extra="id", cell=lambda i: str(2**60 + i)))
    assert data.row_ids[:2] == ["1152921504606846976", "1152921504606846977"]


def test_one_number_written_in_two_ways_is_told(read, table):
    text = table().replace(",a\n", ",1\n").replace(",b\n", ",0\n").replace(",1\n", ",1.0\n", 3)
    assert "'1', '1.0' are one number written in several ways" in read(text)[1]
    assert "'-0', '0' are one" in read(text.replace(",0\n", ",-0\n", 2))[1]


def test_a_vector_does_not_take_the_place_of_a_column(folder, points):
    X, y = points
    np.savez(folder / "t.npz", **{"X": X, "X-1": X[:, 2], "y": y})
    with pytest.raises(DataError, match="vector 'X-1' is called as a column of the matrix 'X'"):
        understood(folder / "t.npz", "y")
