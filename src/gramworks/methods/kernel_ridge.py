"""Ridge regression on one base kernel, centred; classification by the largest fitted code."""

from pydantic import Field

from gramworks.fields import Number
from gramworks.fitting.ridge import KernelRidge
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "kernel-ridge"
SUMMARY = "Kernel ridge regression on one base kernel, centred; classes coded by +1 and -1"
REFERENCE = "Saunders, Gammerman and Vovk, ICML (1998) 515-521"
NEEDS = ("grams",)
GRAMS = "rows"
TASKS = ("binary", "multiclass", "regression")


class Params(OneKernel):
    """Settings."""

    ridge: Number = Field(default=1.0, gt=0)
    """Added to the diagonal of the centred Gram matrix of the labelled points."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the regression of one draw."""
    task = "regression" if problem.task == "regression" else "classification"
    model = KernelRidge(ridge=params.ridge, task=task)
    rows = chosen_kernel(problem, params)[problem.labelled]
    model.fit(rows[:, problem.labelled], problem.y[problem.labelled])
    return Outcome(predictions=model.predict(rows[:, problem.test_rows].T))
