"""Invariances as linear functionals on functions of an RKHS: what a user states.

Each describes functionals L_j at the points of a data set; InvarianceKernel penalises the sum of
their squares. Zhang, Lee and Teh, NIPS 26 (2013) 2031-2039, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_positive, check_square
from gramworks.learning.image_moves import image_tangents
from gramworks.solvers.functional_families import (
    AxisDerivatives,
    DirectionDerivatives,
    ValueDifferences,
)


@dataclass(frozen=True)
class Gradient:
    """Derivatives along every feature at every point: n times t functionals (section 4.1)."""

    along_axes = True
    spread = None

    def family(self, expansion, X):
        """State the functionals as combinations of values and derivatives at the points."""
        _need(expansion.derivatives, self, "gaussian, polynomial")
        return AxisDerivatives(*expansion.points.shape)


@dataclass(frozen=True)
class Tangent:
    """Derivatives along small moves of images, one for each image and move (section 4.2).

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image; a row of X is one image, its rows one after another.
    moves : sequence of str, or mapping from str to float, optional
        As in `gramworks.learning.image_moves.moved_images`: translate-rows, translate-columns,
        rotate, scale, shear-rows, shear-columns, all of them by default, by 2 and 2 pixels, 10
        degrees, and 0.1, 0.1 and 0.1 of the size. They are for digits of 28 x 28 pixels: smaller
        images want smaller amounts, as in ``{"translate-rows": 0.5, "rotate": 10}``.
    difference : {"central", "one-sided"}
        What a tangent is, as in `gramworks.learning.image_moves.image_tangents`: half the
        difference of the images moved to either side, or the differences of each from the image.
    background : float
        Value of a pixel beyond the border.
    """

    shape: tuple[int, int]
    moves: Any = None
    background: float = 0.0
    difference: str = "central"

    along_axes = False
    spread = None

    def family(self, expansion, X):
        """State the functionals as combinations of values and derivatives at the points."""
        _need(expansion.derivatives, self, "gaussian, polynomial")
        tangents = image_tangents(
            X, self.shape, self.moves, background=self.background, difference=self.difference
        )
        return DirectionDerivatives(tangents)


@dataclass(frozen=True, eq=False)
class GraphDifference:
    """sqrt(w_ij) (f(x_i) - f(x_j)) for every unordered pair of points with a weight.

    The sum of squares is f'Lf with the graph Laplacian L, so that the deformed kernel is that of
    the norm |f|^2 + 2 nu f'Lf. Any kernel will do, a precomputed one too.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (t, t)
        Symmetric and not negative; the diagonal has no part in it.
    """

    weights: Any = field(repr=False)

    along_axes = True
    spread = None

    def family(self, expansion, X):
        """State the functionals as combinations of values and derivatives at the points."""
        t = len(expansion.gram)
        W = self.weights
        dense = W.toarray() if sp.issparse(W) else W
        W = check_square(dense, "weights of GraphDifference")
        if len(W) != t:
            raise FitError(
                f"weights of GraphDifference are {W.shape}; there are {t} points, allowed: "
                f"({t}, {t})"
            )
        if W.min(initial=0.0) < 0:
            i, j = np.unravel_index(W.argmin(), W.shape)
            raise FitError(
                f"weights of GraphDifference hold {W[i, j]:g} in row {i}, column {j}; allowed: "
                "numbers of at least 0"
            )
        i, j = np.nonzero(np.triu(W, 1))
        roots, pairs = np.sqrt(W[i, j]), np.arange(len(i))
        matrix = sp.csr_array(
            (np.r_[roots, -roots], (np.r_[pairs, pairs], np.r_[i, j])), shape=(len(i), t)
        )
        spreads = len(expansion.spreads)
        if spreads > 1:
            matrix = sp.hstack([matrix, sp.csr_array((len(i), (spreads - 1) * t))], format="csr")
        return ValueDifferences(matrix, spreads)


@dataclass(frozen=True)
class LocalAverage:
    """Average of f around x_i under a Gaussian density, less f(x_i) (section 4.3).

    Parameters
    ----------
    theta : float
        Width of the density, in the units of the data. Its closed form is that of a Gaussian
        kernel.
    """

    theta: float

    along_axes = True

    @property
    def spread(self):
        """Width that the expansion has to know."""
        return check_positive(self.theta, "theta of LocalAverage")

    def family(self, expansion, X):
        """State the functionals as combinations of values and derivatives at the points."""
        _need(expansion.averages, self, "gaussian")
        t, spreads = len(expansion.gram), len(expansion.spreads)
        index = list(expansion.spreads).index(self.spread)
        blocks = [sp.csr_array((t, t)) for _ in range(spreads)]
        blocks[0], blocks[index] = -sp.eye_array(t), sp.eye_array(t)
        return ValueDifferences(sp.hstack(blocks, format="csr"), spreads)


NAMES = {"gradient": Gradient}
KINDS = (Gradient, Tangent, GraphDifference, LocalAverage)


def as_functionals(functionals) -> list:
    """Read what an estimator is given: a name, one description or a sequence of them."""
    if isinstance(functionals, (str, *KINDS)):
        functionals = [functionals]
    try:
        found = [NAMES[f]() if isinstance(f, str) and f in NAMES else f for f in functionals]
    except TypeError:
        found = [functionals]
    wrong = [f for f in found if not isinstance(f, KINDS)]
    if wrong or not found:
        kinds = ", ".join(kind.__name__ for kind in KINDS)
        raise FitError(
            f"functionals={(wrong or found)!r}; allowed: 'gradient', or one or more of {kinds}"
        )
    return found


def _need(condition, functional, kernels):
    if not condition:
        raise FitError(
            f"{type(functional).__name__} has a closed form for kernel in {{{kernels}}} alone; "
            "GraphDifference goes with any kernel"
        )
