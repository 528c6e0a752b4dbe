"""Classification by a random walk on the graph of one base kernel."""

from typing import Literal

from pydantic import Field

from gramworks.fields import Count
from gramworks.fitting.random_walk import RandomWalkClassifier
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "random-walk"
SUMMARY = "Random walk of t steps on the graph of one base kernel: from which class it may come"
REFERENCE = "Szummer and Jaakkola, NIPS 14 (2001) 945-952"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 2.75}
METRICS = ("n-unreached",)


class Params(OneKernel):
    """Settings."""

    steps: Count = Field(default=5, ge=1)
    """Number of steps of the walk, t."""
    neighbours: Count | None = Field(default=None, ge=1)
    """Weights between so many nearest neighbours only; null: all, where after a few steps all
    points look alike."""
    rule: Literal["average-margin", "likelihood"] = "average-margin"
    """How the class of each start is estimated: by the largest average margin of the labelled
    points, in closed form, or by their largest likelihood (EM)."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Predict the test points of one draw."""
    model = RandomWalkClassifier(params.steps, params.neighbours, params.rule)
    model.fit(chosen_kernel(problem, params), problem.y, labelled=problem.labelled)
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics={"n-unreached": float(model.unreached_.sum())},
        converged=model.converged_,
        reason="cap of EM steps reached",
    )
