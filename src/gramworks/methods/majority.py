"""Control: predict the commonest label among the labelled points, or their mean."""

import numpy as np

from gramworks.fields import StrictModel
from gramworks.problem import Outcome, Problem

NAME = "majority"
SUMMARY = "Control: the commonest label of the labelled points (regression: their mean)"
REFERENCE = "-"
NEEDS = ()
TASKS = ("binary", "multiclass", "regression")


class Params(StrictModel):
    """No parameters."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Predict one value everywhere; of equally common labels, the first."""
    known = problem.y[problem.labelled]
    value = known.mean() if problem.task == "regression" else np.bincount(known).argmax()
    return Outcome(predictions=np.full(len(problem.test_rows), value))
