"""Transductive linear discrimination: labels that leave-one-out finds consistent."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gramworks.fitting.decision import accuracy_on, choose_labels, unknown_rows
from gramworks.fitting.inputs import check_positive, check_square
from gramworks.fitting.labels import encode_labels, refuse_numbers
from gramworks.solvers.joint_leave_one_out import minimise_joint_leave_one_out
from gramworks.solvers.ridge import solve_ridge
from gramworks.solvers.target_error import KernelEigenpairs, error_spectrum, kernel_eigenpairs


class TransductiveDiscrimination(ClassifierMixin, BaseEstimator):
    """Values of the unknown points with the least leave-one-out error over all points.

    The leave-one-out error of kernel ridge regression on known and unknown points together is a
    quadratic in the unknown values t,

        E(t) = sum_i ((G y - y)_i / (1 - G_ii))^2 + closeness |t - t0|^2,    y = (t, u),

    t0 the values of the ridge regression on the known points alone. Its minimum is the one of the
    first term within some distance of t0, as Chapelle, Vapnik and Weston (NIPS 12, 1999, pp.
    421-427) have it. The sign is the class.

    Parameters
    ----------
    ridge : float
        Positive, in units of the kernel, which is centred over all points.
    closeness : float
        Weight of the squared distance from t0; positive. Each bound of the distance belongs to
        one weight, which differs from draw to draw.

    Attributes
    ----------
    target_ : ndarray of shape (n,), or (q, n) for q > 2 classes
        -1 and +1 on labelled points, values elsewhere; positive means the second of two classes.
    inductive_ : ndarray of the same shape
        The same with the values of the ridge regression on the labelled points.
    classes_ : ndarray of shape (q,)
    labelled_ : ndarray of shape (n,), bool

    Notes
    -----
    Transductive, as `OptimalTarget`: choose `ridge` and `closeness` by hiding known labels behind
    the mask `labelled`, not by cross-validation on parts of the kernel.
    """

    def __init__(self, ridge=1.0, closeness=1.0):
        self.ridge = ridge
        self.closeness = closeness

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def fit(self, K, y, labelled=None):
        """Find the values.

        Parameters
        ----------
        K : array-like of shape (n, n), or KernelEigenpairs
            As in `OptimalTarget.fit`.
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional

        Returns
        -------
        TransductiveDiscrimination

        Raises
        ------
        FitError, KernelError
            Parameters, labels or K are not usable; labels are measured numbers.
        """
        ridge = check_positive(self.ridge, "ridge")
        closeness = check_positive(self.closeness, "closeness")
        pairs = K if isinstance(K, KernelEigenpairs) else kernel_eigenpairs(check_square(K))
        n = pairs.vectors.shape[0]
        labels = encode_labels(y, n, labelled)
        refuse_numbers(
            labels, 'it is for classes; for numbers there is OptimalTarget, task="regression"'
        )
        known, u = labels.labelled, labels.signs().T
        coordinates = pairs.vectors * np.sqrt(pairs.values)
        gram = coordinates[known] @ coordinates[known].T
        ridged = solve_ridge(gram, u, ridge)
        near = coordinates[~known] @ (coordinates[known].T @ ridged.coefficients)
        near = near + ridged.intercept
        spectrum = error_spectrum(pairs, ridge)
        t = minimise_joint_leave_one_out(spectrum, known, u, near, closeness)
        self.classes_, self.labelled_ = labels.classes, known
        self.target_, self.inductive_ = self._filled(u, t), self._filled(u, near)
        self.n_features_in_ = n
        return self

    def _filled(self, u, t):
        rows = np.empty((u.shape[1], self.labelled_.size))
        rows[:, self.labelled_], rows[:, ~self.labelled_] = u.T, t.T
        return rows[0] if len(rows) == 1 else rows

    def decision_function(self):
        """Give the values of all points, -1 and +1 of those that were labelled: (n,), or (q, n)."""
        check_is_fitted(self)
        return self.target_

    def predict(self):
        """Give labels of all n points; known ones as they are given."""
        check_is_fitted(self)
        return choose_labels(self.target_.T, self.classes_)

    def score(self, K, y):
        """Give the accuracy over the points that were unknown; K is not looked at."""
        predicted = self.predict()
        values, rows = unknown_rows(predicted, y, self.labelled_)
        return accuracy_on(predicted[rows], values[rows])
