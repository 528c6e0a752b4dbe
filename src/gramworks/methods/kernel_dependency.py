"""Kernel dependency estimation: kernel ridge regression in the feature space of the outputs.

Width and ridge are chosen by inner cross-validation, by the loss that the output kernel stands for.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from gramworks.fields import Count
from gramworks.fitting.dependency_selection import select_dependency
from gramworks.kernels.gaussian_map import gaussian_of_kernel
from gramworks.learning.kernel_dependency import KernelDependency
from gramworks.methods._inner_choice import (
    WidthAndRidge,
    at_edge,
    inner_folds,
    outcome_of,
    output_gram,
    predicts,
    width_grid,
)
from gramworks.methods._one_kernel import chosen_kernel
from gramworks.problem import Outcome, Problem

NAME = "kernel-dependency"
SUMMARY = "Kernel dependency estimation: classes, numbers, vectors or strings as outputs"
REFERENCE = "Weston, Chapelle, Elisseeff, Schölkopf and Vapnik, NIPS 15 (2002) 897-904"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass", "regression", "structured", "vectors")
GROWTH = {"fit": 1.75}
METRICS = (r"chosen-(width|ridge)", "inner-loss", "output-width", r"on-edge-(width|ridge)")
PREDICTS = predicts


class Params(WidthAndRidge):
    """Settings; the pre-image is the labelled output next to the prediction."""

    on_top: Literal["gaussian", "nothing"] = "gaussian"
    """What is put on top of the base kernel: a Gaussian, whose width is chosen, or nothing."""
    ridge_scale: Literal["plain", "points"] = "plain"
    """Whether a ridge is added to the diagonal as it is, or times the number of labelled points."""
    components: Count | None = Field(default=None, ge=1)
    """Principal components of the outputs to predict; null: all."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Choose width and ridge on the labelled points, then fit on all of them."""
    K = chosen_kernel(problem, params)
    known, test = np.flatnonzero(problem.labelled), problem.test_rows
    own, L = K[np.ix_(known, known)], output_gram(problem)
    # widest first: of equally good pairs the smoothest kernel is taken, then the largest ridge
    widths = width_grid(params)[::-1] if params.on_top == "gaussian" else [None]
    per_point = params.ridge_scale == "points"
    choice = select_dependency(
        [own if width is None else gaussian_of_kernel(own, width) for width in widths],
        L,
        sorted(params.ridges),
        folds=inner_folds(problem, params.folds),
        n_components=params.components,
        per_point=per_point,
    )
    width = widths[choice.gram]
    new = K[np.ix_(test, known)]
    if width is not None:
        squares = np.diagonal(K)
        new = gaussian_of_kernel(new, width, squares[test], squares[known])
        own = gaussian_of_kernel(own, width)
    ridge = choice.ridge * (len(known) if per_point else 1)
    numbers = problem.task == "regression"
    model = KernelDependency(
        ridge, params.components, preimage="linear" if numbers else "candidates"
    )
    if numbers:
        model.fit(own, outputs=problem.known_outputs)
    else:
        model.fit(own, L)
    metrics = {
        "chosen-ridge": choice.ridge,
        "inner-loss": float(np.min(choice.losses)),
        "on-edge-ridge": at_edge(choice.ridge, params.ridges),
    }
    if width is not None:
        metrics |= {"chosen-width": width, "on-edge-width": at_edge(width, widths)}
    if numbers:
        return Outcome(predictions=np.ravel(model.predict(new)), metrics=metrics)
    return outcome_of(problem, model.predict(new), metrics)
