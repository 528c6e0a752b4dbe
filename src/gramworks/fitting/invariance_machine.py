"""Classifier with losses on points and penalties on linear functionals of the function."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from gramworks.errors import FitError
from gramworks.fitting.decision import accuracy_on, choose_labels
from gramworks.fitting.inputs import (
    check_choice,
    check_new,
    check_positive,
    check_square,
    check_switch,
    check_weight,
    check_whole,
)
from gramworks.fitting.labels import encode_labels
from gramworks.kernels.checks import check_gram
from gramworks.solvers.convex_losses import LOSSES, PENALTIES, Losses, Penalties, class_costs
from gramworks.solvers.joint_machine import solve_joint


class InvarianceMachine(ClassifierMixin, BaseEstimator):
    """Two-class machine that is wanted to be nearly zero on linear functionals.

    Minimises |f|^2/2 + C sum_i loss(f(x_i) + b, y_i) + nu sum_j penalty(L_j f), Zhang, Lee and Teh,
    NIPS 26 (2013) 2031-2039, equation (2), from the Gram matrix of the points' kernel functions
    and the functionals' representers. With the squared penalty the deformed kernel of
    `gramworks.learning.InvarianceKernel` gives the same functions.

    M has rows for functionals, which have no labels, so that scikit-learn's GridSearchCV cannot
    split it: `gramworks.fitting.machine_choice` chooses C and nu by folds of the points.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared"}
        log(1 + exp(-y f)), max(0, 1 - y f), (y - f)^2, with y of -1 and +1.
    penalty : {"squared", "absolute", "epsilon-insensitive"}
        u^2, |u|, max(0, |u| - epsilon).
    C : float
        Weight of the losses, the paper's lambda.
    nu : float
        Weight of the penalties, 0 or more.
    epsilon : float
        Of the epsilon-insensitive penalty.
    class_balanced : bool
        Divide the losses of each class by its number of points.
    bias : bool
        Add a b that is not penalised.
    tol : float
        Certified relative duality gap to reach.
    max_iter : int
        Cap on the steps of the interior point method.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (l + m,)
        Decision values are M_new dual_coef_ + intercept_.
    intercept_ : float
    classes_ : ndarray of shape (2,)
        Positive decision values mean the second.
    objective_ : float
    gap_ : float
        (objective - a dual bound) / objective: how much better the optimum can be at most.
    n_iter_ : int
    converged_ : bool
    """

    def __init__(
        self, loss="logistic", penalty="squared", C=1.0, nu=1.0, epsilon=0.1, class_balanced=False,
        bias=True, tol=1e-6, max_iter=200,
    ):  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.nu = nu
        self.epsilon = epsilon
        self.class_balanced = class_balanced
        self.bias = bias
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, M, y):
        """Fit on the Gram matrix of points and functionals.

        Parameters
        ----------
        M : array-like of shape (l + m, l + m)
            Inner products of k(x_1, .), ..., k(x_l, .), z_1, ..., z_m: the labelled points first,
            then the functionals' representers; only read. Positive semidefinite: a smallest
            eigenvalue down to -1e-6 of the largest is lifted to 0 by a shift of the diagonal,
            with a warning.
        y : array-like of shape (l,)
            Labels of the points, two different ones.

        Returns
        -------
        InvarianceMachine

        Raises
        ------
        FitError, KernelError
            Parameters, labels or M are not usable; the smallest eigenvalue of an M that is not
            semidefinite is named, since the objective has no minimum then.
        """
        M = check_square(M, "M")
        labels = encode_labels(y, np.size(y))
        count = len(labels.labelled)
        if not labels.labelled.all() or labels.classes.size != 2 or count > len(M):
            raise FitError(
                f"y has {count} entries, {int(labels.labelled.sum())} known labels of "
                f"{labels.classes.size} classes, and M has {len(M)} rows; wanted are the labels of "
                "the first rows of M, all known and of two classes"
            )
        losses, penalties = self._terms(labels.signs()[0])
        used = len(M) if penalties.nu > 0 else count  # without a penalty functionals have no part
        check = check_gram(M[:used, :used], "M")
        if check.shift > 0:
            warnings.warn(check.reason, UserWarning, stacklevel=2)
        found = solve_joint(
            check.repair(M[:used, :used]),
            losses,
            penalties,
            bias=check_switch(self.bias, "bias"),
            tol=check_positive(self.tol, "tol"),
            max_iter=check_whole(self.max_iter, "max_iter"),
        )
        self.dual_coef_ = np.zeros(len(M))
        self.dual_coef_[:used] = found.coefficients
        self.intercept_, self.classes_ = found.intercept, labels.classes
        self.objective_, self.gap_ = found.objective, found.gap
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        self.n_features_in_ = len(M)
        if not found.converged:
            warnings.warn(
                f"the duality gap is {found.gap:.2g} after {found.n_iter} steps, wanted was "
                f"tol={self.tol:g}: raise max_iter or tol, or scale the functionals to the size "
                "of the kernel",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _terms(self, signs) -> tuple[Losses, Penalties]:
        loss = check_choice(self.loss, "loss", LOSSES)
        penalty = check_choice(self.penalty, "penalty", PENALTIES)
        C = check_positive(self.C, "C")
        nu = check_weight(self.nu, "nu")
        epsilon = 0.0
        if penalty == "epsilon-insensitive":
            epsilon = check_weight(self.epsilon, "epsilon")
        costs = class_costs(signs, C, check_switch(self.class_balanced, "class_balanced"))
        return Losses(loss, signs, costs), Penalties(penalty, nu, epsilon)

    def decision_function(self, M_new):
        """Give decision values.

        Parameters
        ----------
        M_new : array-like of shape (n_new, l + m)
            k(x, x_i) and z_j(x) of each new point x.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        return check_new(M_new, self.n_features_in_, "M_new") @ self.dual_coef_ + self.intercept_

    def predict(self, M_new):
        """Give labels; `M_new` as in `decision_function`."""
        return choose_labels(self.decision_function(M_new), self.classes_)

    def score(self, M_new, y):
        """Give the accuracy over the rows whose label in y is known."""
        return accuracy_on(self.predict(M_new), y)
