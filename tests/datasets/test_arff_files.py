"""ARFF: what the files of multi-label and hierarchical data hold, and how bad ones are refused."""

import numpy as np
import pytest

from gramworks.errors import DataError

HEADER = """% a comment with {braces} and @data
@RELATION 'two words'   % note

@attribute u NUMERIC % a number
@Attribute 'the colour' {red, 'light blue', "x%y"}  % values
@attribute y {-1,1} % note
@data
"""
ROWS = """1.5,red,-1
% between
?,'light blue',1

-2e1,"x%y",1
"""
COLOUR = {
    "name": "the colour", "type": "nominal", "values": ["red", "light blue", "x%y"],
    "encode": "one-hot",
}  # fmt: skip
KEYS = {
    "format": "arff", "columns": ["u", COLOUR], "missing": "mean",
    "target": {"name": "y", "classes": ["no", "yes"], "labels": {"-1": "no", "1": "yes"}},
}  # fmt: skip


def test_types_missing_values_and_comments(read_table):
    dataset = read_table(HEADER + ROWS, **KEYS)
    assert dataset.X[:, 0].tolist() == [1.5, -9.25, -20.0]
    assert dataset.X[:, 1:].tolist() == np.eye(3).tolist()
    assert dataset.feature_names[1:] == [
        "the colour=red",
        "the colour=light blue",
        "the colour=x%y",
    ]
    assert dataset.y.tolist() == [0, 1, 1]
    assert dataset.notes == ["column 'u': 1 missing values filled"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "1,red\n", "line 8: cannot be read as ARFF"),
        (HEADER + "1,red,1\n% c\n\n2,red,1\n1,red,1,1\n", "line 12: cannot be read as ARFF"),
        (HEADER + "1,green,1\n", "line 8: column 'the colour' has the value 'green'"),
        (HEADER + "one,red,1\n", "line 8: column 'u' has 'one', a finite number is expected"),
        (HEADER + "1,red,2\n", "line 8: label '2' is not declared"),
        (HEADER, "there are no rows of data"),
        (HEADER.replace("@data", ""), "no @data line, so this is not a whole ARFF file"),
        (HEADER.replace("NUMERIC", "relational"), "line 4: 'u' has type 'relational'"),
        (HEADER.replace("'light blue', ", "") + ROWS, "has the values .*, the registry says"),
        (HEADER.replace("u NUMERIC", "u {1, 2}") + ROWS, "'u' is nominal, the registry says num"),
        (HEADER.replace("u NUMERIC", "w NUMERIC") + ROWS, "no attribute 'u'"),
        (HEADER.replace("@attribute u", "@inputs u"), "line 4: '@inputs u NUMERIC"),
        (HEADER.replace("u NUMERIC % a number", "u"), "line 4: .* is not `@attribute name type`"),
        ("<html><title>404</title></html>", "is an HTML page"),
    ],
)
def test_bad_files_are_refused_with_their_line(read_table, text, message):
    with pytest.raises(DataError, match=message):
        read_table(text, **KEYS)


LABELS = """@relation many
@attribute u numeric
@attribute A {0,1}
@attribute B {0,1}
@data
0.5,1,0
1.5,1,1
2.5,0,0
"""
MANY = {
    "format": "arff", "columns": ["u"], "task": "multilabel", "layout": ["features", "labels"],
    "target": {"name": "labels", "classes": ["A", "B"]},
}  # fmt: skip


def test_several_labels(read_table):
    dataset = read_table(LABELS, **MANY)
    assert dataset.task == "multilabel"
    assert dataset.y.dtype == np.int8
    assert dataset.y.tolist() == [[1, 0], [1, 1], [0, 0]]
    assert dataset.classes == ["A", "B"]
    with pytest.raises(DataError, match="line 7: label 'B' has '2'; 0 and 1 are allowed"):
        read_table(LABELS.replace("1,1\n", "1,2\n"), **MANY)
    with pytest.raises(DataError, match="line 7: column 'B' is missing"):
        read_table(LABELS.replace("1,1\n", "1,?\n"), **MANY)
    with pytest.raises(DataError, match="column 3 is called 'C', the registry says 'B'"):
        read_table(LABELS.replace("@attribute B", "@attribute C"), **MANY)


def test_several_labels_in_other_tables(read_table):
    keys = {**MANY, "format": "delimited", "layout": ["labels", "features"]}
    assert read_table("1,0,0.5\n0,1,2\n", **keys).y.tolist() == [[1, 0], [0, 1]]


def test_a_feature_equal_to_a_label_is_told(read_table):
    with pytest.warns(UserWarning, match="column 'u' is equal to the target 'A'"):
        read_table(LABELS.replace("1.5", "0.5"), **MANY)


HIERARCHY = """@relation tree
@attribute u numeric
@attribute class hierarchical 01,01/02,01/02/03,10,10/01
@data
1,01/02/03@10
2,01/02@01
3,10/01
"""


@pytest.mark.parametrize(
    ("level", "labels", "y"),
    [
        (1, ["10", "01"], [[1, 1], [0, 1], [1, 0]]),
        (2, ["01", "01/02", "10", "10/01"], [[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]]),
    ],
)
def test_hierarchical_labels(read_table, level, labels, y):
    keys = {**MANY, "target": {"name": "class", "classes": labels}, "options": {"level": level}}
    assert read_table(HIERARCHY, **keys).y.tolist() == y


def test_undeclared_hierarchical_labels(read_table):
    keys = {**MANY, "target": {"name": "class", "classes": ["01", "11"]}}
    with pytest.raises(DataError, match=r"line 5: labels \['10'\] are not declared"):
        read_table(HIERARCHY, **keys)


def test_two_files_are_a_partition(make_entry, tmp_path):
    from gramworks.datasets.parsers.arff import Options, read

    entry = make_entry(**MANY)
    paths = [tmp_path / "a", tmp_path / "b"]
    paths[0].write_text(LABELS)
    paths[1].write_text(LABELS.replace("2.5,0,0\n", ""))
    dataset = read(paths, entry, entry.sources[0], Options(partition=True))
    (train, test) = dataset.partitions[0]
    assert (train.tolist(), test.tolist()) == ([0, 1, 2], [3, 4])
    paths[1].write_text(LABELS.replace("0.5,1,0", "zero,1,0"))
    with pytest.raises(DataError, match=r"b, line 6: column 'u' has 'zero'"):
        read(paths, entry, entry.sources[0], Options(partition=True))
    paths[1].write_text(LABELS.replace("{0,1}", "{1,0}"))
    with pytest.raises(DataError, match="b: other attributes than a declares"):
        read(paths, entry, entry.sources[0], Options(partition=True))
