"""A machine on the rows of a learned kernel that belong to labelled points."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gramworks.fitting.decision import choose_labels
from gramworks.fitting.svm import KernelSVM
from gramworks.problem import Outcome, Problem


def fit_rows(problem: Problem, rows: np.ndarray, C: float, metrics=None) -> Outcome:
    """Fit a support vector machine and predict the test points.

    Parameters
    ----------
    problem : Problem
    rows : ndarray of shape (l, n)
        Kernel between the labelled points, ascending, and all points.
    C : float
    metrics : dict, optional
        Further metrics.
    """
    model = KernelSVM(C=C)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the row says so
        model.fit(rows[:, problem.labelled], problem.y[problem.labelled])
    decision = model.decision_function(rows[:, problem.test_rows].T)
    return Outcome(
        predictions=choose_labels(decision, model.classes_),
        decision=decision if problem.n_classes == 2 else None,
        metrics=metrics or {},
        converged=model.converged_,
        reason="iteration cap of LIBSVM reached",
    )
