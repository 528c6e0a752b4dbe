"""Classification by a random walk on the graph of a kernel."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gramworks.fitting.graph_weights import fill_unreached, graph_weights
from gramworks.fitting.inputs import check_choice, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.fitting.transductive_classifier import TransductiveClassifier
from gramworks.solvers.random_walk import (
    average_margin_parameters,
    end_posteriors,
    likelihood_parameters,
    start_probabilities,
)


class RandomWalkClassifier(TransductiveClassifier):
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

    _SHARES = "posterior_"

    def __init__(self, steps=5, neighbours=None, rule="average-margin"):
        self.steps = steps
        self.neighbours = neighbours
        self.rule = rule

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
