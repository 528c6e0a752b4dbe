"""One base kernel alone, scaled to the trace of the combined ones: `single-1`, `single-2`, ..."""

import numpy as np

from gramworks.methods._combination import MARGIN_METRICS, MarginParams, fit_margin
from gramworks.problem import Outcome, Problem, Skip

NAME = "single"
SUMMARY = "Support vector machine on one base kernel (single-2 takes the second)"
REFERENCE = "Lanckriet et al., JMLR 5 (2004), section 6.1"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.75}
METRICS = MARGIN_METRICS
FAMILY = True

Params = MarginParams


def fit(problem: Problem, params: MarginParams, index: int) -> Outcome:
    """Fit the machine of one draw on kernel number ``index``, counted from 1."""
    names = list(problem.kernels)
    if index > len(names):
        raise Skip(f"there is no kernel {index}; the study has {len(names)}: {', '.join(names)}")
    return fit_margin(problem, params, np.eye(len(names))[index - 1 : index])
