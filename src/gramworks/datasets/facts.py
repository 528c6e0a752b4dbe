"""Facts that identify a parsed data set, row order included."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import Dataset, Points, kind_of
from gramworks.datasets.entry import DatasetEntry, Facts, ViewFacts
from gramworks.errors import DataError


def facts_of(dataset: Dataset) -> Facts:
    """State the facts of a parsed data set."""
    return Facts(
        rows=dataset.rows,
        unlabelled=0 if dataset.unlabelled is None else int(dataset.unlabelled.sum()),
        columns=None if dataset.kind == "strings" else dataset.X.shape[1],
        classes=dict(zip(dataset.classes, _counts(dataset), strict=True)),
        partitions=dict(
            sorted(Counter(len(train) for train, _ in dataset.partitions or ()).items())
        ),
        views={name: _view_facts(dataset.views[name]) for name in sorted(dataset.views)},
        checksum=checksum(dataset),
    )


def _counts(dataset: Dataset) -> list[int]:
    if dataset.task == "multilabel":
        return dataset.y.sum(axis=0, dtype=np.int64).tolist()
    codes = dataset.groups if dataset.task == "structured" else dataset.y
    if dataset.unlabelled is not None:
        codes = codes[~dataset.unlabelled]
    return np.bincount(codes, minlength=len(dataset.classes)).tolist() if dataset.classes else []


def _view_facts(view: Points) -> ViewFacts:
    kind = kind_of(view)
    return ViewFacts(
        columns=None if kind == "strings" else view.shape[1],
        nonzeros=int(view.nnz) if kind == "csr" else None,
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
