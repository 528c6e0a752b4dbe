"""What classifiers of the points they were fitted on share: from class shares to labels."""

from __future__ import annotations

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gramworks.errors import FitError
from gramworks.fitting.decision import accuracy_on, choose_labels


class TransductiveClassifier(ClassifierMixin, BaseEstimator):
    """Classifier whose `fit` sets `classes_` and shares of the classes, named by `_SHARES`."""

    _SHARES: str
    """The fitted attribute of shape (n, q) with the shares of the classes at each point."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def decision_function(self, K_new=None):
        """Give the shares of all n points: second class less first for two, else (n, q).

        Raises
        ------
        FitError
            When rows of new points are given.
        """
        check_is_fitted(self)
        if K_new is not None:
            raise FitError(
                f"{type(self).__name__} knows the points it was fitted on alone; call without "
                "K_new for all of them, or fit on a Gram matrix that has the new points too, "
                "unlabelled"
            )
        shares = getattr(self, self._SHARES)
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def predict(self, K_new=None):
        """Give labels of all n points; raises FitError when rows of new points are given."""
        return choose_labels(self.decision_function(K_new), self.classes_)

    def score(self, K, y):
        """Give the accuracy over the points whose label in y is known; K is not looked at."""
        return accuracy_on(self.predict(), y)
