"""The parsed data set that parsers and generators return and the store keeps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Points: TypeAlias = "np.ndarray | csr_array | list[str]"
Partition: TypeAlias = tuple[np.ndarray, np.ndarray]


class DataWarning(UserWarning):
    """Something in the data that is likely a mistake, such as a column equal to the target."""


@dataclass(frozen=True)
class Dataset:
    """Points and targets of one data set; n points of d features."""

    id: str
    """As in the registry"""
    X: Points
    """(n, d) float64, (n, d) CSR of float64, or n strings"""
    y: np.ndarray
    """(n,) class codes 0..k-1 (int64), or real values (float64) when ``classes`` is empty"""
    classes: list[str]
    """Names of the classes in the order of their codes; empty for regression"""
    feature_names: list[str]
    """d names; empty for strings"""
    row_ids: list[str] | None = None
    """n names of the points, always text: "01" is not "1\""""
    partitions: list[Partition] | None = None
    """Given (train, test) row indices; a row may occur several times"""
    notes: list[str] = field(default_factory=list)
    """What was noticed or done while parsing, in words"""

    @property
    def rows(self) -> int:
        """Number of points."""
        return len(self.X) if isinstance(self.X, list) else self.X.shape[0]

    @property
    def kind(self) -> str:
        """How the points are kept: dense, csr or strings."""
        if isinstance(self.X, list):
            return "strings"
        return "dense" if isinstance(self.X, np.ndarray) else "csr"

    def take(self, order: np.ndarray) -> Dataset:
        """Return the points in another order, or some of them; needs no given partitions."""
        if self.partitions is not None:
            raise ValueError(f"{self.id}: rows with given partitions cannot be rearranged")
        chosen = [self.X[i] for i in order] if isinstance(self.X, list) else self.X[order]
        ids = None if self.row_ids is None else [self.row_ids[i] for i in order]
        return replace(self, X=chosen, y=self.y[order], row_ids=ids)
