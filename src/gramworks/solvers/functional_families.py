"""Families of functionals as combinations of values, local averages and derivatives at points."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


class AxisDerivatives:
    """Derivatives along every axis at every point: L_(i, d) f = df / dx^d at x_i.

    Parameters
    ----------
    points, axes : int
        t and n.
    """

    uses_values = False
    uses_fields = True

    def __init__(self, points, axes):
        self.shape = (points, axes)
        self.count = points * axes

    def single(self):
        """Give the same in float32."""
        return self

    def scatter(self, B):
        """Coefficients (r, count) of the functionals as those of (values, fields)."""
        return None, B.reshape(len(B), *self.shape)

    def gather(self, values, fields):
        """Give what the functionals make of (values, fields): (r, count)."""
        return fields.reshape(len(fields), -1)


class DirectionDerivatives:
    """Derivatives along stated directions at every point: L_(i, m) f = v_im . grad f(x_i).

    Parameters
    ----------
    directions : ndarray of shape (t, m, n)
    """

    uses_values = False
    uses_fields = True

    def __init__(self, directions):
        self.directions = directions
        self.count = directions.shape[0] * directions.shape[1]

    def single(self):
        """Give the same in float32."""
        return DirectionDerivatives(self.directions.astype(np.float32))

    def scatter(self, B):
        """Coefficients (r, count) of the functionals as those of (values, fields)."""
        t, m, _ = self.directions.shape
        return None, np.einsum("rim,imn->rin", B.reshape(-1, t, m), self.directions, optimize=True)

    def gather(self, values, fields):
        """Give what the functionals make of (values, fields): (r, count)."""
        found = np.einsum("rin,imn->rim", fields, self.directions, optimize=True)
        return found.reshape(len(fields), -1)


class ValueDifferences:
    """Combinations of values and local averages at the points.

    Parameters
    ----------
    matrix : sparse or dense array of shape (count, s * t)
        A row a functional; columns by spreads, then points.
    spreads : int
        s.
    """

    uses_values = True
    uses_fields = False

    def __init__(self, matrix, spreads=1):
        self.matrix = matrix
        self.spreads = spreads
        self.count = matrix.shape[0]

    def single(self):
        """Give the same in float32."""
        return ValueDifferences(self.matrix.astype(np.float32), self.spreads)

    def scatter(self, B):
        """Coefficients (r, count) of the functionals as those of (values, fields)."""
        found = np.asarray((self.matrix.T @ B.T).T)
        return found.reshape(len(B), self.spreads, -1), None

    def gather(self, values, fields):
        """Give what the functionals make of (values, fields): (r, count)."""
        return np.asarray((self.matrix @ values.reshape(len(values), -1).T).T)

    def reduced(self):
        """Give as few functionals as there are values, with the same sum of squares.

        The sum is f' C'C f, so that the factor of C'C = F'F by its eigenvalues does as well as the
        differences over all pairs of points.
        """
        product = self.matrix.T @ self.matrix
        product = product.toarray() if sp.issparse(product) else product
        columns = np.count_nonzero(product.any(axis=0))
        if self.count <= columns:
            return self
        values, vectors = np.linalg.eigh(product)
        kept = values > columns * np.finfo(np.float64).eps * values[-1]
        return ValueDifferences(np.sqrt(values[kept])[:, None] * vectors[:, kept].T, self.spreads)
