import numpy as np
import pytest

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.feature_selection import discriminant_scores, select_discriminant
from gramworks.datasets.normalisation import is_recipe, normalise_dataset
from gramworks.errors import DataError


def made(seed=0, n=30, d=12):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[:, [3, 7]] += 3.0 * y[:, None]
    X[:, 5] = 4.0
    return Dataset(id="d", X=X, y=y, classes=["a", "b"], feature_names=[f"g{i}" for i in range(d)])


def test_scores_one_feature_at_a_time():
    data = made()
    scores = discriminant_scores(data.X, data.y)
    for j in range(12):
        a, b = data.X[data.y == 0, j], data.X[data.y == 1, j]
        noise = np.std(a) + np.std(b)
        assert scores[j] == pytest.approx(abs(np.mean(a) - np.mean(b)) / noise if noise else 0.0)


def test_the_recipe_keeps_the_best_and_standardises():
    data = made()
    found = normalise_dataset(data, "discriminant-2")
    assert found.feature_names == ["g3", "g7"]
    np.testing.assert_allclose(found.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.X.std(axis=0), 1)
    assert "over all labels" in found.notes[0]
    assert select_discriminant(data, 12).X.shape == (30, 12)


def test_unusable_selections_are_refused():
    with pytest.raises(DataError, match="there are 12 features; ask for 12 at most"):
        select_discriminant(made(), 13)
    regression = Dataset(id="d", X=np.eye(3), y=np.ones(3), classes=[], feature_names=list("abc"))
    with pytest.raises(DataError, match="the task is regression"):
        select_discriminant(regression, 1)
    assert is_recipe("discriminant-100")
    assert not is_recipe("discriminant-0")
    assert not is_recipe("discriminant")
