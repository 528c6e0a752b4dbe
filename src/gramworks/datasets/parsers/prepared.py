"""Tables that `gramworks new` has read and looked at, as `gramworks.datasets.store` keeps them."""

from __future__ import annotations

import re
from pathlib import Path

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.store import read_dataset
from gramworks.datasets.tables import only_file
from gramworks.errors import DataError, FileDamaged
from gramworks.fields import StrictModel


class Options(StrictModel):
    """Options of `format: prepared`: none."""


def read(files: list[Path], entry: DatasetEntry, source: Source, options: Options) -> Dataset:
    """Read one file.

    Raises
    ------
    DataError
        When it is damaged, or holds another data set than the entry.
    """
    again = f"run `gramworks new --update {entry.id}`"
    try:
        dataset = read_dataset(only_file(files, entry))
    except FileDamaged as error:
        # what mends results of the workflow does not mend a table that `gramworks new` wrote
        fault = re.split(r"\. (?:Rebuild|Make) it with", str(error))[0]
        raise DataError(f"data set {entry.id!r}: {fault}; {again}.") from error
    if dataset.id != entry.id or dataset.classes != list(entry.target.classes):
        raise DataError(
            f"data set {entry.id!r}: {files[0]} holds {dataset.id!r} with the classes "
            f"{dataset.classes}; {again}."
        )
    return dataset
