"""Odd but common files: what they become, or the file and line in the message."""

import gzip

import numpy as np
import pytest

from gramworks.datasets.dataset import DataWarning
from gramworks.errors import ConfigError, DataError

PLAIN = "1,2,a\n3,4,b\n"
X = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (PLAIN, {}),
        (PLAIN.rstrip("\n"), {}),
        (PLAIN.replace("\n", "\r\n"), {}),
        ("\ufeff" + PLAIN, {}),
        ("1;2;a\n3;4;b", {"delimiter": ";"}),
        ("\ufeff1,0;2,0;a\r\n3,0;4,0;b", {"delimiter": ";", "decimal": ","}),
        ("  1 2\ta\n3   4 b", {"delimiter": "whitespace"}),
        ("u,v,class\n" + PLAIN, {"header": "names"}),
        ("x,y,z\n" + PLAIN, {"header": "skip"}),
        ("# said\n\n" + PLAIN, {"comment": "#"}),
        ('"1","2","a"\n"3",4,b', {}),
        (" 1, 2, a\n3 ,4, b", {}),
        (gzip.compress(PLAIN.encode(), mtime=0), {"compression": "gzip"}),
    ],
)
def test_delimited_spellings_of_one_table(read_table, content, options):
    dataset = read_table(content, options=options)
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.y.tolist() == [0, 1]
    assert dataset.classes == ["a", "b"]
    assert dataset.notes == []


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("1,2,a\n3,b\n", {}, "line 2: 2 cells, expected 3"),
        ("1;2;a\n3;4;b", {}, "line 1: 1 cells, expected 3; is ',' the delimiter"),
        ("1,x,a\n3,4,b", {}, "line 1: column 'v' has 'x', a finite number"),
        ("1,2,a\n\n3,1e999,b", {}, "line 3: column 'v' has '1e999'"),
        ("1,nan,a\n3,4,b", {}, "list it in the option `missing`"),
        ("1,1_0,a\n3,4,b", {}, "'1_0'"),
        ("1;2,5;a\n3;4;b", {"delimiter": ";"}, "option `decimal: ','`"),
        ("1;1.234,5;a\n3;4;b", {"delimiter": ";", "decimal": ","}, "'1.234,5'"),
        ("1,2,a\n3,4,c", {}, "line 2: label 'c' is not declared; .*Valid: a, b"),
        ("1,2,a\n3,?,b", {}, "line 2: column 'v' is missing .1 such rows."),
        ("u,w,class\n1,2,a\n3,4,b", {"header": "names"}, "called 'w', the registry says 'v'"),
        ("", {}, "no rows of data"),
        (b"\xff\xfe1\x00", {}, "encoding 'utf-8-sig'"),
        ("1,2,a\0\n", {}, "zero bytes"),
        ("<!DOCTYPE html><title>404</title>", {}, "HTML page"),
        ('1,"2,a\n3,4,b', {}, "line 2: unexpected end of data"),
        (gzip.compress(PLAIN.encode(), mtime=0)[:-9], {"compression": "gzip"}, "fetch it again"),
    ],
)
def test_delimited_faults_name_file_and_line(read_table, content, options, message):
    with pytest.raises(DataError, match=message) as error:
        read_table(content, options=options)
    assert "table.txt" in str(error.value)


def test_delimiter_and_decimal_mark_must_differ(read_table):
    with pytest.raises(ConfigError, match="both ','"):
        read_table(PLAIN, options={"decimal": ","})


def test_labels_na_and_none_are_labels(read_table):
    dataset = read_table("1,2,NA\n3,4,None\n5,1,NA", labels=("NA", "None"))
    assert dataset.classes == ["NA", "None"]
    assert dataset.y.tolist() == [0, 1, 0]


def test_labels_and_ids_are_text(read_table):
    dataset = read_table(
        "01,1,2,01\n1,3,4,1\n001,5,6,1\n",
        labels=("1", "01"),
        layout=["row-id", "features", "target"],
    )
    assert dataset.row_ids == ["01", "1", "001"]
    assert dataset.y.tolist() == [1, 0, 0]


def test_labels_that_differ_in_blanks(read_table):
    content = "1,2,a\n3,4, a\n5,1,b\n"
    with pytest.raises(DataError, match="line 2: column 'class' has labels 'a' and ' a'"):
        read_table(content)
    merged = read_table(content, options={"blanks": "merge"})
    assert merged.y.tolist() == [0, 0, 1]
    assert "taken as one" in merged.notes[0]
    kept = read_table(content, options={"blanks": "keep"}, labels=("a", " a", "b"))
    assert kept.y.tolist() == [0, 1, 2]


def test_missing_values_by_policy(read_table):
    content = "1,?,a\n2,4,b\n3,8,a\n,6,?\n"
    dropped = read_table(content, missing="drop-rows")
    np.testing.assert_array_equal(dropped.X, [[2, 4], [3, 8]])
    assert "2 rows with missing values dropped" in dropped.notes
    filled = read_table(content.replace(",?\n", ",b\n"), missing="mean")
    np.testing.assert_allclose(filled.X, [[1, 6], [2, 4], [3, 8], [2, 6]])
    assert "column 'v': 1 missing values filled" in filled.notes
    with pytest.raises(DataError, match="line 4: column 'class' is missing"):
        read_table(content, missing="mean")
    with pytest.raises(DataError, match="column 'v' has no value at all"):
        read_table("1,?,a\n2,?,b\n", missing="mean")
    with pytest.raises(DataError, match="no row is left"):
        read_table("1,?,a\n2,?,b\n", missing="drop-rows")


