"""Facts that identify a parsed data set, row order included."""

from __future__ import annotations

import numpy as np

from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry, Facts
from gramworks.errors import DataError


def facts_of(dataset: Dataset) -> Facts:
    """State the facts of a parsed data set."""
    counts = np.bincount(dataset.y, minlength=len(dataset.classes)) if dataset.classes else []
    return Facts(
        rows=dataset.rows,
        columns=None if dataset.kind == "strings" else dataset.X.shape[1],
        classes={c: int(k) for c, k in zip(dataset.classes, counts, strict=True)},
        partitions=len(dataset.partitions) if dataset.partitions is not None else None,
        checksum=checksum(dataset),
    )


def check_facts(entry: DatasetEntry, dataset: Dataset) -> None:
    """Compare a parsed data set with the facts of its registry entry.

    Raises
    ------
    DataError
        Naming the first facts that differ, found and expected. The files are then damaged, rounded,
        in another order, or another version.
    """
    if entry.facts is None:
        raise DataError(
            f"data set {entry.id!r} states no facts; look at what "
            f"`python -m gramworks.datasets.state_facts {entry.id}` says, and add it to the entry."
        )
    found = facts_of(dataset)
    wrong = [
        f"{name}: found {getattr(found, name)}, expected {getattr(entry.facts, name)}"
        for name in Facts.model_fields
        if getattr(found, name) != getattr(entry.facts, name)
    ]
    if wrong:
        raise DataError(
            f"data set {entry.id!r} is not the one its registry entry describes: "
            f"{'; '.join(wrong)}. Its values, their precision or the order of its rows differ; "
            "remove the file and fetch it again, or register it under another id."
        )
