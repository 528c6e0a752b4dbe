"""Nearest neighbours for outputs of any kind: the mean of theirs, and the output nearest to it."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gramworks.errors import FitError
from gramworks.fitting.candidates import choose_outputs
from gramworks.fitting.inputs import check_new, check_square, check_whole
from gramworks.fitting.neighbours import rank_by_distance
from gramworks.solvers.output_components import output_components


class OutputNeighbours(BaseEstimator):
    """Predict the output nearest to the mean of the outputs of the k nearest inputs.

    Distances are those that the kernels induce. Of equally distant inputs or outputs the first
    counts as nearer.

    Parameters
    ----------
    neighbours : int
        k, at least 1; with 1 the output of the nearest input.

    References
    ----------
    The comparison of Weston et al., Kernel dependency estimation, NIPS 15 (2002), section 4.1.
    """

    def __init__(self, neighbours=5):
        self.neighbours = neighbours

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.target_tags.required = True
        return tags

    def fit(self, K, L):
        """Keep the points.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix of the inputs; only read.
        L : array-like of shape (n, n)
            Gram matrix of the outputs; only read.

        Returns
        -------
        OutputNeighbours

        Raises
        ------
        FitError, KernelError
            Parameters or matrices are not usable.
        """
        K, L = check_square(K), check_square(L, "L")
        n = K.shape[0]
        if L.shape[0] != n:
            raise FitError(
                f"L has shape {L.shape} and K {K.shape}; both are over the same {n} points"
            )
        check_whole(self.neighbours, "neighbours", most=n, of=f"the {n} training points")
        self._own, self._squares = K, np.diagonal(K).copy()
        self._components = output_components(L)
        self.n_features_in_ = n
        return self

    def transform(self, K_new=None):
        """Give the projections of the means, (n_new, p); `K_new` as in `predict`."""
        check_is_fitted(self)
        K = self._own if K_new is None else check_new(K_new, self.n_features_in_)
        ranked = rank_by_distance(K, self._squares)[:, : int(self.neighbours)]
        return self._components.projections[ranked].mean(axis=1)

    def predict(self, K_new=None, candidates=None):
        """Predict outputs.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n), optional
            Input kernel between new rows and the n training points; default: the training
            points, each its own nearest neighbour.
        candidates : array-like of shape (n_cand, n), optional
            Output kernel between the outputs to choose from and the n training outputs; default:
            the training outputs.

        Returns
        -------
        ndarray of shape (n_new,), int
            Row numbers of candidates, or of training outputs.
        """
        return choose_outputs(self._components, self.transform(K_new), candidates)