COLOUR = {"name": "colour", "type": "nominal", "values": ["red", "blue"]}


def test_nominal_columns(read_table):
    content = "red,1,a\nblue,2,b\n?,3,a\nblue,3,a\n"
    hot = {**COLOUR, "encode": "one-hot"}
    codes = {**COLOUR, "encode": "codes"}
    dropped = read_table(content, columns=(hot, "v"), missing="drop-rows")
    assert dropped.feature_names == ["colour=red", "colour=blue", "v"]
    np.testing.assert_array_equal(dropped.X, [[1, 0, 1], [0, 1, 2], [0, 1, 3]])
    filled = read_table(content, columns=(codes, "v"), missing="mean")
    np.testing.assert_array_equal(filled.X[:, 0], [0, 1, 1, 1])
    with pytest.raises(DataError, match="line 3: column 'colour' is missing"):
        read_table(content, columns=(codes, "v"))
    with pytest.raises(
        DataError, match="line 1: column 'colour' has the value 'rid'; did you mean 'red'"
    ):
        read_table(content.replace("red", "rid"), columns=(codes, "v"), missing="mean")


def test_a_column_equal_to_the_target_is_named(read_table):
    with pytest.warns(DataWarning, match="column 'v' is equal to the target 'class'"):
        dataset = read_table("1,7,a\n2,9,b\n1,9,b\n")
    assert "'v'" in dataset.notes[0]
    with pytest.warns(DataWarning, match="column 'u' is equal to the target 'price'"):
        read_table("1,2,1.0\n3,2,3.0\n4,1,4\n", task="regression", target={"name": "price"})


def test_regression_target(read_table):
    dataset = read_table("1,2,0.5\n3,1,-2\n", task="regression", target={"name": "price"})
    assert dataset.y.dtype == np.float64
    assert dataset.y.tolist() == [0.5, -2.0]
    with pytest.raises(DataError, match="line 2: column 'price' has 'b'"):
        read_table("1,2,0.5\n3,1,b\n", task="regression", target={"name": "price"})


def test_other_classes_can_be_left_out(read_table):
    target = {"name": "class", "classes": ["a", "b"], "others": "drop-rows"}
    dataset = read_table("1,2,a\n9,9,c\n3,1,b\n", target=target)
    assert dataset.rows == 2
    assert dataset.notes[0] == "1 rows of other classes left out"


def test_minus_zero_is_zero(read_table):
    assert not np.signbit(read_table("-0,2,a\n-0.0,3,b\n").X).any()


HEADER = """@relation t
@attribute u real [0, 9]
@ATTRIBUTE v integer [0, 9]
@attribute class {a, b} % a note, with a comma
@INPUTS u, v
@Outputs class
@data
"""


@pytest.mark.parametrize("head", ["", HEADER, HEADER.replace("INPUTS", "inputs"), "% said\n"])
def test_keel_with_and_without_header(read_table, head):
    dataset = read_table(f"{head}1, 2, a\n3, 4, b % note\n<null>, 4, b\n5, ?, a\n", "keel",
                         missing="drop-rows")  # fmt: skip
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER.replace("Outputs class", "outputs u") + "1,2,a", "@outputs says .'u'."),
        (HEADER.replace("u, v", "u, w") + "1,2,a", "@inputs says"),
        (HEADER.replace(" u real", " w real") + "1,2,a", "called 'w', the registry says 'u'"),
        (HEADER.replace("@data", "@date") + "1,2,a", "line 7: header word @date is not known"),
        ("1,2,a\n@data\n", "line 2: a header line after rows"),
        ("1,'2,a\n", "line 1: unexpected end"),
    ],
)
def test_keel_faults(read_table, content, message):
    with pytest.raises(DataError, match=message):
        read_table(content, "keel")


def test_keel_labels_with_signs_and_quotes(read_table):
    head = HEADER.replace("{a, b}", "{-1, 'per cent %'}")
    dataset = read_table(head + "1,2,-1\n3,4,'per cent %'\n", "keel", labels=("-1", "per cent %"))
    assert dataset.y.tolist() == [0, 1]


TAB = "u\tv\tclass\nc\td\ta b\n\ti\tclass\n1\t2\ta\n3\t4\tb\n"


def test_orange_tab(read_table):
    np.testing.assert_array_equal(read_table(TAB, "orange_tab").X, X)
    np.testing.assert_array_equal(read_table(TAB.replace("\n", "\r\n"), "orange_tab").X, X)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TAB.replace("c\td", "c\tq"), "line 2: column 2 has type 'q'"),
        (TAB.replace("\ti\tclass", "class\ti\t"), "class column is .'u'."),
        (TAB.replace("u\tv", "w\tv"), "called 'w'"),
        ("u\tv\n", "three header lines"),
        (TAB + "5\t6\n", "line 6: 2 cells, expected 3"),
    ],
)
def test_orange_tab_faults(read_table, content, message):
    with pytest.raises(DataError, match=message):
        read_table(content, "orange_tab")


def test_layout_words_are_checked(read_table):
    with pytest.raises(DataError, match="layout has 'targt'; did you mean 'target'"):
        read_table(PLAIN, layout=["features", "targt"])
    with pytest.raises(DataError, match="has 'u' 2 times"):
        read_table(PLAIN, layout=["u", "features", "target"])
    assert read_table("a,2,9,1\nb,4,9,3", layout=["target", "v", "ignored", "u"]).X.tolist() == X
