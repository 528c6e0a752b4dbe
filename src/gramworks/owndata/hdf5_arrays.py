"""Arrays of HDF5 files, MATLAB 7.3 among them, found without following a link out of the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.matlab_cells import Refused, hdf5_cells, is_cell, is_object

LARGEST = 2 << 30
"""Bytes of one array beyond which a file is refused, whatever it states."""


def walk_hdf5(
    path: Path, *, transposed: bool
) -> Iterator[tuple[str, np.ndarray | list[str] | Refused]]:
    """Give the arrays of an HDF5 file, never following a link out of it.

    MATLAB 7.3 keeps its columns as rows.
    """
    import h5py

    seen: set[tuple[int, int]] = set()

    def is_new(item) -> bool:
        """Whether it was not met under another name: hard links may go in circles."""
        info = h5py.h5o.get_info(item.id)
        place = (info.fileno, info.addr)
        known = place in seen
        seen.add(place)
        return not known

    def walk(group, prefix: str, depth: int = 0):
        for key in group if depth < 8 else ():
            link = group.get(key, getlink=True)
            if key.startswith("#") or not isinstance(link, h5py.HardLink):
                continue
            item = group[key]
            if not is_new(item):
                continue
            if isinstance(item, h5py.Group):
                yield from walk(item, f"{prefix}{key}/", depth + 1)
            elif not (item.is_virtual or item.external):
                yield f"{prefix}{key}", item

    with h5py.File(path, "r", locking=False) as file:
        is_new(file)
        for name, item in walk(file, ""):
            if item.size * 8 > LARGEST or item.nbytes > 1100 * max(item.id.get_storage_size(), 1):
                raise DataError(f"{path}: {name!r} states an implausible size {item.shape}.")
            if transposed and is_object(item):
                yield name, Refused("is a MATLAB object, such as a string or a table")
                continue
            if transposed and is_cell(item):
                yield name, hdf5_cells(file, item)
                continue
            text = h5py.check_string_dtype(item.dtype) is not None
            if text and item.ndim == 1:
                yield name, list(item.asstr()[()])
            elif item.dtype.kind in "biuf" and item.ndim in (1, 2) and item.size:
                yield name, item[()].T if transposed else item[()]
