"""Support vector machine on one base kernel; one against the rest for several classes."""

from pydantic import Field

from gramworks.fields import Number
from gramworks.fitting.svm import KernelSVM
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "svm"
SUMMARY = "Support vector machine on one base kernel"
REFERENCE = "Cortes and Vapnik, Machine Learning 20 (1995) 273-297"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")


class Params(OneKernel):
    """Settings."""

    C: Number = Field(default=1.0, gt=0)
    """Upper bound of the dual coefficients."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the machine of one draw."""
    model = KernelSVM(C=params.C)
    model.fit(chosen_kernel(problem, params), problem.y, labelled=problem.labelled)
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        converged=model.converged_,
        reason="iteration cap of LIBSVM reached",
    )
