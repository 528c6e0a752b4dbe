"""A support vector machine that labels its most confident points and is fitted again."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from gramworks.fitting.gram_machine import GramMachine
from gramworks.fitting.inputs import check_positive, check_square, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.fitting.svm import KernelSVM


class SelfTrainingSVM(GramMachine):
    """scikit-learn's SelfTrainingClassifier around a `KernelSVM`, the k best points a round.

    It selects rows only, while a Gram matrix is cut on both axes: it is given row numbers, and
    the machine inside cuts the matrix. What it takes for probabilities are decision values, (-f, f)
    for two classes: points are ordered by them, and none is compared with a threshold. They are of
    whatever class: with few labels the rounds may carry nearly all points into one, and the plain
    machine is better then.

    Parameters
    ----------
    C : float
        Bound of the dual coefficients.
    per_round : int
        Points that are labelled in a round.
    max_rounds : int, optional
        Default: until all are labelled.
    tol, max_iter
        As of `KernelSVM`.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,), or (q, n) for more than two classes
        Of the last machine; decision values are K dual_coef_ + intercept_.
    intercept_ : float, or ndarray of shape (q,)
    n_rounds_ : int
    n_added_ : int
        Points labelled on the way.
    n_iter_ : int
        LIBSVM's steps, summed over all machines.
    classes_ : ndarray of shape (q,)
    converged_ : bool
        Whether all machines met their tolerance.
    """

    def __init__(self, C=1.0, per_round=10, max_rounds=10, tol=1e-3, max_iter=1_000_000):
        self.C = C
        self.per_round = per_round
        self.max_rounds = max_rounds
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, K, y, labelled=None):
        """Fit in rounds.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix over all points; only read.
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional

        Returns
        -------
        SelfTrainingSVM

        Raises
        ------
        FitError, KernelError
            Parameters, labels or K are not usable.
        """
        from sklearn.semi_supervised import SelfTrainingClassifier

        C, tol = check_positive(self.C, "C"), check_positive(self.tol, "tol")
        max_iter = check_whole(self.max_iter, "max_iter")
        per_round = check_whole(self.per_round, "per_round")
        rounds = None if self.max_rounds is None else check_whole(self.max_rounds, "max_rounds")
        K = check_square(K)
        n = K.shape[0]
        labels = encode_labels(y, n, labelled)
        left = int(np.count_nonzero(~labels.labelled))
        machine = _MachineOfRows(K, KernelSVM(C, tol, max_iter))
        model = SelfTrainingClassifier(
            machine, criterion="k_best", k_best=max(1, min(per_round, left)), max_iter=rounds
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # nothing is unlabelled, or it converged
            # codes are 0 and more: its -1 for unlabelled is no label
            model.fit(np.arange(n)[:, None], np.where(labels.labelled, labels.codes, -1))
        self.classes_ = labels.classes
        # the last machine once more, over all points
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            last = KernelSVM(C, tol, max_iter)
            last.fit(K, model.transduction_, model.transduction_ != -1)
        self.dual_coef_, self.intercept_, self._own = last.dual_coef_, last.intercept_, K
        self.n_rounds_ = int(np.max(model.labeled_iter_, initial=0))
        self.n_added_ = int(np.count_nonzero(model.labeled_iter_ > 0))
        self.n_iter_ = machine.n_iter + last.n_iter_
        self.converged_ = machine.converged and last.converged_
        self.n_features_in_ = n
        if not self.converged_:
            warnings.warn(
                f"a machine met its cap of {self.max_iter} steps: normalise the kernel to unit "
                "diagonal, lower C, or raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self


class _MachineOfRows(ClassifierMixin, BaseEstimator):
    """A machine on a Gram matrix that is given the numbers of its rows."""

    def __init__(self, K, machine):
        self.K = K
        self.machine = machine
        self.n_iter, self.converged = 0, True

    def __sklearn_clone__(self):
        return self  # a copy would copy K

    def fit(self, rows, codes):
        self._rows = rows[:, 0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # said once, at the end
            self.machine.fit(self.K[np.ix_(self._rows, self._rows)], codes)
        self.classes_ = self.machine.classes_
        self.n_iter += self.machine.n_iter_
        self.converged &= self.machine.converged_
        return self

    def predict_proba(self, rows):
        values = self.machine.decision_function(self.K[np.ix_(rows[:, 0], self._rows)])
        if values.ndim == 1:
            return np.column_stack([-values, values])
        return values
