"""Nonnegative combination whose centred kernel is most aligned with the labels."""

from gramworks.methods._combination import ALIGNED_METRICS, MarginParams, fit_aligned
from gramworks.problem import Outcome, Problem

NAME = "centred-alignment"
SUMMARY = "SVM on the nonnegative combination of largest centred alignment (alignf)"
REFERENCE = "Cortes, Mohri and Rostamizadeh, JMLR 13 (2012), section 3.2"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 2.75}
METRICS = ALIGNED_METRICS

Params = MarginParams


def fit(problem: Problem, params: MarginParams) -> Outcome:
    """Learn the weights of one draw, and the machine on them."""
    return fit_aligned(problem, params, centred=True)
