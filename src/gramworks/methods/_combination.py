"""What the methods share that fit a machine on a combination of base kernels of one trace."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from gramworks.fields import Number, StrictModel
from gramworks.learning.margin import MarginKernel
from gramworks.problem import Outcome, Problem

MARGIN_METRICS = (r"weight-\d+", "omega-half", "gap")
"""What `fit_margin` measures beside the scores of its predictions."""


class MarginParams(StrictModel):
    """Settings of the margin methods."""

    criterion: Literal["l1"] = "l1"
    """Margin criterion: l1 is the 1-norm soft margin."""
    C: Number = Field(default=1.0, gt=0)
    """Upper bound of the dual coefficients."""
    trace: Number | None = Field(default=None, gt=0)
    """Trace of the combined kernel over all points; null: the sum of the base kernels' traces."""
    tol: Number = Field(default=1e-6, gt=0, lt=1)
    """Relative duality gap to reach."""


def fit_margin(problem: Problem, params: MarginParams, directions: np.ndarray) -> Outcome:
    """Learn nonnegative weights along given directions and predict the test points.

    Parameters
    ----------
    problem : Problem
    params : MarginParams
    directions : ndarray (p, m)
        Each row is a fixed combination of the m base kernels; the p combinations are weighted so
        that the margin criterion is least at the given trace. One row leaves nothing to learn
        but the scale.

    Returns
    -------
    Outcome
        With ``weight-1`` .. ``weight-m``, ``omega-half`` (half of omega of Lanckriet et al. 2004,
        definition 4, as their tables print it) and the certified relative ``gap``.
    """
    kernels = list(problem.kernels.values())
    trace = params.trace or sum(float(np.trace(K)) for K in kernels)
    combined = [_combine(kernels, row) for row in directions]
    model = MarginKernel(criterion=params.criterion, C=params.C, trace=trace, tol=params.tol)
    model.fit(combined, problem.y, labelled=problem.labelled)
    weights = model.weights_ @ directions
    metrics = {f"weight-{i}": weight for i, weight in enumerate(weights, 1)}
    metrics |= {"omega-half": model.objective_, "gap": model.gap_}
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics=metrics,
        converged=model.gap_ <= params.tol,
        reason=f"relative gap {model.gap_:.1e} after {model.n_iter_} cutting planes",
    )


def _combine(kernels: list[np.ndarray], row: np.ndarray) -> np.ndarray:
    if np.count_nonzero(row) == 1 and row.max() == 1:
        return kernels[int(row.argmax())]
    return sum(share * K for share, K in zip(row, kernels, strict=True))
