"""Gaussian support vector machine, C and width chosen by inner cross-validation.

The study gives one Gaussian Gram matrix, as a rule `gaussian-median`; other widths are its
elementwise powers, so that no Gram matrix is computed for the grid.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from gramworks.datasets.seeds import generator
from gramworks.fields import Count, Number, StrictModel, Unique
from gramworks.fitting.model_selection import SvmChoice, select_gaussian_svm
from gramworks.fitting.svm import KernelSVM
from gramworks.methods._kept import Kept
from gramworks.problem import Outcome, Problem, Skip

NAME = "svm-gaussian-cv"
SUMMARY = "Gaussian support vector machine, C and width by inner cross-validation"
REFERENCE = "Lanckriet et al., JMLR 5 (2004), section 6.1, column 'best c/v RBF'"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.75}
METRICS = ("chosen-C", "chosen-width-factor", "inner-fits-not-converged", r"on-edge-(C|width)")

HARD_C = 1e5  # no bound: unit diagonals and margins above 0.005 keep coefficients below it
HARD_STEPS = 5_000  # ten times what separating widths need; others would take LIBSVM for ever

Grid = Annotated[list[Annotated[Number, Field(gt=0)]], Unique, Field(min_length=1)]


class Params(StrictModel):
    """Settings; the default grids are ours, the paper states none."""

    criterion: Literal["hard", "l1", "l2", "l2-auto"] = "l1"
    """Margin criterion: hard margin (C = 1e5, no grid), 1-norm soft margin, 2-norm soft margin
    (a ridge of 1/C on the diagonal); l2-auto is l2, its C being chosen here anyway."""
    C_grid: Grid = [2.0**k for k in range(-5, 16, 2)]
    """Values of C to choose from."""
    width_factors: Grid = [2.0**k for k in range(-4, 4)]
    """Widths to choose from, relative to the width of the study's kernel."""
    partitions: Count = Field(default=30, ge=1)
    """Random partitions of the labelled points that each pair is tried on."""
    test_fraction: Number = Field(default=0.2, gt=0, lt=1)
    """Share of the labelled points that each partition predicts."""
    race: Number | None = Field(default=3.0, gt=0)
    """Standard errors by which a pair of C and width must be worse than the best so far to be
    tried on no further partition; null: try all pairs on all partitions."""


def fit(problem: Problem, params: Params) -> Outcome:
    """Choose C and width on the labelled points, then fit on all of them."""
    if len(problem.kernels) != 1:
        raise Skip(
            f"{NAME} wants one Gaussian kernel, for example `kernels: [gaussian-median]`; the "
            f"study gives it {len(problem.kernels)}"
        )
    K = next(iter(problem.kernels.values()))
    squared = params.criterion in ("l2", "l2-auto")
    choice = _choose(problem, params, K, squared)
    gram = K ** (1.0 / choice.factor**2)
    if squared:
        gram[np.diag_indices_from(gram)] += problem.labelled / choice.C
    model = KernelSVM(C=choice.C * len(K) if squared else choice.C)
    model.fit(gram, problem.y, labelled=problem.labelled)
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics={
            "chosen-C": choice.C,
            "chosen-width-factor": choice.factor,
            "inner-fits-not-converged": choice.not_converged,
            **{f"on-edge-{key}": float(edge) for key, edge in choice.on_edge.items()},
        },
        converged=model.converged_,
        reason="iteration cap of LIBSVM reached in the final fit",
    )


_CHOICES = Kept(256)


def _choose(problem: Problem, params: Params, K: np.ndarray, squared: bool) -> SvmChoice:
    """Choose C and width; criteria of one draw share its partitions, l2 and l2-auto the choice."""
    hard = params.criterion == "hard"
    rest = {key: value for key, value in problem.setting.items() if key != "criterion"}
    identity = (problem.study, problem.dataset, str(sorted(rest.items())), problem.repeat)
    grids = params.model_dump(exclude={"criterion"})
    return _CHOICES.get(
        (hard, squared, identity, grids, K, problem.y, problem.labelled),
        lambda: select_gaussian_svm(
            K,
            problem.y,
            problem.labelled,
            C_grid=[HARD_C] if hard else params.C_grid,
            width_factors=params.width_factors,
            partitions=params.partitions,
            test_fraction=params.test_fraction,
            generator=generator(*identity, "partitions"),
            ridge=squared,
            race=params.race,
            max_iter=HARD_STEPS if hard else 100_000,
        ),
    )
