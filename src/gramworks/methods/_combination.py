"""What the methods share that fit a machine on a combination of base kernels of one trace."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from gramworks.fields import Number, StrictModel
from gramworks.learning.alignment import AlignmentKernel
from gramworks.learning.margin import MarginKernel
from gramworks.learning.margin_bound import CONSTANTS, bound_test_error
from gramworks.methods._kept import Kept
from gramworks.problem import Outcome, Problem, Skip
from gramworks.solvers.kernel_sums import combine
from gramworks.solvers.margin_criterion import NotSeparable

LARGEST_C = 1e9
"""What the tables say where no ridge is wanted, that is, where C is infinite."""

MARGIN_METRICS = (
    r"weight-\d+",
    "omega-half",
    "margin",
    "C",
    "tau",
    "gap",
    r"bound-(printed|provable)",
)
"""What `fit_margin` measures beside the scores of its predictions."""

ALIGNED_METRICS = (*MARGIN_METRICS, "alignment")
"""What `fit_aligned` measures beside the scores of its predictions."""


class MarginParams(StrictModel):
    """Settings of the margin methods."""

    criterion: Literal["hard", "l1", "l2", "l2-auto"] = "l1"
    """Margin criterion: hard margin, 1-norm or 2-norm soft margin, 2-norm with its C learned."""
    C: Number = Field(default=1.0, gt=0)
    """Of l1 the upper bound of the dual coefficients, of l2 the inverse of the ridge."""
    trace: Number | None = Field(default=None, gt=0)
    """Trace of the combined kernel over all points, of l2-auto with the ridge; null: the sum of
    the base kernels' traces, of l2-auto plus the number of points."""
    mean_diagonal: Number | None = Field(default=None, gt=0)
    """The same divided by the number of points, for kernels of unit diagonal; null: as trace."""
    tol: Number = Field(default=1e-6, gt=0, lt=1)
    """Relative duality gap to reach."""
    bound_gamma: Number | None = Field(default=None, gt=0)
    """Margin of the error bound of theorem 24, which has to be fixed in advance, in the feature
    space of the combined kernel; it wants as many test points as labelled ones. null: no bound."""

    @model_validator(mode="after")
    def _used(self) -> MarginParams:
        if "C" in self.model_fields_set and self.criterion in ("hard", "l2-auto"):
            raise ValueError(
                f"criterion {self.criterion} has no C of its own to set; state C beside l1 and l2 "
                "only, in a block of settings of their own"
            )
        return self


def total_trace(problem: Problem, params: MarginParams) -> float:
    """Return the trace that the combined kernel has over all points."""
    n = problem.labelled.size
    if params.trace is not None:
        return params.trace
    if params.mean_diagonal is not None:
        return params.mean_diagonal * n
    traces = sum(float(np.trace(K)) for K in problem.kernels.values())
    return traces + (n if params.criterion == "l2-auto" else 0)


# The Gram stage has checked every kernel, so that a fit need not: `checked=True`.
def fit_margin(
    problem: Problem, params: MarginParams, directions: np.ndarray, weights: str = "nonnegative"
) -> Outcome:
    """Learn weights along given directions and predict the test points.

    Parameters
    ----------
    problem : Problem
    params : MarginParams
    directions : ndarray (p, m)
        Each row is a fixed combination of the m base kernels; the p combinations are weighted so
        that the margin criterion is least at the given trace. One row leaves nothing to learn
        but the scale, and the ridge of l2-auto.
    weights : {"nonnegative", "free"}

    Returns
    -------
    Outcome
        With ``weight-1`` .. ``weight-m``, the certified relative ``gap``, and as the tables of
        Lanckriet et al. 2004 print them: ``margin`` (omega^(-1/2)) of the hard margin,
        ``omega-half`` (half of omega) of the others, ``C`` and ``tau`` = 1/C where they are
        learned. The C printed there is the inverse of the mean tau.

    Raises
    ------
    Skip
        No combination separates the classes, and the criterion is the hard margin.
    """
    kernels = list(problem.kernels.values())
    combined = [_combine(kernels, row) for row in directions]
    model = MarginKernel(
        criterion=params.criterion,
        weights=weights,
        C=params.C,
        trace=total_trace(problem, params),
        tol=params.tol,
        checked=True,
    )
    try:
        model.fit(combined, problem.y, labelled=problem.labelled)
    except NotSeparable as error:
        raise Skip(str(error)) from None
    learned = model.weights_ @ directions
    metrics = {f"weight-{i}": weight for i, weight in enumerate(learned, 1)}
    metrics["gap"] = model.gap_
    if params.criterion == "hard":
        # several machines: the margin of the sum of their criteria
        metrics["margin"] = (2.0 * model.objective_) ** -0.5
    else:
        metrics["omega-half"] = model.objective_
    if params.criterion == "l2-auto":
        metrics["C"] = min(model.C_, LARGEST_C)
        metrics["tau"] = model.ridge_
    if params.bound_gamma is not None:
        metrics |= _bounds(problem, model, combined, params.bound_gamma, weights)
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics=metrics,
        converged=model.gap_ <= params.tol,
        reason=f"relative gap {model.gap_:.1e} after {model.n_iter_} cutting planes",
    )


def _bounds(
    problem: Problem, model: MarginKernel, kernels: list[np.ndarray], gamma: float, weights: str
) -> dict[str, float]:
    """Bound the test error by theorem 24: the learned direction at length 1 / gamma, no intercept.

    1 or more says nothing.
    """
    if problem.n_classes != 2:
        raise Skip(f"the bound of theorem 24 is for two classes; the data have {problem.n_classes}")
    scores = model.kernel_ @ model.dual_coef_
    length = np.sqrt(model.dual_coef_ @ scores)
    signs = np.where(problem.y == 1, 1.0, -1.0)
    margins = (signs * scores / (gamma * length))[problem.labelled]
    return {
        f"bound-{constants}": bound_test_error(
            margins, kernels, gamma=gamma, n_test=int(problem.test.sum()), weights=weights,
            trace=float(np.trace(model.kernel_)), constants=constants,
        ).value
        for constants in CONSTANTS
    }  # fmt: skip


def fit_aligned(problem: Problem, params: MarginParams, **how) -> Outcome:
    """Take the weights from the alignment with the labels, then fit the machine on them.

    Parameters
    ----------
    problem : Problem
    params : MarginParams
        Criterion and trace of the machine.
    **how
        Parameters of `AlignmentKernel`.

    Returns
    -------
    Outcome
        As of `fit_margin`, and ``alignment``.
    """
    kernels = list(problem.kernels.values())
    weights, alignment = _ALIGNED.get(
        (how, *kernels, problem.y, problem.labelled),
        lambda: _align(kernels, problem.y, problem.labelled, how),
    )
    outcome = fit_margin(problem, params, weights[None])
    return replace(outcome, metrics=outcome.metrics | {"alignment": alignment})


_ALIGNED = Kept(16)  # criteria of one draw share the weights


def _align(
    kernels: list[np.ndarray], y: np.ndarray, labelled: np.ndarray, how: dict
) -> tuple[np.ndarray, float]:
    aligned = AlignmentKernel(checked=True, **how).fit(kernels, y, labelled=labelled)
    return aligned.weights_, aligned.alignment_


def _combine(kernels: list[np.ndarray], row: np.ndarray) -> np.ndarray:
    if np.count_nonzero(row) == 1 and row.max() == 1:
        return kernels[int(row.argmax())]
    return combine(kernels, row)
