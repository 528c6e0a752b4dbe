"""Gram matrix of kernel functions and representers of functionals, for machines on both."""

from __future__ import annotations

import numpy as np

from gramworks.learning.deformation import functional_system


class JointGram:
    """Inner products of k(x_1, .), ..., k(x_t, .), z_1, ..., z_p.

    The matrix that theorem 2 of Zhang, Lee and Teh, NIPS 26 (2013) 2031-2039, wants: f = sum a_i
    k(x_i, .) + sum b_j z_j.

    Parameters
    ----------
    X : array-like of shape (t, n)
        Points; functionals act at all of them.
    functionals, kernel, width, degree, offset
        As in `gramworks.learning.InvarianceKernel`.

    Attributes
    ----------
    matrix : ndarray of shape (t + p, t + p)
    points, count : int
        t and p. Derivatives and tangents stand point by point, p / t of each.
    """

    def __init__(
        self, X, functionals="gradient", kernel="gaussian", width=None, degree=None, offset=1.0
    ):
        self._system = functional_system(
            X, functionals, kernel=kernel, width=width, degree=degree, offset=offset
        )
        expansion = self._system.expansion
        self.points, self.count = self._system.points, self._system.count
        self.matrix = np.empty((self.points + self.count,) * 2)
        t = self.points
        self.matrix[:t, :t] = expansion.gram
        self.matrix[:t, t:] = self._system.columns(slice(None))
        self.matrix[t:, :t] = self.matrix[:t, t:].T
        self.matrix[t:, t:] = self._system.dense()

    def rows(self, X_new) -> np.ndarray:
        """Give k(x, x_i) and z_j(x) of new points x, (n_new, t + p)."""
        K_new = self._system.expansion.new_gram(X_new)
        return np.concatenate([K_new, self._system.new_columns(np.asarray(X_new))], axis=1)

    def positions(self, chosen) -> np.ndarray:
        """Find some points and their functionals in the matrix, where each has as many.

        Parameters
        ----------
        chosen : ndarray of shape (k,), int

        Returns
        -------
        ndarray of shape (k + k p / t,), int
            The points first.
        """
        each = self.count // self.points
        own = self.points + chosen[:, None] * each + np.arange(each)
        return np.concatenate([chosen, own.ravel()])
