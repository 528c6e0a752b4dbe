"""Moves of images against hand-made moves, their inverses and analytic derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from gramworks.errors import FitError
from gramworks.learning.image_moves import AMOUNTS, image_tangents, moved_images

SHAPE = (40, 36)


def blob(row=0.0, column=0.0, tall=6.0, wide=5.0, shape=SHAPE):
    """Make a smooth spot, off the centre of the image by (row, column)."""
    r, c = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    r = r - (shape[0] - 1) / 2 - row
    c = c - (shape[1] - 1) / 2 - column
    return np.exp(-(r**2) / (2 * tall**2) - c**2 / (2 * wide**2)).ravel()


def test_shifts_are_the_pixels_of_the_neighbours():
    X = np.random.default_rng(0).random((3, 6 * 7))
    down, up = moved_images(X, (6, 7), ["translate-rows"])
    images = X.reshape(3, 6, 7)
    wanted = np.zeros_like(images)
    wanted[:, 2:] = images[:, :-2]
    assert_allclose(down, wanted.reshape(3, -1), atol=1e-12)
    wanted = np.full_like(images, -1.0)
    wanted[:, :, :-1] = images[:, :, 1:]
    left = moved_images(X, (6, 7), {"translate-columns": 1}, background=-1.0)[1]
    assert_allclose(left, wanted.reshape(3, -1), atol=1e-12)


def test_a_quarter_turn_and_a_scale_about_the_centre():
    X = np.random.default_rng(1).random((2, 25))
    turned, back = moved_images(X, (5, 5), {"rotate": 90})
    quarter = np.stack([np.rot90(image, -1) for image in X.reshape(2, 5, 5)]).reshape(2, -1)
    other = np.stack([np.rot90(image, 1) for image in X.reshape(2, 5, 5)]).reshape(2, -1)
    assert_allclose(np.sort([abs(turned - quarter).max(), abs(turned - other).max()])[0], 0,
                    atol=1e-12)  # fmt: skip
    assert_allclose(moved_images(turned, (5, 5), {"rotate": 90})[1], X, atol=1e-12)
    grown, shrunk = moved_images(blob()[None], SHAPE, {"scale": 0.1})
    assert_allclose(grown[0], blob(tall=6.6, wide=5.5), atol=0.01)
    assert_allclose(shrunk[0], blob(tall=5.4, wide=4.5), atol=0.01)
    assert back.shape == X.shape


@pytest.mark.parametrize("name", AMOUNTS)
def test_plus_then_minus_comes_back(name):
    X = blob(row=3.0, column=-4.0)[None]
    ahead = moved_images(X, SHAPE, [name])[0]
    back = moved_images(ahead, SHAPE, [name])[1]
    # interpolation blurs a little, and 0.9 of the size after 1.1 of it is 0.99
    assert abs(back - X).max() < 0.3 * abs(ahead - X).max()


def test_tangents_are_derivatives_along_the_moves():
    step = 1e-3
    X = blob(row=2.0, column=1.0)[None]
    r, c = np.meshgrid(np.arange(SHAPE[0]), np.arange(SHAPE[1]), indexing="ij")
    r, c = (r - (SHAPE[0] - 1) / 2).ravel(), (c - (SHAPE[1] - 1) / 2).ravel()
    by_row, by_column = (slope.ravel() for slope in np.gradient(X[0].reshape(SHAPE)))
    inside = (abs(r) < 19) & (abs(c) < 17)  # beyond the border the background begins
    wanted = {
        "translate-rows": -by_row,
        "translate-columns": -by_column,
        "rotate": np.radians(1) * (by_row * c - by_column * r),
        "scale": -(by_row * r + by_column * c),
        "shear-rows": -by_row * c,
        "shear-columns": -by_column * r,
    }
    found = image_tangents(X, SHAPE, dict.fromkeys(wanted, step))[0] / step
    for tangent, name in zip(found, wanted, strict=True):
        error = np.where(inside, tangent - wanted[name], 0.0)
        assert abs(error).max() < 0.003 * abs(wanted[name]).max(), name


def test_tangents_are_half_the_differences_of_the_virtual_samples():
    X = np.random.default_rng(2).random((4, 64))
    moved = moved_images(X, (8, 8))
    tangents = image_tangents(X, (8, 8))
    assert len(moved) == 12
    assert tangents.shape == (4, 6, 64)
    for j in range(6):
        assert_array_equal(tangents[:, j], (moved[2 * j] - moved[2 * j + 1]) / 2)
    assert_array_equal(moved_images(csr_array(X), (8, 8))[5], moved[5])


def test_tangents_to_one_side_lead_to_the_virtual_samples():
    X = np.random.default_rng(2).random((4, 64))
    tangents = image_tangents(X, (8, 8), difference="one-sided")
    assert tangents.shape == (4, 12, 64)
    for j, moved in enumerate(moved_images(X, (8, 8))):
        assert_array_equal(tangents[:, j], moved - X)
    assert_array_equal(image_tangents(csr_array(X), (8, 8), difference="one-sided"), tangents)
    with pytest.raises(FitError, match="central, one-sided"):
        image_tangents(X, (8, 8), difference="forward")


@pytest.mark.parametrize(
    ("shape", "moves", "words"),
    [
        ((8, 9), None, "72 pixels and X has 64"),
        (64, None, "rows, columns"),
        ((8, 8), ["rotat"], "did you mean 'rotate'"),
        ((8, 8), [], "one or more"),
        ((8, 8), ["scale", "scale"], "different"),
        ((8, 8), {"scale": -1.0}, "amount of 'scale'"),
        ((8, 8), {"scale": 1.0}, "shrinks"),
    ],
)
def test_unusable_moves_are_refused(shape, moves, words):
    with pytest.raises(FitError, match=words):
        moved_images(np.ones((2, 64)), shape, moves)
