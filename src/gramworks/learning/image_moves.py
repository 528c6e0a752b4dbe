"""Small moves of images (shifts, turns, changes of size, shears) and the tangents they make."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.ndimage import affine_transform

from gramworks.errors import FitError, suggest
from gramworks.fitting.inputs import check_choice, check_number, check_positive, check_whole
from gramworks.kernels.vectors import as_dense_vectors

DIFFERENCES = ("central", "one-sided")
AMOUNTS = {
    "translate-rows": 2.0,
    "translate-columns": 2.0,
    "rotate": 10.0,
    "scale": 0.1,
    "shear-rows": 0.1,
    "shear-columns": 0.1,
}
"""How far each move goes, to either side: pixels, pixels, degrees, and parts of the size."""


def moved_images(X, shape, moves=None, *, background=0.0) -> list[np.ndarray]:
    """Move every image to either side by each of some moves.

    These are the virtual samples of Zhang, Lee and Teh, NIPS 26 (2013) 2031-2039, section 6.3:
    2-pixel shifts in 4 directions, rotations by +-10 degrees, scaling by +-0.1 and shearing by
    +-0.1 along both axes, about the centre of the image.

    Parameters
    ----------
    X : array-like of shape (n, rows * columns)
        Images by rows.
    shape : (int, int)
        Rows and columns of an image.
    moves : sequence of str, or mapping from str to float, optional
        Names out of `AMOUNTS`, with the amounts there, or names with their own amounts:
        translate-rows and translate-columns in pixels (plus is down, and right), rotate in
        degrees, scale (plus is larger), shear-rows and shear-columns in parts of the size.
        Default: all six.
    background : float
        Value of a pixel beyond the border.

    Returns
    -------
    list of ndarrays of shape (n, rows * columns)
        For each move the images at plus and at minus its amount, one after the other: twice as
        many as there are moves. Linear interpolation between pixels.

    Raises
    ------
    FitError
        A shape that does not suit the number of columns of X, an unknown move, a bad amount, or a
        background that is no finite number.
    """
    X = as_dense_vectors(X)
    rows, columns = check_shape(shape, X.shape[1])
    background = check_number(background, "background")
    images = X.reshape(-1, rows, columns)
    centre = np.array([(rows - 1) / 2, (columns - 1) / 2])
    moved = []
    for name, amount in check_moves(moves).items():
        for side in (amount, -amount):
            back, shift = _backwards(name, side)
            matrix = np.eye(3)  # the first axis counts the images, which stay where they are
            matrix[1:, 1:] = back
            offset = np.r_[0.0, centre - back @ (centre + shift)]
            copy = affine_transform(
                images, matrix, offset, order=1, mode="grid-constant", cval=background
            )
            moved.append(copy.reshape(X.shape))
    return moved


def image_tangents(X, shape, moves=None, *, background=0.0, difference="central") -> np.ndarray:
    """Give the tangents of each image along each move, by differences of images.

    The derivative with respect to the move where one unit is the amount itself, so that a virtual
    sample lies at about plus or minus one tangent (central) or at one tangent (one-sided).

    Parameters
    ----------
    X, shape, moves, background
        As in `moved_images`.
    difference : {"central", "one-sided"}
        "central": half the difference of the images at plus and at minus the amount, one tangent
        a move. "one-sided": the differences of either from the image itself, two tangents a move,
        which lead to the moved images exactly, and bend where the moves do.

    Returns
    -------
    ndarray of shape (n, m, rows * columns)
        m is the number of moves, or twice as many; of two the one at plus is the first.
    """
    check_choice(difference, "difference", DIFFERENCES)
    moved = moved_images(X, shape, moves, background=background)
    if difference == "one-sided":
        X = as_dense_vectors(X)
        return np.stack([image - X for image in moved], axis=1)
    pairs = zip(moved[::2], moved[1::2], strict=True)
    return np.stack([0.5 * (ahead - behind) for ahead, behind in pairs], axis=1)


def check_shape(shape, pixels) -> tuple[int, int]:
    """Check that an image of this shape has so many pixels."""
    try:
        rows, columns = shape
    except (TypeError, ValueError):
        raise FitError(f"shape={shape!r}; allowed: (rows, columns) of an image") from None
    rows, columns = check_whole(rows, "rows of shape"), check_whole(columns, "columns of shape")
    if rows * columns != pixels:
        raise FitError(
            f"shape=({rows}, {columns}) has {rows * columns} pixels and X has {pixels} columns; "
            "each row of X is one image, its rows one after another"
        )
    return rows, columns


def check_moves(moves) -> dict[str, float]:
    """Give the moves with their amounts."""
    if moves is None:
        return dict(AMOUNTS)
    if isinstance(moves, str):
        moves = [moves]
    try:
        names = list(moves)
    except TypeError:
        names = []
    if not names or len(set(map(str, names))) < len(names):
        raise FitError(f"moves={moves!r}; allowed: one or more different of {sorted(AMOUNTS)}")
    for name in names:
        if name not in AMOUNTS:
            raise FitError(f"moves holds {name!r}; {suggest(name, AMOUNTS)}")
    stated = moves if isinstance(moves, Mapping) else {name: AMOUNTS[name] for name in names}
    found = {name: check_positive(amount, f"amount of {name!r}") for name, amount in stated.items()}
    for name, amount in found.items():
        for side in (amount, -amount):
            _backwards(name, side)
    return found


def _backwards(name: str, amount: float) -> tuple[np.ndarray, np.ndarray]:
    """Where a pixel of the moved image comes from: the inverse matrix, and the shift."""
    matrix, shift = np.eye(2), np.zeros(2)
    if name == "translate-rows":
        shift[0] = amount
    elif name == "translate-columns":
        shift[1] = amount
    elif name == "rotate":
        # the turn of section 4.2 with the sign of its second row as a rotation has it
        angle = math.radians(amount)
        matrix = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    elif name == "scale":
        matrix *= 1.0 + amount
    elif name == "shear-rows":
        matrix[0, 1] = amount
    else:
        matrix[1, 0] = amount
    if abs(np.linalg.det(matrix)) < 1e-6:
        raise FitError(f"amount {amount!r} of {name!r} shrinks the image to a point; take less")
    return np.linalg.inv(matrix), shift
