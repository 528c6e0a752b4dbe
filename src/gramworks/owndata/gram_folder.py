"""A folder of Gram matrices that were computed elsewhere: one file a source of similarity."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gramworks.errors import DataError
from gramworks.kernels.checks import check_gram
from gramworks.owndata.array_files import ARRAY_FORMATS, read_arrays
from gramworks.owndata.delimited_text import read_matrix
from gramworks.owndata.findings import Findings, counted, listed
from gramworks.owndata.points import slug

FORMATS = (".csv", ".tsv", ".txt", *ARRAY_FORMATS)


def matrix_files(folder: Path, apart: Path | None) -> list[Path]:
    """List the files of a folder that may hold matrices, without the file of labels.

    Raises
    ------
    DataError
        There is none.
    """
    found = [
        path
        for path in sorted(folder.iterdir())
        if path.suffix.lower() in FORMATS
        and not path.name.startswith(".")
        and (apart is None or path.resolve() != apart.resolve())
    ]
    if not found:
        raise DataError(
            f"{folder}: no Gram matrix in this folder; files of {', '.join(FORMATS)} are read."
        )
    return found


def read_grams(files: list[Path], findings: Findings) -> dict[str, np.ndarray]:
    """Read and check the matrices of some files.

    Returns
    -------
    dict of str to (n, n) ndarray
        By a name made of the file's (and the array's, where it has several).

    Raises
    ------
    DataError
        A matrix that is not square, of another size, not finite, not symmetric, or not positive
        semidefinite; with the number.
    """
    used: set[str] = set()
    grams: dict[str, np.ndarray] = {}
    first = ""
    for path in files:
        for name, K in _matrices(path).items():
            if K.ndim != 2 or K.shape[0] != K.shape[1]:
                raise DataError(
                    f"{path}: {name!r} has the shape {K.shape}; a Gram matrix is square, all pairs "
                    "of the rows. Take the file out of the folder if it is something else."
                )
            if grams and len(K) != len(grams[first]):
                raise DataError(
                    f"{path}: {name!r} is of {len(K)} points, {first!r} of {len(grams[first])}; "
                    "all matrices of a folder are of the same rows in the same order."
                )
            key = slug(name, used)
            found = check_gram(K, f"{path.name}")
            if found.outcome == "refused":
                raise DataError(f"{path}: {found.reason}")
            grams[key] = found.repair(K)
            first = first or key
            told = found.reason if found.outcome == "repaired" else "fine"
            findings.say(
                f"{path.name}: Gram matrix {key!r} of {counted(len(K), 'row')}, smallest "
                f"eigenvalue {found.smallest_eigenvalue:.3g}, largest "
                f"{found.largest_eigenvalue:.3g}: {told}"
            )
    return grams


def _matrices(path: Path) -> dict[str, np.ndarray]:
    if path.suffix.lower() in ARRAY_FORMATS:
        arrays = {n: a for n, a in read_arrays(path).items() if not isinstance(a, list)}
        several = len(arrays) > 1
        if not arrays:
            raise DataError(f"{path}: there are no arrays of numbers in it.")
        return {
            f"{path.stem}-{n}" if several else path.stem: np.asarray(a, dtype=np.float64)
            for n, a in arrays.items()
        }
    return {path.stem: read_matrix(path)}


def tell_alike(grams: dict[str, np.ndarray], findings: Findings) -> None:
    """Warn of matrices that are copies of each other but for a factor."""
    names = list(grams)
    for i, name in enumerate(names):
        K = grams[name] / max(np.linalg.norm(grams[name]), 1e-300)
        twins = [
            other
            for other in names[i + 1 :]
            if np.vdot(K, grams[other]) > (1 - 1e-12) * np.linalg.norm(grams[other])
        ]
        if twins:
            findings.warn(f"Gram matrix {name!r} is, up to a factor, that of {listed(twins)}")
