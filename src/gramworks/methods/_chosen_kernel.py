"""What the methods share that choose a kernel and C by cross-validation on the labelled points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from gramworks.datasets.seeds import generator
from gramworks.fields import Count, Number, StrictModel, Unique
from gramworks.fitting.decision import choose_labels
from gramworks.fitting.inputs import LARGEST
from gramworks.fitting.kernel_choice import choose_kernel
from gramworks.fitting.labels import encode_labels
from gramworks.methods._labelled_rows import fit_rows
from gramworks.problem import Outcome, Problem
from gramworks.solvers.ridge import solve_ridge

C_GRID = [10.0**k for k in range(-1, 5)]
"""Values of C to choose from, for kernels of mean diagonal 1."""

Grid = Annotated[list[Annotated[Number, Field(gt=0, le=LARGEST)]], Unique, Field(min_length=1)]
GridFromZero = Annotated[
    list[Annotated[Number, Field(ge=0, le=LARGEST)]], Unique, Field(min_length=1)
]


class ByFolds(StrictModel):
    """Settings of the choice; kernels are scaled to mean diagonal 1 over all points before."""

    loss: Literal["hinge", "squared"] = "hinge"
    """Loss of the labelled points: the support vector machine's, or (y - f)^2 (least squares)."""
    C_grid: Grid = C_GRID
    """Values of C to choose from: |f|^2/2 + C sum of the losses. Of equally good choices the one
    of the smallest values is taken."""
    folds: Count = Field(default=5, ge=2)
    """Stratified folds of the labelled points; those held out count as unlabelled."""


@dataclass(frozen=True)
class Candidate:
    """A kernel to choose."""

    values: Mapping[str, float]
    """Its parameters, such as {"nu": 0.1}."""
    block: Callable[[np.ndarray, np.ndarray | slice], np.ndarray]
    """Gives rows and columns of it, or rows with all columns for ``slice(None)``."""
    mean_diagonal: float
    """Over all points."""

    def scaled(self, rows, columns) -> np.ndarray:
        """Give rows and columns of it, scaled to mean diagonal 1."""
        block = self.block(rows, columns)
        return block if self.mean_diagonal == 1.0 else block / self.mean_diagonal


def candidate_of(K: np.ndarray, values: Mapping[str, float], *, scaled=True) -> Candidate:
    """Make a candidate of a kernel that is there over all points."""
    return Candidate(
        values,
        lambda rows, columns: K[rows] if isinstance(columns, slice) else K[np.ix_(rows, columns)],
        float(np.diagonal(K).mean()) if scaled else 1.0,
    )


def split_identity(problem: Problem, params: StrictModel) -> tuple[str | int, ...]:
    """Name a draw by what the splits distinguish, so that methods and their settings share it."""
    own = type(params).model_fields
    outer = {key: value for key, value in problem.setting.items() if key not in own}
    return problem.study, problem.dataset, str(sorted(outer.items())), problem.repeat


def fit_chosen(
    problem: Problem, params: ByFolds, candidates: Sequence[Candidate], C_grid=None
) -> Outcome:
    """Choose among kernels and C, fit on all labelled points and predict the test points.

    Parameters
    ----------
    problem : Problem
    params : ByFolds
    candidates : sequence of Candidate
        In the order of preference among equals.
    C_grid : sequence of float, optional
        Instead of that of the settings.

    Returns
    -------
    Outcome
        With the metrics chosen-..., on-edge-... of C and of each parameter of the candidates that
        has several values (0, with nothing beyond it, is no edge), and inner-fits-not-converged.
    """
    C_grid = params.C_grid if C_grid is None else C_grid
    known = np.flatnonzero(problem.labelled)
    choice = choose_kernel(
        [candidate.scaled(known, known) for candidate in candidates],
        problem.y[known],
        C_grid=C_grid,
        loss=params.loss,
        folds=params.folds,
        generator=generator(*split_identity(problem, params), "folds"),
    )
    best = candidates[choice.index]
    metrics = {"inner-fits-not-converged": choice.not_converged}
    if len(C_grid) > 1:
        metrics |= {"chosen-C": choice.C, "on-edge-C": float(choice.C_on_edge)}
    metrics |= edges(best.values, [candidate.values for candidate in candidates])
    rows = best.scaled(known, slice(None))
    if params.loss == "hinge":
        return fit_rows(problem, rows, choice.C, metrics)
    labels = encode_labels(problem.y[known], known.size)
    found = solve_ridge(rows[:, known], labels.signs().T, 0.5 / choice.C)
    decision = rows[:, problem.test_rows].T @ found.coefficients + found.intercept
    decision = decision[:, 0] if problem.n_classes == 2 else decision
    return Outcome(
        predictions=choose_labels(decision, labels.classes),
        decision=decision if problem.n_classes == 2 else None,
        metrics=metrics,
    )


def edges(chosen: Mapping[str, float], grid: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Give chosen-... and on-edge-... of each parameter that has several values."""
    metrics = {}
    for name, value in chosen.items():
        found = sorted({values[name] for values in grid if name in values})
        if len(found) > 1:
            metrics[f"chosen-{name}"] = float(value)
            ends = {found[0], found[-1]} - {0}
            metrics[f"on-edge-{name}"] = float(value in ends)
    return metrics
