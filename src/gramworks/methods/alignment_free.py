"""Combination of base kernels, of any sign, that is most aligned with the labels."""

from gramworks.methods._combination import ALIGNED_METRICS, MarginParams, fit_aligned
from gramworks.problem import Outcome, Problem

NAME = "alignment-free"
SUMMARY = "SVM on the positive semidefinite combination that is most aligned with the labels"
REFERENCE = "Lanckriet et al., JMLR 5 (2004), (53)"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 2.75}
METRICS = ALIGNED_METRICS

Params = MarginParams


def fit(problem: Problem, params: MarginParams) -> Outcome:
    """Learn the weights of one draw, and the machine on them."""
    return fit_aligned(problem, params, weights="free")
