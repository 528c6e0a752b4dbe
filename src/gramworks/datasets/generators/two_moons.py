"""Two moons: two half circles that reach into each other, with noise."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.seeds import generator
from gramworks.errors import DataError
from gramworks.fields import Count, Number, StrictModel


class Parameters(StrictModel):
    """Parameters of `generator: two-moons`."""

    sizes: Annotated[list[Annotated[Count, Field(ge=1)]], Field(min_length=2, max_length=2)]
    """Points of the upper and of the lower moon."""
    noise: Annotated[Number, Field(ge=0)]
    """Standard deviation of what is added to each coordinate."""


def generate(entry: DatasetEntry, parameters: Parameters, seed: int) -> Dataset:
    """Draw (cos t, sin t) and (1 - cos t, 1/2 - sin t), t uniform on [0, pi], and add noise.

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
    if len(names) != 2 or len(entry.target.classes) != 2:
        raise DataError(
            f"data set {entry.id!r}: two-moons makes 2 columns and 2 classes, the registry names "
            f"{len(names)} and {len(entry.target.classes)}."
        )
    random = generator("two-moons", seed)
    y = random.permutation(np.repeat([0, 1], parameters.sizes)).astype(np.int64)
    t = np.pi * random.random(len(y))
    upper = np.column_stack([np.cos(t), np.sin(t)])
    moons = np.where(y[:, None] == 0, upper, np.array([1.0, 0.5]) - upper)
    X = moons + parameters.noise * random.standard_normal((len(y), 2))
    # Ten decimals, so that the last bit of a machine's functions does not change the checksum.
    return Dataset(entry.id, np.round(X, 10) + 0.0, y, list(entry.target.classes), names)
