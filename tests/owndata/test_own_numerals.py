"""Numbers keep their digits, whatever the file, and say so where they cannot."""

import numpy as np
import pytest

from gramworks.datasets.store import read_dataset
from gramworks.errors import DataError
from gramworks.owndata.columns import Wishes
from gramworks.owndata.findings import Findings
from gramworks.owndata.raw_table import ReadOptions
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


def prices(header, x, price):
    """Write 12 rows of two columns of numbers."""
    rows = [f"{x(i)};{price(i)};{'ab'[i % 2]}\n" for i in range(12)]
    return header + "\n" + "".join(rows)


@pytest.mark.parametrize(
    "price",
    [
        lambda i: ["500", "981", "1.018", "1.055"][i % 4] if i else "77",
        lambda i: f"{i + 1}.{i * 7 + 100}",
        lambda i: ["1.018", "2.000.018"][i % 2] if i else "77",
    ],
)
def test_points_that_may_part_thousands_are_refused(read, price):
    text = prices("x;price;label", lambda i: f"0,{i + 13}", price)
    with pytest.raises(DataError, match=r"column 'price' has '[12][.]\d.* .*may part thousands"):
        read(text)
    assert read(text, wishes=Wishes(ignore=("price",)))[0].X[2, 0] == 0.15
    with pytest.raises(DataError, match="may part thousands"):
        read(text.replace("label", "c").replace("price", "label"))


def test_commas_beside_whole_numbers_are_refused(read):
    text = prices("x;p;label", lambda i: f"{i}.5", lambda i: ["981", "1,018", "1,999"][i % 3])
    with pytest.raises(DataError, match=r"line 3: column 'p' has '1,018' beside '981'"):
        read(text)
    with pytest.raises(DataError, match="'1,018' beside"):
        read(text, read=ReadOptions("label", decimal="."))
    assert read(text, read=ReadOptions("label", decimal=","))[0].X[1, 1] == 1.018


def test_one_such_cell_does_not_change_other_columns(read):
    text = prices("x;p;label", lambda i: f"{i},5", lambda i: f"{i + 1}.018")
    with pytest.raises(DataError, match="the decimal mark of the table is a comma"):
        read(text)
    data, told = read(text, read=ReadOptions("label", decimal="."))
    np.testing.assert_array_equal(data.X[3], [3.5, 4.018])
    assert "'x': '0,5' and 11 more cells are read with decimal commas" in told


def test_fractions_of_three_digits_alone_are_fractions(read):
    text = prices("x;p;label", lambda i: f"{i}.5", lambda i: f"{i + 1}.018")
    data, told = read(text)
    assert data.X[3, 1] == 4.018
    assert "thousands" not in told


@pytest.mark.parametrize("swap", [False, True])
def test_a_cell_with_both_marks_tells_how_its_column_is_read(read, swap):
    shown = ["1.103,50", "47.142", "981", "12,5", "-2.000.018,25"]
    wanted = [1103.5, 47142, 981, 12.5, -2000018.25]
    marks = str.maketrans(".,", ",.") if swap else {}
    text = prices("x;p;label", lambda i: i * i % 7, lambda i: shown[i % 5].translate(marks))
    data, told = read(text)
    assert data.X[:5, 1].tolist() == wanted
    both, one = (cell.translate(marks) for cell in shown[:2])
    words = f"{'commas' if swap else 'points'} part thousands, as {both!r} shows: {one!r} is 47142"
    assert f"column 'p': {words}" in told
    data, told = read(text.replace("label", "c").replace(";p;", ";label;"))
    assert data.task == "regression"
    assert data.y[:5].tolist() == wanted
    assert "column 'label'" in told


def test_cells_that_contradict_each_other_are_no_numbers(read):
    both = prices("x;p;label", lambda i: i * i % 7, lambda i: ["1.103,50", "1,103.50"][i % 2])
    assert "part thousands, as" not in read(both)[1]
    mixed = prices("x;p;label", lambda i: i * i % 7, lambda i: ["1.103,50", "1.5"][i % 2])
    assert "part thousands, as" not in read(mixed)[1]
    stated = ReadOptions(decimal=".")
    clear = prices("x;p;label", lambda i: i * i % 7, lambda i: f"{i + 1}.103,50")
    assert "part thousands, as" not in read(clear, read=stated)[1]


@pytest.mark.parametrize(
    ("mark", "shown"),
    [
        (".", ["47.142", "981", "1.000.018"]),
        (",", ["47,142", "981", "1,000,018"]),
        ("'", ["47'142", "981", "1'000\u2019018"]),
        (" ", ["47 142", "981", "1\u00a0000\u202f018"]),
    ],
)
def test_the_stated_mark_parts_thousands(read, mark, shown):
    text = prices("x;p;label", lambda i: f"{i}.500", lambda i: shown[i % 3])
    if mark == ".":
        text = text.replace(".500", ",500")
    data, told = read(text, read=ReadOptions(thousands=mark))
    np.testing.assert_array_equal(data.X[:3], [[0.5, 47142], [1.5, 981], [2.5, 1000018]])
    assert f"part thousands, as you said: {shown[0]!r} is 47142" in told
    odd = text.replace(";981;", ";x;", 1)
    with pytest.raises(DataError, match="'p' has 'x' .1 such cells., the other 11 are numbers"):
        read(odd, read=ReadOptions(thousands=mark))


def test_a_refused_mark_is_read_as_its_message_says(folder, command):
    text = prices("x;p;label", lambda i: f"{i},5", lambda i: ["981", "1.018"][i % 2])
    (folder / "t.csv").write_text(text + "0,5;47.142;\n")
    status, _, err = command("new", "t.csv", "--target", "label")
    assert status == 1
    assert "--thousands '.' if it parts thousands, --decimal '.' if it is" in " ".join(err.split())
    status, _, err = command(
        "new", "t.csv", "--target", "label", "--thousands", ".", "--decimal", "."
    )
    assert status == 1
    assert "a mark cannot be both" in err
    status, out, err = command("new", "t.csv", "--target", "label", "--thousands", ".")
    assert status == 0, err
    assert "'1.018' is 1018" in out
    (folder / "t.csv").write_text(text + "0,5;48.142;\n")
    assert command("new", "--update", "t")[0] == 0  # new rows are read as the first ones
    data = read_dataset(folder / "own/datasets/t.h5")
    assert data.X[-1].tolist() == [0.5, 48142]
    assert data.unlabelled[-1]
    assert data.X[1].tolist() == [1.5, 1018]


def test_a_cell_that_shows_a_decimal_comma_ends_the_doubt(read):
    plain = prices("x;p;label", lambda i: f"{i + 1},125", lambda i: i * i % 7)
    assert "--thousands ','" in read(plain)[1]
    assert "--thousands" not in read(plain.replace("\n1,125", "\n0,125"))[1]
    both = prices("x;p;label", lambda i: f"{i + 1},125", lambda i: f"{i + 1}.103,5")
    assert "--thousands" not in read(both)[1]
