"""Transductive support vector machines on a Gram matrix."""

from __future__ import annotations

import warnings
from numbers import Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gramworks.errors import FitError
from gramworks.fitting.gram_machine import GramMachine
from gramworks.fitting.inputs import check_positive, check_square, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.solvers.label_switching import Transduction, switch_labels
from gramworks.solvers.one_vs_rest import solve_machines


class TransductiveSVM(GramMachine):
    """SVM whose margin is wide on unlabelled points as well, found by label switching.

    It lowers |w|^2/2 + C sum xi_i + C* sum xi_j over the labels of the unlabelled points too, a
    given share of them positive: Joachims, ICML 1999, 200-209. What is found is a local minimum.
    One class against the rest where there are more than two.

    Parameters
    ----------
    C : float
        Cost of labelled points, positive.
    C_unlabelled : float, optional
        C*, cost of unlabelled points; 0 makes it a `KernelSVM`. Default: C.
    positive_fraction : float or sequence of q floats, optional
        Share of the unlabelled points that are of the second of two classes, or of each class.
        Default: the shares among the labelled points.
    tol : float
        Tolerance of each machine, in units of the margin y f.
    max_iter : int
        Cap on two-coefficient steps of each machine; a warning says when it was met.
    max_switches : int
        Cap on switches of each class; a warning says when it was met.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,), or (q, n) for more than two classes
        y_i alpha_i; decision values are K dual_coef_ + intercept_.
    intercept_ : float, or ndarray of shape (q,)
    signs_ : ndarray of shape (n,), or (q, n)
        -1 and +1 that the machine was fitted to: the given ones, and those found. Of an unlabelled
        point within the margin they may differ from the sign of the decision value.
    objective_ : float, or ndarray of shape (q,)
    n_switches_ : int
        Summed over the machines.
    n_iter_ : int
    converged_ : bool
    classes_ : ndarray of shape (q,)
        For two classes positive decision values mean the second.
    """

    def __init__(
        self,
        C=1.0,
        C_unlabelled=None,
        positive_fraction=None,
        tol=1e-3,
        max_iter=1_000_000,
        max_switches=100_000,
    ):
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.positive_fraction = positive_fraction
        self.tol = tol
        self.max_iter = max_iter
        self.max_switches = max_switches

    def fit(self, K, y, labelled=None):
        """Fit on all points of K.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Gram matrix over all points; only read.
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional
            Which labels may be used; default: all that are known. All other points count as
            unlabelled.

        Returns
        -------
        TransductiveSVM

        Raises
        ------
        FitError, KernelError
            Parameters, labels or K are not usable.
        """
        C, cost = check_positive(self.C, "C"), self._unlabelled_cost()
        options = {
            "tol": check_positive(self.tol, "tol"),
            "max_iter": check_whole(self.max_iter, "max_iter"),
        }
        max_switches = check_whole(self.max_switches, "max_switches")
        K = check_square(K)
        labels = encode_labels(y, K.shape[0], labelled)
        known, signs = labels.labelled, labels.signs()
        n_positive = _count_positive(self.positive_fraction, labels)
        block = K if known.all() else K[np.ix_(known, known)]
        inductive = solve_machines(block, signs, C, **options)
        if cost == 0 or known.all():
            found = _without_unlabelled(K, known, signs, C, inductive)
        else:
            found = [
                switch_labels(
                    K, known, own, K[:, known] @ coefficients + intercept, C, cost, count,
                    max_switches=max_switches, **options,
                )
                for own, coefficients, intercept, count in zip(
                    signs, inductive.coefficients, inductive.intercepts, n_positive, strict=True
                )
            ]  # fmt: skip
        self._keep(found, K, labels.classes)
        self.n_iter_ = inductive.n_iter + sum(machine.n_iter for machine in found)
        self.converged_ = inductive.converged and all(machine.converged for machine in found)
        if not self.converged_:
            warnings.warn(
                f"label switching met its cap of {self.max_switches} switches, or a machine its "
                f"{self.max_iter} steps before tol={self.tol:g}: normalise the kernel to unit "
                "diagonal, lower C, or raise the cap",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _unlabelled_cost(self):
        if self.C_unlabelled is None:
            return check_positive(self.C, "C")
        if isinstance(self.C_unlabelled, Real) and self.C_unlabelled == 0:
            return 0.0
        return check_positive(self.C_unlabelled, "C_unlabelled")

    def _keep(self, found, K, classes):
        coefficients = np.array([machine.coefficients for machine in found])
        intercepts = np.array([machine.intercept for machine in found])
        signs = np.array([machine.signs for machine in found])
        objectives = np.array([machine.objective for machine in found])
        binary = len(found) == 1
        self.dual_coef_ = coefficients[0] if binary else coefficients
        self.intercept_ = float(intercepts[0]) if binary else intercepts
        self.signs_ = signs[0] if binary else signs
        self.objective_ = float(objectives[0]) if binary else objectives
        self.n_switches_ = sum(machine.n_switches for machine in found)
        self.classes_ = classes
        self.n_features_in_ = K.shape[0]
        self._own = K


def _count_positive(fractions, labels):
    """Give the number of unlabelled points on the positive side of each machine."""
    size = labels.classes.size
    machines = 1 if size == 2 else size
    if fractions is None:
        shares = (labels.signs() > 0).mean(axis=1)
    else:
        try:
            shares = np.atleast_1d(np.asarray(fractions, dtype=np.float64))
        except (TypeError, ValueError):
            shares = np.array([np.nan])
        usable = not isinstance(fractions, (bool, str)) and shares.shape == (machines,)
        if not usable or not np.all((shares >= 0) & (shares <= 1)):
            wanted = "a number" if machines == 1 else f"{size} numbers, one a class,"
            raise FitError(
                f"positive_fraction={fractions!r}; allowed: {wanted} from 0 to 1, or None for "
                "the shares among the labelled points"
            )
    n_unlabelled = int(np.count_nonzero(~labels.labelled))
    return np.floor(shares * n_unlabelled + 0.5).astype(int)


def _without_unlabelled(K, known, signs, C, inductive):
    """Put the machines on labelled points in the form of label switching."""
    found = []
    for own, coefficients, intercept in zip(
        signs, inductive.coefficients, inductive.intercepts, strict=True
    ):
        beta = np.zeros(known.size)
        beta[known] = coefficients
        scores = K[:, known] @ coefficients
        assigned = np.where(scores + intercept > 0, 1.0, -1.0)
        assigned[known] = own
        slack = np.maximum(0.0, 1.0 - own * (scores[known] + intercept))
        objective = float(0.5 * coefficients @ scores[known] + C * slack.sum())
        found.append(Transduction(beta, float(intercept), assigned, objective, [], 0, True))
    return found
