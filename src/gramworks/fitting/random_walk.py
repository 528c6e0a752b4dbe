"""Classification by a random walk on the graph of a kernel."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from gramworks.fitting.decision import accuracy_on, choose_labels
from gramworks.fitting.graph_weights import fill_unreached, graph_weights
from gramworks.fitting.inputs import check_choice, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.solvers.random_walk import (
    average_margin_parameters,
    end_posteriors,
    likelihood_parameters,
    start_probabilities,
)


class RandomWalkClassifier(ClassifierMixin, BaseEstimator):
    """Posterior of each point from where a walk of t steps that ends there may have started.

    Szummer and Jaakkola, NIPS 14 (2001) 945-952. The Gram matrix is the weights of the graph.

    Parameters
    ----------
    steps : int
        t, at least 1.
    neighbours : int, optional
        Keep the weights between so many nearest neighbours only. Default: all, which leaves the
        average margin little to tell: after a few steps on a dense graph all ends look alike.
    rule : {"average-margin", "likelihood"}
        How P(class | start) is estimated: the largest average margin of the labelled points,
        which has a closed form, or their largest likelihood, by EM.

    Attributes
    ----------
    posterior_ : ndarray of shape (n, q)
        P(class | point) of all points.
    parameters_ : ndarray of shape (n, q)
        P(class | start).
    unreached_ : ndarray of shape (n,), bool
        Points from which no labelled one is reached in t steps: their parameters are the shares
        of the classes among the labelled points.
    classes_ : ndarray of shape (q,)
    converged_ : bool
    """

    def __init__(self, steps=5, neighbours=None, rule="average-margin"):
        self.steps = steps
        self.neighbours = neighbours
        self.rule = rule

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def fit(self, K, y, labelled=None):
        """Find the posteriors of all points.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix without negative entries; only read.
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional

        Returns
        -------
        RandomWalkClassifier

        Raises
        ------
        FitError, KernelError
            Parameters, labels or K are not usable.
        """
        steps = check_whole(self.steps, "steps")
        rule = check_choice(self.rule, "rule", ("average-margin", "likelihood"))
        K = graph_weights(K, self.neighbours)
        labels = encode_labels(y, K.shape[0], labelled)
        codes, size = labels.codes[labels.labelled], labels.classes.size
        starts = start_probabilities(K, np.flatnonzero(labels.labelled), steps)
        self.converged_ = True
        if rule == "average-margin":
            parameters = average_margin_parameters(starts, codes, size)
        else:
            parameters, _, self.converged_ = likelihood_parameters(starts, codes, size)
        self.unreached_ = fill_unreached(parameters, codes, size)
        self.parameters_ = parameters
        self.posterior_ = end_posteriors(K, parameters, steps)
        self.classes_ = labels.classes
        self.n_features_in_ = K.shape[0]
        if not self.converged_:
            warnings.warn(
                "EM met its cap of steps; take rule='average-margin', which has a closed form",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self):
        """Give the posteriors of all n points: second class less first for two, else (n, q)."""
        check_is_fitted(self)
        posterior = self.posterior_
        return posterior[:, 1] - posterior[:, 0] if posterior.shape[1] == 2 else posterior

    def predict(self):
        """Give labels of all n points."""
        return choose_labels(self.decision_function(), self.classes_)

    def score(self, K, y):
        """Give the accuracy over the points whose label in y is known; K is not looked at."""
        return accuracy_on(self.predict(), y)
