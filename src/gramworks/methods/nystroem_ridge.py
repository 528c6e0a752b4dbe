"""Ridge regression on Nystrom features: what stands for kernel ridge regression on many points.

No Gram matrix over all points is made: memory is that of n x rank numbers.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from gramworks.errors import KernelError
from gramworks.fields import Count, Number, StrictModel
from gramworks.fitting.decision import choose_labels
from gramworks.fitting.labels import encode_labels
from gramworks.kernels import gaussian_kernel, linear_kernel, polynomial_kernel
from gramworks.kernels.identifiers import parse_kernel
from gramworks.kernels.tiles import fill
from gramworks.methods._left_to_draws import left_to_draws
from gramworks.problem import Outcome, Problem
from gramworks.solvers.feature_ridge import solve_feature_ridge
from gramworks.solvers.nystroem import nystroem_features

NAME = "nystroem-ridge"
SUMMARY = "Ridge regression on Nystrom features of a kernel, for more points than a Gram matrix has"
REFERENCE = "Williams and Seeger, NIPS 13 (2001) 682-688"
NEEDS = ("features",)
TASKS = ("binary", "multiclass", "regression")
GROWTH = {"fit": 1.0, "learn": 0.5}
PARTS_OF_POINTS = True  # draws that leave points out take the features of theirs

FAMILIES = {module.PREFIX: module for module in (gaussian_kernel, linear_kernel, polynomial_kernel)}
"""Kernels of two points, which landmarks can stand for; imported here, so that an edit of one
reruns the method."""


def is_usable(identifier: str) -> bool:
    """Tell whether this method can take a kernel: one of `FAMILIES` on X, without more."""
    kernel = parse_kernel(identifier)
    return kernel.family in FAMILIES and not kernel.transforms and kernel.view is None


def _kernel(identifier: str) -> str:
    try:
        kernel = parse_kernel(identifier)
    except KernelError as error:
        raise ValueError(str(error)) from None
    if not is_usable(identifier):
        forms = ", ".join(module.GRAMMAR for module in FAMILIES.values())
        raise ValueError(
            f"{identifier!r}: landmarks stand for a kernel of two points on X; allowed are "
            f"{forms}, without -centred (the regression has an intercept), -unit, -mapped and @"
        )
    return kernel.id


class Params(StrictModel):
    """Settings."""

    kernel: Annotated[str, AfterValidator(_kernel)] = "gaussian-median"
    """Identifier of a kernel on X."""
    rank: Count = Field(default=500, ge=1)
    """Landmarks, drawn once of all points of a data set; the rank of the kernel that is used. With
    as many as there are points it is kernel ridge regression."""
    ridge: Number = Field(default=1.0, gt=0)
    """Lambda, as of kernel-ridge with that kernel."""


def holds(rows: list[Params], n: int, labelled: int) -> int:
    """Count the features of all kernels and ranks, and what is decomposed for them."""
    ranks = {_name(params): min(params.rank, n) for params in rows}
    return sum(rank * (n + rank) for rank in ranks.values())


HOLDS = holds


def learn(kernels, X, settings, parameters, log) -> dict[str, np.ndarray]:
    """Make the features of each kernel and rank once for all draws."""
    arrays: dict[str, np.ndarray] = {}
    for setting in settings:
        params = Params(**{**parameters, **setting})
        if (name := _name(params)) not in arrays:
            with left_to_draws(name, log):
                arrays[name] = _features(X, params)
                log(f"{name}: {arrays[name].shape[1]} features of {arrays[name].shape[0]} points")
    return arrays


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the regression of one draw; classes are coded by +1 and -1."""
    n = len(problem.labelled)
    features = problem.shared.get(_name(params))
    if features is None or len(features) != n:
        features = _features(problem.features, params)
    known = np.flatnonzero(problem.labelled)
    numbers = problem.task == "regression"
    labels = None if numbers else encode_labels(problem.y[known], known.size)
    targets = problem.y[known][:, None] if numbers else labels.signs().T
    weights, intercept = solve_feature_ridge(features[known], targets, params.ridge)
    values = features[problem.test_rows] @ weights + intercept
    values = values[:, 0] if values.shape[1] == 1 else values
    if numbers:
        return Outcome(predictions=values)
    return Outcome(
        predictions=choose_labels(values, labels.classes),
        decision=values if values.ndim == 1 else None,
    )


def _name(params: Params) -> str:
    return f"{params.kernel}-rank-{params.rank}"


def _features(X, params: Params) -> np.ndarray:
    kernel = parse_kernel(params.kernel)
    family, values = FAMILIES[kernel.family], kernel.parameters
    if hasattr(family, "resolve"):
        values = family.resolve(X, **values)
    n = X.shape[0]
    count = min(params.rank, n)
    landmarks = X[np.sort(np.random.default_rng(0).choice(n, count, replace=False))]
    blocks = family.prepare(X, landmarks, **values)
    own = fill(family.prepare(landmarks, **values))
    return nystroem_features(lambda rows: blocks.block(rows, slice(0, count)), own, n)
