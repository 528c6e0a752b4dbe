"""KEEL .dat files, with or without their header lines."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Literal

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.tables import Table, assemble, only_file
from gramworks.datasets.texts import read_text, without_comment
from gramworks.errors import DataError
from gramworks.fields import StrictModel


class Options(StrictModel):
    """Options of `format: keel`."""

    missing: list[str] = ["?", "<null>"]
    """Cells that stand for a missing value."""
    blanks: Literal["refuse", "merge", "keep"] = "refuse"
    """Labels that differ in surrounding blanks only: refuse, merge (told) or keep apart."""
    encoding: str = "utf-8-sig"


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Parse one KEEL file.

    ``@attribute``, ``@inputs`` and ``@outputs`` (any case), where they stand, must agree with the
    registry. ``%`` begins a comment, outside quotes.

    Raises
    ------
    DataError
        With file and line.
    """
    path = only_file(files, entry)
    attributes: list[str] = []
    roles: dict[str, list[str]] = {}
    rows, numbers = [], []
    for number, line in enumerate(read_text(path, encoding=options.encoding).splitlines(), 1):
        line = without_comment(line).rstrip()
        if not line:
            continue
        if line.lstrip().startswith("@"):
            if rows:
                raise DataError(f"{path}, line {number}: a header line after rows of data.")
            _header_line(path, number, line.strip(), attributes, roles)
            continue
        rows.append(_cells(path, number, line))
        numbers.append(number)
    _check_roles(path, entry, attributes, roles)
    table = Table(
        path, rows, numbers, attributes or None,
        missing=frozenset(options.missing), blanks=options.blanks,
    )  # fmt: skip
    return assemble(table, entry, source)


def _cells(path: Path, number: int, line: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return line.split(",")
    quote = "'" if "'" in line else '"'
    try:
        return next(csv.reader([line], quotechar=quote, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise DataError(f"{path}, line {number}: {error}.") from None


def _header_line(
    path: Path, number: int, line: str, attributes: list[str], roles: dict[str, list[str]]
) -> None:
    word, _, rest = line[1:].partition(" ") if "\t" not in line else line[1:].partition("\t")
    word, rest = word.lower(), rest.strip()
    if word == "attribute":
        match = re.match(r"'([^']+)'|\"([^\"]+)\"|([^\s{\[]+)", rest)
        if not match:
            raise DataError(f"{path}, line {number}: @attribute without a name.")
        attributes.append(next(part for part in match.groups() if part))
    elif word in ("input", "inputs", "output", "outputs"):
        names = [name.strip().strip("'\"") for name in rest.split(",")]
        roles[word.rstrip("s")] = [name for name in names if name]
    elif word not in ("relation", "data"):
        raise DataError(
            f"{path}, line {number}: header word @{word} is not known; allowed are @relation, "
            "@attribute, @inputs, @outputs, @data."
        )


def _check_roles(
    path: Path, entry: DatasetEntry, attributes: list[str], roles: dict[str, list[str]]
) -> None:
    if roles.get("output", [entry.target.name]) != [entry.target.name]:
        raise DataError(
            f"{path}: @outputs says {roles['output']}, the registry's target is "
            f"{entry.target.name!r}; correct target.name."
        )
    features = [feature.name for feature in entry.features()]
    if "input" in roles and set(roles["input"]) != set(features):
        raise DataError(
            f"{path}: @inputs says {roles['input']}, the registry's columns are {features}."
        )
    if attributes and len(set(attributes)) < len(attributes):
        raise DataError(f"{path}: an @attribute is declared twice: {attributes}.")
