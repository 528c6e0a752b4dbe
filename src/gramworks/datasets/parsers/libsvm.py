"""LIBSVM's sparse text: ``label index:value index:value ... # comment``."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Literal

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.label_codes import whole_number_codes
from gramworks.datasets.tables import only_file
from gramworks.datasets.texts import read_text
from gramworks.errors import DataError
from gramworks.fields import StrictModel

_NUMBER = r"[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{1,9})?"
_LINE = re.compile(rf"\s*({_NUMBER})((?:\s+\d{{1,9}}:{_NUMBER})*)\s*", re.ASCII)


class Options(StrictModel):
    """Options of `format: libsvm`."""

    first_index: Literal[0, 1] = 1
    """Number of the first feature."""
    dense: bool = False
    """Whether the points become a dense array."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Read one file with scikit-learn's reader, each line looked at first.

    Raises
    ------
    DataError
        With file and line: a line of another form, indices that do not rise or lie outside the
        registry's columns, a label that is not declared.
    """
    from sklearn.datasets import load_svmlight_file

    path = only_file(files, entry)
    text = read_text(path)
    names = [feature.name for feature in entry.features()]
    check_lines(path, text, options.first_index, len(names))
    X, labels = load_svmlight_file(
        io.BytesIO(text.encode()), n_features=len(names), zero_based=options.first_index == 0
    )
    if not np.isfinite(X.data).all() or not np.isfinite(labels).all():
        raise DataError(f"{path}: has values that are not finite numbers.")
    y = labels
    if entry.target.classes:
        y = whole_number_codes(path, entry, source, labels)
    X = _csr(X)
    return Dataset(
        entry.id, X.toarray() if options.dense else X, y, list(entry.target.classes), names
    )


def _csr(matrix):
    from scipy.sparse import csr_array

    points = csr_array(matrix)
    points.eliminate_zeros()
    return points


def check_lines(path: Path, text: str, first: int, columns: int) -> None:
    """Check each line of a file, its features numbered from ``first``, ``columns`` at most.

    Raises
    ------
    DataError
        With file and line.
    """
    rows = 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.partition("#")[0]
        if not line.strip():
            continue
        rows += 1
        match = _LINE.fullmatch(line)
        if not match:
            raise DataError(
                f"{path}, line {number}: {line.strip()[:60]!r} is not `label index:value ...` "
                "(labels and values are numbers)."
            )
        indices = [int(pair.partition(":")[0]) for pair in match[2].split()]
        if any(b <= a for a, b in zip(indices, indices[1:], strict=False)):
            raise DataError(f"{path}, line {number}: indices do not rise.")
        if indices and not first <= indices[0] <= indices[-1] < first + columns:
            bad = indices[0] if indices[0] < first else indices[-1]
            raise DataError(
                f"{path}, line {number}: index {bad}, {first} to {first + columns - 1} are "
                "allowed; look at the columns of the entry and the option `first_index`."
            )
    if not rows:
        raise DataError(f"{path}: there are no rows of data in it.")
