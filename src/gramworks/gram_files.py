"""The layout of Gram files: whole matrices, blocks of rows, and blocks joined.

A whole matrix is a file of the format ``gram`` that holds ``K``. One that was computed by several
jobs lies in files of the format ``gram-rows``, ``{name}/{first}-{last}.h5`` beside ``{name}.h5``,
each with the rows of its name; ``{name}.h5`` is of the format ``gram-joined`` and holds the same
texts as a whole one. Its ``K`` is an HDF5 virtual data set over the blocks, for other programs:
HDF5 shows zeros where a block is missing, so that readers here open the blocks themselves.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gramworks.errors import FileDamaged, KernelError
from gramworks.hdf5 import check_space, damaged, opened, read_json, write_json
from gramworks.kernels.checks import GramCheck
from gramworks.kernels.tiles import tile_side, within

PRECISIONS = ("float64", "float32")
ROWS, JOINED = "gram-rows", "gram-joined"


def create_matrix(
    file: h5py.File, n: int, precision: str = "float64", rows: int | None = None
) -> h5py.Dataset:
    """Make the data set ``K`` of all rows of an n x n matrix, or of some, in checksummed chunks."""
    side = tile_side(n)
    chunks = (max(min(side // 2, n), 1), min(side, n))
    shape = (n if rows is None else rows, n)
    stored = [-(-size // length) * length for size, length in zip(shape, chunks, strict=True)]
    check_space(file.filename, np.dtype(precision).itemsize * stored[0] * stored[1])
    chunks = (min(chunks[0], shape[0]), chunks[1])
    return file.create_dataset("K", shape=shape, dtype=precision, chunks=chunks, fletcher32=True)


def describe(
    file: h5py.File,
    kernel: str | None,
    parameters: dict[str, Any],
    n: int,
    check: GramCheck,
    row_ids: list[str] | None,
    provenance: dict[str, Any] | None,
    **more: Any,
) -> None:
    """Write the three texts of a Gram file."""
    about = {
        "kernel": kernel,
        "parameters": parameters,
        "n": n,
        "trace": check.trace,
        "smallest_eigenvalue": check.smallest_eigenvalue + check.shift,
        "check": check.record(),
        **more,
    }
    write_json(file, "gram", about)
    write_json(file, "row_ids", row_ids)
    write_json(file, "provenance", provenance or {})


def checked_row_ids(row_ids: Sequence | None, n: int) -> list[str] | None:
    """Take names of points as text; KernelError where there are not n of them."""
    if row_ids is None:
        return None
    ids = [str(name) for name in row_ids]
    if len(ids) != n:
        raise KernelError(f"row_ids has {len(ids)} names for {n} points.")
    return ids


def check_precision(precision: str) -> str:
    """Return a precision that values can be kept in; KernelError for others."""
    if precision not in PRECISIONS:
        raise KernelError(f"precision {precision!r}; allowed are {' and '.join(PRECISIONS)}.")
    return precision


def block_name(rows: slice) -> str:
    """Name the file of a block of rows, by its first and last row: ``0-1999.h5``."""
    return f"{rows.start}-{rows.stop - 1}.h5"


def block_path(path: str | os.PathLike, rows: slice) -> Path:
    """Give the file of a block of rows of the matrix at ``path``."""
    return Path(path).with_suffix("") / block_name(rows)


def rows_of(path: str | os.PathLike) -> slice:
    """Read the rows back from the name of a block, or of a file that belongs to one."""
    first, last = Path(path).name.partition(".")[0].split("-")
    return slice(int(first), int(last) + 1)


@contextlib.contextmanager
def opened_gram(path: str | os.PathLike) -> Iterator[tuple[h5py.File, Any]]:
    """Open a Gram file, whole or joined, and its matrix.

    Yields
    ------
    file : h5py.File
        With the texts.
    matrix : h5py.Dataset or JoinedMatrix
        With ``shape``, ``dtype``, ``chunks``, and parts by two slices.

    Raises
    ------
    FileDamaged
        Names the file, which may be a block, and the command that rebuilds it.
    """
    with opened(path, ("gram", JOINED)) as file, contextlib.ExitStack() as stack:
        if file.attrs["format"] == np.bytes_(f"gramworks-{JOINED}"):
            yield file, JoinedMatrix(path, read_json(file, "gram"), stack)
        else:
            yield file, square_matrix(file, path)


def square_matrix(file: h5py.File, path: str | os.PathLike) -> h5py.Dataset:
    """Give ``K`` of a whole matrix, once its shape and type are as they should be."""
    dataset = file["K"]
    if (
        not isinstance(dataset, h5py.Dataset)
        or dataset.ndim != 2
        or dataset.shape[0] != dataset.shape[1]
        or dataset.dtype not in PRECISIONS
    ):
        raise damaged(path, f"K is {dataset!r}, expected a square float64 or float32 matrix")
    return dataset


class JoinedMatrix:
    """A matrix that lies in blocks of rows, opened as they are needed.

    Parameters
    ----------
    path : path-like
        The joined file.
    about : dict
        Its text ``gram``.
    stack : contextlib.ExitStack
        Closes the blocks.
    """

    def __init__(
        self, path: str | os.PathLike, about: dict[str, Any], stack: contextlib.ExitStack
    ) -> None:
        try:
            n, self._key, check = int(about["n"]), about["key"], about["check"]
            self._side = max(int(about["tile"]), 1)
            self.dtype = np.dtype(check_precision(check["precision"]))
            # The blocks' rows differ by rounding from their columns, and the upper half is taken.
            self._mirrored, self._shift = check["asymmetry"] > 0, float(check["shift"])
            self._blocks = [slice(int(a), int(b) + 1) for a, b in about["blocks"]]
        except (KeyError, TypeError, ValueError, KernelError) as error:
            raise damaged(path, f"does not say how it is joined ({error})") from None
        ends = [0, *(block.stop for block in self._blocks)]
        starts = [block.start for block in self._blocks]
        if starts != ends[:-1] or ends[-1] != n or any(start % self._side for start in starts):
            raise damaged(
                path,
                f"its blocks {about['blocks']} are not the rows 0 to {n - 1}, cut between tiles of "
                f"{self._side}",
            )
        self._path, self._stack, self._files = path, stack, {}
        self.shape = (n, n)
        self.chunks = (max(min(self._side // 2, n), 1), min(self._side, n))
        for block in self._blocks:  # one that is missing is told whatever part is wanted
            if not (file := block_path(path, block)).is_file():
                raise damaged(file, f"is missing, a part of {os.fspath(path)}")

    def __getitem__(self, part: tuple[slice, slice]) -> np.ndarray:
        """Read a rectangle, row by row of tiles."""
        rows, columns = (slice(*s.indices(n)) for s, n in zip(part, self.shape, strict=True))
        out = np.empty((rows.stop - rows.start, columns.stop - columns.start), dtype=self.dtype)
        for tall in self._cut(rows):
            for wide in self._cut(columns):
                place = (
                    slice(tall.start - rows.start, tall.stop - rows.start),
                    slice(wide.start - columns.start, wide.stop - columns.start),
                )
                out[place] = self._in_tile(tall, wide)
        return out

    def stored(self, rows: slice, columns: slice) -> np.ndarray:
        """Read what the blocks hold within one row of tiles, without the repair."""
        block = next(block for block in self._blocks if within(rows, block))
        path = block_path(self._path, block)
        if block.start not in self._files:
            self._files[block.start] = self._stack.enter_context(
                opened_block(path, block, self.shape[0], self.dtype, self._key)
            )
        try:
            return self._files[block.start][
                rows.start - block.start : rows.stop - block.start, columns
            ]
        except (OSError, RuntimeError) as error:
            raise damaged(path, f"is truncated or damaged ({error})") from error

    def _cut(self, part: slice) -> list[slice]:
        """Cut a range at the boundaries of tiles."""
        inner = range(-(-(part.start + 1) // self._side) * self._side, part.stop, self._side)
        cuts = [part.start, *inner, part.stop]
        return [slice(a, b) for a, b in zip(cuts, cuts[1:], strict=False) if a < b]

    def _in_tile(self, rows: slice, columns: slice) -> np.ndarray:
        """Read a part of one tile."""
        below = rows.start // self._side > columns.start // self._side
        tile = self.stored(columns, rows).T if self._mirrored and below else (
            self.stored(rows, columns)
        )  # fmt: skip
        if self._shift and rows.start // self._side == columns.start // self._side:
            own = np.arange(rows.start, rows.stop)[:, None] == np.arange(
                columns.start, columns.stop
            )
            tile = (tile + self._shift * own).astype(self.dtype)
        return tile


@contextlib.contextmanager
def opened_block(
    path: str | os.PathLike, rows: slice, n: int, dtype: np.dtype, key: str
) -> Iterator[h5py.Dataset]:
    """Open a block of rows of an n x n matrix; its ``K``.

    Raises
    ------
    FileDamaged
        It is damaged, of other rows or another precision, or made by another run: of other
        points, or by other code.
    """
    with opened(path, ROWS) as file:
        dataset, about = file["K"], read_json(file, "rows")
        wanted = (rows.stop - rows.start, n)
        if not isinstance(dataset, h5py.Dataset) or dataset.shape != wanted:
            raise damaged(path, f"K is {dataset!r}, expected a matrix of shape {wanted}")
        if not isinstance(about, dict) or about.get("rows") != [rows.start, rows.stop - 1]:
            raise damaged(path, f"does not hold the rows {rows.start} to {rows.stop - 1}")
        if dataset.dtype != dtype or about.get("key") != key:
            raise damaged(
                path,
                "is a block of another run (other points, kernel, precision or code) than the "
                "matrix it is a part of",
            )
        yield dataset


def block_info(path: str | os.PathLike, name: str = "rows") -> dict[str, Any]:
    """Read what a block says about itself."""
    with opened(path, ROWS) as file:
        about = read_json(file, name)
    if not isinstance(about, dict):
        raise FileDamaged(str(damaged(path, f"{name!r} is no mapping")))
    return about
