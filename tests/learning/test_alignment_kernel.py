import pickle

import numpy as np
import pytest
from sklearn.base import clone

from gramworks.errors import FitError, KernelError
from gramworks.kernels import alignment, centre
from gramworks.learning import AlignmentKernel, RankOneFamily


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.8, "in", "out")
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    kernels = [X @ X.T, (1 + X @ X.T) ** 2, np.exp(-squares / 2), np.exp(-squares / 20)]
    return kernels, y, np.arange(30) < 22


@pytest.mark.parametrize("weights", ["nonnegative", "free"])
def test_attributes_belong_together(data, weights):
    kernels, y, known = data
    model = AlignmentKernel(weights).fit(kernels, y, known)
    K = sum(mu * k for mu, k in zip(model.weights_, kernels, strict=True))
    np.testing.assert_allclose(model.kernel_, K)
    assert np.linalg.norm(K) == pytest.approx(1.0)
    assert np.linalg.eigvalsh(K)[0] >= -1e-9
    signs = np.where(y == "in", 1.0, -1.0)[known]
    block = K[np.ix_(known, known)]
    assert model.objective_ == pytest.approx(signs @ block @ signs)
    assert model.alignment_ == pytest.approx(alignment(block, np.outer(signs, signs)))
    assert 0 <= model.gap_ <= 1e-6


@pytest.mark.parametrize("weights", ["nonnegative", "free"])
def test_nothing_drawn_at_random_is_better(data, weights):
    kernels, y, known = data
    model = AlignmentKernel(weights).fit(kernels, y, known)
    signs = np.where(y == "in", 1.0, -1.0) * known
    rng = np.random.default_rng(0)
    tried = 0
    while tried < 200:
        mu = model.weights_ * rng.normal(1.0, 0.2, size=4) + 0.02 * rng.normal(size=4)
        mu = np.abs(mu) if weights == "nonnegative" else mu
        K = sum(m * k for m, k in zip(mu, kernels, strict=True))
        if np.linalg.eigvalsh(K)[0] < 0:
            continue
        tried += 1
        assert signs @ K @ signs / np.linalg.norm(K) <= model.objective_ * (1 + 1e-6)


def test_all_labelled_it_is_the_best_alignment(data):
    kernels, y, _ = data
    model = AlignmentKernel().fit(kernels, y)
    signs = np.where(y == "in", 1.0, -1.0)
    target = np.outer(signs, signs)
    assert model.alignment_ >= max(alignment(K, target) for K in kernels) - 1e-12
    assert model.objective_ == pytest.approx(30 * model.alignment_)


def test_centred_alignment_is_that_of_centred_matrices(data):
    kernels, y, known = data
    model = AlignmentKernel(centred=True).fit(kernels, y, known)
    blocks = [centre(K[np.ix_(known, known)]) for K in kernels]
    signs = np.where(y == "in", 1.0, -1.0)[known]
    target = centre(np.outer(signs, signs))
    block = centre(model.kernel_[np.ix_(known, known)])
    assert model.alignment_ == pytest.approx(alignment(block, target))
    # Cortes, Mohri and Rostamizadeh, proposition 9: min v'Mv - 2 v'a, v >= 0
    M = np.array([[np.vdot(a, b) for b in blocks] for a in blocks])
    a = np.array([np.vdot(b, target) for b in blocks])
    v = model.weights_ * (model.weights_ @ a) / (model.weights_ @ M @ model.weights_)
    slope = M @ v - a
    assert np.all(slope >= -1e-8 * np.abs(a).max())
    np.testing.assert_allclose(slope[v > 1e-9], 0.0, atol=1e-8 * np.abs(a).max())
    best = max(alignment(b, target) for b in blocks)
    assert model.alignment_ >= best - 1e-12


def test_family_of_eigenvectors_has_the_known_answer(data):
    kernels, y, known = data
    family = RankOneFamily.from_kernel(kernels[2], rank=9)
    model = AlignmentKernel().fit(family, y, known)
    signs = np.where(y == "in", 1.0, -1.0)[known]
    expected = (family.vectors[known].T @ signs) ** 2  # (54)
    np.testing.assert_allclose(model.weights_, expected / np.linalg.norm(expected), atol=1e-12)
    grams = [np.outer(v, v) for v in family.vectors.T]
    for weights in ("nonnegative", "free"):
        listed = AlignmentKernel(weights).fit(grams, y, known)
        assert listed.objective_ == pytest.approx(model.objective_, rel=1e-6)


def test_more_classes_sum_one_against_the_rest(data):
    kernels, y, known = data
    labels = np.where(kernels[0][0] > 1, "far", y)
    model = AlignmentKernel().fit(kernels, labels, known)
    rows = [np.where(labels == c, 1.0, -1.0) * known for c in model.classes_]
    assert model.objective_ == pytest.approx(sum(r @ model.kernel_ @ r for r in rows))
    assert list(model.classes_) == ["far", "in", "out"]


def test_scale_zero_and_read_only(data):
    kernels, y, known = data
    plain = AlignmentKernel().fit(kernels, y, known)
    given = [1e8 * kernels[0], 0 * kernels[0], *kernels[1:]]
    for K in given:
        K.setflags(write=False)
    model = AlignmentKernel().fit(given, y, known)
    np.testing.assert_allclose(model.kernel_, plain.kernel_, atol=1e-9)
    assert model.weights_[1] == 0


def test_clone_and_pickle(data):
    kernels, y, known = data
    model = AlignmentKernel("free", tol=1e-5)
    assert clone(model).get_params() == {
        "weights": "free",
        "centred": False,
        "tol": 1e-5,
        "checked": False,
    }
    again = pickle.loads(pickle.dumps(model.fit(kernels, y, known)))
    np.testing.assert_array_equal(again.kernel_, model.kernel_)


def test_what_is_not_usable_is_named(data):
    kernels, y, known = data
    with pytest.raises(FitError, match="did you mean 'free'"):
        AlignmentKernel("fre").fit(kernels, y)
    with pytest.raises(FitError, match="centred=True wants"):
        AlignmentKernel("free", centred=True).fit(kernels, y)
    with pytest.raises(FitError, match="1 class"):
        AlignmentKernel().fit(kernels, ["a"] * 30)
    with pytest.raises(FitError, match="all kernels are zero"):
        AlignmentKernel().fit([0 * kernels[0]], y)
    with pytest.raises(KernelError, match=r"kernels\[0\] is not positive semidefinite"):
        AlignmentKernel("free").fit([kernels[0] - 9 * np.eye(30), kernels[1]], y, known)
