"""Laplacian support vector machine: smooth on the graph of nearest neighbours of all points."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from gramworks.fields import Count, Unique
from gramworks.fitting.graph_weights import graph_weights
from gramworks.methods._chosen_kernel import (
    ByFolds,
    Candidate,
    GridFromZero,
    candidate_of,
    fit_chosen,
)
from gramworks.methods._kept import Kept
from gramworks.methods._left_to_draws import left_to_draws
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Outcome, Problem
from gramworks.solvers.laplacian import LaplacianSpectrum, kernel_root, laplacian_spectrum

NAME = "laplacian-svm"
SUMMARY = "Support vector machine, smooth on the graph of nearest neighbours of all points"
REFERENCE = "Belkin, Niyogi and Sindhwani, JMLR 7 (2006) 2399-2434"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.0, "learn": 2.5}
METRICS = (r"(chosen|on-edge)-(C|gamma|neighbours)", "inner-fits-not-converged")
PARTS_OF_POINTS = True  # draws may leave points out, whose kernels are made for them then


class Params(OneKernel, ByFolds):
    """Settings."""

    neighbours_grid: Annotated[list[Annotated[Count, Field(ge=1)]], Unique, Field(min_length=1)] = [
        5,
        10,
        20,
    ]
    """Numbers of nearest neighbours to choose from (either of the other); weights are the kernel's
    entries."""
    gamma_grid: GridFromZero = [0, 1e-3, 1e-2, 1e-1, 1.0, 10.0]
    """Weights of the penalty to choose from: |f|^2 + gamma f'Lf; 0 is the plain machine."""


def misfit(params: Params, task: str, rows: int | None, columns: int | None = None) -> str:
    """Say why data of this number of points cannot be had with these graphs."""
    most = max(params.neighbours_grid)
    if rows is not None and most >= rows:
        return (
            f"neighbours_grid has {most}, {rows} points have up to {rows - 1} neighbours; lower it"
        )
    return ""


def learn(kernels, X, settings, parameters, log) -> dict[str, np.ndarray]:
    """Decompose the penalty of each graph once; all gammas come from it."""
    arrays: dict[str, np.ndarray] = {}
    rows = [Params(**{**parameters, **setting}) for setting in settings]
    for name in dict.fromkeys(params.kernel or next(iter(kernels)) for params in rows):
        if name not in kernels:  # a draw that wants another one says so
            continue
        own = [params for params in rows if (params.kernel or next(iter(kernels))) == name]
        wanted = sorted({m for params in own for m in params.neighbours_grid})
        wanted = [m for m in wanted if m < len(kernels[name])]  # a draw that wants more says so
        with left_to_draws(f"kernel {name}", log):
            for neighbours, spectrum in _decompose(kernels[name], wanted, log).items():
                arrays[f"{name}-near{neighbours}-factors"] = spectrum.factors
                arrays[f"{name}-near{neighbours}-values"] = spectrum.values
    return arrays


def _decompose(K, wanted, log) -> dict[int, LaplacianSpectrum]:
    # Graphs first: a kernel that has none is refused in no time.
    graphs = {neighbours: graph_weights(K, neighbours) for neighbours in wanted}
    root, found = kernel_root(K), {}
    for neighbours, weights in graphs.items():
        found[neighbours] = laplacian_spectrum(root, weights)
        log(f"graph of {neighbours} neighbours on {len(K)} points decomposed")
    return found


_PARTS = Kept(2)


def _spectra(problem: Problem, params: Params, K) -> dict[int, LaplacianSpectrum]:
    """Give what `learn` made, or for a part of the points what is made for this job."""
    name = params.kernel or next(iter(problem.kernels))
    wanted, found = sorted(params.neighbours_grid), {}
    for neighbours in wanted:
        factors = problem.shared.get(f"{name}-near{neighbours}-factors")
        if factors is None or len(factors) != len(K):
            return _PARTS.get((K, wanted), lambda: _decompose(K, wanted, problem.log))
        values = problem.shared[f"{name}-near{neighbours}-values"]
        found[neighbours] = LaplacianSpectrum(factors, values)
    return found


def fit(problem: Problem, params: Params) -> Outcome:
    """Choose graph, penalty and C on the labelled points, then fit on all of them."""
    K = chosen_kernel(problem, params)
    several = any(params.gamma_grid)
    spectra = _spectra(problem, params, K) if several else {}
    candidates = []
    for gamma in sorted(params.gamma_grid):
        if gamma == 0:  # whatever the graph, this is the plain machine
            candidates.append(candidate_of(K, {"gamma": 0.0}))
            continue
        for neighbours in sorted(params.neighbours_grid):
            values = {"gamma": gamma, "neighbours": neighbours}
            candidates.append(_candidate(spectra[neighbours], gamma, values))
    return fit_chosen(problem, params, candidates)


def _candidate(spectrum: LaplacianSpectrum, gamma: float, values) -> Candidate:
    return Candidate(
        values,
        lambda rows, columns: spectrum.block(gamma, rows, columns),
        spectrum.mean_diagonal(gamma),
    )
