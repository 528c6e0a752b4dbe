"""Transductive support vector machine on one base kernel, by label switching."""

from pydantic import Field

from gramworks.fields import Number
from gramworks.fitting.transductive_svm import TransductiveSVM
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "transductive-svm"
SUMMARY = "Transductive support vector machine: labels of the other points that give a wide margin"
REFERENCE = "Joachims, ICML (1999) 200-209"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
METRICS = ("n-switches", "objective")


class Params(OneKernel):
    """Settings."""

    C: Number = Field(default=1.0, gt=0)
    """Cost of labelled points."""
    C_unlabelled: Number | None = Field(default=None, ge=0)
    """Cost of unlabelled and test points, once it has grown; null: C."""
    positive_fraction: Number | None = Field(default=None, ge=0, le=1)
    """Share of these points that are of the second of two classes; null: as among the labelled
    points, which is all there is for more than two classes."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the machine of one draw."""
    model = TransductiveSVM(params.C, params.C_unlabelled, params.positive_fraction)
    model.fit(chosen_kernel(problem, params), problem.y, labelled=problem.labelled)
    decision = model.decision_function()[problem.test_rows]
    metrics = {"n-switches": float(model.n_switches_)}
    if decision.ndim == 1:
        metrics["objective"] = model.objective_
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics=metrics,
        converged=model.converged_,
        reason="cap of steps or switches reached",
    )
