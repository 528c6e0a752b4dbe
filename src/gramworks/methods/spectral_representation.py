"""Linear support vector machine on rows of the first eigenvectors, as spectral clustering has."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from gramworks.fields import Number
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
from gramworks.problem import Outcome, Problem
from gramworks.solvers.cluster_spectrum import unit_rows
from gramworks.solvers.transfer import Transfer

NAME = "spectral-representation"
SUMMARY = "Linear support vector machine on the first eigenvectors of the affinity"
REFERENCE = "Ng, Jordan and Weiss, NIPS 14 (2001) 849-856; Chapelle et al. (2002), section 2.3"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass")
GROWTH = {"fit": 1.75, "learn": 1.0}
PARTS_OF_POINTS = True


class Params(AffinityParams):
    """Settings."""

    rank: Annotated[int | str, BeforeValidator(parse_rank)] = 10
    """How many eigenvectors: a number, or `labelled+10` for ten more than labelled points."""
    C: Number = Field(default=1000.0, gt=0)
    """Upper bound of the dual coefficients."""


def learn(kernels, X, settings, parameters, log) -> dict[str, np.ndarray]:
    """Decompose the affinities, whose diagonal is zero here."""
    rows = [Params(**{**parameters, **setting}) for setting in settings]
    return learn_spectra(kernels, [_wanted(params) for params in rows], log)


def _wanted(params: Params) -> Wanted:
    rank = kept_rank(params.rank, params.largest_rank)
    return Wanted(params.kernel, params.neighbours, (Transfer("step", rank),), rank, True)


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit the machine of one draw."""
    spectrum = spectrum_for(problem, params, _wanted(params))
    rank = rank_of(params.rank, int(problem.labelled.sum()))
    check_kept(spectrum, rank, params)
    points = unit_rows(spectrum.vectors[:, : spectrum.cut(rank)])
    return fit_rows(problem, points[problem.labelled] @ points.T, params.C)
