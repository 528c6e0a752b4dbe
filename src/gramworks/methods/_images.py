"""What the methods on images share: their shape, moves, and the kernel's width."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field

from gramworks.errors import FitError
from gramworks.fields import Count, Number, StrictModel
from gramworks.fitting.inputs import LARGEST
from gramworks.kernels.gaussian_kernel import median_width
from gramworks.learning.image_moves import check_moves
from gramworks.problem import Problem, Skip


def _moves(value):
    try:
        check_moves(value)
    except FitError as error:
        raise ValueError(str(error)) from None
    return value


Shape = Annotated[list[Annotated[Count, Field(ge=1)]], Field(min_length=2, max_length=2)]


class ImageParams(StrictModel):
    """Settings of methods with a Gaussian kernel on X, which may be images."""

    width: Literal["median"] | Annotated[Number, Field(gt=0, le=LARGEST)] = "median"
    """Width of the Gaussian kernel, or the median distance between the points."""
    shape: Shape | None = None
    """Rows and columns of an image; null: as many rows as columns."""
    moves: Annotated[
        list[str] | dict[str, Annotated[Number, Field(gt=0)]] | None, AfterValidator(_moves)
    ] = None
    """Moves of an image to either side, as a list or with amounts: translate-rows,
    translate-columns (pixels), rotate (degrees), scale, shear-rows, shear-columns (parts of the
    size); null: all, by 2, 2, 10, 0.1, 0.1, 0.1, which are for digits of 28 x 28 pixels: take
    less for smaller images."""


def width_of(params: ImageParams, X) -> float:
    """Give the width of the kernel."""
    return median_width(X) if params.width == "median" else params.width


def image_shape(params: ImageParams, X) -> tuple[int, int]:
    """Give rows and columns of the images."""
    if reason := shape_misfit(params, X.shape[1]):
        raise Skip(reason)
    return _sides(params, X.shape[1])


def shape_misfit(params: ImageParams, features: int | None) -> str:
    """Say why points of so many features are no such images; empty where they are."""
    if features is None or math.prod(_sides(params, features)) == features:
        return ""
    if params.shape is None:
        return (
            f"{features} features are no square image; state shape: [rows, columns] in the "
            "method's parameters"
        )
    rows, columns = params.shape
    return (
        f"shape: [{rows}, {columns}] has {rows * columns} pixels, the points have {features} "
        "features; state the rows and columns of an image"
    )


def _sides(params: ImageParams, features: int) -> tuple[int, int]:
    """Give the shape that is stated, or that of the largest square of so many pixels."""
    side = math.isqrt(features)
    return (side, side) if params.shape is None else tuple(params.shape)


def dense_features(problem: Problem) -> np.ndarray:
    """Give X of problems whose points are vectors of numbers."""
    if not isinstance(problem.features, np.ndarray):
        raise Skip("it wants dense features; its points are strings or sparse")
    return problem.features
