"""The mean of the base kernels, scaled to the trace of the combined ones."""

import numpy as np

from gramworks.methods._combination import MARGIN_METRICS, MarginParams, fit_margin
from gramworks.problem import Outcome, Problem

NAME = "uniform"
SUMMARY = "Support vector machine on the equally weighted base kernels"
REFERENCE = "Lanckriet et al., JMLR 5 (2004), section 6.1"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
METRICS = MARGIN_METRICS

Params = MarginParams


def fit(problem: Problem, params: MarginParams) -> Outcome:
    """Fit the machine of one draw on equal weights."""
    return fit_margin(problem, params, np.ones((1, len(problem.kernels))))
