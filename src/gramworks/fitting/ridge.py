"""Ridge regression on a Gram matrix, for numbers and for classes."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from gramworks.fitting.decision import accuracy_on, choose_labels
from gramworks.fitting.inputs import (
    check_choice,
    check_new,
    check_positive,
    check_square,
    check_switch,
)
from gramworks.fitting.labels import encode_labels, encode_targets
from gramworks.solvers.ridge import solve_ridge

_TASKS = ("classification", "regression")


class KernelRidge(BaseEstimator):
    """Kernel ridge regression with an intercept, K + ridge I on centred kernel and targets.

    Parameters
    ----------
    ridge : float
        Positive; in units of the kernel (not divided by the number of points).
    task : {"regression", "classification"}
        Classes are regressed on -1 and +1, one against the rest where there are more than two.
    centre : bool
        Centre kernel and targets on the labelled points, so that a shift of y shifts the fit.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,), or (q, n) for more than two classes
        0 where not labelled; fitted values are K dual_coef_ + intercept_.
    intercept_ : float, or ndarray of shape (q,)
    residuals_ : ndarray of shape (n,), or (q, n)
        Leave-one-out residuals y_i - f^(-i)(x_i) in units of the targets; NaN where not labelled.
    classes_ : ndarray of shape (q,)
        For classification; for two classes positive values mean the second.
    """

    def __init__(self, ridge=1.0, task="regression", centre=True):
        self.ridge = ridge
        self.task = task
        self.centre = centre

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.task == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        tags.target_tags.required = True
        tags.input_tags.pairwise = True
        return tags

    def fit(self, K, y, labelled=None):
        """Fit on the labelled block of K.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix over all points; only read.
        y : array-like of shape (n,)
            Numbers, or labels of any type; NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional
            Which targets may be used; default: all that are known.

        Returns
        -------
        KernelRidge

        Raises
        ------
        FitError, KernelError
            Parameters, targets or K are not usable.
        """
        check_choice(self.task, "task", _TASKS)
        ridge, centre = check_positive(self.ridge, "ridge"), check_switch(self.centre, "centre")
        K = check_square(K)
        n = K.shape[0]
        if self.task == "classification":
            labels = encode_labels(y, n, labelled)
            self.classes_, mask, targets = labels.classes, labels.labelled, labels.signs()
        else:
            values, mask = encode_targets(y, n, labelled)
            targets = values[mask][None]
        block = K if mask.all() else K[np.ix_(mask, mask)]
        found = solve_ridge(block, targets.T, ridge, centre=centre)
        coefficients, residuals = np.zeros((len(targets), n)), np.full((len(targets), n), np.nan)
        coefficients[:, mask] = found.coefficients.T
        residuals[:, mask] = found.left_out.T
        single = len(targets) == 1
        self.dual_coef_ = coefficients[0] if single else coefficients
        self.residuals_ = residuals[0] if single else residuals
        self.intercept_ = float(found.intercept[0]) if single else found.intercept
        self.n_features_in_ = n
        self._own = K
        return self

    @available_if(lambda self: self.task == "classification")
    def decision_function(self, K_new=None):
        """Give decision values, of a classification.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n), optional
            Kernel between new rows and the n points of the fit; default: all n points.

        Returns
        -------
        ndarray of shape (n_new,), or (n_new, q) for more than two classes
        """
        return self._fitted_values(K_new)

    def _fitted_values(self, K_new):
        check_is_fitted(self)
        K = self._own if K_new is None else check_new(K_new, self.dual_coef_.shape[-1])
        return K @ self.dual_coef_.T + self.intercept_

    def predict(self, K_new=None):
        """Give numbers or labels; `K_new` as in `decision_function`."""
        values = self._fitted_values(K_new)
        return values if self.task == "regression" else choose_labels(values, self.classes_)

    def score(self, K_new, y):
        """Give R^2, or the accuracy, over the rows whose target is known; None: all points."""
        predicted = self.predict(K_new)
        if self.task == "classification":
            return accuracy_on(predicted, y)
        truth, known = encode_targets(y, predicted.shape[0])
        return float(r2_score(truth[known], predicted[known]))
