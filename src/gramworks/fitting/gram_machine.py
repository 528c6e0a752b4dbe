"""What machines on a Gram matrix share: from coefficients to decision values, labels and scores."""

from __future__ import annotations

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gramworks.fitting.decision import accuracy_on, choose_labels
from gramworks.fitting.inputs import check_new


class GramMachine(ClassifierMixin, BaseEstimator):
    """Classifier whose `fit` sets `dual_coef_`, `intercept_`, `classes_` and `_own`, its K."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def decision_function(self, K_new=None):
        """Give decision values.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n), optional
            Kernel between new rows and the n points of the fit; default: all n points.

        Returns
        -------
        ndarray of shape (n_new,), or (n_new, q) for more than two classes
        """
        check_is_fitted(self)
        K = self._own if K_new is None else check_new(K_new, self.dual_coef_.shape[-1])
        return K @ self.dual_coef_.T + self.intercept_

    def predict(self, K_new=None):
        """Give labels; `K_new` as in `decision_function`."""
        return choose_labels(self.decision_function(K_new), self.classes_)

    def score(self, K_new, y):
        """Give the accuracy over the rows whose label in y is known; None: all n points."""
        return accuracy_on(self.predict(K_new), y)
