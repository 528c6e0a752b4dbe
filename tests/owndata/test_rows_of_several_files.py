"""Rows of several files: never brought together by order against the names they have."""

import numpy as np
import pytest

from gramworks.errors import DataError
from gramworks.owndata.columns import Wishes
from gramworks.owndata.findings import Findings
from gramworks.owndata.understanding import Request, understand


def second(names, head="gene,w"):
    """Write w = 0, 1/4, ... in the reverse order of the names."""
    rows = [f"{name},{i / 4}\n" for i, name in enumerate(names)]
    return head + "\n" + "".join(reversed(rows))


@pytest.mark.parametrize(
    ("of_first", "of_second", "told"),
    [
        (lambda i: f"G{i}", lambda i: f"G{i if i != 3 else 99}", "first file: 'G3'.*second: 'G99'"),
        (lambda i: f"G{i}", lambda i: f"G{i if i != 3 else 4}", "stand twice: 'G4'"),
        (lambda i: f"{i + 1}", lambda i: f"{i + 1}.0", "second: "),
        (lambda i: f"{i:02}", lambda i: f"{i}", "first file: '0"),
    ],
)
def test_names_that_do_not_agree_are_refused(read, table, of_first, of_second, told):
    files = {
        "one.csv": table(extra="gene", cell=of_first),
        "two.csv": second(map(of_second, range(40))),
    }
    with pytest.raises(DataError, match=f"(?s)two.csv.*'gene' looks like the names.*{told}"):
        read(files)
    data, said = read(files, wishes=Wishes(ignore=("gene",)))
    assert "by their order" in said
    assert data.X[0, -1] == 39 / 4


@pytest.mark.parametrize("head", ["Gene,w", " gene,w"])
def test_capitals_and_blanks_of_the_column_do_not_matter(read, table, head):
    files = {
        "one.csv": table(extra="gene", cell=lambda i: f"G{i}"),
        "two.csv": second([f"G{i}" for i in range(40)], head),
    }
    data, said = read(files)
    np.testing.assert_array_equal(data.views["two"][:, 0], np.arange(40) / 4)
    assert "by column 'gene'" in said
    if head[0] == " ":
        data, _ = read(files, id_column="gene")
        np.testing.assert_array_equal(data.views["two"][:, 0], np.arange(40) / 4)


def test_arrays_are_brought_together_by_numbers_of_rows(folder, points):
    X, y = points
    order = np.random.default_rng(0).permutation(40)
    np.savez(folder / "one.npz", A=X, pid=np.arange(40) + 7, y=y)
    np.savez(folder / "two.npz", B=X[order], pid=(np.arange(40) + 7)[order])
    request = Request((folder / "one.npz", folder / "two.npz"), "y")
    findings = Findings()
    data = understand("t", request, findings).dataset
    np.testing.assert_array_equal(data.X[:, :3], data.X[:, -3:])
    assert "by column 'pid'" in "\n".join(findings.said)


def test_measurements_of_one_name_are_no_names_of_rows(read, table):
    rows = "".join(f"{(i * 37) % 101}.5,{i * 7 % 13}\n" for i in range(1, 41))
    _, said = read({"one.csv": table(), "two.csv": "x,w\n" + rows})
    assert "by their order" in said


@pytest.mark.parametrize("change", [0, 2])
def test_the_target_of_another_file_is_no_feature(read, table, change):
    rows = "".join(f"{i * 7 % 13}.5,{'ab'[(i + (i < change)) % 2]}\n" for i in range(40))
    data, said = read({"one.csv": table(), "two.csv": "w,label\n" + rows})
    assert data.feature_names == ["x", "y", "w"]
    wanted = "it differs in 2 rows" if change else "it is the same"
    assert (
        f"two.csv: column 'label' is called as the target of one.csv is, and is left out; {wanted}"
        in said
    )


def test_labels_of_a_second_sparse_file_are_no_feature(folder, points):
    X, y = points
    for name in ("one.svm", "two.svm"):
        rows = [f"{c} 1:{a} 2:{b}\n" for c, (a, b, _) in zip(y, X, strict=True)]
        (folder / name).write_text("".join(rows))
    findings = Findings()
    request = Request((folder / "one.svm", folder / "two.svm"))
    understand("t", request, findings)
    assert not any("'label' is equal to" in text for text in findings.warnings)
    assert any("two.svm: column 'label' is called as" in text for text in findings.warnings)


def test_a_file_named_twice_is_refused(read, table, folder):
    (folder / "one.csv").write_text(table())
    for more in ({"labels": folder / "one.csv"}, {}):
        files = (folder / "one.csv",) if more else (folder / "one.csv", folder / "." / "one.csv")
        with pytest.raises(DataError, match="named twice"):
            understand("t", Request(files, "label", **more), Findings())


def test_rows_that_all_files_have(read, table):
    files = {
        "one.csv": table(extra="flower", cell=lambda i: f"F{i}"),
        "two.csv": second([f"F{i}" for i in range(1, 42)], "flower,w"),
    }
    with pytest.raises(DataError, match="--id 'flower' --common-rows"):
        read(files)
    with pytest.raises(DataError, match="1 of 40 are lacking.*--common-rows"):
        read(files, id_column="flower")
    with pytest.raises(DataError, match="--common-rows needs the column"):
        read(files, common_rows=True)
    data, said = read(files, id_column="flower", common_rows=True)
    assert data.row_ids == [f"F{i}" for i in range(1, 40)]
    np.testing.assert_array_equal(data.views["two"][:, 0], np.arange(39) / 4)
    assert "rows that all files have: 39 of 40 (one.csv has 40, two.csv has 41)" in said


def test_all_matrices_of_a_file_follow_its_names(folder, points):
    X, y = points
    order = np.random.default_rng(0).permutation(40)
    np.savez(folder / "one.npz", A=X, pid=np.arange(40) + 7, y=y)
    np.savez(folder / "two.npz", B=X[order], C=-X[order], pid=(np.arange(40) + 7)[order])
    request = Request((folder / "one.npz", folder / "two.npz"), "y", id_column="pid")
    views = understand("t", request, Findings()).dataset.views
    np.testing.assert_array_equal(views["b"], X)
    np.testing.assert_array_equal(views["c"], -X)
