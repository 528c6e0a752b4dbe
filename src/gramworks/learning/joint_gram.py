"""Gram matrix of kernel functions and representers of functionals, for machines on both."""

from __future__ import annotations

import numpy as np

from gramworks.errors import FitError
from gramworks.learning.deformation import as_new_points, functional_system
from gramworks.learning.functionals import GraphDifference, as_functionals


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
        t and p. Kinds of functionals stand one after another as they were given; derivatives and
        tangents point by point, as many at each.

    Examples
    --------
    Losses on labelled points, and penalties at all points, labelled or not::

        J = JointGram(X)
        own = np.r_[labelled, J.points : J.points + J.count]
        machine = InvarianceMachine().fit(J.matrix[np.ix_(own, own)], y[labelled])
        machine.predict(J.rows(X_new)[:, own])
    """

    def __init__(
        self, X, functionals="gradient", kernel="gaussian", width=None, degree=None, offset=1.0
    ):
        described = as_functionals(functionals)
        self._system = functional_system(
            X, described, kernel=kernel, width=width, degree=degree, offset=offset
        )
        self._of_pairs = any(isinstance(each, GraphDifference) for each in described)
        expansion = self._system.expansion
        self.points, self.count = self._system.points, self._system.count
        self.matrix = np.empty((self.points + self.count,) * 2)
        t = self.points
        self.matrix[:t, :t] = expansion.gram
        self.matrix[:t, t:] = self._system.columns(slice(None))
        self.matrix[t:, :t] = self.matrix[:t, t:].T
        self.matrix[t:, t:] = self._system.dense()

    def rows(self, X_new) -> np.ndarray:
        """Give k(x, x_i) and z_j(x) of new points x, (n_new, t + p).

        Of a precomputed kernel its values between them and the points are wanted instead.
        """
        expansion = self._system.expansion
        if expansion.derivatives:
            X_new = as_new_points(X_new, expansion.X.shape[1])
        K_new = expansion.new_gram(X_new)
        return np.concatenate([K_new, self._system.new_columns(X_new)], axis=1)

    def positions(self, chosen) -> np.ndarray:
        """Find some points and their functionals in the matrix.

        Parameters
        ----------
        chosen : array-like of shape (k,), int, or a mask of shape (t,)

        Returns
        -------
        ndarray of shape (k + k p / t,), int
            The points first, then of each kind of functionals those at them.

        Raises
        ------
        FitError
            No points of these, or differences of points, which belong to no single one.
        """
        chosen = self._chosen(chosen)
        places = [chosen]
        for start, stop in zip(self._system.ends, self._system.ends[1:], strict=False):
            each = (stop - start) // self.points
            own = self.points + start + chosen[:, None] * each + np.arange(each)
            places.append(own.ravel())
        return np.concatenate(places)

    def _chosen(self, chosen) -> np.ndarray:
        if self._of_pairs:
            raise FitError(
                "GraphDifference has functionals of pairs of points, which have no position at "
                "single ones; make a JointGram of the points that are wanted"
            )
        found = np.asarray(chosen)
        if found.dtype == bool and found.shape == (self.points,):
            return np.flatnonzero(found)
        if found.ndim != 1 or found.dtype.kind not in "iu":
            raise FitError(
                f"positions of shape {found.shape} and type {found.dtype}; allowed: whole numbers "
                f"in one row, or a mask of {self.points} points"
            )
        for place in found[(found < 0) | (found >= self.points)][:1]:
            raise FitError(f"position {place}; allowed: 0 to {self.points - 1}")
        return found.astype(np.int64)
