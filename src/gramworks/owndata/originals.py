"""Whether the user's files have changed since `gramworks new` read them."""

from __future__ import annotations

from pathlib import Path

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Original
from gramworks.datasets.kept_files import sha256_of
from gramworks.errors import ConfigError


def describe_original(path: Path) -> Original:
    """State where a file is, its size and its SHA-256."""
    path = path.resolve()
    return Original(path=str(path), sha256=sha256_of(path), bytes=path.stat().st_size)


def check_originals(entry: DatasetEntry) -> None:
    """Compare the files of an own data set with what they were.

    A file that is no longer there does not matter, since its table is kept.

    Raises
    ------
    ConfigError
        One has other bytes: names it, and the command that reads it again.
    """
    for source in entry.sources:
        for original in source.originals if source.kind == "own" else ():
            path = Path(original.path)
            if not path.is_file():
                continue
            same = path.stat().st_size == original.bytes and sha256_of(path) == original.sha256
            if not same:
                raise ConfigError(
                    f"data set {entry.id!r}: {path} has changed since `gramworks new` read it. "
                    f"Read it again with `gramworks new --update {entry.id}`, or put the former "
                    "file back."
                )
