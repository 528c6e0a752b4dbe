"""Support vector machines on a Gram matrix."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gramworks.fitting.gram_machine import GramMachine
from gramworks.fitting.inputs import check_positive, check_square, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.solvers.one_vs_rest import solve_machines


class KernelSVM(GramMachine):
    """1-norm soft margin SVM; one class against the rest where there are more than two.

    Parameters
    ----------
    C : float
        Bound of the dual coefficients, positive.
    tol : float
        LIBSVM's tolerance, in units of the margin y f.
    max_iter : int
        Cap on LIBSVM's steps for each machine; a warning says when it was met.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,), or (q, n) for more than two classes
        y_i alpha_i, 0 where not labelled; decision values are K dual_coef_ + intercept_.
    intercept_ : float, or ndarray of shape (q,)
    classes_ : ndarray of shape (q,)
        For two classes positive decision values mean the second.
    converged_ : bool
    n_iter_ : int
        LIBSVM's steps, summed over the machines.
    """

    def __init__(self, C=1.0, tol=1e-3, max_iter=1_000_000):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, K, y, labelled=None):
        """Fit on the labelled block of K.

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
        KernelSVM

        Raises
        ------
        FitError, KernelError
            Parameters, labels or K are not usable.
        """
        C, tol = check_positive(self.C, "C"), check_positive(self.tol, "tol")
        max_iter = check_whole(self.max_iter, "max_iter")
        K = check_square(K)
        n = K.shape[0]
        labels = encode_labels(y, n, labelled)
        block = K if labels.labelled.all() else K[np.ix_(labels.labelled, labels.labelled)]
        found, intercepts, self.converged_, self.n_iter_ = solve_machines(
            block, labels.signs(), C, tol=tol, max_iter=max_iter
        )
        coefficients = np.zeros((len(found), n))
        coefficients[:, labels.labelled] = found
        binary = len(found) == 1
        self.classes_ = labels.classes
        self.dual_coef_ = coefficients[0] if binary else coefficients
        self.intercept_ = float(intercepts[0]) if binary else intercepts
        self.n_features_in_ = n
        self._own = K
        if not self.converged_:
            warnings.warn(
                f"the SVM met its cap of {self.max_iter} steps before tol={self.tol:g}: normalise "
                "the kernel to unit diagonal, lower C, or raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self
