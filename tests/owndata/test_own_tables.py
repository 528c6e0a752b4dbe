"""Tables of text as people have them: what is found out, said, and refused."""

import numpy as np
import pytest

from gramworks.errors import DataError
from gramworks.owndata.columns import Wishes
from gramworks.owndata.raw_table import ReadOptions

NUMBERS = [(1.5, -2.25), (3.0, 0.125), (-7.5, 1e-3), (0.5, 12.0), (2.5, 4.0), (9.75, 8.0)]


def spreadsheet(delimiter=";", mark=",", end="\r\n", header=("länge", "b", "label")):
    """Write six rows, twice each with a shift, as a spreadsheet program would."""
    lines = [delimiter.join(header)]
    for shift in (0, 100):
        for i, (a, b) in enumerate(NUMBERS):
            cells = [f"{a + shift}".replace(".", mark), f"{b}".replace(".", mark)]
            lines.append(delimiter.join([*cells, '"' + "ab"[i % 2] + ' ä"']))
    return end.join(lines)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("mark", [",", "."])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_spreadsheet(read, delimiter, mark, begin):
    data, told = read(begin + spreadsheet(delimiter, mark).encode())
    wanted = [(a + shift, b) for shift in (0, 100) for a, b in NUMBERS]
    np.testing.assert_array_equal(data.X, wanted)
    assert data.feature_names == ["länge", "b"]
    assert data.classes == ["a ä", "b ä"]
    assert ("decimal commas" in told) == (mark == ",")
    assert ("byte-order mark" in told) == bool(begin)


def test_commas_part_quoted_decimal_commas(read):
    text = "x,label\n" + "".join(f'"{i},5",{"ab"[i % 2]}\n' for i in range(12))
    data, told = read(text)
    assert data.X[:, 0].tolist() == [i + 0.5 for i in range(12)]
    assert "decimal commas" in told


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_other_encodings_are_told(read, encoding):
    data, told = read(spreadsheet("\t"), encoding=encoding)
    assert data.feature_names[0] == "länge"
    assert f"read as {encoding}" in told


def test_quoted_cells_may_hold_delimiters_and_line_ends(read):
    text = 'x,"a, or\nb",label\n' + "".join(
        f'{i}.5,{i * i},"{"ab"[i % 2]},\n1"\n' for i in range(9)
    )
    data, _ = read(text)
    assert data.feature_names == ["x", "a, or\nb"]
    assert data.classes == ["a,\n1", "b,\n1"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "empty"),
        (" \n\n", "empty"),
        ("x,y,label\n", "no row of data"),
        ("1.5,2,a\n2.5,3,b\n", "looks like data.*--no-header"),
        ("x,x,label\n1,2,a\n", "'x' stands more than once"),
        ("x,y,label\n1,2,a\n1,2,3,b\n", "line 3: 4 cells, the first line has 3"),
        ("x,y,lable\n1,2,a\n", "no column 'label'.*did you mean 'lable'.*'x', 'y', 'lable'"),
        ("x,label\n" + "1,a\n1,b\n" * 9, "no column is left"),
        ("x,label\n" + "".join(f"{i}.5,a\n" for i in range(9)), "the one value 'a'"),
        ("x,label\n" + "".join(f"{i}.5,\n" for i in range(9)), "none of the 9 rows"),
        ("x,label\n" + "".join(f"{i}.5,n{i}\n" for i in range(9)), "9 different values in 9 rows"),
        ('x,label\n1,"a\n2,b\n', "quotation mark"),
        ("<!DOCTYPE html><html>", "HTML page"),
        (b"PK\x03\x04 spreadsheet", "spreadsheet"),
        (b"x,label\n1,\0\n", "zero bytes"),
    ],
)
def test_what_is_refused(read, text, wanted):
    with pytest.raises(DataError, match=f"(?s)t.csv.*{wanted}"):
        read(text)


def test_without_names(read):
    text = "".join(f"{i * 3 % 7}.5,{'ab'[i % 2]}\n" for i in range(12))
    data, _ = read(text, "column-2", read=ReadOptions("column-2", header=False))
    assert data.feature_names == ["column-1"]
    assert data.rows == 12


def test_one_odd_cell_among_numbers_is_named(read, table):
    text = table().replace("37.5,", "oops,")
    with pytest.raises(DataError, match=r"line 3: column 'x' has 'oops' \(1 such.*--na 'oops'"):
        read(text)
    data, told = read(text, read=ReadOptions("label", missing_marks=("oops",)))
    assert data.rows == 39
    assert "'oops' 1 time" in told
    assert "lines 3" in told


def test_infinite_numbers_are_no_numbers(read, table):
    with pytest.raises(DataError, match="'inf'"):
        read(table().replace("37.5,", "inf,"))


def test_na_is_missing_among_numbers_only(read, table):
    text = table(
        extra="c,z", cell=lambda i: f"{['NA', 'red', 'blue'][i % 3]},{i * 7 % 41 if i else 'NA'}.0"
    )
    text = text.replace("NA.0", "NA").replace(",a,", ",NA,").replace(",b,", ",None,")
    data, told = read(text)
    assert data.classes == ["NA", "None"]
    assert "'NA', 'None' is taken as a class" in told
    assert {"c=NA", "c=blue", "c=red"} <= set(data.feature_names)
    assert "column 'z': missing values are written 'NA' 1 time" in told
    assert data.rows == 39


