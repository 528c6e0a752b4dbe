"""Optimal target vector on one base kernel: predictions, components, or a study of many draws."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from gramworks.datasets.seeds import generator
from gramworks.fields import Count, Number
from gramworks.fitting.metrics import absolute_correlations, best_threshold
from gramworks.learning.optimal_target import OptimalTarget
from gramworks.learning.target_draws import draw_correlations
from gramworks.methods import _kernel_eigenpairs
from gramworks.methods._kernel_eigenpairs import chosen_eigenpairs, missing_components
from gramworks.methods._one_kernel import OneKernel
from gramworks.problem import Outcome, Problem, Skip
from gramworks.solvers.target_error import error_spectrum

NAME = "optimal-target"
SUMMARY = "Optimal target vector: the unknown targets that kernel ridge regression fits best"
REFERENCE = "Angelini, Marinazzo, Pellicoro and Stramaglia (2007)"
NEEDS = ("grams",)
GRAMS = "eigenpairs"
TASKS = ("binary", "multiclass", "regression")
GROWTH = {"fit": 2.75}
METRICS = (r"correlation(-\d+)?", "fraction-better-than-kpca")
QUANTILES = {"lucky": 0.95, "unlucky": 0.05}

learn = _kernel_eigenpairs.learn


class Params(OneKernel):
    """Settings."""

    ridge: Number = Field(default=1.0, gt=0)
    """Lambda, added to the diagonal of the Gram matrix centred over all points."""
    relative_ridge: Number | None = Field(default=None, gt=0)
    """Lambda as a multiple of the largest eigenvalue of the centred Gram matrix; null: `ridge`."""
    length: Literal["expected", "oracle"] = "expected"
    """Length of the unknown part: from the known targets, or from the true ones (which makes the
    row a control that sees them)."""
    centre_targets: bool = False
    """Centre the +-1 of classes on the mean of the known ones."""
    threshold: Literal["zero", "oracle"] = "zero"
    """Where two classes part: at 0, or where the fewest test points are wrong (which makes the row
    a control that sees them)."""
    components: Count = Field(default=1, ge=1)
    """How many generalised components are correlated with the labels of two classes; y* is the
    first. One that the kernel does not reach is a failed row."""
    draws: Count | None = Field(default=None, ge=1)
    """So many random choices of labelled points a repeat, made here, any points and without regard
    to classes, instead of the one of the splits (which are `own-draws` then): each sees its own
    labels alone, and is scored by the correlation with all: ``correlation`` is |R| of y*, a mean
    over the draws, ``fraction-better-than-kpca`` the share of the draws in which it is above that
    of the first kernel principal component. null: the draws of the splits."""
    n_labelled: Count | None = Field(default=None, ge=1)
    """Labelled points of each of the `draws`."""
    labelled_fraction: Number | None = Field(default=None, gt=0, lt=1)
    """The same as a share of all points, rounded to the nearest number, 1 at least."""
    draw: Literal["lucky", "unlucky"] | None = None
    """Give the correlation of a lucky or unlucky one of the `draws`, the quantile 0.95 or 0.05, of
    y* alone whatever `components` says; null: their mean."""

    @model_validator(mode="after")
    def _used(self) -> Params:
        if self.relative_ridge is not None and "ridge" in self.model_fields_set:
            raise ValueError("ridge and relative_ridge both state lambda; state one of them")
        sized = [key for key in ("n_labelled", "labelled_fraction") if getattr(self, key)]
        if self.draws is None:
            unused = [*sized, *(["draw"] if self.draw else [])]
            if unused:
                raise ValueError(
                    f"{' and '.join(unused)}: of no use without draws; state draws too, or leave "
                    "out what needs them (sizes of the splits are stated in `splits`)"
                )
            return self
        if len(sized) != 1:
            raise ValueError(
                f"draws wants one of n_labelled and labelled_fraction, found {len(sized)} of them"
            )
        for key, plain in (("length", "expected"), ("threshold", "zero"), ("centre_targets", 0)):
            if getattr(self, key) != plain:
                raise ValueError(
                    f"{key}={getattr(self, key)} is not for draws made here, which are scored by "
                    f"|R| of y* with the known +-1 as they are; leave out {key}, or draws"
                )
        return self


def sees_test_labels(params: Params) -> bool:
    """Tell which rows are scored here by all labels, or are controls."""
    return params.draws is not None or "oracle" in (params.length, params.threshold)


SEES_TEST_LABELS = sees_test_labels


def labelled_by(params: Params) -> str:
    """Tell who labels points: the splits, or this method."""
    return "splits" if params.draws is None else "method"


LABELLED_BY = labelled_by


def misfit(params: Params, task: str, rows: int | None, columns: int | None = None) -> str:
    """Say why data of this task and number of points cannot be had with these settings."""
    if task != "binary":
        stated = {
            "threshold=oracle": params.threshold == "oracle",
            f"draws={params.draws}": params.draws is not None,
            f"components={params.components}": params.components > 1,
        }
        for what, found in stated.items():
            if found:
                return f"{what} is for two classes, the data are {task}; leave it out"
    if task == "regression" and params.centre_targets:
        return "centre_targets is for classes, numbers are always centred; leave it out"
    if params.draws is not None and rows is not None and (m := _size(params, rows)) >= rows:
        return f"{m} labelled points of {rows} leave none to find a target for; lower " + (
            "n_labelled" if params.n_labelled else "labelled_fraction"
        )
    return ""


def _size(params: Params, n: int) -> int:
    return params.n_labelled or max(1, int(np.floor(params.labelled_fraction * n + 0.5)))


def fit(problem: Problem, params: Params) -> Outcome:
    """Fit one draw of the splits, or many of its own."""
    if reason := misfit(params, problem.task, len(problem.labelled)):
        raise Skip(reason)
    pairs = chosen_eigenpairs(problem, params)
    ridge = params.ridge
    if params.relative_ridge is not None:
        ridge = params.relative_ridge * float(pairs.values[0])
    if params.draws is not None:
        return _many_draws(problem, params, error_spectrum(pairs, ridge))
    task = "regression" if problem.task == "regression" else "classification"
    model = OptimalTarget(ridge, params.length, task, params.centre_targets)
    y = problem.truth if params.length == "oracle" else problem.y
    model.fit(pairs, y, labelled=problem.labelled)
    values, rows = model.decision_function(), problem.test_rows
    components, undefined = None, {}
    if problem.task == "binary":
        count = params.components
        components = model.target_[:, None] if count == 1 else model.components_[:, :count]
        undefined = missing_components(components.shape[1], count)
    predictions = model.predict()[rows]
    if params.threshold == "oracle":
        cut = best_threshold(values[rows], problem.truth[rows] == 1)
        predictions = (values[rows] > cut).astype(np.int64)
    return Outcome(
        predictions=predictions,
        decision=values[..., rows].T if task == "classification" else None,
        components=components,
        undefined=undefined,
    )


def draw_seed(study: str, dataset: str, n_labelled: int, repeat: int) -> tuple[str | int, ...]:
    """Give the seed of the draws of a repeat, so that figures can make them again."""
    return study, dataset, n_labelled, repeat, "labelled points"


def _many_draws(problem: Problem, params: Params, spectrum) -> Outcome:
    m = _size(params, len(problem.truth))
    signs = np.where(problem.truth == 1, 1.0, -1.0)
    # rows that differ in `draw` or ridge alone are of the same draws
    seeded = generator(*draw_seed(problem.study, problem.dataset, m, problem.repeat))
    found = draw_correlations(spectrum, signs, m, params.draws, seeded, params.components)
    if params.draw is not None:
        return Outcome(
            metrics={"correlation": float(np.quantile(found[:, 0], QUANTILES[params.draw]))}
        )
    plain = absolute_correlations(signs, spectrum.vectors[:, :1])[0]
    names = ["correlation", *(f"correlation-{k}" for k in range(2, found.shape[1] + 1))]
    there = int(np.isfinite(found).all(axis=0).sum())
    undefined = missing_components(there, params.components)
    means = dict(zip(names, found.mean(axis=0).tolist(), strict=True))
    return Outcome(
        metrics={name: mean for name, mean in means.items() if name not in undefined}
        | {"fraction-better-than-kpca": float(np.mean(found[:, 0] > plain))},
        undefined=undefined,
    )
