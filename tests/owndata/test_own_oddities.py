"""What `gramworks new` notices in a table, and what it does about it."""

import contextlib

import numpy as np
import pytest

from gramworks.errors import DataError
from gramworks.owndata import understanding
from gramworks.owndata.columns import Wishes
from gramworks.owndata.points import slug
from gramworks.owndata.split_choice import choose_splits
from gramworks.owndata.targets import Target


def test_rows_with_missing_values_are_named_and_dropped(read, table):
    data, told = read(table(extra="z", cell=lambda i: "?" if i in (3, 7) else f"{i * 5 % 43}.5"))
    assert data.rows == 38
    assert "2 cells in 2 rows (lines 5, 9); by column: 'z' 2" in told
    assert "2 rows with missing values dropped, 38 of 40 are left" in told
    assert "line 5" not in data.row_ids
    assert "line 6" in data.row_ids


def test_missing_values_are_filled_on_request(read, table):
    cells = ["?" if i in (3, 7) else f"{i * 5 % 43}.5,{'rb'[i % 5 == 0]}" for i in range(40)]
    cells[3], cells[7] = "?,r", "?,?"
    data, told = read(table(extra="z,c", cell=lambda i: cells[i]), missing="median")
    z = data.X[:, data.feature_names.index("z")]
    assert z[3] == z[7] == np.median(np.delete(z, [3, 7]))
    assert data.rows == 40
    assert "'c' 'r'" in told
    with pytest.raises(DataError, match="3 values are missing"):
        read(table(extra="z,c", cell=lambda i: cells[i]), missing="refuse")


def test_hardly_a_row_left(read, table):
    with pytest.raises(DataError, match=r"8 of 40 are left.*--missing median"):
        read(
            table(
                extra="z,w",
                cell=lambda i: f"{'' if i % 5 < 2 else i / 2},{'' if i % 5 in (2, 3) else i / 3}",
            )
        )


def test_a_column_mostly_missing_is_left_out(read, table):
    data, told = read(table(extra="z", cell=lambda i: f"{i}.5" if i % 3 == 0 else ""))
    assert data.rows == 40
    assert "column 'z', missing in 65 % of the rows" in told


def test_columns_of_no_use(read, table):
    text = table(extra="case,same,none,when", cell=lambda i: f"P{i:03},7,,2024-01-{i % 31 + 1:02}")
    data, told = read(text)
    assert data.feature_names == ["x", "y"]
    assert data.row_ids[4] == "P004"
    for words in (
        "names of rows: 'case'",
        "constant: 'same'",
        "empty: 'none'",
        "31 different dates",
    ):
        assert words in told


def test_a_column_that_counts_the_rows(read, table):
    data, told = read(table(extra="k", cell=lambda i: str(i + 7)))
    assert data.feature_names == ["x", "y"]
    assert "names of rows: 'k'" in told


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (lambda i: "vu"[i % 2], "is equal to"),
        (lambda i: ["0.25", "0.75"][i % 2], "is equal to"),
        (lambda i: "vuwt"[i % 4], "tells without fault"),
        (lambda i: f"{i / 7 + 100 * (i % 2):.3f}", "tells by thresholds"),
    ],
)
def test_columns_that_give_the_target_away(read, table, cell, words):
    _, told = read(table(extra="z", cell=cell))
    assert f"column 'z' {words}" in told.replace(", without fault,", "")
    assert "--ignore 'z'" in told
    assert "column 'x'" not in told
    assert "column 'y'" not in told
    _, told = read(table(extra="z", cell=cell), wishes=Wishes(ignore=("z",)))
    assert "gives" not in told
    assert "ignored" in told


def test_a_scaled_copy_of_numbers(read):
    text = "x,z,label\n" + "".join(f"{i * 7 % 23}.5,{3 * i - 1}.25,{i}.5\n" for i in range(1, 31))
    _, told = read(text)
    assert "task is regression" in told
    assert "'z' is, up to scale and shift, equal to" in told


def test_repeated_rows(read, table):
    lines = table().splitlines()
    text = "\n".join([*lines, lines[1], lines[2][:-1] + "a"]) + "\n"
    _, told = read(text)
    assert "2 rows repeated: lines 2, 3, 42, 43" in told
    assert "1 group of equal rows have different targets" in told