def test_leading_zeros_make_codes(read, table):
    data, told = read(table(extra="zip", cell=lambda i: ["01", "1"][i % 3 == 0]))
    assert "leading zeros" in told
    assert "zip=1" in data.feature_names


def test_parted_thousands_and_mixed_decimals_are_told(read):
    rows = "".join(f"1.{i + 100},5;{i * 7 % 11}.5;{'ab'[i % 2]}\n" for i in range(12))
    assert "'x': points part thousands: '1.100,5' is 1100.5" in read("x;y;label\n" + rows)[1]
    told = read("x;y;label\n" + rows.replace("1.1", "1'1").replace(",5", ""))[1]
    assert 'with thousands parted; state --thousands "\'"' in told
    rows = "".join(f"{i},5;{i * 7 % 11}.5;{'ab'[i % 2]}\n" for i in range(12))
    data, told = read("x;y;label\n" + rows)
    assert data.X[3, 0] == 3.5
    assert "decimal commas, while other columns have points" in told


def test_labels_that_blanks_or_capitals_tell_apart(read, table):
    text = table().replace(",a\n", ", a\n", 3).replace(",b\n", ",B\n", 2)
    data, told = read(text)
    assert data.classes == ["B", "a", "b"]
    assert "'a' also stands with blanks" in told
    assert "'B', 'b' differ in capitals" in told


def test_commas_that_may_part_thousands_are_told(read):
    rows = "".join(f"{i + 1},{i * 7 % 900 + 100};{'ab'[i % 2]}\n" for i in range(12))
    data, told = read("x;label\n" + rows)
    assert data.X[0, 0] == 1.1
    assert "three digits behind" in told
    assert "three digits" not in read("x;label\n" + rows + "1,5;a\n")[1]


def test_cells_that_are_no_numbers_in_a_target_of_numbers(read):
    text = "x,label\n" + "".join(f"{i * 7 % 41}.5,{i if i != 4 else 'NA'}.5\n" for i in range(40))
    text = text.replace("NA.5", "NA")
    with pytest.raises(DataError, match="line 6: target 'label' is 'NA'.*--na 'NA'"):
        read(text)
    data, _ = read(text, read=ReadOptions(missing_marks=("NA",)))
    assert data.task == "regression"
    assert data.unlabelled.tolist().count(True) == 1


def test_long_cells(read):
    text = "seq,label\n" + "".join(f"{'ACGT' * 50000}{i:03b}T,{'ab'[i % 2]}\n" for i in range(12))
    assert len(read(text)[0].X[0]) > 200_000


def test_a_line_that_states_the_delimiter(read):
    text = "sep=;\r\n" + spreadsheet()
    data, told = read(text)
    assert data.feature_names == ["länge", "b"]
    assert data.row_ids[0] == "line 3"


@pytest.mark.parametrize("begin", ["# made by a program\n", "# a note, with a comma\n#\n", "#"])
def test_comments_above_the_names(read, table, begin):
    with pytest.raises(DataError, match="begins with '#'.*remove the lines of comments"):
        read(begin + table(header="label,y,z"))


def test_wrong_encodings_are_refused(read, table):
    for name in ("utf-16", "UTF_16_LE", "utf-32"):
        with pytest.raises(DataError, match="is UTF-8 and not"):
            read(table() + "\n" * (-len(table()) % 4), read=ReadOptions("label", encoding=name))
    for name in ("utf-16-le", "utf-16-be"):
        with pytest.raises(DataError, match=f"--encoding {name}"):
            read(table(), encoding=name)
        data, _ = read(table(), encoding=name, read=ReadOptions("label", encoding=name))
        assert data.rows == 40


@pytest.mark.parametrize("gap", ["", '""'])
def test_empty_cells_of_one_column(read, table, gap):
    labels = ["label", *("ab"[i % 2] if i % 7 else gap for i in range(1, 41))]
    files = {"l.csv": "\n".join(labels) + "\n\n", "t.csv": table(header="x,y,z")}
    data, _ = read(files)
    assert data.unlabelled.tolist() == [i % 7 == 0 for i in range(1, 41)]


def test_a_column_of_numbers_that_looks_like_names(read, table):
    for head, cell in (("NO", lambda i: f"{i * 37 % 101}"), ("k", lambda i: f"{i + 3}")):
        text = table(extra=head, cell=cell)
        data, told = read(text)
        assert data.feature_names == ["x", "y"]
        assert f"names of rows: '{head}' (--numeric COLUMN" in told
        data, _ = read(text, wishes=Wishes(numeric=(head,)))
        assert data.feature_names == ["x", "y", head]
    with pytest.raises(DataError, match="line 2: column 'label2' has 'a'.*--numeric asks"):
        read(table(extra="label2", cell=lambda i: "a"), wishes=Wishes(numeric=("label2",)))
