"""Support vector machine on a cluster kernel: the spectrum of a kernel, changed."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from gramworks.fields import Count, Number, Unique
from gramworks.fitting.labels import encode_labels
from gramworks.methods._cluster_spectrum import (
    AffinityParams,
    Wanted,
    check_kept,
    kept_rank,
    learn_spectra,
    parse_rank,
    rank_of,
    spectrum_for,
)
from gramworks.methods._labelled_rows import fit_rows
from gramworks.problem import Outcome, Problem, Skip
from gramworks.solvers.span_estimate import span_estimate
from gramworks.solvers.transfer import Transfer

NAME = "cluster-kernel"
SUMMARY = "Support vector machine on a cluster kernel, made with unlabelled points"
REFERENCE = "Chapelle, Weston and Schölkopf, NIPS 15 (2002) 601-608"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.0, "learn": 1.0}
METRICS = (
    "affinity-eigenvalue-2",
    "span-error-percent",
    r"chosen-(rank|p|q)",
    r"on-edge-(rank|p|q)",
)
PARTS_OF_POINTS = True  # draws may leave points out, which are decomposed again then

Grid = Annotated[list[Annotated[Number, Field(gt=0)]], Unique, Field(min_length=1)]
SELECTED = ("span", "span-pq")
Rank = Annotated[int | str, BeforeValidator(lambda value: parse_rank(value, SELECTED))]


class Params(AffinityParams):
    """Settings."""

    transfer: Literal["poly-step", "step", "linear-step", "polynomial", "linear"] = "poly-step"
    """What becomes of the eigenvalues."""
    rank: Rank = 10
    """r, the eigenvalues before the cut: a number, `labelled+10` for ten more than labelled points,
    or `span` for the one of `rank_grid` with the lowest span estimate of the leave-one-out error,
    the lowest among equals; `span-pq` chooses p and q with it."""
    p: Number = Field(default=2.0, gt=0)
    """Of poly-step: eigenvalues before the cut become lambda^(1/p)."""
    q: Number = Field(default=2.0, gt=0)
    """Of poly-step: those beyond it become lambda^q."""
    steps: Count = Field(default=5, ge=1)
    """Of polynomial: lambda^steps."""
    C: Number = Field(default=1000.0, gt=0)
    """Upper bound of the dual coefficients; 1000 is nearly a hard margin."""
    rank_grid: Annotated[list[Annotated[Count, Field(ge=1)]], Unique, Field(min_length=1)] = list(
        range(2, 31)
    )
    """Ranks to choose from, for `rank: span`."""
    p_grid: Grid = [1, 2, 4]
    """Values of p to choose from, for `rank: span-pq`."""
    q_grid: Grid = [1, 2, 4]
    """Values of q to choose from, for `rank: span-pq`."""
    estimate: bool = False
    """Give the span estimate of a stated rank too."""


def transfers(params: Params, n_labelled: int | None = None) -> list[Transfer]:
    """List the transfer functions of a row; several where one is to be chosen."""
    if params.rank in SELECTED:
        ranks = sorted(params.rank_grid)
    elif n_labelled is None:
        ranks = [kept_rank(params.rank, params.largest_rank)]
    else:
        ranks = [rank_of(params.rank, n_labelled)]
    both = params.rank == "span-pq"
    ps = sorted(params.p_grid) if both else [params.p]
    qs = sorted(params.q_grid) if both else [params.q]
    return [
        Transfer(params.transfer, rank, p, q, params.steps)
        for rank, p, q in itertools.product(ranks, ps, qs)
    ]


def learn(kernels, X, settings, parameters, log) -> dict[str, np.ndarray]:
    """Decompose each affinity that the settings want, and make the powers they ask for."""
    rows = [Params(**{**parameters, **setting}) for setting in settings]
    return learn_spectra(kernels, [_wanted(params) for params in rows], log)


def _wanted(params: Params) -> Wanted:
    several = tuple(transfers(params))
    rank = max(2, *(t.rank for t in several if t.cuts)) if several[0].cuts else 2
    return Wanted(params.kernel, params.neighbours, several, rank)


def fit(problem: Problem, params: Params) -> Outcome:
    """Choose the transfer function where one is to be chosen, and fit the machine."""
    known = np.flatnonzero(problem.labelled)
    spectrum = spectrum_for(problem, params, _wanted(params))
    if params.rank == "span-pq" and params.transfer != "poly-step":
        raise Skip(f"rank=span-pq chooses p and q, which {params.transfer} has not; state span")
    several = transfers(params, known.size)
    for transfer in several if several[0].cuts else ():
        check_kept(spectrum, transfer.rank, params)
    metrics = {}
    if len(spectrum.values) > 1 and params.neighbours is None:
        metrics["affinity-eigenvalue-2"] = float(spectrum.values[1])
    chosen = several[0]
    if len(several) > 1 or params.estimate:
        errors = [_span_error(problem, params, spectrum, known, t) for t in several]
        best = int(np.argmin(errors))
        chosen = several[best]
        metrics["span-error-percent"] = 100.0 * errors[best]
    for name in ("rank", "p", "q") if len(several) > 1 else ():
        grid = sorted({getattr(t, name) for t in several})
        if len(grid) > 1:
            value = getattr(chosen, name)
            metrics[f"chosen-{name}"] = float(value)
            metrics[f"on-edge-{name}"] = float(value in (grid[0], grid[-1]))
    return fit_rows(problem, spectrum.block(chosen, known), params.C, metrics)


def _span_error(problem, params, spectrum, known, transfer) -> float:
    """Give the span estimate, the mean over the machines of several classes."""
    block = spectrum.block(transfer, known, known)
    signs = encode_labels(problem.y[known], known.size).signs()
    return float(np.mean([span_estimate(block, row, params.C).error for row in signs]))
