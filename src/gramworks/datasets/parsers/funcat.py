"""FunCat sets of yeast: the same genes from several sources, in ARFF files without gene names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from gramworks.datasets.arff_text import GAP, ArffText, read_arff
from gramworks.datasets.cells import encode_feature
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry, Feature
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.label_paths import label_paths, top_labels
from gramworks.datasets.row_alignment import align
from gramworks.datasets.tables import Table
from gramworks.errors import DataError
from gramworks.fields import Count, Name, StrictModel, Unique


class Options(StrictModel):
    """Options of `format: funcat`."""

    main: Name
    """Source whose rows the others are aligned with, and whose features are X."""
    complete: Annotated[list[Name], Unique]
    """Views that every kept gene has."""
    partial: Annotated[list[Name], Unique] = []
    """Views of nominal attributes that genes may lack; such genes have zeros in them."""
    parts: Annotated[list[Name], Field(min_length=2), Unique]
    """Blocks of rows; the last one is the test set of the given partition."""
    file: str = "{source}_FUN.{part}.arff"
    level: Annotated[Count, Field(ge=1)] = 1
    """How many steps of a label path make a label."""

    @model_validator(mode="after")
    def _apart(self) -> Options:
        names = [self.main, *self.complete, *self.partial]
        if len(set(names)) < len(names):
            raise ValueError("a source stands more than once among main, complete and partial")
        return self


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Read all sources, align their rows by their label sets, and keep what is certain.

    Rows of the main source without a certain partner in each complete view are left out; so are
    rows of a view whose partner is not certain. Missing values become the column's mean over the
    kept genes, or its most frequent value where it is nominal; nominal columns are one-hot.

    Raises
    ------
    DataError
        With file and line; or when a file is not there, labels are not declared, or no row is
        left.
    """
    paths = {path.name: path for path in files}
    sources = (options.main, *options.complete, *options.partial)
    texts = {
        (name, part): _read(paths, options.file.format(source=name, part=part), entry)
        for name in sources
        for part in options.parts
    }
    notes: list[str] = []
    kept: list[tuple[str, int]] = []
    partner: dict[str, dict[tuple[str, int], tuple[str, int]]] = {s: {} for s in sources}
    for part in options.parts:
        for name in sources[1:]:
            places = align(_keys(texts[name, part]), _keys(texts[options.main, part]))
            for row in np.flatnonzero(places >= 0).tolist():
                partner[name][part, int(places[row])] = part, row
            if (places < 0).any():
                notes.append(
                    f"{name}, {part}: of {len(places)} rows {int((places == -1).sum())} have no "
                    f"partner, {int((places == -2).sum())} no certain one; left out"
                )
        rows = ((part, row) for row in range(len(texts[options.main, part].rows)))
        kept += [gene for gene in rows if all(gene in partner[s] for s in options.complete)]
    partner[options.main] = {gene: gene for gene in kept}
    if not kept:
        raise DataError(f"data set {entry.id!r}: no row has a partner in every complete source.")
    blocks = {}
    for name in sources:
        present = [i for i, gene in enumerate(kept) if gene in partner[name]]
        names, values = _encoded(texts, name, [partner[name][kept[i]] for i in present])
        blocks[name] = np.zeros((len(kept), values.shape[1]))
        blocks[name][present] = values
        if name == options.main:
            features = names
        if len(present) < len(kept):
            notes.append(f"{name}: {len(present)} of {len(kept)} genes, zeros for the others")
    train = np.array([part != options.parts[-1] for part, _ in kept])
    return Dataset(
        entry.id,
        blocks.pop(options.main),
        _labels(entry, [texts[options.main, part].rows[row][-1] for part, row in kept], options),
        list(entry.target.classes),
        features,
        row_ids=[f"{part}-{row + 1}" for part, row in kept],
        partitions=[(np.flatnonzero(train), np.flatnonzero(~train))],
        notes=notes,
        views=blocks,
    )


def _read(paths: dict[str, Path], name: str, entry: DatasetEntry) -> ArffText:
    if name not in paths:
        raise DataError(f"data set {entry.id!r}: the source has no file {name!r}.")
    text = read_arff(paths[name])
    if text.attributes[-1].type != "hierarchical":
        raise DataError(f"{paths[name]}: the last attribute is not hierarchical.")
    return text


def _keys(text: ArffText) -> list[frozenset[str]]:
    return [label_paths(row[-1]) for row in text.rows]


def _encoded(
    texts: dict[tuple[str, str], ArffText], name: str, genes: Sequence[tuple[str, int]]
) -> tuple[list[str], np.ndarray]:
    """Turn the cells of some genes of one source into numbers."""
    own = [text for (source, _), text in texts.items() if source == name]
    attributes = own[0].attributes[:-1]
    for text in own[1:]:
        if text.attributes[:-1] != attributes:
            raise DataError(f"{text.path}: other attributes than {own[0].path.name} declares.")
    rows = [texts[name, part].rows[row] for part, row in genes]
    lines = [texts[name, part].lines[row] for part, row in genes]
    table = Table(own[0].path, rows, lines, missing=frozenset({GAP}))
    names: list[str] = []
    columns: list[np.ndarray] = []
    everyone = np.arange(len(rows))
    for cells, attribute in zip(zip(*rows, strict=True), attributes, strict=False):
        values = [value for value in attribute.values if value != GAP]
        feature = Feature(attribute.name, values, True)
        for column, numbers in encode_feature(table, attribute.name, feature, cells, everyone):
            names.append(column)
            columns.append(numbers)
    return names, np.column_stack(columns)


def _labels(entry: DatasetEntry, cells: list[str], options: Options) -> np.ndarray:
    codes = {label: code for code, label in enumerate(entry.target.classes)}
    y = np.zeros((len(cells), len(codes)), dtype=np.int8)
    for row, cell in enumerate(cells):
        for label in top_labels(cell, options.level):
            if label not in codes:
                raise DataError(f"data set {entry.id!r}: label {label!r} is not declared.")
            y[row, codes[label]] = 1
    return y
