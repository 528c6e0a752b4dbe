"""Transductive linear discrimination: labels of least joint leave-one-out error."""

from pydantic import Field

from gramworks.fields import Number
from gramworks.learning.transductive_discrimination import TransductiveDiscrimination
from gramworks.methods import _kernel_eigenpairs
from gramworks.methods._kernel_eigenpairs import chosen_eigenpairs
from gramworks.methods._one_kernel import OneKernel
from gramworks.problem import Outcome, Problem

NAME = "transductive-linear-discrimination"
SUMMARY = "Values of the test points with the least leave-one-out error over all points"
REFERENCE = "Chapelle, Vapnik and Weston, NIPS 12 (1999) 421-427"
NEEDS = ("grams",)
GRAMS = "eigenpairs"
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 2.75}

learn = _kernel_eigenpairs.learn


class Params(OneKernel):
    """Settings."""

    ridge: Number = Field(default=1.0, gt=0)
    """Added to the diagonal of the centred Gram matrix."""
    closeness: Number = Field(default=1.0, gt=0)
    """Weight of the squared distance from the ridge regression on the labelled points."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit one draw."""
    model = TransductiveDiscrimination(params.ridge, params.closeness)
    model.fit(chosen_eigenpairs(problem, params), problem.y, labelled=problem.labelled)
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=model.target_[..., problem.test_rows].T,
    )
