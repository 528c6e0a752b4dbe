"""What a method learned once for all draws: named arrays in one HDF5 file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gramworks.hdf5 import atomic, opened, write_array, write_json


def write_shared(path: str | Path, arrays: dict[str, np.ndarray], provenance: dict) -> None:
    """Write a method's arrays (see `read_shared`)."""
    with atomic(path, "shared") as file:
        group = file.create_group("arrays")
        for name, array in arrays.items():
            write_array(group, name, np.asarray(array))
        write_json(file, "provenance", provenance)


def read_shared(path: str | Path) -> dict[str, np.ndarray]:
    """Read a method's arrays, read-only.

    Raises
    ------
    FileDamaged
        Names the file and the command that rebuilds it.
    """
    with opened(path, "shared") as file:
        arrays = {name: item[()] for name, item in file["arrays"].items()}
    for array in arrays.values():
        array.setflags(write=False)
    return arrays
