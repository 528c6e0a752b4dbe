"""Breiman's two-norm: two normal distributions of unit covariance in d dimensions.

L. Breiman, Bias, variance and arcing classifiers, technical report 460, Statistics Department,
University of California, Berkeley (1996).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.seeds import generator
from gramworks.errors import DataError
from gramworks.fields import Count, StrictModel


class Parameters(StrictModel):
    """Parameters of `generator: two-norm`."""

    sizes: Annotated[list[Annotated[Count, Field(ge=1)]], Field(min_length=2, max_length=2)]
    """Points of the first class (mean +a) and of the second (mean -a)."""
    dimensions: Annotated[Count, Field(ge=1)] = 20


def generate(entry: DatasetEntry, parameters: Parameters, seed: int) -> Dataset:
    """Draw the two classes, N(a, I) and N(-a, I) with a = 2/sqrt(d) in every coordinate.

    Parameters
    ----------
    entry : DatasetEntry
        Gives the names of classes and columns.
    parameters : Parameters
    seed : int

    Returns
    -------
    Dataset
        X (n, d), rows in random order.
    """
    d = parameters.dimensions
    names = [feature.name for feature in entry.features()]
    if len(names) != d or len(entry.target.classes) != 2:
        raise DataError(
            f"data set {entry.id!r}: two-norm makes {d} columns and 2 classes, the registry names "
            f"{len(names)} and {len(entry.target.classes)}."
        )
    random = generator("two-norm", seed)
    y = random.permutation(np.repeat([0, 1], parameters.sizes)).astype(np.int64)
    a = 2.0 / np.sqrt(d)
    X = random.standard_normal((len(y), d)) + np.where(y == 0, a, -a)[:, None]
    # Ten decimals, so that the last bit of a machine's log and exp does not change the checksum.
    return Dataset(entry.id, np.round(X, 10), y, list(entry.target.classes), names)
