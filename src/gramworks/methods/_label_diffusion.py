"""What label propagation and label spreading share."""

from __future__ import annotations

from pydantic import Field

from gramworks.fields import Count, Number
from gramworks.fitting.label_diffusion import LabelDiffusion
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem


class DiffusionParams(OneKernel):
    """Settings of both."""

    neighbours: Count | None = Field(default=None, ge=1)
    """Weights between so many nearest neighbours only; null: all."""
    tol: Number = Field(default=1e-3, gt=0)
    """Steps end when the class shares of all points change by less in all."""
    max_iter: Count = Field(default=10_000, ge=1)
    """Cap on steps; a row that meets it is marked."""


def diffuse(problem: Problem, params: DiffusionParams, model: LabelDiffusion) -> Outcome:
    """Predict the test points of one draw."""
    model.set_params(neighbours=params.neighbours, tol=params.tol, max_iter=params.max_iter)
    model.fit(chosen_kernel(problem, params), problem.y, labelled=problem.labelled)
    decision = model.decision_function()[problem.test_rows]
    return Outcome(
        predictions=model.predict()[problem.test_rows],
        decision=decision if decision.ndim == 1 else None,
        metrics={"n-unreached": float(model.unreached_.sum())},
        converged=model.converged_,
        reason=f"cap of {params.max_iter} steps reached",
    )
