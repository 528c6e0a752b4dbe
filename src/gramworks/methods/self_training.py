"""Self-training of a support vector machine on one base kernel."""

from pydantic import Field

from gramworks.fields import Count, Number
from gramworks.fitting.self_training import SelfTrainingSVM
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "self-training"
SUMMARY = "Support vector machine that labels its most confident points in rounds"
REFERENCE = "Yarowsky, ACL (1995) 189-196"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.75}
METRICS = ("n-rounds", "n-added")


class Params(OneKernel):
    """Settings."""

    C: Number = Field(default=1.0, gt=0)
    """Upper bound of the dual coefficients."""
    per_round: Count = Field(default=10, ge=1)
    """Points that are labelled in a round."""
    max_rounds: Count | None = Field(default=10, ge=1)
    """Cap on rounds; null: until all points are labelled."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the machines of one draw."""
    model = SelfTrainingSVM(params.C, params.per_round, params.max_rounds)
    model.fit(chosen_kernel(problem, params), problem.y, labelled=problem.labelled)
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics={"n-rounds": float(model.n_rounds_), "n-added": float(model.n_added_)},
        converged=model.converged_,
        reason="iteration cap of LIBSVM reached",
    )
