"""Nearest neighbours by the distance that one base kernel induces."""

from pydantic import Field

from gramworks.fields import Count
from gramworks.fitting.neighbours import KernelNeighbours
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "knn"
SUMMARY = "k nearest neighbours in the feature space of one base kernel"
REFERENCE = "Cover and Hart, IEEE Transactions on Information Theory 13 (1967) 21-27"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")


class Params(OneKernel):
    """Settings."""

    neighbours: Count = Field(default=1, ge=1)
    """Number of neighbours that vote."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Predict the test points of one draw."""
    model = KernelNeighbours(neighbours=params.neighbours)
    model.fit(chosen_kernel(problem, params), problem.y, labelled=problem.labelled)
    return Outcome(predictions=model.predict()[problem.test_rows])
