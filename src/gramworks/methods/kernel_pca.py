"""Kernel principal components: what the optimal target is where nothing is labelled."""

import numpy as np
from pydantic import Field

from gramworks.fields import Count
from gramworks.methods import _kernel_eigenpairs
from gramworks.methods._kernel_eigenpairs import chosen_eigenpairs, missing_components
from gramworks.methods._one_kernel import OneKernel
from gramworks.problem import Outcome, Problem

NAME = "kernel-pca"
SUMMARY = "Kernel principal components; classes by the sign of the first, told by labelled points"
REFERENCE = "Schölkopf, Smola and Müller, Neural Computation 10 (1998) 1299-1319"
NEEDS = ("grams",)
GRAMS = "eigenpairs"
TASKS = ("binary",)
GROWTH = {"fit": 0.5}
METRICS = (r"correlation(-\d+)?",)

LABELLED_BY = "any"

learn = _kernel_eigenpairs.learn


class Params(OneKernel):
    """Settings."""

    components: Count = Field(default=1, ge=1)
    """How many components are correlated with the labels."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Correlate the components; predict by the sign that more of the labelled points agree with."""
    components = chosen_eigenpairs(problem, params).vectors[:, : params.components]
    undefined = missing_components(components.shape[1], params.components)
    known, rows = problem.labelled, problem.test_rows
    if not known.any() or not rows.size:
        return Outcome(components=components, undefined=undefined)
    first = components[:, 0]
    signs = np.where(problem.y[known] == 1, 1.0, -1.0)
    decision = first if signs @ np.sign(first[known]) >= 0 else -first
    return Outcome(
        predictions=(decision[rows] > 0).astype(np.int64),
        decision=decision[rows],
        components=components,
        undefined=undefined,
    )
