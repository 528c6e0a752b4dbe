"""A folder of Gram matrices that were computed elsewhere: one file a source of similarity."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gramworks.errors import DataError
from gramworks.kernels.checks import check_gram
from gramworks.owndata.array_files import ARRAY_FORMATS, read_arrays
from gramworks.owndata.findings import Findings, counted, listed
from gramworks.owndata.matrix_text import NamedMatrix, read_matrix
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


def read_grams(
    files: list[Path], findings: Findings
) -> tuple[dict[str, np.ndarray], list[str] | None]:
    """Read and check the matrices of some files.

    Returns
    -------
    grams : dict of str to (n, n) ndarray
        By a name made of the file's (and the array's, where it has several).
    names : list of str or None
        Of the points, where a file has them; all matrices are brought into this order.

    Raises
    ------
    DataError
        A matrix that is not square, of another size, not finite, not symmetric, or not positive
        semidefinite; with the number. Files name other points.
    """
    used: set[str] = set()
    grams: dict[str, np.ndarray] = {}
    first = ""
    points: list[str] | None = None
    nameless: list[str] = []
    for path in files:
        for name, found in _matrices(path).items():
            K = found.values
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
            if found.rows is None:
                nameless.append(path.name)
            elif points is None:
                points = found.rows
            else:
                order = place_of(found.rows, points, path)
                K = K[np.ix_(order, order)]
            key = slug(name, used)
            checked = check_gram(K, f"{path.name}")
            if checked.outcome == "refused":
                raise DataError(f"{path}: {checked.reason}")
            grams[key] = checked.repair(K)
            first = first or key
            told = checked.reason if checked.outcome == "repaired" else "fine"
            findings.say(
                f"{path.name}: Gram matrix {key!r} of {counted(len(K), 'row')}, smallest "
                f"eigenvalue {checked.smallest_eigenvalue:.3g}, largest "
                f"{checked.largest_eigenvalue:.3g}: {told}"
            )
    if points is not None and nameless:
        findings.warn(
            f"{listed(nameless)} names no points, other matrices do; its rows are taken to be in "
            "the order of the first that does"
        )
    return grams, points


def place_of(names: list[str], wanted: list[str], path: Path) -> np.ndarray:
    """Find where each wanted point stands among some names.

    Raises
    ------
    DataError
        They are of other points.
    """
    place = {name: i for i, name in enumerate(names)}
    lacking = [name for name in wanted if name not in place]
    if lacking or len(names) != len(wanted):
        strange = [name for name in names if name not in set(wanted)]
        raise DataError(
            f"{path}: names other points than the Gram matrices do: {len(lacking)} are lacking"
            f"{f' ({listed(lacking, 5)})' if lacking else ''}, {len(strange)} are not in them"
            f"{f' ({listed(strange, 5)})' if strange else ''}. Give all files the same points."
        )
    return np.array([place[name] for name in wanted])


def _matrices(path: Path) -> dict[str, NamedMatrix]:
    if path.suffix.lower() in ARRAY_FORMATS:
        content = read_arrays(path)
        arrays = {n: a for n, a in content.items() if isinstance(a, np.ndarray)}
        texts = [a for a in content.values() if isinstance(a, list) and len(set(a)) == len(a)]
        several = len(arrays) > 1
        if not arrays:
            raise DataError(f"{path}: there are no arrays of numbers in it.")
        return {
            f"{path.stem}-{n}" if several else path.stem: NamedMatrix(
                np.asarray(a, dtype=np.float64),
                texts[0] if len(texts) == 1 and len(texts[0]) == len(a) else None,
            )
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
