"""Normalisation: against plain formulas, and on the inputs that break such code."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.preprocessing import MinMaxScaler, StandardScaler, normalize

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.normalisation import RECIPES, normalise, normalise_dataset
from gramworks.errors import DataError

X = np.random.default_rng(0).gamma(2.0, size=(40, 6))


def test_against_independent_computation():
    np.testing.assert_array_equal(normalise(X, "none"), X)
    np.testing.assert_allclose(normalise(X, "standardise"), StandardScaler().fit_transform(X))
    np.testing.assert_allclose(normalise(X, "unit-range"), MinMaxScaler().fit_transform(X))
    np.testing.assert_allclose(normalise(X, "unit-rows"), normalize(X))
    centred = X - X.mean(axis=0)
    expected = normalize(centred, axis=0)
    np.testing.assert_allclose(normalise(X, "zero-mean-unit-length"), expected, atol=1e-15)


@pytest.mark.parametrize("recipe", RECIPES)
def test_float64_out_and_input_untouched(recipe):
    single = X.astype(np.float32)
    single.flags.writeable = False
    found = normalise(single, recipe)
    assert found.dtype == np.float64
    assert found.flags.writeable


@pytest.mark.parametrize("recipe", ["standardise", "unit-range", "zero-mean-unit-length"])
def test_constant_features_become_zero_and_are_told(recipe):
    values = X.copy()
    values[:, 2] = 0.1  # whose mean over 40 rows is not 0.1 in floating point
    notes = []
    found = normalise(values, recipe, notes=notes)
    assert (found[:, 2] == 0).all()
    assert np.isfinite(found).all()
    assert notes == ["1 of 6 features are constant, now zero: 3"]
    np.testing.assert_array_equal(normalise(np.full((5, 2), 7.0), recipe), np.zeros((5, 2)))


def test_zero_rows_stay_zero_and_are_told():
    values = X.copy()
    values[[1, 4]] = 0
    notes = []
    found = normalise(values, "unit-rows", notes=notes)
    assert (found[[1, 4]] == 0).all()
    assert notes == ["2 of 40 rows are zero and stay zero: 2, 5"]
    sparse = normalise(csr_array(values), "unit-rows", notes=notes)
    np.testing.assert_allclose(sparse.toarray(), found)
    assert notes[1].startswith("2 of 40")


def test_tiny_and_huge_rows_have_a_direction():
    found = normalise(np.array([[3e-200, 4e-200], [3e200, 4e200]]), "unit-rows")
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.6, 0.8]])


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if recipe != "none"])
@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-160, 1e155, 1e200, 8e307])
def test_tiny_and_huge_features_are_normalised_as_any(recipe, scale):
    column, notes = np.array([[1.0], [2.0], [-1.0]]), []
    column = np.hstack([column, column[::-1]])
    found = normalise(column * scale, recipe, notes=notes)
    accuracy = 1e-3 if scale < 1e-307 else 1e-14  # subnormal numbers have few digits
    np.testing.assert_allclose(found, normalise(column, recipe), rtol=accuracy)
    assert notes == []
    if recipe == "unit-rows":
        sparse = normalise(csr_array(column * scale), recipe, notes=notes)
        np.testing.assert_allclose(sparse.toarray(), found, rtol=1e-15)
        assert notes == []


def test_sparse_rows_of_every_size_at_once():
    values = np.array([[3e-200, 4e-200, 0], [0, 3e200, 4e200], [0, 0, 0], [3, 0, 4]])
    notes = []
    found = normalise(csr_array(values), "unit-rows", notes=notes).toarray()
    np.testing.assert_allclose(found, [[0.6, 0.8, 0], [0, 0.6, 0.8], [0, 0, 0], [0.6, 0, 0.8]])
    assert notes == ["1 of 4 rows are zero and stay zero"]


@pytest.mark.parametrize("recipe", ["standardise", "zero-mean-unit-length"])
def test_large_offset(recipe):
    """X + 1e6 has the spread of X; what is lost is the last digits of its input only."""
    np.testing.assert_allclose(normalise(X + 1e6, recipe), normalise(X, recipe), atol=1e-8)


def test_what_is_refused():
    with pytest.raises(DataError, match="'standardize'; did you mean 'standardise'"):
        normalise(X, "standardize")
    with pytest.raises(DataError, match="strings cannot be normalised"):
        normalise(["a"], "unit-rows")
    with pytest.raises(DataError, match="would fill a sparse matrix"):
        normalise(csr_array(X), "standardise")
    bad = X.copy()
    bad[3, 1] = np.inf
    with pytest.raises(DataError, match=r"inf at position \(3, 1\)"):
        normalise(bad, "none")
    assert normalise(["a"], "none") == ["a"]


def test_dense_views_are_normalised_each_by_itself():
    random = np.random.default_rng(0)
    graph = csr_array(np.eye(6))
    dataset = Dataset(
        "t", random.normal(size=(6, 3)), np.arange(6) % 2, ["a", "b"], list("uvw"),
        views={"block": random.normal(size=(6, 2)) + 5, "flat": np.ones((6, 1)), "graph": graph},
    )  # fmt: skip
    found = normalise_dataset(dataset, "standardise")
    for name in ("X", "block"):
        values = found.X if name == "X" else found.views[name]
        np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-14)
        np.testing.assert_allclose(values.std(axis=0), 1, atol=1e-14)
    assert found.views["graph"] is graph
    assert found.notes == ["view 'flat': 1 of 1 features are constant, now zero: 1"]
    assert dataset.notes == []
