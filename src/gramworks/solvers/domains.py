"""Sets of weights over which a convex criterion is minimised, with bounds that hold exactly.

A domain tells the master problem its constraints and turns the multipliers that a cone solver
returns into a lower bound of an affine function over the set. The bound is recomputed from the
multipliers, so that it holds whatever the tolerance of the cone solver.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Constraints:
    """Linear and matrix constraints on z: rows z >= limits, sum_j z_j M_j psd, normal z = 1."""

    normal: np.ndarray
    rows: np.ndarray
    limits: np.ndarray
    blocks: list[np.ndarray] = field(default_factory=list)
    """Each of shape (d, k, k), symmetric."""


@dataclass
class Multipliers:
    """What a cone solver says about `Constraints`: for the rows, and for each block."""

    rows: np.ndarray
    blocks: list[np.ndarray]


class Simplex:
    """The z >= 0 with sum z = 1."""

    n_decompositions = 0
    left_out = 0.0

    def __init__(self, size: int):
        self.size = size

    def start(self):
        """Give the middle."""
        return np.full(self.size, 1.0 / self.size)

    def constraints(self):
        """Give the facets."""
        return Constraints(np.ones(self.size), np.eye(self.size), np.zeros(self.size))

    def admit(self, point):
        """Give the point itself, without what an interior point method leaves of zeros."""
        point = np.where(point > 1e-9, point, 0.0)
        return point / point.sum()

    def largest(self, functionals):
        """Bound the |functional z| of each row."""
        return np.abs(functionals).max(axis=1)

    def bound_below(self, constant, slope, multipliers=None):
        """Minimise constant + slope z: at a corner."""
        return float(constant + slope.min())
