"""A Hopfield net that completes images: the rest of an image from its first pixels."""

import numpy as np

from gramworks.fields import StrictModel
from gramworks.problem import Outcome, Problem, Skip
from gramworks.solvers.hypercube_net import store_memories

NAME = "hopfield"
SUMMARY = "Hopfield net on the closed hypercube: completes images, then takes the nearest known one"
REFERENCE = "Li, Michel and Porod, IEEE Transactions on Circuits and Systems 36 (1989) 1405-1422"
NEEDS = ("features",)
TASKS = ("vectors",)
GROWTH = {"fit": 1.5}
METRICS = ("not-converged-percent",)


class Params(StrictModel):
    """No parameters."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Store the labelled images, and let the net run from each test image with a rest of zeros."""
    known, test = np.flatnonzero(problem.labelled), problem.test_rows
    given, rest = np.asarray(problem.features), problem.known_outputs
    images = np.hstack([given[known], rest])
    if np.abs(images).max() > 1 or np.abs(given[test]).max(initial=0.0) > 1:
        raise Skip("values beyond -1 to 1 are off its cube; take the recipe signed on 0 to 1")
    start = np.hstack([given[test], np.zeros((len(test), rest.shape[1]))])
    ends = store_memories(images).equilibria(start)
    found, rest_met = ends.states, np.asarray(ends.converged)
    squares = (found**2).sum(axis=1)[:, None] - 2.0 * found @ images.T + (images**2).sum(axis=1)
    return Outcome(
        preimages=known[squares.argmin(axis=1)],
        metrics={"not-converged-percent": 100.0 * float(np.mean(~rest_met))},
        converged=bool(rest_met.all()),
        reason="the net did not come to rest from some images",
    )