def test_unequal_classes(read, table):
    _, told = read(table().replace(",b\n", ",a\n", 17))
    assert "'a' has 37 rows, 'b' 3; always saying 'a' is right in 92 %" in told


def test_numbers_as_classes_or_not(read, table):
    text = table(header="x,label,c")
    assert read(text)[0].task == "regression"
    few = "x,label\n" + "".join(f"{i * 7 % 41}.5,{i % 4}\n" for i in range(40))
    data, _ = read(few)
    assert data.classes == ["0", "1", "2", "3"]
    assert read(few, task="regression")[0].task == "regression"
    with pytest.raises(DataError, match="line 2: target 'label' is 'a'.*needs a number"):
        read(table(), task="regression")


def test_class_numbers_are_in_the_order_of_numbers(read):
    text = "x,label\n" + "".join(f"{i * 7 % 41}.5,{[10, 9, 2][i % 3]}\n" for i in range(30))
    assert read(text)[0].classes == ["2", "9", "10"]


def test_hostile_names_and_labels_stay_as_they_are(read):
    evil, formula = "<script>alert(1)</script>", "=cmd|' /C calc'!A0"
    names = ["a/../b", "=1+1", "ü" * 200, "line\nend"]
    head = ",".join(f'"{name}"' for name in [*names, evil])
    cells = [f"{i}.5,{i * i},{i * 7 % 13}.5,{i * 3 % 11}.5" for i in range(30)]
    labels = [evil, formula] * 15
    rows = "".join(f'{row},"{label}"\n' for row, label in zip(cells, labels, strict=True))
    data, told = read(f"{head}\n{rows}", evil)
    assert data.feature_names == names
    assert data.classes == [evil, formula]
    assert "line\\nend" in told
    assert "line\nend" not in told


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("Blüten (1)", "bluten-1"),
        ("<b>", "b"),
        ("日本", "table"),
        ("a" * 300, "a" * 60),
    ],
)
def test_names_of_files(text, wanted):
    assert slug(text) == wanted


def test_rows_by_names_whatever_their_order(read, table):
    first = table(extra="gene", cell=lambda i: f"G{i}")
    second = "gene,w\n" + "".join(f"G{i},{i / 4}\n" for i in reversed(range(40)))
    data, told = read({"one.csv": first, "two.csv": second})
    np.testing.assert_array_equal(data.views["two"][:, 0], np.arange(40) / 4)
    assert data.row_ids[:2] == ["G0", "G1"]
    assert "by column 'gene'" in told
    with pytest.raises(DataError, match=r"1 of 40 are lacking \('G3'\), 1 are not.*\('H3'\)"):
        read({"one.csv": first, "two.csv": second.replace("G3,", "H3,")}, id_column="gene")
    with pytest.raises(DataError, match="'G4' .1 names. stand more than once"):
        read({"one.csv": first, "two.csv": second.replace("G3,", "G4,")}, id_column="gene")


def test_rows_by_order(read, table):
    second = "w\n" + "".join(f"{i / 4}\n" for i in range(40))
    data, told = read({"one.csv": table(), "two.csv": second})
    assert list(data.views) == ["one", "two"]
    assert "by their order" in told
    with pytest.raises(DataError, match="one.csv has 40, two.csv has 39"):
        read({"one.csv": table(), "two.csv": second.rsplit("\n", 2)[0] + "\n"})


def test_strings_are_a_source(read, table):
    data, _ = read(table(extra="seq", cell=lambda i: "ACGT" * 3 + f"{i:06b}".replace("0", "A")))
    assert data.views["seq"][1] == "ACGTACGTACGTAAAAA1"
    assert data.X.shape == (40, 2)
    text = "seq,label\n" + "".join(f"{'ACGT' * 3}{i:05b}T,{'ab'[i % 2]}\n" for i in range(30))
    data, _ = read(text)
    assert isinstance(data.X, list)
    assert not data.views


