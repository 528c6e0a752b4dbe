"""Label spreading on the graph of one base kernel (scikit-learn)."""

from pydantic import Field

from gramworks.fields import Number
from gramworks.fitting.label_diffusion import LabelDiffusion
from gramworks.methods._label_diffusion import DiffusionParams, diffuse
from gramworks.problem import Outcome, Problem

NAME = "label-spreading"
SUMMARY = "Labels spread over the graph of one base kernel, local and global consistency"
REFERENCE = "Zhou, Bousquet, Lal, Weston and Schölkopf, NIPS 16 (2004) 321-328"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
METRICS = ("n-unreached",)


class Params(DiffusionParams):
    """Settings."""

    alpha: Number = Field(default=0.2, gt=0, lt=1)
    """How much a point takes from its neighbours rather than from its own label."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Predict the test points of one draw."""
    return diffuse(problem, params, LabelDiffusion("spreading", params.alpha))
