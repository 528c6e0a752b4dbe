"""Labels of binary files, which are numbers, to class codes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.errors import DataError, suggest


def whole_number_codes(
    path: Path, entry: DatasetEntry, source: Source, labels: np.ndarray
) -> np.ndarray:
    """Turn labels that are whole numbers, such as -1 and 1, into class codes.

    Parameters
    ----------
    path : Path
        For messages.
    entry, source
        Say which label is which class.
    labels : (n,) array of numbers

    Returns
    -------
    (n,) int64

    Raises
    ------
    DataError
        When a label is not a whole number or not declared; with its row.
    """
    names = source.labels or entry.target.labels or {c: c for c in entry.target.classes}
    if labels.dtype.kind == "f" and not (labels == np.rint(labels)).all():
        raise DataError(f"{path}: labels are not whole numbers.")
    codes = {label: entry.target.classes.index(name) for label, name in names.items()}
    y = np.empty(len(labels), dtype=np.int64)
    for row, label in enumerate(labels.astype(np.int64).tolist()):
        if str(label) not in codes:
            raise DataError(
                f"{path}: row {row + 1} has the label {label}; {suggest(label, codes)}."
            )
        y[row] = codes[str(label)]
    return y
