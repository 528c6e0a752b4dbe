"""Nearest neighbours by the distance that one base kernel induces.

Of strings and vectors, the pre-image of the neighbours' mean in the output kernel's feature space.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from gramworks.datasets.dataset import OUTPUT_TASKS
from gramworks.fields import Count, Unique
from gramworks.fitting.dependency_selection import select_neighbours
from gramworks.fitting.neighbours import KernelNeighbours
from gramworks.fitting.output_neighbours import OutputNeighbours
from gramworks.methods._inner_choice import (
    InnerChoice,
    at_edge,
    inner_folds,
    outcome_of,
    output_gram,
    predicts,
)
from gramworks.methods._one_kernel import chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "knn"
SUMMARY = "k nearest neighbours in the feature space of one base kernel; any kind of output"
REFERENCE = "Cover and Hart, IEEE Transactions on Information Theory 13 (1967) 21-27"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass", "structured", "vectors")
METRICS = ("chosen-neighbours", "output-width", "on-edge-neighbours")
PREDICTS = predicts

Positive = Annotated[Count, Field(ge=1)]


class Params(InnerChoice):
    """Settings."""

    neighbours: Positive | Literal["chosen"] = 1
    """Number of neighbours that vote, or whose outputs are averaged; `chosen`: by inner
    cross-validation over `neighbours_grid`."""
    neighbours_grid: Annotated[list[Positive], Unique, Field(min_length=1)] = [
        1, 2, 3, 5, 7, 9, 15,
    ]  # fmt: skip
    """Numbers to choose from; of equally good ones the smallest is taken."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Predict the test points of one draw."""
    K = chosen_kernel(problem, params)
    known = np.flatnonzero(problem.labelled)
    neighbours, metrics = params.neighbours, {}
    outputs = problem.task in OUTPUT_TASKS
    own = K[np.ix_(known, known)]
    L = output_gram(problem) if outputs or neighbours == "chosen" else None
    if neighbours == "chosen":
        folds = inner_folds(problem, params.folds)
        grid = sorted(params.neighbours_grid)
        neighbours = select_neighbours(own, L, grid, folds=folds).neighbours
        metrics["chosen-neighbours"] = float(neighbours)
        metrics["on-edge-neighbours"] = at_edge(neighbours, grid)
    if outputs:
        model = OutputNeighbours(neighbours).fit(own, L)
        return outcome_of(problem, model.predict(K[np.ix_(problem.test_rows, known)]), metrics)
    model = KernelNeighbours(neighbours=neighbours)
    model.fit(K, problem.y, labelled=problem.labelled)
    return Outcome(predictions=model.predict()[problem.test_rows], metrics=metrics)
