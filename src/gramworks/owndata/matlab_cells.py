"""Text in MATLAB files: cell arrays of names, read from the bytes and never through SciPy.

SciPy's compiled reader believes the sizes inside of cells. Here the same elements are read that
`gramworks.datasets.matlab_structure` checks: each lies within the bytes that are there.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gramworks.datasets.bounded import read_bounded
from gramworks.datasets.matlab_structure import (
    _COMPRESSED,
    LARGEST,
    _Element,
    _elements,
    _unpacked,
)
from gramworks.errors import DataError

if TYPE_CHECKING:
    import h5py

_CELL, _CHAR = 1, 4
_CLASSES = {
    1: "a cell array", 2: "a struct", 3: "an object", 4: "text", 5: "a sparse matrix",
    **dict.fromkeys(range(6, 16), "numbers"),
}  # fmt: skip
_ENCODING = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
"""How the letters of an element are kept, by its type."""


@dataclass(frozen=True)
class Refused:
    """A cell array that is no list of names, and why."""

    reason: str


def matlab_cells(path: Path) -> dict[str, list[str] | Refused]:
    """Read the cell arrays of a MATLAB 5 file whose cells are all text.

    Parameters
    ----------
    path : Path
        A file that `gramworks.datasets.matlab_structure.check_structure` has passed.

    Returns
    -------
    dict of str to list of str or Refused
        By name; an empty cell is "". Cells that hold other cells, numbers or several lines, and
        matrices of cells, are refused.

    Raises
    ------
    DataError
        The inside of a cell is damaged.
    """
    data = read_bounded(path, LARGEST)
    order = {b"IM": "<", b"MI": ">"}[data[126:128]]
    found: dict[str, list[str] | Refused] = {}
    try:
        for element in _elements(memoryview(data)[128:], order, aligned=False):
            inside = _unpacked(element, order) if element.type == _COMPRESSED else element
            kind, shape, name, parts = _matrix(inside, order)
            if kind == _CELL:
                found[name] = _names(shape, parts, order)
    except (ValueError, zlib.error) as error:
        raise DataError(f"{path}: a cell array in it is damaged: {error}.") from None
    return found


def _matrix(element: _Element, order: str) -> tuple[int, list[int], str, list[_Element]]:
    """Part an array into its class, sizes, name and the elements of its content."""
    parts = list(_elements(element.data, order))
    if len(parts) < 3 or len(parts[0].data) != 8 or len(parts[1].data) % 4:
        raise ValueError("a cell does not begin with its flags, sizes and name")
    kind = int(np.frombuffer(parts[0].data, f"{order}u4")[0]) & 0xFF
    shape = [int(n) for n in np.frombuffer(parts[1].data, f"{order}i4")]
    return kind, shape, bytes(parts[2].data).decode("latin-1"), parts[3:]


def _names(shape: list[int], cells: list[_Element], order: str) -> list[str] | Refused:
    if len(shape) != 2 or min(shape) < 0 or len(cells) != shape[0] * shape[1]:
        raise ValueError(f"it states the sizes {shape[:4]} and has {len(cells)} cells")
    if not _is_vector(shape):
        return Refused(f"is a cell array of {shape[0]} x {shape[1]} cells, one a row is read")
    names = []
    for place, cell in enumerate(cells, 1):
        kind, inner, _, parts = _matrix(cell, order) if len(cell.data) else (_CHAR, [0, 0], "", [])
        size = int(np.prod(inner))
        if kind != _CHAR and size:
            return Refused(f"holds {_CLASSES.get(kind, 'something else')} in cell {place}")
        if kind == _CHAR and size and inner[0] != 1:
            return Refused(f"holds {inner[0]} lines of text in cell {place}")
        names.append(_text(parts, size, order) if size else "")
    return names


def _text(parts: list[_Element], letters: int, order: str) -> str:
    if len(parts) != 1 or parts[0].type not in _ENCODING:
        raise ValueError("text without letters, or of an unknown encoding")
    encoding = _ENCODING[parts[0].type]
    if encoding.startswith(("utf-16", "utf-32")):
        encoding += {"<": "-le", ">": "-be"}[order]
    text = bytes(parts[0].data).decode(encoding)
    units = len(text.encode("utf-16-le")) // 2  # MATLAB counts letters in units of UTF-16
    if letters not in (len(text), units):
        raise ValueError(f"text of {letters} letters has {len(text)}")
    return text


def hdf5_cells(file: h5py.File, item: h5py.Dataset) -> list[str] | Refused:
    """Read a cell array of a MATLAB 7.3 file, whose cells are references within the file.

    Raises
    ------
    ValueError
        A reference leads to nothing, or letters take more room than a file may.
    """
    if not _is_vector(item.shape):
        return Refused(f"is a cell array of {' x '.join(map(str, item.shape[::-1]))} cells")
    names, room = [], LARGEST
    for place, reference in enumerate(item[()].ravel(), 1):
        if not reference:
            raise ValueError(f"cell {place} leads to nothing")
        cell = file[reference]
        kind = _matlab_class(cell)
        if cell.attrs.get("MATLAB_empty", 0):
            names.append("")
            continue
        if kind != "char" or not hasattr(cell, "dtype") or cell.dtype.kind != "u":
            return Refused(f"holds {'a cell array' if kind == 'cell' else kind} in cell {place}")
        if cell.ndim != 2 or 1 not in (cell.shape[-1], cell.size):
            return Refused(f"holds {cell.shape[-1]} lines of text in cell {place}")
        room -= cell.nbytes
        if cell.is_virtual or cell.external or room < 0:
            raise ValueError(f"cell {place} states an implausible size {cell.shape}")
        units = cell[()].ravel().astype("<u2").tobytes()
        names.append(units.decode("utf-16-le", "replace"))
    return names


def is_cell(item: h5py.Dataset) -> bool:
    """Tell whether an item of a MATLAB 7.3 file is a cell array."""
    return _matlab_class(item) == "cell"


def is_object(item: h5py.Dataset) -> bool:
    """Tell whether the numbers of an item are the inside of a string, a table or the like."""
    return "MATLAB_object_decode" in item.attrs


def _matlab_class(item) -> str:
    found = item.attrs.get("MATLAB_class", b"")
    return found.decode("latin-1") if isinstance(found, bytes) else str(found) or "a group"


def _is_vector(shape) -> bool:
    return len(shape) == 2 and min(shape) <= 1
