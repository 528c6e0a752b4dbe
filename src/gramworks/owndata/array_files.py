"""Files of named arrays: MATLAB 5 and 7.3, HDF5, numpy without pickles."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings, listed, quoted
from gramworks.owndata.hdf5_arrays import LARGEST, walk_hdf5
from gramworks.owndata.matlab_cells import Refused, matlab_cells
from gramworks.owndata.raw_table import RawTable, ReadOptions

ARRAY_FORMATS = (".mat", ".h5", ".hdf5", ".npz", ".npy")
_READ_ERRORS = (
    OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, IndexError, MemoryError,
    OverflowError, AttributeError, zipfile.BadZipFile,
)  # fmt: skip


def read_arrays(path: Path) -> dict[str, np.ndarray | list[str] | Refused]:
    """Read the arrays of a file that are numbers, or lists of text, by name.

    Cell arrays of MATLAB that are no lists of text are there with the reason.

    Raises
    ------
    DataError
        When the file is damaged, pickled, or states implausible sizes.
    """
    kind = path.suffix.lower()
    if kind == ".mat" and not path.read_bytes()[:10].startswith(b"MATLAB 7.3"):
        return dict(_matlab(path))
    try:
        if kind in (".npz", ".npy"):
            return dict(_numpy(path))
        return dict(walk_hdf5(path, transposed=kind == ".mat"))
    except DataError:
        raise
    except _READ_ERRORS as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read as {kind[1:]} ({reason}).") from None


def tables_of_arrays(path: Path, options: ReadOptions, findings: Findings) -> list[RawTable]:
    """Make a table of each matrix of a file; vectors become columns of the first.

    Raises
    ------
    DataError
        No matrix with as many rows as the target.
    """
    arrays = read_arrays(path)
    refused = {name: a for name, a in arrays.items() if isinstance(a, Refused)}
    arrays = {name: a for name, a in arrays.items() if name not in refused}
    for name, found in refused.items():
        if name == options.target:
            raise DataError(f"{path}: the target {quoted(name)} {found.reason}. {_CELLS}")
        findings.warn(f"{path.name}: {quoted(name)} {found.reason} and is left out. {_CELLS}")
    if options.target is not None and options.target not in arrays:
        _refuse_unread(path, options.target)
    matrices = {
        n: a
        for n, a in arrays.items()
        if not isinstance(a, list) and a.ndim == 2 and min(a.shape) > 1
    }
    vectors = {
        n: a if isinstance(a, list) else a.ravel() for n, a in arrays.items() if n not in matrices
    }
    if options.target in matrices:
        raise DataError(
            f"{path}: {quoted(options.target)} is a matrix {matrices[options.target].shape}; the "
            f"target is one value a row. Vectors in it: {listed(vectors)}."
        )
    if not matrices and not vectors:
        raise DataError(f"{path}: there are no arrays of numbers in it.")
    sizes = [len(a) for a in matrices.values()] or [len(a) for a in vectors.values()]
    n = len(vectors[options.target]) if options.target in vectors else max(sizes)
    strangers = {name for name, a in {**matrices, **vectors}.items() if len(a) != n}
    for name in sorted(strangers):
        shape = np.shape(arrays[name])
        findings.warn(f"{path.name}: {quoted(name)} {shape} has not {n} rows and is left out")
    rows = list(range(1, n + 1))
    kept = {name: a for name, a in matrices.items() if name not in strangers}
    tables = []
    for name, a in kept.items():
        values = a.astype(np.float64)
        columns = {f"{name}-{i}": values[:, i - 1] for i in range(1, a.shape[1] + 1)}
        tables.append(RawTable(path, name, columns, rows))
    doubled = [
        (vector, name)
        for vector in vectors
        for name, a in kept.items()
        if vector in (f"{name}-{i}" for i in range(1, a.shape[1] + 1))
    ]
    if doubled:
        vector, name = doubled[0]
        raise DataError(
            f"{path}: the vector {quoted(vector)} is called as a column of the matrix "
            f"{quoted(name)} is (its columns are {name}-1, {name}-2, ...); give one of them "
            "another name."
        )
    alone = {name: a for name, a in vectors.items() if name not in strangers}
    plain = {name: a if isinstance(a, list) else _as_column(a) for name, a in alone.items()}
    if not tables:
        tables.append(RawTable(path, path.stem, {}, rows))
    tables[0].columns.update(plain)
    shapes = ", ".join(f"{quoted(name)} {np.shape(arrays[name])}" for name in (*kept, *alone))
    findings.say(f"{path.name}: arrays {shapes}")
    return tables


_CELLS = (
    "A cell array is read where each cell is one line of text, one cell a row; in MATLAB, "
    "`cellstr(labels)` makes one of strings and categories, and `cellfun(@num2str, labels, "
    "'UniformOutput', false)` makes text of numbers."
)
_OBJECT = "a variable of class 17"  # of strings, tables, categories, dates


def _refuse_unread(path: Path, target: str) -> None:
    """Say that the target is there, but of a type that is not read, such as a cell array."""
    kind = ""
    if path.suffix.lower() == ".mat" and not path.read_bytes()[:10].startswith(b"MATLAB 7.3"):
        from scipy.io import whosmat

        kind = {name: f"a {kind} array" for name, _, kind in whosmat(path)}.get(target, "")
    elif path.suffix.lower() in (".mat", ".h5", ".hdf5"):
        import h5py

        with h5py.File(path, "r", locking=False) as file:
            link = file.get(target, getlink=True)
            if isinstance(link, h5py.HardLink):
                found = file[target].attrs.get("MATLAB_class", b"")
                word = found.decode() if isinstance(found, bytes) else str(found)
                kind = (
                    f"a {word} array" if word else f"of type {getattr(file[target], 'dtype', '')}"
                )
    if kind:
        raise DataError(
            f"{path}: the target {quoted(target)} is {kind}, which is not read; vectors of numbers "
            "are. In MATLAB, `[names, ~, y] = unique(labels)` makes numbers of names; or write "
            "the table as CSV, with the names (writetable)."
        )


def _as_column(values: np.ndarray) -> np.ndarray | list[str]:
    """Make float64 of a vector, but text of whole numbers that float64 would round."""
    if values.dtype.kind in "iu":
        whole = values.tolist()
        if any(abs(value) > 2**53 for value in whole):
            return [str(value) for value in whole]
    return np.asarray(values, dtype=np.float64)


def _matlab(path: Path) -> Iterator[tuple[str, np.ndarray | list[str] | Refused]]:
    from scipy.io import loadmat, whosmat

    from gramworks.datasets.matlab_structure import check_structure

    try:
        check_structure(path, [])
    except DataError as error:
        if _OBJECT not in str(error):
            raise
        raise DataError(
            f"{path}: holds a MATLAB object (a string, table or categorical array, say), which is "
            "not read. Save text as a cell array (cellstr), or write a CSV file (writetable)."
        ) from None
    numeric = ("double", "single", "logical", "sparse")
    for name, cells in matlab_cells(path).items():
        yield name, cells
    numeric += tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
    names = [n for n, shape, kind in whosmat(path) if kind in numeric and len(shape) == 2]
    check_structure(path, names)
    try:
        found = loadmat(path, variable_names=names)
    except _READ_ERRORS as error:
        raise DataError(f"{path}: cannot be read as MATLAB 5 ({error}).") from None
    for name in names:
        values = found[name]
        yield name, values.toarray() if hasattr(values, "toarray") else values


def _numpy(path: Path) -> Iterator[tuple[str, np.ndarray | list[str]]]:
    if path.suffix.lower() == ".npz":
        with zipfile.ZipFile(path) as archive:
            large = [info.filename for info in archive.infolist() if info.file_size > LARGEST]
        if large:
            raise DataError(f"{path}: {large[0]!r} states more than {LARGEST} bytes; refused.")
    with _pickles_refused(path):
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            yield path.stem, _plain(path, path.stem, loaded)
            return
        with loaded:
            for name in loaded.files:
                yield name, _plain(path, name, loaded[name])


class _pickles_refused:  # noqa: N801
    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind, error, trace) -> bool:
        if kind is ValueError and "pickle" in str(error).lower():
            raise DataError(
                f"{self.path}: holds pickled objects, which could run any code, so it is refused. "
                "Save arrays of numbers or text: numpy.savez(file, X=X, y=y.astype(str))."
            ) from None
        return False


def _plain(path: Path, name: str, array: np.ndarray) -> np.ndarray | list[str]:
    if array.dtype.kind in "US" and array.ndim == 1:
        return [v.decode("utf-8") if isinstance(v, bytes) else str(v) for v in array.tolist()]
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        raise DataError(
            f"{path}: {quoted(name)} is {array.dtype} of {array.ndim} dimensions; vectors and "
            "matrices of numbers, and vectors of text are read."
        )
    return array
