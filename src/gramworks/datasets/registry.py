"""The registry of data sets: resources/datasets/{id}.yaml, and own/datasets/{id}.yaml of a user."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.plugins import load_module
from gramworks.errors import ConfigError, suggest
from gramworks.fields import validated
from gramworks.owndata.places import DATASETS as OWN
from gramworks.strict_yaml import load_yaml

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "datasets"
PUBLISHED_ONLY = {
    "yeast-mips": "the eight kernels of 3588 yeast proteins are not to be had; use yeast-networks, "
    "yeast-funcat or yeast-multilabel",
}
"""Data sets that published tables name and nobody can fetch, and what is near."""
# What describes a data set without shaping its arrays: editing it reruns nothing.
_DESCRIPTIVE = {"title", "papers", "licence", "citation", "caveats"}


def dataset_ids() -> list[str]:
    """List the registered data sets."""
    return list(_registered(FOLDER, os.stat(FOLDER).st_mtime_ns))


def own_ids() -> list[str]:
    """List the user's own data sets, in the folder one works in."""
    return _ids_in(OWN)


def _ids_in(folder: Path) -> list[str]:
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


@cache
def _registered(folder: Path, _modified: int) -> list[str]:
    return _ids_in(folder)


def load_entry(dataset: str) -> DatasetEntry:
    """Read one registry entry, or the entry of a data set of the user's own.

    Raises
    ------
    ConfigError
        When no such data set is registered (lists the valid ids), or its file is not valid.
    """
    if dataset in PUBLISHED_ONLY:
        raise ConfigError(
            f"data set {dataset!r} is known by its published numbers only: "
            f"{PUBLISHED_ONLY[dataset]}."
        )
    own = OWN / f"{dataset}.yaml"
    if dataset in own_ids():
        if dataset in dataset_ids():
            raise ConfigError(
                f"{own}: a data set {dataset!r} is registered already; give yours another id, with "
                "`gramworks new ... --name ID`."
            )
        return load_entry_file(own)
    if dataset not in dataset_ids():
        known = [*dataset_ids(), *own_ids()]
        raise ConfigError(f"no data set {dataset!r}; {suggest(dataset, known)}.")
    return load_entry_file(FOLDER / f"{dataset}.yaml")


def load_entry_file(path: str | Path) -> DatasetEntry:
    """Read a registry entry from any file; its name must be the entry's id.

    Raises
    ------
    ConfigError
        With the file, key, value found and what is allowed.
    """
    path = Path(path)
    return _load(path, path.stat().st_mtime_ns if path.exists() else 0)


@cache
def _load(path: Path, _modified: int) -> DatasetEntry:
    entry = validated(DatasetEntry, load_yaml(path), str(path))
    if entry.id != path.stem:
        raise ConfigError(
            f"{path}: id is {entry.id!r}, the file's name says {path.stem!r}; make them equal."
        )
    for number, source in enumerate(entry.sources):
        source_options(source, f"{path}: sources.{number}")
    return entry


def source_options(source: Source, where: str) -> BaseModel:
    """Validate the options of a source against its parser or generator.

    Raises
    ------
    ConfigError
        When there is no such parser or generator, or it knows no such option.
    """
    if source.kind == "generated":
        model = load_module("generators", source.generator).Parameters
        return validated(model, source.parameters, f"{where}.parameters")
    return validated(load_module("parsers", source.format).Options, source.options, where)


def entry_digest(dataset: str) -> str:
    """Return the SHA-256 of what shapes a data set's arrays.

    Comments, the order of keys, spellings such as 0.20 for 0.2, and descriptive keys (title,
    papers, licence, citation, caveats) do not change it.
    """
    values = load_entry(dataset).model_dump(mode="json", exclude=_DESCRIPTIVE)
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
