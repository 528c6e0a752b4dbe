"""Two Gaussian clusters in the plane, each with its own covariance."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.seeds import generator
from gramworks.errors import DataError
from gramworks.fields import Count, Number, StrictModel


class Cluster(StrictModel):
    """One cluster."""

    size: Annotated[Count, Field(ge=1)]
    mean: Annotated[list[Number], Field(min_length=2, max_length=2)]
    deviations: Annotated[list[Annotated[Number, Field(gt=0)]], Field(min_length=2, max_length=2)]
    """Standard deviations of the two coordinates."""
    correlation: Annotated[Number, Field(gt=-1, lt=1)] = 0.0


class Parameters(StrictModel):
    """Parameters of `generator: two-gaussians`."""

    clusters: Annotated[list[Cluster], Field(min_length=2)]

    @model_validator(mode="after")
    def _apart(self) -> Parameters:
        means = [tuple(cluster.mean) for cluster in self.clusters]
        if len(set(means)) < len(means):
            raise ValueError("two clusters have the same mean")
        return self


def generate(entry: DatasetEntry, parameters: Parameters, seed: int) -> Dataset:
    """Draw the clusters; the class of a point is its cluster.

    Parameters
    ----------
    entry : DatasetEntry
        Gives the names of classes and columns.
    parameters : Parameters
    seed : int

    Returns
    -------
    Dataset
        X (n, 2), rows in random order.
    """
    names = [feature.name for feature in entry.features()]
    if len(names) != 2 or len(entry.target.classes) != len(parameters.clusters):
        raise DataError(
            f"data set {entry.id!r}: two-gaussians makes 2 columns and "
            f"{len(parameters.clusters)} classes, the registry names {len(names)} and "
            f"{len(entry.target.classes)}."
        )
    random = generator("two-gaussians", seed)
    sizes = [cluster.size for cluster in parameters.clusters]
    y = random.permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(np.int64)
    noise = random.standard_normal((len(y), 2))
    X = np.empty_like(noise)
    for code, cluster in enumerate(parameters.clusters):
        r = cluster.correlation
        mixing = np.array([[1.0, 0.0], [r, np.sqrt(1 - r * r)]])
        X[y == code] = cluster.mean + (noise[y == code] @ mixing.T) * cluster.deviations
    # Ten decimals, so that the last bit of a machine's functions does not change the checksum.
    return Dataset(entry.id, np.round(X, 10) + 0.0, y, list(entry.target.classes), names)
