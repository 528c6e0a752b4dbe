"""A folder of Gram matrices: checked one by one, and used as they are."""

import numpy as np
import pytest

from gramworks.errors import DataError, KernelError
from gramworks.gram import compute_gram, read_gram
from gramworks.kernel_points import points_for
from gramworks.owndata.findings import Findings
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
