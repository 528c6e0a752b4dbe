"""Label propagation on the graph of one base kernel (scikit-learn)."""

from gramworks.fitting.label_diffusion import LabelDiffusion
from gramworks.methods._label_diffusion import DiffusionParams, diffuse
from gramworks.problem import Outcome, Problem

NAME = "label-propagation"
SUMMARY = "Labels propagated over the graph of one base kernel, the known ones held"
REFERENCE = "Zhu and Ghahramani, CMU-CALD-02-107 (2002)"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
METRICS = ("n-unreached",)


class Params(DiffusionParams):
    """Settings."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Predict the test points of one draw."""
    return diffuse(problem, params, LabelDiffusion("propagation"))
