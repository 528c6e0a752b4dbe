"""A look at the structure of a MATLAB 5 file before a library that trusts it reads it."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gramworks.datasets.bounded import read_bounded
from gramworks.errors import DataError

LARGEST = 256 << 20
"""Bytes of one unpacked variable, and of one array, beyond which a file is refused."""
_MATRIX, _COMPRESSED = 14, 15
_ITEM = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""Types of numbers, as numpy calls them."""
_SPARSE, _NUMERIC, _OTHER = 5, range(6, 16), (1, 2, 3, 4)
"""Classes of arrays: sparse, dense numbers, and those that may be skipped (cells, text, ...)."""
_COMPLEX = 0x08


class _Element(NamedTuple):
    type: int
    data: memoryview


def check_structure(path: Path, wanted: list[str]) -> None:
    """Refuse a file whose parts do not have the types and sizes that it states.

    SciPy's reader is compiled code that believes the file: numbers of an unknown type, or row
    numbers of a sparse matrix beyond its rows, make it read and write outside its memory. Here
    every size is compared with the bytes that are there, so that none is ever asked for that the
    file does not hold, and packed variables are unpacked no further than `LARGEST`.

    Parameters
    ----------
    path : Path
    wanted : list of str
        Variables that are going to be read: matrices of real numbers, dense or sparse.

    Raises
    ------
    DataError
        When the file is not MATLAB 5, is cut off, states sizes that it does not have, or a wanted
        variable is something else.
    """
    data = read_bounded(path, LARGEST)
    if data.startswith(b"MATLAB 7.3"):
        raise DataError(f"{path}: is MATLAB 7.3 (HDF5); format hdf5_file reads it.")
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    version = data[124:126] if order == ">" else data[125:123:-1]
    if order is None or version != b"\x01\x00":
        raise DataError(f"{path}: does not begin as a MATLAB 5 file does.")
    try:
        for element in _elements(memoryview(data)[128:], order, aligned=False):
            if element.type == _COMPRESSED:
                element = _unpacked(element, order)
            if element.type != _MATRIX:
                raise ValueError(f"an element of type {element.type} where a variable should be")
            _check_variable(element, order, wanted)
    except (ValueError, zlib.error) as error:
        raise DataError(f"{path}: damaged as a MATLAB 5 file: {error}; fetch it again.") from None


def _elements(data: memoryview, order: str, *, aligned: bool = True) -> Iterator[_Element]:
    """Yield the elements that fill `data`: a tag of 8 bytes, or of 4 with 4 bytes of data."""
    at = 0
    while at < len(data):
        if len(data) - at < 8:
            raise ValueError(f"{len(data) - at} bytes are left where a tag of 8 should be")
        kind, size = (int(n) for n in np.frombuffer(data[at : at + 8], f"{order}u4"))
        if kind >> 16:  # a small element has its size in the upper half
            kind, size = kind & 0xFFFF, kind >> 16
            if size > 4:
                raise ValueError(f"a small element of {size} bytes")
            yield _Element(kind, data[at + 4 : at + 4 + size])
            at += 8
            continue
        at += 8
        if size > len(data) - at:
            raise ValueError(f"an element states {size} bytes, {len(data) - at} are left")
        yield _Element(kind, data[at : at + size])
        at += size + (-size % 8 if aligned else 0)


def _unpacked(element: _Element, order: str) -> _Element:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(element.data, LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"a variable unpacks to more than {LARGEST} bytes")
    if not unpacker.eof:
        raise ValueError("a packed variable is cut off")
    inside = list(_elements(memoryview(data), order))
    if len(inside) != 1 or inside[0].type == _COMPRESSED:
        raise ValueError(f"{len(inside)} elements in a packed variable, one is expected")
    return inside[0]


def _check_variable(element: _Element, order: str, wanted: list[str]) -> None:
    parts = list(_elements(element.data, order))
    if len(parts) < 3 or (parts[0].type, len(parts[0].data)) != (6, 8):
        raise ValueError("a variable does not begin with its flags, sizes and name")
    flags, most = (int(n) for n in np.frombuffer(parts[0].data, f"{order}u4"))
    kind = flags & 0xFF
    if kind not in (_SPARSE, *_NUMERIC, *_OTHER):
        raise ValueError(f"a variable of class {kind}")
    if parts[1].type != 5 or parts[2].type != 1 or len(parts[1].data) % 4:
        raise ValueError(f"a variable of class {kind} without sizes and name")
    shape = [int(n) for n in np.frombuffer(parts[1].data, f"{order}i4")]
    name = bytes(parts[2].data).decode("latin-1")
    if not 2 <= len(shape) <= 32 or min(shape) < 0:
        raise ValueError(f"{name!r} has the sizes {shape[:4]}")
    if name not in wanted:
        return
    if kind not in (_SPARSE, *_NUMERIC) or flags >> 8 & _COMPLEX or len(shape) != 2:
        raise ValueError(f"{name!r} is not a matrix of real numbers")
    if kind == _SPARSE:
        _check_sparse(name, shape, most, parts[3:], order)
    elif len(parts) != 4 or _count(parts[3]) != math.prod(shape):
        found = _count(parts[3]) if len(parts) > 3 else "no"
        raise ValueError(f"{name!r} has {found} numbers, its sizes are {shape}")
    if math.prod(shape) * 8 > LARGEST and kind != _SPARSE:
        raise ValueError(f"{name!r} of {shape} takes more than {LARGEST} bytes")


def _check_sparse(
    name: str, shape: list[int], most: int, parts: list[_Element], order: str
) -> None:
    if [part.type for part in parts[:2]] != [5, 5] or len(parts) != 3:
        raise ValueError(f"{name!r} is sparse without row numbers, column starts and values")
    rows, starts = (_numbers(part, order) for part in parts[:2])
    if len(starts) != shape[1] + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise ValueError(f"the columns of {name!r} do not begin one behind the other")
    used = int(starts[-1])
    if used > min(len(rows), _count(parts[2])) or len(rows) > max(most, 1):
        raise ValueError(f"{name!r} states {used} values, and has {len(rows)} row numbers")
    if used and not 0 <= rows[:used].min() <= rows[:used].max() < shape[0]:
        raise ValueError(f"{name!r} has row numbers beyond its {shape[0]} rows")
    if shape[0] * 8 > LARGEST:
        raise ValueError(f"{name!r} of {shape} takes more than {LARGEST} bytes")


def _count(part: _Element) -> int:
    if part.type not in _ITEM:
        raise ValueError(f"numbers of the unknown type {part.type}")
    count, rest = divmod(len(part.data), np.dtype(_ITEM[part.type]).itemsize)
    if rest:
        raise ValueError("numbers that are cut off")
    return count


def _numbers(part: _Element, order: str) -> np.ndarray:
    _count(part)
    return np.frombuffer(part.data, f"{order}{_ITEM[part.type]}")
