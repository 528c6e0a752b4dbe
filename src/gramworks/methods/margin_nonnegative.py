"""Nonnegative combination of base kernels of the largest margin."""

import numpy as np

from gramworks.methods._combination import MARGIN_METRICS, MarginParams, fit_margin
from gramworks.problem import Outcome, Problem

NAME = "margin-nonnegative"
SUMMARY = "Kernel of the largest margin among nonnegative combinations of base kernels"
REFERENCE = "Lanckriet et al., JMLR 5 (2004), Theorem 17"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.75}
METRICS = MARGIN_METRICS

Params = MarginParams


def fit(problem: Problem, params: MarginParams) -> Outcome:
    """Learn the weights and the machine of one draw."""
    return fit_margin(problem, params, np.eye(len(problem.kernels)))
