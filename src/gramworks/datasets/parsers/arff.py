"""ARFF tables: nominal columns, missing values, several labels, hierarchical labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from gramworks.datasets.arff_text import GAP, ArffText, read_arff
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.label_paths import top_labels
from gramworks.datasets.tables import Table, assemble
from gramworks.errors import DataError, suggest
from gramworks.fields import Count, StrictModel


class Options(StrictModel):
    """Options of `format: arff`."""

    partition: bool = False
    """Whether the first file is the training and the second the test set."""
    level: Annotated[Count, Field(ge=1)] = 1
    """How many steps of a hierarchical label path make a label."""
    blanks: Literal["refuse", "merge", "keep"] = "refuse"
    """Labels that differ in surrounding blanks only: refuse, merge (told) or keep apart."""
    encoding: str = "utf-8-sig"


@dataclass
class _Files(Table):
    """Rows of several files, one below the other."""

    starts: list[tuple[int, Path]] = field(default_factory=list)
    """Number of the first row of each file."""

    def at(self, row: int) -> str:
        path = [path for start, path in self.starts if start <= row][-1]
        return f"{path}, line {self.lines[row]}"


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse one ARFF file, or several with equal headers, one below the other.

    A hierarchical attribute in the layout's place of ``labels`` becomes one column of zeros and
    ones a label.

    Raises
    ------
    DataError
        With file and line; also when the files differ in their headers, or declare another type
        or other values than the registry.
    """
    parts = [read_arff(path, encoding=options.encoding) for path in files]
    for part in parts[1:]:
        if part.attributes != parts[0].attributes:
            raise DataError(f"{part.path}: other attributes than {parts[0].path.name} declares.")
    _check_types(parts[0], entry)
    starts = np.cumsum([0, *(len(part.rows) for part in parts)]).tolist()
    table = _Files(
        parts[0].path,
        [row for part in parts for row in part.rows],
        [line for part in parts for line in part.lines],
        [attribute.name for attribute in parts[0].attributes],
        missing=frozenset({GAP}),
        blanks=options.blanks,
        starts=list(zip(starts, files, strict=False)),
    )
    _spread_hierarchy(table, parts[0], entry, options.level)
    dataset = assemble(table, entry, source)
    if not options.partition:
        return dataset
    if len(parts) != 2 or dataset.rows != starts[-1]:
        raise DataError(
            f"data set {entry.id!r}: a partition needs two files (train, test) with complete rows."
        )
    split = np.arange(starts[1]), np.arange(starts[1], starts[2])
    return replace(dataset, partitions=[split])


def _check_types(part: ArffText, entry: DatasetEntry) -> None:
    declared = {attribute.name: attribute for attribute in part.attributes}
    for feature in entry.features():
        found = declared.get(feature.name)
        if found is None:
            raise DataError(
                f"{part.path}: no attribute {feature.name!r}; {suggest(feature.name, declared)}."
            )
        if found.type not in ("nominal" if feature.values else "numeric", "string"):
            raise DataError(
                f"{part.path}: attribute {feature.name!r} is {found.type}, the registry says "
                f"{'nominal' if feature.values else 'numeric'}."
            )
        if found.type == "nominal" and set(found.values) != set(feature.values):
            raise DataError(
                f"{part.path}: attribute {feature.name!r} has the values {list(found.values)}, "
                f"the registry says {feature.values}."
            )


def _spread_hierarchy(table: Table, part: ArffText, entry: DatasetEntry, level: int) -> None:
    """Put one column a label in the place of a hierarchical attribute."""
    places = [i for i, a in enumerate(part.attributes) if a.type == "hierarchical"]
    if not places:
        return
    (place,) = places if len(places) == 1 else (None,)
    if place is None or entry.task != "multilabel":
        raise DataError(
            f"{part.path}: hierarchical attributes: {len(places)}; one is allowed, and the task "
            f"is then multilabel, not {entry.task}."
        )
    names = entry.target.labels or {c: c for c in entry.target.classes}
    table.header[place : place + 1] = entry.target.classes
    for i, row in enumerate(table.rows):
        has = {names.get(label, label) for label in top_labels(row[place], level)}
        strangers = has - set(entry.target.classes) - {GAP}
        if strangers:
            raise DataError(f"{table.at(i)}: labels {sorted(strangers)} are not declared.")
        absent = GAP if GAP in has else "0"
        row[place : place + 1] = ["1" if c in has else absent for c in entry.target.classes]
