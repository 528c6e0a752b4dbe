"""Support vector machine on one base kernel; one against the rest for several classes."""

from __future__ import annotations

from pydantic import Field, model_validator

from gramworks.fields import Number
from gramworks.methods._chosen_kernel import ByFolds, Grid, candidate_of, fit_chosen
from gramworks.methods._labelled_rows import fit_rows
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "svm"
SUMMARY = "Support vector machine on one base kernel"
REFERENCE = "Cortes and Vapnik, Machine Learning 20 (1995) 273-297"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.5}
METRICS = (r"(chosen|on-edge)-C", "inner-fits-not-converged")


class Params(OneKernel, ByFolds):
    """Settings."""

    C: Number = Field(default=1.0, gt=0)
    """Upper bound of the dual coefficients."""
    C_grid: Grid | None = None
    """Values of C to choose from by cross-validation on the labelled points, for the kernel
    scaled to mean diagonal 1, instead of one C for the kernel as it is; null: C."""

    @model_validator(mode="after")
    def _used(self) -> Params:
        stated = self.model_fields_set
        if self.C_grid is None:
            for key in ("folds", "loss"):
                if key in stated:
                    raise ValueError(f"{key} is of no use without C_grid; state C_grid too")
        elif "C" in stated:
            raise ValueError("C and C_grid are both stated; state one of them")
        return self


def gram_use(params: Params) -> str:
    """Tell which settings need more than the labelled points' rows: the mean diagonal of all."""
    return "full" if params.C_grid is not None else "rows"


GRAMS = gram_use


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the machine of one draw."""
    K = chosen_kernel(problem, params)
    if params.C_grid is not None:
        return fit_chosen(problem, params, [candidate_of(K, {})])
    return fit_rows(problem, K[problem.labelled], params.C)
