"""What the methods share that choose a width, a ridge or k by inner cross-validation."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import ConfigDict, Field

from gramworks.datasets.dataset import OUTPUT_TASKS
from gramworks.fields import Count, Number, Unique
from gramworks.methods._one_kernel import OneKernel
from gramworks.output_kernel import CLASSES, NUMBERS, OutputKernel
from gramworks.problem import Outcome, Problem, Skip

Grid = Annotated[list[Annotated[Number, Field(gt=0)]], Unique, Field(min_length=1)]


class InnerChoice(OneKernel):
    """Settings of methods that choose by inner cross-validation."""

    model_config = ConfigDict(validate_by_name=True)

    label_of: Literal["top-half"] | None = Field(default=None, alias="label-of")
    """`top-half` predicts the class behind an output, the digit of which the upper part is given,
    instead of the output itself; null: the output."""
    folds: Count = Field(default=5, ge=2)
    """Folds of the labelled points, on each of which choices are tried."""


class WidthAndRidge(InnerChoice):
    """Settings of methods on a Gaussian on top of a base kernel, with a ridge."""

    sigma_grid: Grid = [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3]
    """Values of sigma* to choose from (Weston et al. 2002, section 4)."""
    sigma_reading: Literal["precision", "width", "both"] = "both"
    """How a width comes of them, which the paper's print does not show: 1/sqrt(2 sigma*), sigma*
    itself, or all widths of both."""
    ridges: Grid = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1]
    """Ridges to choose from."""


def width_grid(params: WidthAndRidge) -> list[float]:
    """List the widths to choose from, ascending."""
    precisions = [1.0 / np.sqrt(2.0 * sigma) for sigma in params.sigma_grid]
    widths = {
        "precision": precisions,
        "width": params.sigma_grid,
        "both": [*precisions, *params.sigma_grid],
    }[params.sigma_reading]
    return sorted({float(width) for width in widths})


def inner_folds(problem: Problem, folds: int) -> list[np.ndarray]:
    """Cut the labelled points into folds; of classes, each as evenly as can be.

    Returns
    -------
    list of index arrays
        Places among the labelled points, ascending.
    """
    n = int(problem.labelled.sum())
    if n < folds:
        raise Skip(f"{folds} inner folds of {n} labelled points; label more, or lower `folds`")
    order = problem.generator.permutation(n)
    if problem.task in ("binary", "multiclass"):
        order = order[np.argsort(problem.known_outputs[order], kind="stable")]
    return [np.sort(order[fold::folds]) for fold in range(folds)]


def output_gram(problem: Problem) -> np.ndarray:
    """Compute the output kernel between the labelled points, (l, l)."""
    if problem.output_kernel is not None:
        return problem.output_kernel.gram(problem.known_outputs)
    kind = NUMBERS if problem.task == "regression" else CLASSES
    return OutputKernel(kind).gram(problem.known_outputs)


def outcome_of(problem: Problem, places: np.ndarray, metrics: dict[str, float]) -> Outcome:
    """Turn places among the labelled points into predicted classes, or into pre-images."""
    rows = np.flatnonzero(problem.labelled)[places]
    width = problem.output_kernel and problem.output_kernel.parameters.get("width")
    if width is not None:
        metrics = {**metrics, "output-width": float(width)}
    if problem.task in OUTPUT_TASKS:
        return Outcome(preimages=rows, metrics=metrics)
    return Outcome(predictions=problem.y[rows], metrics=metrics)


def at_edge(value: float, grid: list[float]) -> float:
    """Tell, as 0 or 1, whether a choice sits on an end of its grid; one value is no choice."""
    return float(len(grid) > 1 and value in (min(grid), max(grid)))


def predicts(params: InnerChoice) -> str:
    """Say what a row predicts, for the registry."""
    return "targets" if params.label_of is None else "classes"