def test_the_size_of_a_gram_matrix_is_said_first(read, table, monkeypatch):
    monkeypatch.setattr(understanding, "LARGEST_GRAM", 8 * 39**2)
    with pytest.raises(DataError, match=r"40 rows make Gram matrices of 40 x 40.*--rows"):
        read(table())
    data, told = read(table(), rows=20)
    assert data.rows == 20
    assert "20 of 40 rows taken at random" in told


@pytest.mark.parametrize(
    ("counts", "kind", "warned"),
    [([300, 300], "labelled", ""), ([15, 15], "k-fold", ""), ([30, 3], "k-fold", "3 folds"),
     ([30, 1], "labelled", "one row"), ([2, 2], None, "")],
)  # fmt: skip
def test_splits_fit_the_rows(counts, kind, warned):
    y = np.repeat(np.arange(len(counts)), counts)
    target = Target("t", "binary", ["a", "b"], y, np.ones(len(y), dtype=bool))
    if kind is None:
        with pytest.raises(DataError, match="too few"):
            choose_splits(target)
        return
    choice = choose_splits(target)
    assert choice.spec["kind"] == kind
    assert warned in choice.warning


def test_a_copy_of_the_target_with_gaps_is_told(read, table):
    text = table(extra="z", cell=lambda i: "" if i % 9 == 0 else "uv"[i % 2])
    for missing in ("drop", "median"):
        assert "column 'z' is equal to the target" in read(text, missing=missing)[1]
    text = "x,z,label\n" + "".join(
        f"{i * 7 % 23}.5,{'' if i % 9 == 0 else i / 4},{i / 4}\n" for i in range(1, 41)
    )
    for missing in ("drop", "median"):
        assert "column 'z' is equal to the target" in read(text, missing=missing)[1]


def test_repeated_rows_that_are_dropped_are_not_counted(read, table):
    text = table(extra="z", cell=lambda i: "" if i in (3, 5) else f"{i * 5 % 43}.5")
    lines = text.splitlines()
    lines[4] = lines[6] = ",7,a,"
    assert "repeated" not in read("\n".join(lines) + "\n")[1]


def test_what_is_constant_once_rows_are_dropped_is_left_out(read, table):
    text = table(extra="z,w", cell=lambda i: f"{7 if i > 4 else i},{'' if i < 5 else i / 4}")
    data, told = read(text)
    assert data.feature_names == ["x", "y", "w"]
    assert "constant in the rows that are left: 'z'" in told


def test_missing_cells_are_told_with_the_lines_of_their_file(read, table):
    first = table(extra="z", cell=lambda i: "" if i == 3 else f"{i * 5 % 43}.5")
    second = "\n\nw\n" + "".join(f"{'?' if i in (7, 9) else i / 4}\n" for i in range(40))
    _, told = read({"one.csv": first, "two.csv": second})
    assert "(one.csv lines 5; two.csv lines 11, 13)" in told


def test_large_numbers_give_no_noise(read, recwarn):
    text = "x,z,label\n" + "".join(
        f"{i * 7 % 23}.5,{(-1) ** i * (1 + i / 99)}e308,{i / 4}\n" for i in range(1, 31)
    )
    with contextlib.suppress(DataError):
        read(text)
    assert not [str(w) for w in recwarn if issubclass(w.category, RuntimeWarning)]


def test_rows_that_cannot_be_predicted_are_told(read, table):
    text = table(extra="z", cell=lambda i: "" if i in (3, 7) else f"{i * 5 % 43}.5")
    lines = text.splitlines()
    lines[4] = lines[4].replace(",b,", ",,")
    assert "1 row without a target dropped too" in read("\n".join(lines) + "\n")[1]
    assert "dropped too" not in read(text)[1]


def test_dates_are_left_out_however_few(read, table):
    data, told = read(table(n=80, extra="day", cell=lambda i: f"2024-02-{i % 28 + 1:02}"))
    assert data.feature_names == ["x", "y"]
    assert "column 'day', 28 different dates; --nominal" in told


def test_more_features_than_rows_are_told(read, table):
    names = ",".join(f"c{i}" for i in range(50))
    wide = table(extra=names, cell=lambda i: ",".join(f"{(i * k) % 59}.5" for k in range(3, 53)))
    assert "more features (52) than rows (40)" in read(wide)[1]
    assert "more features" not in read(table())[1]
