"""Support vector machine on the marginalised kernel of a mixture that all points have taught."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from gramworks.fields import Count, Number, StrictModel
from gramworks.learning.mixture import MixtureKernel
from gramworks.methods._labelled_rows import fit_rows
from gramworks.methods._left_to_draws import left_to_draws
from gramworks.problem import Outcome, Problem

NAME = "mixture-kernel"
SUMMARY = "Support vector machine on the marginalised kernel of a Gaussian mixture"
REFERENCE = "Chapelle, Weston and Schölkopf (2002), equation (1); Tsuda, Kin and Asai (2002)"
NEEDS = ("features",)
TASKS = ("binary", "multiclass")
GROWTH = {"learn": 1.5}


class Params(StrictModel):
    """Settings."""

    components: Count = Field(default=2, ge=1)
    """Gaussians of the mixture, fitted to all points without labels."""
    covariance: Literal["full", "tied", "diag", "spherical"] = "full"
    """What the covariances may be."""
    ridge: Number = Field(default=1e-6, gt=0)
    """Added to the variances."""
    C: Number = Field(default=1000.0, gt=0)
    """Upper bound of the dual coefficients, for a kernel scaled to a mean diagonal of 1."""


def holds(rows: list[Params], n: int, labelled: int) -> int:
    """Count the numbers of the kernels of all mixtures."""
    return len({_key(params) for params in rows}) * n * n


HOLDS = holds


def learn(kernels, X, settings, parameters, log) -> dict[str, np.ndarray]:
    """Fit each mixture once, and make its kernel."""
    arrays = {}
    for setting in settings:
        params = Params(**{**parameters, **setting})
        if _key(params) not in arrays:
            with left_to_draws(f"mixture {_key(params)}", log):
                arrays[_key(params)] = _kernel(X, params)
    return arrays


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the machine of one draw."""
    K = problem.shared.get(_key(params))
    if K is None or len(K) != len(problem.labelled):
        K = _kernel(problem.features, params)
    return fit_rows(problem, K[problem.labelled], params.C)


def _key(params: Params) -> str:
    return f"{params.components}-{params.covariance}-{params.ridge!r}"


def _kernel(X, params: Params) -> np.ndarray:
    K = MixtureKernel(params.components, params.covariance, params.ridge).fit(X).kernel_
    return K / (np.trace(K) / len(K))
