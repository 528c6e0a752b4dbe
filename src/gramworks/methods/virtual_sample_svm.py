"""Support vector machine that learns from moved copies of the labelled images as well."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from gramworks.datasets.seeds import generator
from gramworks.fields import Count
from gramworks.fitting.labels import encode_labels
from gramworks.fitting.machine_choice import choose_machine, weighted_path
from gramworks.kernels.gaussian_kernel import gaussian
from gramworks.learning.image_moves import check_moves, moved_images
from gramworks.methods._chosen_kernel import C_GRID, Grid, edges, split_identity
from gramworks.methods._images import (
    ImageParams,
    dense_features,
    image_shape,
    shape_misfit,
    width_of,
)
from gramworks.problem import Outcome, Problem

NAME = "virtual-sample-svm"
SUMMARY = "Support vector machine that learns from moved copies of the labelled images as well"
REFERENCE = "Decoste and Schölkopf, Machine Learning 46 (2002) 161-190"
NEEDS = ("features",)
TASKS = ("binary",)
GROWTH = {"fit": 2.5}
METRICS = (r"(chosen|on-edge)-C", "inner-fits-not-converged")


class Params(ImageParams):
    """Settings."""

    C_grid: Grid = C_GRID
    """Values of C to choose from, the smallest among equally good ones."""
    folds: Count = Field(default=5, ge=2)
    """Stratified folds of the labelled images; the copies of an image are in its fold, and only
    images themselves are predicted."""
    class_balanced: bool = False
    """Divide the losses of each class by its number of images, copies included, and count the
    errors of held-out images as shares of each class."""


def misfit(params: Params, task: str, rows: int | None, columns: int | None = None) -> str:
    """Say why points of this number of features are no such images."""
    return shape_misfit(params, columns)


def holds(rows: list[Params], n: int, labelled: int) -> int:
    """Count the kernel between all images and copies, and that with the points to predict."""
    samples = labelled * max(1 + 2 * len(check_moves(params.moves)) for params in rows)
    return samples * (samples + n)


HOLDS = holds


def fit(problem: Problem, params: Params) -> Outcome:
    """Choose C on the labelled images, then fit on all of them and their copies."""
    X, known = dense_features(problem), np.flatnonzero(problem.labelled)
    width, count = width_of(params, X), known.size
    images = [X[known], *moved_images(X[known], image_shape(params, X), params.moves)]
    samples, signs = np.concatenate(images), encode_labels(problem.y[known], count).signs()[0]
    K, C_grid = gaussian(samples, width=width), sorted(params.C_grid)

    def fold_values(train, test):
        own = (train + count * np.arange(len(images))[:, None]).ravel()
        values, failed = weighted_path(
            K[np.ix_(own, own)], K[np.ix_(test, own)], np.tile(signs[train], len(images)), C_grid,
            params.class_balanced,
        )  # fmt: skip
        return values[None], failed

    choice = choose_machine(
        signs,
        params.folds,
        generator(*split_identity(problem, params), "folds"),
        fold_values,
        (1, len(C_grid)),
        class_balanced=params.class_balanced,
    )
    rows = gaussian(X[problem.test_rows], samples, width=width)
    C = C_grid[choice.column]
    values, failed = weighted_path(K, rows, np.tile(signs, len(images)), [C], params.class_balanced)
    return Outcome(
        predictions=(values[0] > 0).astype(np.int64),
        decision=values[0],
        metrics={
            "inner-fits-not-converged": choice.not_converged,
            **edges({"C": C}, [{"C": each} for each in C_grid]),
        },
        converged=not failed,
        reason="iteration cap of the final machine reached",
    )
