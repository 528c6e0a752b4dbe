"""Nearest neighbours in the distance that a kernel induces."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gramworks.fitting.decision import accuracy_on, choose_labels
from gramworks.fitting.inputs import check_new, check_square, check_whole
from gramworks.fitting.labels import encode_labels

_TIE = 1e-12  # of k(z,z) + 2 |x| |z| of a pair: distances this near are ties, not rounding


class KernelNeighbours(ClassifierMixin, BaseEstimator):
    """k nearest labelled points by |phi(x) - phi(z)|^2 = k(x,x) - 2 k(x,z) + k(z,z).

    Nothing is drawn: of equally distant points the one that comes first is nearer, and of
    classes with equal votes the first wins.

    Parameters
    ----------
    neighbours : int
        k, at least 1.

    Attributes
    ----------
    classes_ : ndarray of shape (q,)
    """

    def __init__(self, neighbours=5):
        self.neighbours = neighbours

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def fit(self, K, y, labelled=None):
        """Keep the labelled points.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix over all points; only read.
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional
            Which labels may be used; default: all that are known.

        Returns
        -------
        KernelNeighbours

        Raises
        ------
        FitError, KernelError
            Parameters, labels or K are not usable.
        """
        K = check_square(K)
        n = K.shape[0]
        labels = encode_labels(y, n, labelled)
        n_labelled = int(labels.labelled.sum())
        of = f"the {n_labelled} labelled points"
        check_whole(self.neighbours, "neighbours", most=n_labelled, of=of)
        self.classes_ = labels.classes
        self._labelled = np.flatnonzero(labels.labelled)
        self._codes = labels.codes[self._labelled]
        self._squares = np.diag(K)[self._labelled].copy()
        self.n_features_in_ = n
        self._own = K
        return self

    def decision_function(self, K_new=None):
        """Give each class's share of the votes.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n), optional
            Kernel between new rows and the n points of the fit; default: all n points, each
            labelled one being its own nearest neighbour.

        Returns
        -------
        ndarray of shape (n_new,) for two classes, second minus first; else (n_new, q)
        """
        votes = self._vote(K_new) / self.neighbours
        return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes

    def predict(self, K_new=None):
        """Give labels; `K_new` as in `decision_function`."""
        return choose_labels(self.decision_function(K_new), self.classes_)

    def score(self, K_new, y):
        """Give the accuracy over the rows whose label in y is known; None: all n points."""
        return accuracy_on(self.predict(K_new), y)

    def _vote(self, K_new):
        check_is_fitted(self)
        K = self._own if K_new is None else check_new(K_new, self.n_features_in_)
        ranked = rank_by_distance(K[:, self._labelled], self._squares)
        codes = self._codes[ranked[:, : int(self.neighbours)]]
        return (codes[:, :, None] == np.arange(self.classes_.size)).sum(axis=1)


def rank_by_distance(K, squares):
    """Rank points by their distance from each row, the first of equally distant ones before.

    Parameters
    ----------
    K : ndarray of shape (n_new, n)
        Kernel between rows and points.
    squares : ndarray of shape (n,)
        k(z, z) of the points.

    Returns
    -------
    ndarray of shape (n_new, n), int
        Numbers of points, the nearest first.
    """
    # k(x,x) is the same for all candidates of a row
    distances = squares - 2.0 * K
    lengths = np.sqrt(np.maximum(squares, 0.0))
    # |x| is at least its projection on any z, and known for no new row
    usable = np.where(lengths > 0, lengths, np.inf)
    reach = np.abs(K / usable).max(axis=1, keepdims=True)
    return _rank(distances, _TIE * (np.abs(squares) + 2.0 * reach * lengths))


def _rank(distances, errors):
    """Sort each row; where neighbours in the order differ by no more than their errors, by place.

    Errors are those of a pair: one point far away does not blur the others.
    """
    order = np.argsort(distances, axis=1, kind="stable")
    steps = np.diff(np.take_along_axis(distances, order, axis=1), axis=1)
    errors = np.take_along_axis(errors, order, axis=1)
    apart = steps > np.maximum(errors[:, 1:], errors[:, :-1])
    group = np.concatenate([np.zeros((len(order), 1), int), np.cumsum(apart, axis=1)], axis=1)
    return np.take_along_axis(order, np.lexsort((order, group), axis=1), axis=1)
