"""A folder of Gram matrices: checked one by one, and used as they are."""

import numpy as np
import pytest

from gramworks.errors import DataError, KernelError
from gramworks.gram import compute_gram, read_gram
from gramworks.kernel_points import points_for
from gramworks.owndata.findings import Findings
from gramworks.owndata.matrix_text import read_matrix
from gramworks.owndata.understanding import Request, understand


@pytest.fixture
def grams(folder, points):
    X, y = points
    (folder / "grams").mkdir()
    np.save(folder / "grams" / "Lin Ear.npy", X @ X.T)
    rows = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))
    np.savetxt(
        folder / "grams" / "rbf.csv", rows, delimiter=",", header=",".join("p" * 40), comments=""
    )
    (folder / "labels.csv").write_text("class\n" + "".join(f"{'ab'[v]}\n" for v in y))
    return folder / "grams"


def read(grams, **more):
    request = Request((grams,), more.get("target"), labels=grams.parent / "labels.csv")
    findings = Findings()
    return understand("t", request, findings).dataset, findings


def test_matrices_are_kernels_as_given(grams, points, tmp_path):
    data, findings = read(grams)
    assert list(data.views) == ["lin-ear", "rbf"]
    assert "smallest eigenvalue" in findings.said[0]
    compute_gram(tmp_path / "k.h5", points_for(data, "precomputed@lin-ear"), "precomputed@lin-ear")
    np.testing.assert_allclose(
        read_gram(tmp_path / "k.h5"), points[0] @ points[0].T, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda K: K[:, :-1], r"shape \(40, 39\)"),
        (lambda K: K[:-1, :-1], "is of 39 points, 'lin-ear' of 40"),
        (lambda K: K + np.eye(40, k=3), "not symmetric"),
        (lambda K: K - 5 * np.eye(40), "not positive semidefinite.*smallest eigenvalue"),
        (lambda K: np.where(K[0, 1] == K, np.nan, K), "nan"),
    ],
)
def test_what_is_no_gram_matrix_is_refused_with_the_number(grams, change, wanted):
    np.save(grams / "z.npy", change(np.load(grams / "Lin Ear.npy")))
    with pytest.raises(DataError, match=f"z.npy.*{wanted}"):
        read(grams)


def test_rounding_is_repaired_and_told(grams):
    K = np.load(grams / "Lin Ear.npy")
    K[3, 5] += 1e-10
    np.save(grams / "z.npy", K)
    data, findings = read(grams)
    assert np.array_equal(data.views["z"], data.views["z"].T)
    assert any("z.npy" in text and "averaged with its transpose" in text for text in findings.said)


def test_copies_are_told(grams):
    np.save(grams / "z.npy", 7 * np.load(grams / "Lin Ear.npy"))
    assert any("up to a factor" in text for text in read(grams)[1].warnings)


def test_labels_must_be_there_and_as_many(grams):
    with pytest.raises(DataError, match="--labels"):
        understand("t", Request((grams,), "class"), Findings())
    (grams.parent / "labels.csv").write_text("class\na\nb\na\nb\n")
    with pytest.raises(DataError, match="4 rows with labels.*40 points"):
        read(grams)


def test_a_precomputed_kernel_knows_no_other_points(points):
    from gramworks.kernels.precomputed_kernel import prepare

    with pytest.raises(KernelError, match="other points"):
        prepare(np.eye(3), np.eye(3))


def named_matrix(K, names, corner="", mark=".", delimiter=","):
    """Write a matrix as data frames are written, names above and beside."""
    lines = [delimiter.join([corner, *names])]
    for name, row in zip(names, K, strict=True):
        lines.append(delimiter.join([name, *(f"{v!r}".replace(".", mark) for v in row.tolist())]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def named(folder, points):
    """A matrix of named points, and their labels in another order."""
    X, y = points
    names = [f"P{i}" for i in range(40)]
    order = np.random.default_rng(1).permutation(40)
    (folder / "g").mkdir()
    (folder / "g" / "k.csv").write_text(named_matrix(X @ X.T, names))
    rows = "".join(f"{names[i]},{'ab'[y[i]]}\n" for i in order)
    (folder / "labels.csv").write_text("who,class\n" + rows)
    return folder / "g", order


@pytest.mark.parametrize("column", [None, "who"])
def test_labels_are_brought_together_by_the_names_of_the_matrix(named, points, column):
    folder, order = named
    request = Request((folder,), "class", labels=folder.parent / "labels.csv", id_column=column)
    data = understand("t", request, Findings()).dataset
    assert data.y.tolist() == points[1].tolist()
    assert data.row_ids[:2] == ["P0", "P1"]
    X = points[0]
    mixed = named_matrix((X @ X.T)[np.ix_(order, order)], [f"P{i}" for i in order])
    (folder / "l.csv").write_text(mixed)
    data = understand("t", request, Findings()).dataset
    np.testing.assert_array_equal(data.views["l"], data.views["k"])


def test_matrices_and_labels_of_other_points_are_refused(named):
    folder, _ = named
    labels = folder.parent / "labels.csv"
    labels.write_text(labels.read_text().replace("P7,", "Q7,"))
    request = Request((folder,), "class", labels=labels)
    with pytest.raises(DataError, match="1 are lacking \\('P7'\\), 1 are not in them \\('Q7'\\)"):
        understand("t", request, Findings())
    text = (folder / "k.csv").read_text()
    (folder / "k.csv").write_text(text.replace("P1,P2,", "P2,P1,", 1))
    with pytest.raises(DataError, match="names above the columns are not those beside"):
        understand("t", request, Findings())


def test_names_that_nothing_is_compared_with_are_told(named):
    folder, _ = named
    labels = folder.parent / "labels.csv"
    labels.write_text("class\n" + "a\nb\n" * 20)
    findings = Findings()
    understand("t", Request((folder,), labels=labels), findings)
    assert any("name the points ('P0'" in text for text in findings.warnings)


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize("first", [0, 1, 500])
@pytest.mark.parametrize("corner", ["", "id"])
def test_numbers_as_names_are_no_part_of_the_matrix(folder, points, mark, first, corner):
    K = points[0] @ points[0].T
    names = [str(first + i) for i in range(40)]
    (folder / "k.csv").write_text(named_matrix(K, names, corner, mark, "," if mark == "." else ";"))
    found = read_matrix(folder / "k.csv")
    np.testing.assert_array_equal(found.values, K)
    assert found.rows == (names if first == 500 else None)


def test_numbers_above_or_beside_alone(folder, points):
    K = points[0] @ points[0].T
    lines = named_matrix(K, [str(i) for i in range(40)]).splitlines()
    (folder / "above.csv").write_text("\n".join(line.partition(",")[2] for line in lines))
    (folder / "beside.csv").write_text("\n".join(lines[1:]))
    (folder / "none.csv").write_text("\n".join(line.partition(",")[2] for line in lines[1:]))
    for name in ("above", "beside", "none"):
        np.testing.assert_array_equal(read_matrix(folder / f"{name}.csv").values, K)
