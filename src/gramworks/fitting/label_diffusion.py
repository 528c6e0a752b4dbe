"""Labels that spread over the graph of a kernel, by scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError
from gramworks.fitting.graph_weights import fill_unreached, graph_weights
from gramworks.fitting.inputs import check_choice, check_positive, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.fitting.transductive_classifier import TransductiveClassifier


class LabelDiffusion(TransductiveClassifier):
    """scikit-learn's LabelPropagation or LabelSpreading, the Gram matrix being the weights.

    Propagation (Zhu and Ghahramani 2002) repeats F <- D^(-1) W F with the labelled rows held;
    spreading (Zhou et al., NIPS 16, 2004) F <- alpha S F + (1 - alpha) Y with
    S = D^(-1/2) W D^(-1/2) and zeros on the diagonal of W.

    Parameters
    ----------
    variant : {"propagation", "spreading"}
    alpha : float
        Of spreading: how much a point takes from its neighbours, between 0 and 1.
    neighbours : int, optional
        Keep the weights between so many nearest neighbours only. Default: all.
    tol : float
        Steps end when the values change by less in all.
    max_iter : int
        Cap on steps; a warning says when it was met.

    Attributes
    ----------
    distribution_ : ndarray of shape (n, q)
        Class shares of each point; those among the labelled points where no label has come.
    unreached_ : ndarray of shape (n,), bool
        Where that is so.
    classes_ : ndarray of shape (q,)
    converged_ : bool
    n_iter_ : int
    """

    _SHARES = "distribution_"

    def __init__(self, variant="spreading", alpha=0.2, neighbours=None, tol=1e-3, max_iter=10_000):
        self.variant = variant
        self.alpha = alpha
        self.neighbours = neighbours
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, K, y, labelled=None):
        """Spread the labels.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix without negative entries; only read.
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional

        Returns
        -------
        LabelDiffusion

        Raises
        ------
        FitError, KernelError
            Parameters, labels or K are not usable.
        """
        model = self._model()
        weights = graph_weights(K, self.neighbours)
        n = weights.shape[0]
        labels = encode_labels(y, n, labelled)
        known, codes = labels.labelled, labels.codes[labels.labelled]
        # both divide the weights in place
        take = np.copy if self.neighbours is None else csr_matrix
        model.set_params(kernel=lambda rows, columns: take(weights))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # codes are 0 and more: its -1 for unlabelled is no label
            model.fit(np.arange(n)[:, None], np.where(known, labels.codes, -1))
        self.converged_ = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
        self.distribution_ = model.label_distributions_
        self.unreached_ = fill_unreached(self.distribution_, codes, labels.classes.size)
        self.classes_, self.n_iter_, self.n_features_in_ = labels.classes, model.n_iter_, n
        if not self.converged_:
            warnings.warn(
                f"the values still changed by more than tol={self.tol:g} after {self.max_iter} "
                "steps: raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _model(self):
        from sklearn.semi_supervised import LabelPropagation, LabelSpreading

        variant = check_choice(self.variant, "variant", ("propagation", "spreading"))
        tol, max_iter = check_positive(self.tol, "tol"), check_whole(self.max_iter, "max_iter")
        if variant == "propagation":
            return LabelPropagation(tol=tol, max_iter=max_iter)
        alpha = check_positive(self.alpha, "alpha")
        if alpha >= 1:
            raise FitError(f"alpha={self.alpha!r}; allowed: a number between 0 and 1, without both")
        return LabelSpreading(alpha=alpha, tol=tol, max_iter=max_iter)
