"""Combination of base kernels of the largest margin, weights of any sign."""

import numpy as np

from gramworks.methods._combination import MARGIN_METRICS, MarginParams, fit_margin
from gramworks.problem import Outcome, Problem

NAME = "margin-free"
SUMMARY = "Kernel of the largest margin among positive semidefinite combinations of base kernels"
REFERENCE = "Lanckriet et al., JMLR 5 (2004), Theorem 16"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
METRICS = MARGIN_METRICS

Params = MarginParams


def fit(problem: Problem, params: MarginParams) -> Outcome:
    """Learn the weights and the machine of one draw."""
    return fit_margin(problem, params, np.eye(len(problem.kernels)), weights="free")
