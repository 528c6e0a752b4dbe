"""The parsed data set that parsers and generators return and the store keeps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Points: TypeAlias = "np.ndarray | csr_array | list[str]"
Partition: TypeAlias = tuple[np.ndarray, np.ndarray]

OUTPUT_TASKS = ("structured", "vectors")
"""Tasks whose outputs are neither classes nor numbers, but strings or vectors."""


class DataWarning(UserWarning):
    """Something in the data that is likely a mistake, such as a column equal to the target."""


def kind_of(points: Points) -> str:
    """Say how points are kept: dense, csr or strings."""
    if isinstance(points, list):
        return "strings"
    return "dense" if isinstance(points, np.ndarray) else "csr"


def is_graph(view: Points) -> bool:
    """Whether a view is a graph over the points: a square CSR adjacency matrix."""
    return kind_of(view) == "csr" and view.shape[0] == view.shape[1]


@dataclass(frozen=True)
class Dataset:
    """Points and targets of one data set; n points of d features."""

    id: str
    """As in the registry"""
    X: Points
    """(n, d) float64, (n, d) CSR of float64, or n strings"""
    y: np.ndarray | list[str]
    """(n,) class codes 0..k-1 (int64); (n,) real values (float64) when ``classes`` is empty;
    (n, k) zeros and ones (int8), one column a label, for multilabel; n strings for structured;
    (n, k) float64 for outputs that are vectors"""
    classes: list[str]
    """Names of the classes in the order of their codes, or of the labels in the order of their
    columns; empty for regression"""
    feature_names: list[str]
    """d names; empty for strings"""
    row_ids: list[str] | None = None
    """n names of the points, always text: "01" is not "1\""""
    partitions: list[Partition] | None = None
    """Given (train, test) row indices; a row may occur several times. Families of partitions are
    told apart by their number of training rows"""
    groups: np.ndarray | None = None
    """(n,) int64 codes into ``classes`` of what strings or vectors as outputs stand for, where it
    is known"""
    unlabelled: np.ndarray | None = None
    """(n,) mask of the points whose target nobody knows; ``y`` is 0 there. They are neither
    labelled nor tested in any draw. None: all targets are known"""
    views: dict[str, Points] = field(default_factory=dict)
    """Further sources of similarity for the same points, by name: blocks of features (n, d_v), or
    graphs as (n, n) CSR adjacency matrices"""
    notes: list[str] = field(default_factory=list)
    """What was noticed or done while parsing, in words"""

    @property
    def rows(self) -> int:
        """Number of points."""
        return len(self.X) if isinstance(self.X, list) else self.X.shape[0]

    @property
    def kind(self) -> str:
        """How the points are kept: dense, csr or strings."""
        return kind_of(self.X)

    @property
    def task(self) -> str:
        """What is to be predicted: one of the registry's tasks, or vectors."""
        if isinstance(self.y, list):
            return "structured"
        if self.y.ndim == 2:
            return "vectors" if self.y.dtype.kind == "f" else "multilabel"
        if not self.classes:
            return "regression"
        return "binary" if len(self.classes) == 2 else "multiclass"

    @property
    def strata(self) -> np.ndarray:
        """What splits go by: class codes, the groups behind other outputs, or ``y`` itself.

        Strings and vectors without groups have none; they are numbered as real values are.
        """
        if self.task not in OUTPUT_TASKS:
            return self.y
        return np.arange(len(self.y), dtype=np.float64) if self.groups is None else self.groups

    def take(self, order: np.ndarray) -> Dataset:
        """Return the points in another order, or some of them; needs no given partitions."""
        if self.partitions is not None:
            raise ValueError(f"{self.id}: rows with given partitions cannot be rearranged")

        def taken(rows: Points | None) -> Points | None:
            return [rows[i] for i in order] if isinstance(rows, list) else rows[order]

        return replace(
            self,
            X=taken(self.X),
            y=taken(self.y),
            row_ids=None if self.row_ids is None else taken(self.row_ids),
            groups=None if self.groups is None else taken(self.groups),
            unlabelled=None if self.unlabelled is None else taken(self.unlabelled),
            views={
                name: taken(view)[:, order] if is_graph(view) else taken(view)
                for name, view in self.views.items()
            },
        )
