"""Orange's tables of labelled texts: one document a line, its class and its text."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.terms import Terms, weigh
from gramworks.datasets.texts import read_text
from gramworks.errors import DataError, suggest
from gramworks.fields import StrictModel


class Options(StrictModel):
    """Options of `format: orange_text`."""

    terms: Terms
    partition: bool = False
    """Whether the first file is the training and the second the test set."""
    encoding: str = "utf-8-sig"


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse .tab files of one class column and one text column, one below the other.

    Returns
    -------
    Dataset
        X (n, d) CSR of the weights of the terms of all files together; lines without text and
        class are no rows.

    Raises
    ------
    DataError
        With file and line: other columns, an undeclared class.
    """
    names = source.labels or entry.target.labels or {c: c for c in entry.target.classes}
    codes = {label: entry.target.classes.index(name) for label, name in names.items()}
    texts: list[str] = []
    y: list[int] = []
    ends = [0]
    left_out = 0
    for path in files:
        for line, label, text in _documents(path, entry.target.name, options.encoding):
            if label not in codes:
                if entry.target.others == "refuse":
                    raise DataError(
                        f"{path}, line {line}: label {label[:80]!r} is not declared; "
                        f"{suggest(label[:80], codes)}."
                    )
                left_out += 1
                continue
            texts.append(text)
            y.append(codes[label])
        ends.append(len(texts))
    X, features = weigh(texts, options.terms, str(files[0]))
    notes = [f"{left_out} rows of other classes left out"] if left_out else []
    empty = int((np.diff(X.indptr) == 0).sum())
    if empty:
        notes.append(f"{empty} documents without any term are zero rows")
    partitions = None
    if options.partition:
        if len(files) != 2:
            raise DataError(
                f"data set {entry.id!r}: a partition needs two files (train, test), "
                f"{len(files)} are stated."
            )
        partitions = [(np.arange(ends[1]), np.arange(ends[1], ends[2]))]
    return Dataset(
        entry.id, X, np.array(y, dtype=np.int64), list(entry.target.classes), features,
        partitions=partitions, notes=notes,
    )  # fmt: skip


def _documents(path: Path, target: str, encoding: str):
    """Yield (line number, class, text)."""
    # Only line feeds end a line: a text may hold the other separators of Unicode.
    lines = read_text(path, encoding=encoding).split("\n")
    header = [[cell.strip() for cell in line.split("\t")] for line in lines[:3]]
    columns = sorted(itertools.zip_longest(*header, fillvalue=""))
    if columns != sorted([(target, "d", "class"), ("Text", "string", "")]):
        raise DataError(
            f"{path}: the header says {str(header)[:200]}; expected are the columns {target!r} "
            "(d, class) and 'Text' (string)."
        )
    label_at = header[0].index(target)
    for number, line in enumerate(lines[3:], 4):
        cells = line.removesuffix("\r").split("\t")
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != 2:
            raise DataError(f"{path}, line {number}: {len(cells)} cells, expected 2.")
        yield number, cells[label_at].strip(), cells[1 - label_at]
