"""Nearest neighbours by the distance that one base kernel induces.

Of strings and vectors, the neighbours' mean in the output kernel's feature space and its pre-image.
"""

from typing import Literal

from pydantic import Field

from gramworks.fields import Count
from gramworks.methods._inner_choice import (
    InnerChoice,
    WholeGrid,
    predicts,
)

NAME = "knn"
SUMMARY = "k nearest neighbours in the feature space of one base kernel; any kind of output"
REFERENCE = "Cover and Hart, IEEE Transactions on Information Theory 13 (1967) 21-27"
NEEDS = ("grams",)
TASKS = ("binary", "multiclass", "structured", "vectors")
METRICS = ("chosen-neighbours", "on-edge-neighbours")
PREDICTS = predicts


class Params(InnerChoice):
    """Settings."""

    neighbours: Count | Literal["chosen"] = Field(default=1, ge=1)
    """Number of neighbours that vote, or whose outputs are averaged; `chosen`: by inner
    cross-validation over `neighbours_grid`."""
    neighbours_grid: WholeGrid = [1, 2, 3, 5, 7, 9, 15]
    """Numbers to choose from; the smallest of equally good ones."""
