"""From raw files to a checked data set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.facts import check_facts
from gramworks.datasets.kept_files import is_kept
from gramworks.datasets.plugins import load_module, module_name
from gramworks.datasets.registry import source_options
from gramworks.datasets.sources import MANIFEST, damaged_raw, is_available, read_manifest
from gramworks.errors import DataError


def parse(entry: DatasetEntry, folder: str | Path) -> Dataset:
    """Parse the files that `gramworks.datasets.sources.fetch` left in a folder.

    Parameters
    ----------
    entry : DatasetEntry
    folder : path
        ``data/raw/{dataset}``.

    Returns
    -------
    Dataset
        Equal to the facts of its registry entry.

    Raises
    ------
    FileDamaged
        When raw files are missing or changed, or the manifest does not fit: they are to be
        fetched again, the data themselves are not at fault.
    DataError
        When they cannot be parsed (file and line), or a fact differs (which, found and expected).
    """
    dataset = parse_unchecked(entry, folder)
    check_facts(entry, dataset)
    return dataset


def parse_unchecked(entry: DatasetEntry, folder: str | Path) -> Dataset:
    """Parse without looking at the facts, to state them for a new data set."""
    folder = Path(folder)
    source = _source_in(entry, folder)
    dataset = parse_source(entry, source, folder)
    return _sorted(dataset) if entry.sort else _with_blocks(entry, dataset)


def parse_source(entry: DatasetEntry, source: Source, folder: Path) -> Dataset:
    """Read the files of one source as they stand, or generate; no fact is looked at.

    Raises
    ------
    DataError
        When they cannot be parsed, or a given partition has an empty part.
    """
    options = source_options(source, f"data set {entry.id!r}")
    if source.kind == "generated":
        module = load_module("generators", source.generator)
        dataset = module.generate(entry, options, source.seed)
    else:
        module = load_module("parsers", source.format)
        files = [folder / file.name for file in source.files]
        dataset = module.read(files, entry, source, options)
    if any(not len(part) for pair in dataset.partitions or () for part in pair):
        raise DataError(f"data set {entry.id!r}: a given partition has an empty part.")
    return dataset


def parser_module(entry: DatasetEntry) -> str:
    """Name the parser or generator module of the preferred source.

    It is a root of the fingerprint. Later sources may have other parsers, but must give the same
    arrays to the bit, so that their code cannot change a result.
    """
    source = entry.sources[0]
    if source.kind == "generated":
        return module_name("generators", source.generator)
    return module_name("parsers", source.format)


def _source_in(entry: DatasetEntry, folder: Path) -> Source:
    """Find the source that the folder's manifest names, and check that its files are there."""
    path = folder / MANIFEST
    stated = read_manifest(path)
    if "source" not in stated:
        raise damaged_raw(path, f"names no source of data set {entry.id!r}")
    index = stated["source"]["index"]
    source = entry.sources[index] if index < len(entry.sources) else None
    if stated["dataset"] != entry.id or source is None or source.kind != stated["source"]["kind"]:
        raise damaged_raw(path, f"does not fit the registry entry of data set {entry.id!r}")
    bad = [file.name for file in source.files if not is_kept(folder, file)]
    if bad or not (source.files or is_available(source, folder)):
        raise damaged_raw(
            path,
            f"{', '.join(bad) or source.kind} in {folder} is missing or has changed since data set "
            f"{entry.id!r} was fetched",
        )
    return source


def _with_blocks(entry: DatasetEntry, dataset: Dataset) -> Dataset:
    """Add the views that the registry entry makes of features."""
    blocks: dict[str, list[str]] = {}
    for feature in entry.features():
        if feature.view:
            blocks.setdefault(feature.view, []).extend(feature.encoded)
    where = {name: i for i, name in enumerate(dataset.feature_names)}
    if any(name not in where for names in blocks.values() for name in names):
        raise DataError(f"data set {entry.id!r}: its views name features that it does not have.")
    made = {view: dataset.X[:, [where[n] for n in names]] for view, names in blocks.items()}
    return replace(dataset, views=dataset.views | made) if made else dataset


def _sorted(dataset: Dataset) -> Dataset:
    """Sort the rows by their first feature, then the second, ..., then the target."""
    if not isinstance(dataset.X, np.ndarray) or dataset.partitions is not None:
        raise DataError(
            f"data set {dataset.id!r}: only dense rows without given partitions can be sorted."
        )
    order = np.lexsort((dataset.y, *dataset.X.T[::-1]))
    return replace(dataset.take(order), notes=[*dataset.notes, "rows sorted lexicographically"])
