"""Files that stand for a result that could not be made, with the reason.

One data set that cannot be fetched, or one Gram matrix that is refused, must not end a run. The
stage writes an absent file instead, stages that read it write one in turn, and `fit` writes rows
with the reason. It is HDF5 like the result it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import h5py

from gramworks.hdf5 import atomic, damaged, opened, read_json, write_json


@dataclass(frozen=True)
class Absent:
    """Why a result is not there."""

    status: str
    """failed or skipped, as in score rows"""
    kind: str
    """A typed reason for the report, such as source-unreachable or gram-refused"""
    reason: str
    """In words"""


def write_absent(path: str | Path, absent: Absent) -> None:
    """Write a file that stands for a missing result."""
    with atomic(path, "absent") as file:
        write_json(file, "absent", vars(absent))


def read_absent(path: str | Path) -> Absent | None:
    """Return why a file stands for a missing result, None when it is a result."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            found = file.attrs.get("format")
    except (OSError, KeyError, RuntimeError, ValueError, TypeError):
        return None  # damaged: the reader of the result itself says so, with the file's name
    if found not in (b"gramworks-absent", "gramworks-absent"):
        return None
    with opened(path, "absent") as file:
        stated = read_json(file, "absent")
    try:
        return Absent(**stated)
    except TypeError as error:
        raise damaged(path, f"does not hold a reason ({error})") from None


def first_absent(paths: Iterable[str | Path]) -> Absent | None:
    """Return the first reason found among input files, None when all are results."""
    return next((found for path in paths if (found := read_absent(path))), None)
