"""Learning a kernel by its margin: combinations of base kernels."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from gramworks.fitting.decision import accuracy_on, choose_labels
from gramworks.fitting.inputs import (
    check_choice,
    check_kernels,
    check_new,
    check_new_kernels,
    check_positive,
    check_switch,
)
from gramworks.fitting.labels import encode_labels
from gramworks.learning.combination import check_semidefinite, tell_left_out
from gramworks.learning.rank_one import RankOneFamily
from gramworks.solvers.kernel_sums import combine
from gramworks.solvers.margin import CRITERIA, WEIGHTS, minimise_margin
from gramworks.solvers.rank_one import minimise_rank_one


class MarginKernel(ClassifierMixin, BaseEstimator):
    """The combination of base kernels, of given trace, with the least margin criterion.

    The learned kernel is K = sum_i mu_i K_i with trace(K) = c over all n points, labelled or
    not; an SVM with it predicts. Lanckriet et al., JMLR 5 (2004), Theorems 16 and 17 and
    section 4.

    Parameters
    ----------
    criterion : {"hard", "l1", "l2", "l2-auto"}
        "hard": hard margin, (2). "l1": 1-norm soft margin, (4). "l2": 2-norm soft margin, (6).
        "l2-auto": the same with its C learned: 1/C is the weight of the identity, (45), which
        counts in the trace but is not in the kernel that predicts.
    weights : {"nonnegative", "free"}
        "free": any sign, K positive semidefinite over all n points (its negative eigenvalues are
        below 1e-9 of the largest; where rounding leaves more, gap_ is 1 and a warning says so).
        Kernels that depend on each other up to 1e-7 are taken for dependent; a warning says so
        where that is more than their rounding.
    C : float
        Of "l1" the bound of the dual coefficients, of "l2" the inverse of the ridge; positive.
    trace : float, optional
        c; default: the sum of the traces of the base kernels over all points, with "l2-auto"
        plus n.
    tol : float
        Wanted relative duality gap.
    multiclass : {"shared", "own"}
        With more than two classes, one machine a class against the rest: one set of weights
        that minimises the sum of their criteria, or a set for each.
    checked : bool
        The kernels are known to be finite, symmetric and positive semidefinite, as those of the
        Gram store are: not checked again, which costs more than an SVM where n is in the thousands.

    Attributes
    ----------
    weights_ : ndarray of shape (m,), or (q, m) with "own" weights of q > 2 classes
    objective_ : float
        Half of omega at the weights, of "l1" |w|^2/2 + C sum xi; summed over the machines.
    gap_ : float
        Certified relative gap: the minimum is at least (1 - gap_) objective_.
    margin_ : float, or ndarray of shape (q,)
        omega^(-1/2) of each machine.
    C_ : float
        The C used: with "hard" inf, with "l2-auto" the one learned, inf where that has no ridge.
    ridge_ : float, or ndarray of shape (q,) with "own" weights
        tau = 1/C of the 2-norm criteria, 0 of the others.
    kernel_ : ndarray of shape (n, n), or (q, n, n) with "own" weights
        The learned kernel over all points.
    dual_coef_ : ndarray of shape (n,), or (q, n)
        y_i alpha_i, 0 where not labelled; decision values are K dual_coef_ + intercept_.
    intercept_ : float, or ndarray of shape (q,)
    classes_ : ndarray of shape (q,)
        For two classes positive decision values mean the second.
    labelled_ : ndarray of shape (n,), bool
    n_iter_ : int
        Cutting planes.
    bounds_ : list of (float, float, float), or a list of such lists with "own" weights
        Seconds since the start, lower and upper bound of the objective after every cutting plane.
    converged_ : bool
        Whether gap_ reached tol; a warning says so where not.
    """

    def __init__(
        self,
        criterion="l1",
        weights="nonnegative",
        C=1.0,
        trace=None,
        tol=1e-6,
        multiclass="shared",
        checked=False,
    ):
        self.criterion = criterion
        self.weights = weights
        self.C = C
        self.trace = trace
        self.tol = tol
        self.multiclass = multiclass
        self.checked = checked

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # sliced on both axes, as a KernelStack
        return tags

    def fit(self, kernels, y, labelled=None):
        """Learn the weights and the machine.

        Parameters
        ----------
        kernels : sequence of m arrays (n, n), array of shape (m, n, n), or KernelStack
            Positive semidefinite base kernels over all points; only read. Or a `RankOneFamily`.
        y : array-like of shape (n,)
            Labels of any type, NaN or None where unknown.
        labelled : array-like of shape (n,), bool, optional
            Which labels may be used; default: all that are known.

        Returns
        -------
        MarginKernel

        Raises
        ------
        FitError
            Parameters, shapes or labels are not usable, or criterion "hard" and no combination
            separates the classes.
        KernelError
            A kernel is not finite, symmetric and positive semidefinite, or all are zero.
        """
        self._check_parameters()
        family = kernels if isinstance(kernels, RankOneFamily) else None
        kernels = kernels if family is not None else check_kernels(kernels, self.checked)
        n = family.vectors.shape[0] if family is not None else kernels[0].shape[0]
        labels = encode_labels(y, n, labelled)
        signs = labels.signs()
        learn = self._learn_kernels if family is None else self._learn_family
        found = learn(kernels, labels, [signs] if self.multiclass == "shared" else signs[:, None])
        machines = [machine for solution in found for machine in solution.machines]
        coefficients = np.zeros((len(machines), n))
        coefficients[:, labels.labelled] = signs * [machine.alpha for machine in machines]
        intercepts = np.array([machine.intercept for machine in machines])
        with np.errstate(divide="ignore"):
            margins = np.concatenate([solution.values for solution in found]) ** -0.5
        one_kernel, binary = len(found) == 1, len(machines) == 1

        self.classes_ = labels.classes
        self.labelled_ = labels.labelled
        weights = np.array([solution.weights for solution in found])
        self._family = family
        combined = np.array([self._combine(kernels, mu) for mu in weights])
        self.weights_ = weights[0] if one_kernel else weights
        self.kernel_ = combined[0] if one_kernel else combined
        self.dual_coef_ = coefficients[0] if binary else coefficients
        self.intercept_ = float(intercepts[0]) if binary else intercepts
        self.margin_ = float(margins[0]) if binary else margins
        self.objective_ = sum(solution.objective for solution in found)
        self.gap_ = _joint_gap(found)
        ridges = np.array([solution.ridge for solution in found])
        self.ridge_ = float(ridges[0]) if one_kernel else ridges
        self.C_ = self._used_C()
        self.n_iter_ = sum(solution.n_iter for solution in found)
        bounds = [[(s, 0.5 * low, 0.5 * up) for s, low, up in one.bounds] for one in found]
        self.bounds_ = bounds[0] if one_kernel else bounds
        self.converged_ = all(solution.converged for solution in found)
        self.n_kernels_ = len(kernels)
        tell_left_out(max(solution.left_out for solution in found), stacklevel=3)
        if not self.converged_:
            negative = max(solution.indefinite for solution in found)
            told = (
                f"the certified gap is {self.gap_:.2g}, not tol={self.tol:g}: raise tol, lower C, "
                "or scale the kernels that make the machine hard"
            )
            if negative:
                told = (
                    f"the learned kernel has an eigenvalue of {-negative:.2g} of the largest, so "
                    "that no gap is proved: leave out kernels that are nearly combinations of "
                    "others"
                )
            warnings.warn(
                told,
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _learn_kernels(self, kernels, labels, groups):
        n = kernels[0].shape[0]
        traces = np.array([np.trace(K) for K in kernels])
        self._tell_zero(traces)
        # convex for kernels that are positive semidefinite where they are looked at
        seen = np.ones(n, bool) if self.weights == "free" else labels.labelled
        rows = np.flatnonzero(seen)
        # symmetric, and contiguous this way
        blocks = kernels if seen.all() else [K[rows][:, rows].T for K in kernels]
        for i, block in enumerate(() if self.checked else blocks):
            check_semidefinite(block, i)
        return [
            minimise_margin(
                blocks,
                signs,
                labels.labelled[seen],
                criterion=self.criterion,
                weights=self.weights,
                C=self.C,
                total=self._total(traces, n),
                traces=traces,
                n_points=n,
                gap=self.tol,
            )
            for signs in groups
        ]

    def _learn_family(self, family, labels, groups):
        n = family.vectors.shape[0]
        return [
            minimise_rank_one(
                family.vectors[labels.labelled],
                signs,
                family.sizes,
                criterion=self.criterion,
                C=self.C,
                total=self._total(family.sizes, n),
                n_points=n,
                gap=self.tol,
            )
            for signs in groups
        ]

    def decision_function(self, kernels=None):
        """Give decision values.

        Parameters
        ----------
        kernels : sequence of m arrays (n_new, n), or array of shape (m, n_new, n), optional
            Base kernels between new rows and the n points of the fit; default: all n points.
            After a fit on a `RankOneFamily`: its vectors on the new rows, (n_new, p).

        Returns
        -------
        ndarray of shape (n_new,), or (n_new, q) for more than two classes

        Raises
        ------
        FitError
            Another shape.
        """
        check_is_fitted(self)
        if kernels is None:
            combined = self.kernel_
        else:
            if self._family is None:
                new = check_new_kernels(kernels, self.n_kernels_, self.dual_coef_.shape[-1])
            else:
                new = check_new(kernels, self.n_kernels_, "the vectors on new rows")
            weights = self.weights_ if self.weights_.ndim == 2 else [self.weights_]
            combined = [self._combine(new, mu) for mu in weights]
            combined = combined[0] if self.weights_.ndim == 1 else combined
        if self.weights_.ndim == 1:
            return combined @ self.dual_coef_.T + self.intercept_
        machines = zip(combined, self.dual_coef_, self.intercept_, strict=True)
        return np.array([K @ a + b for K, a, b in machines]).T

    def predict(self, kernels=None):
        """Give labels; `kernels` as in `decision_function`."""
        return choose_labels(self.decision_function(kernels), self.classes_)

    def score(self, kernels, y):
        """Give the accuracy over the rows whose label in y is known; None: all n points."""
        return accuracy_on(self.predict(kernels), y)

    def _combine(self, kernels, mu):
        if self._family is None:
            return combine(kernels, mu)
        return self._family.combine(mu, None if kernels is self._family else kernels)

    def _total(self, traces, n):
        if self.trace is not None:
            return self.trace
        return float(traces.sum()) + (n if self.criterion == "l2-auto" else 0)

    def _used_C(self):
        if self.criterion == "hard":
            return np.inf
        if self.criterion != "l2-auto":
            return float(self.C)
        with np.errstate(divide="ignore"):
            learned = 1.0 / np.asarray(self.ridge_)
        return float(learned) if learned.ndim == 0 else learned

    def _check_parameters(self):
        check_choice(self.criterion, "criterion", CRITERIA)
        check_choice(self.weights, "weights", WEIGHTS)
        check_choice(self.multiclass, "multiclass", ("shared", "own"))
        check_switch(self.checked, "checked")
        check_positive(self.tol, "tol")
        if self.trace is not None:
            check_positive(self.trace, "trace")
        if self.criterion in ("l1", "l2"):
            check_positive(self.C, "C")

    def _tell_zero(self, traces):
        zero = np.flatnonzero(traces == 0)
        if 0 < zero.size < traces.size:
            warnings.warn(
                f"kernels {zero.tolist()} have trace 0: they are zero and get weight 0",
                UserWarning,
                stacklevel=3,
            )


def _joint_gap(found):
    """Give the gap of the sum of the objectives; 1 where one of them has no upper bound."""
    total = sum(solution.objective for solution in found)
    if not np.isfinite(total):
        return 1.0
    return sum(s.gap * s.objective for s in found) / total if total > 0 else 0.0
