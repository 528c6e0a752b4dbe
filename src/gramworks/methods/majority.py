"""Control: predict the commonest label among the labelled points, or their mean.

Of strings and vectors, the labelled output next to the mean in the output kernel's feature space.
"""

import numpy as np

from gramworks.fields import StrictModel
from gramworks.problem import Outcome, Problem

NAME = "majority"
SUMMARY = "Control: the commonest label of the labelled points, or the output next to their mean"
REFERENCE = "-"
NEEDS = ()
TASKS = ("binary", "multiclass", "regression", "structured", "vectors")
GROWTH = {"fit": 0.5}


class Params(StrictModel):
    """No parameters."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Predict one value everywhere; of equally common labels, the first."""
    if problem.output_kernel is not None:
        L = problem.output_kernel.gram(problem.known_outputs)
        middle = int(np.argmin(np.diagonal(L) - 2.0 * L.mean(axis=1)))
        row = np.flatnonzero(problem.labelled)[middle]
        return Outcome(preimages=np.full(len(problem.test_rows), row))
    known = problem.y[problem.labelled]
    value = known.mean() if problem.task == "regression" else np.bincount(known).argmax()
    return Outcome(predictions=np.full(len(problem.test_rows), value))
