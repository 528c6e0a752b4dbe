"""A user's own table, as `gramworks new` read it: a file of the folder `own/`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gramworks.datasets.entry_sources import Own
from gramworks.datasets.kept_files import NotObtained, is_kept, keep
from gramworks.owndata.places import DATASETS


def available(source: Own, folder: Path) -> bool:
    """Whether the table is kept, or lies where `gramworks new` put it."""
    return all(is_kept(folder, file) or is_kept(DATASETS, file) for file in source.files)


def obtain(source: Own, folder: Path, log: Callable[[str], None]) -> None:
    """Copy the table to the raw folder.

    Raises
    ------
    NotObtained
        When it is not there, or has changed.
    """
    for file in source.files:
        if is_kept(folder, file):
            continue
        path = DATASETS / file.name
        if not path.is_file():
            raise NotObtained(f"{path} is not there; run `gramworks new --update {folder.name}`")
        keep(path.read_bytes(), folder, file)
        log(f"{path} copied")
