"""Alignments and maps from Gram files against the whole matrices in memory."""

from dataclasses import replace

import numpy as np
import pytest

from gramworks.datasets.dataset import Dataset
from gramworks.gram import write_gram
from gramworks.kernels.alignment_measure import alignment
from gramworks.kernels.transforms import centre
from gramworks.report import kernel_views
from gramworks.report.kernel_views import alignment_pairs, map_points


@pytest.fixture
def grams(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) + 3
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    matrices = {
        "linear": X @ X.T,
        "narrow": np.exp(-squared / 2),
        "wide": np.exp(-squared / 2e7),  # 1 but for the seventh digit
        "constant": np.ones((30, 30)),
    }
    paths = {}
    for name, K in matrices.items():
        paths[name] = tmp_path / f"{name}.h5"
        write_gram(paths[name], (K + K.T) / 2)
    return X, matrices, paths


def test_alignments_are_those_of_centred_matrices(grams, monkeypatch):
    _, matrices, paths = grams
    monkeypatch.setattr(kernel_views, "_ROWS", 7)
    table = alignment_pairs(paths)
    assert len(table) == 10
    found = {(a, b): value for a, b, value in table.itertuples(index=False)}
    for a in ("linear", "narrow", "wide"):
        for b in ("linear", "narrow", "wide"):
            if (a, b) in found:
                expected = alignment(centre(matrices[a]), centre(matrices[b]))
                assert found[a, b] == pytest.approx(expected, abs=1e-8)
    # a very wide Gaussian is the linear kernel once it is centred
    assert found["linear", "wide"] > 0.999
    assert found["linear", "constant"] == 0
    assert found["constant", "constant"] == 1


def test_no_kernels_have_no_alignments():
    assert alignment_pairs({}).empty


def data(X, y, classes):
    return Dataset("own", X, y, classes, [f"x{i}" for i in range(X.shape[1])])


def test_the_map_of_a_linear_kernel_is_principal_components(grams):
    X, _, paths = grams
    y = np.arange(30) % 2
    table = map_points([paths["linear"]], data(X, y, ["<b>no</b>", "yes"]))
    u, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    scale = np.sqrt(30 / (s**2).sum())
    for column, at in (("first", 0), ("second", 1)):
        expected = u[:, at] * s[at] * scale
        expected *= np.sign(expected[np.abs(expected).argmax()])
        assert table[column].to_numpy() == pytest.approx(expected, abs=1e-9)
    assert table["label"].tolist() == ["<b>no</b>", "yes"] * 15
    assert set(table["target"]) == {""}
    unknown = np.arange(30) < 3
    own = replace(data(X, np.where(unknown, 0, y), ["<b>no</b>", "yes"]), unlabelled=unknown)
    table = map_points([paths["linear"]], own)
    assert table["label"].tolist() == [""] * 3 + (["<b>no</b>", "yes"] * 15)[3:]


def test_maps_of_many_points_take_some_and_of_equal_points_none(grams, tmp_path):
    X, _, paths = grams
    y = np.linspace(0, 1, 30)
    table = map_points([paths["narrow"], paths["constant"]], data(X, y, []), most=10)
    assert len(table) == 10
    assert table["point"].iloc[[0, -1]].tolist() == [0, 29]
    assert table["target"].iloc[-1] == "1"
    assert set(table["label"]) == {""}
    own = replace(data(X, y, []), unlabelled=np.arange(30) == 29)
    assert map_points([paths["narrow"]], own)["target"].iloc[-1] == ""
    flat = map_points([paths["constant"]], data(X, y, []))
    assert (flat[["first", "second"]] == 0).all().all()


def test_views_do_not_depend_on_the_scale_of_a_kernel(grams, tmp_path):
    X, matrices, paths = grams
    table = alignment_pairs({"linear": paths["linear"], "narrow": paths["narrow"]})
    expected = table["alignment"].tolist()
    for scale in (1e-16, 1e12):
        small = tmp_path / "small.h5"
        K = matrices["linear"] * scale
        write_gram(small, (K + K.T) / 2)
        found = alignment_pairs({"linear": small, "narrow": paths["narrow"]})
        assert found["alignment"].tolist() == pytest.approx(expected, abs=1e-9)
        scaled, whole = (
            map_points([path], data(X, np.arange(30) % 2, ["a", "b"]))["first"].to_numpy()
            for path in (small, paths["linear"])
        )
        assert scaled == pytest.approx(whole, abs=1e-7)
    # what rounding leaves of a constant one is no structure, however large or small it is
    for value in (0.1, 1 / 3 * 1e-9, 1 / 3 * 1e9):
        flat = tmp_path / "flat.h5"
        write_gram(flat, np.full((30, 30), value))
        found = alignment_pairs({"flat": flat, "linear": paths["linear"]})
        assert found["alignment"].iloc[1] == 0
        points = map_points([flat], data(X, np.arange(30) % 2, ["a", "b"]))
        assert (points[["first", "second"]] == 0).all().all()
