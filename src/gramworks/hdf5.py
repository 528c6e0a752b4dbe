"""Safe HDF5 files: written whole or not at all, and read without trusting them.

A writer works on a temporary name (`gramworks.whole_files`), so that a killed job leaves the old
file or none. Arrays lie in chunks with a Fletcher-32 checksum, and the 1.10 file format adds
checksums to the file's own structure, so that flipped bytes are found. A reader refuses links that
leave the file and turns whatever HDF5 says about a bad file into one message that names the file
and the command that rebuilds it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gramworks.errors import FileDamaged, ResourceError
from gramworks.whole_files import final_name, replacing

CHUNK_BYTES = 1 << 20
# What a file takes beside its arrays, and what HDF5 holds back in its caches.
_SPARE_BYTES = 1 << 20
# A deflate stream expands by at most 1032: anything beyond it is not a file of ours.
_MOST_EXPANSION = 1100
_DEEPEST = 8
# Formats with a data set over other files, for other programs: readers here never open it.
_FOR_OTHERS = {b"gramworks-gram-joined": "K"}


class FileMissing(FileDamaged, FileNotFoundError):
    """A result file is not there; the message names the command that makes it."""

    def __str__(self) -> str:
        return str(self.args[0])


def rebuild_command(path: str | os.PathLike) -> str:
    """Name the command that makes a result file again."""
    return f"snakemake --force --cores 1 -- {shlex.quote(os.fspath(path))}"


def damaged(path: str | os.PathLike, reason: object) -> FileDamaged:
    """Make the error for a bad file: its name, what is wrong, and how to rebuild it."""
    return FileDamaged(
        f"{os.fspath(path)}: {reason}. Rebuild it with: {rebuild_command(path)} "
        "(with the --configfile of its run, if it had one; a file of your own: write it again)"
    )


@contextlib.contextmanager
def atomic(path: str | os.PathLike, kind: str | None = None) -> Iterator[h5py.File]:
    """Open a new HDF5 file that takes its name only when it is complete.

    Parameters
    ----------
    path : path-like
        Where the file goes; the folder is made if needed, an existing file is replaced.
    kind : str, optional
        Sets the attribute ``format`` to ``gramworks-<kind>``, which `opened` looks at.

    Yields
    ------
    h5py.File
        Under a temporary name in the same folder. When the block raises, it is removed and
        `path` stays as it was. Text goes through `write_json` (or a `numpy.bytes_` attribute):
        a plain ``str`` attribute lies in a heap without checksum and is refused at the end.
    """
    with replacing(path) as temporary:
        check_space(temporary, 0)
        # The name is ours alone, so no lock is needed; some cluster file systems have none.
        with h5py.File(temporary, "x", libver=("v110", "v110"), locking=False) as file:
            if kind is not None:
                file.attrs["format"] = np.bytes_(f"gramworks-{kind}")
            yield file
            file.flush()
            _check_inside(file, Path(path))


@contextlib.contextmanager
def opened(path: str | os.PathLike, kind: str | tuple[str, ...]) -> Iterator[h5py.File]:
    """Open a result file for reading, or say which file is bad and how to rebuild it.

    Parameters
    ----------
    path : path-like
        The file.
    kind : str, or several
        What it must hold: the attribute ``format`` is ``gramworks-<kind>``.

    Yields
    ------
    h5py.File
        Opened read-only. An `OSError`, `KeyError` or `RuntimeError` of the block, which is how
        h5py reports damage, comes out as `FileDamaged`.

    Raises
    ------
    FileMissing
        There is no such file.
    FileDamaged
        It is truncated, altered, of another kind, or has links or storage outside itself.
    """
    path = Path(path)
    if not path.exists():
        raise FileMissing(f"{path}: there is no such file. Make it with: {rebuild_command(path)}")
    if path.is_dir():
        raise damaged(path, "is a folder, not an HDF5 file")
    try:
        if path.stat().st_size == 0:
            raise damaged(path, "is empty (0 bytes)")
        if not h5py.is_hdf5(path):
            raise damaged(path, "is not an HDF5 file, or its first bytes are damaged")
        # A file under its final name never changes, so reading needs no lock.
        with h5py.File(path, "r", locking=False) as file:
            _check_format(file, path, kind)
            _check_inside(file, path)
            yield file
    except PermissionError:
        raise
    except (OSError, KeyError, RuntimeError, UnicodeDecodeError) as error:
        if isinstance(error, FileDamaged):
            raise
        raise damaged(path, f"is truncated or damaged ({_one_line(error)})") from error


def write_array(
    group: h5py.Group,
    name: str,
    array: np.ndarray,
    *,
    chunks: tuple[int, ...] | None = None,
) -> h5py.Dataset:
    """Write a numeric array in checksummed chunks of whole rows (about 1 MB each).

    Parameters
    ----------
    group : h5py.Group
        Where to put it.
    name : str
        Its name.
    array : ndarray
        Numbers or booleans. Text goes through `write_json`: HDF5 keeps strings of varying
        length outside the checksummed chunks.
    chunks : tuple of int, optional
        Shape of a chunk.

    Returns
    -------
    h5py.Dataset

    Raises
    ------
    ResourceError
        The disk is full.
    """
    array = np.asarray(array)
    check_space(group.file.filename, array.nbytes)
    if array.size == 0 or array.ndim == 0:
        return group.create_dataset(name, data=array)
    if chunks is None:
        row_bytes = max(array.nbytes // array.shape[0], 1)
        rows = min(max(CHUNK_BYTES // row_bytes, 1), array.shape[0])
        chunks = (rows, *array.shape[1:])
    return group.create_dataset(name, data=array, chunks=chunks, fletcher32=True)


def check_space(path: str | os.PathLike, n_bytes: int) -> None:
    """Refuse to write what the disk does not hold.

    HDF5 ends the whole process (segmentation fault) when the disk is full on closing a file.

    Parameters
    ----------
    path : path-like
        The file to write to, in a folder that exists; a temporary name of `atomic` is told as
        the final one.
    n_bytes : int
        What will be written, beside a megabyte for the file's own structure.

    Raises
    ------
    ResourceError
        Names the file, the bytes needed and the bytes free.
    """
    path = Path(path)
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:  # a file system that does not tell
        return
    # chunks at the edges are stored whole, each with a checksum and an entry in an index
    needed = n_bytes + n_bytes // 64 + _SPARE_BYTES
    if free < needed:
        raise ResourceError(
            f"{final_name(path)}: disk full: {needed} bytes are needed, {free} are free in "
            f"{path.parent}; make room there or write elsewhere"
        )


def write_json(group: h5py.Group, name: str, obj: Any) -> None:
    """Write JSON values of any size as a checksummed byte array.

    An attribute would be limited to 64 kB. NumPy numbers and arrays are taken too.
    """
    text = json.dumps(obj, sort_keys=True, ensure_ascii=False, default=_plain)
    write_array(group, name, np.frombuffer(text.encode("utf-8"), dtype=np.uint8))


def read_json(group: h5py.Group, name: str) -> Any:
    """Read what `write_json` wrote.

    Raises
    ------
    FileDamaged
        It is missing or is not JSON.
    """
    try:
        return json.loads(bytes(group[name][()]).decode("utf-8"))
    except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise damaged(group.file.filename, f"{name!r} cannot be read ({_one_line(error)})") from (
            error
        )


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value: {value!r}")


def _check_format(file: h5py.File, path: Path, kind: str | tuple[str, ...]) -> None:
    _check_attributes(file, path)
    found = file.attrs.get("format")
    found = found.decode("ascii", "replace") if isinstance(found, bytes) else found
    wanted = [f"gramworks-{name}" for name in ((kind,) if isinstance(kind, str) else kind)]
    if found not in wanted:
        raise damaged(path, f"has format {found!r}, expected {' or '.join(map(repr, wanted))}")


def _check_inside(group: h5py.Group, path: Path, depth: int = 0) -> None:
    """Refuse what our writers never make and what HDF5 does not read safely."""
    if depth > _DEEPEST:
        raise damaged(path, f"has groups nested deeper than {_DEEPEST}")
    _check_attributes(group, path)
    unread = _FOR_OTHERS.get(group.attrs.get("format")) if depth == 0 else None
    for name in group:
        link = group.get(name, getlink=True)
        if not isinstance(link, h5py.HardLink):
            raise damaged(path, f"{name!r} is a {type(link).__name__}, which is refused")
        if name == unread:
            continue
        item = group[name]
        if h5py.h5o.get_info(item.id).rc > 1:
            raise damaged(path, f"{name!r} has several names (a loop of links is refused)")
        if isinstance(item, h5py.Group):
            _check_inside(item, path, depth + 1)
        elif isinstance(item, h5py.Dataset):
            _check_attributes(item, path)
            _check_type(item.id.get_type(), path, item.name)
            _check_storage(item, path)


def _check_attributes(item: h5py.HLObject, path: Path) -> None:
    for index in range(h5py.h5a.get_num_attrs(item.id)):
        attribute = h5py.h5a.open(item.id, index=index)
        _check_type(attribute.get_type(), path, f"attribute {attribute.name.decode()}")


def _check_type(kind: h5py.h5t.TypeID, path: Path, name: str) -> None:
    """Refuse types of varying length.

    Their heap has no checksum, and one flipped bit in it sends HDF5 2.0 into an endless loop.
    """
    plain = kind.get_class() in (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.ENUM) or (
        kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str()
    )
    if not plain:
        raise damaged(
            path,
            f"{name!r} has a type that is refused (numbers, booleans and fixed-length text are "
            "allowed; write other text with gramworks.hdf5.write_json)",
        )


def _check_storage(item: h5py.Dataset, path: Path) -> None:
    """Refuse data kept elsewhere, missing chunks (they would read as zeros) and bombs."""
    if item.is_virtual or item.external:
        raise damaged(path, f"{item.name!r} keeps its data in another file, which is refused")
    stored = item.id.get_storage_size()
    if item.nbytes > stored * (_MOST_EXPANSION if item.compression else 1):
        raise damaged(path, f"{item.name!r} states {item.nbytes} bytes and holds {stored}")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
