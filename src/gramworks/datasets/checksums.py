"""The checksum of a data set's arrays."""

from __future__ import annotations

import hashlib

import numpy as np

from gramworks.datasets.dataset import Dataset


def checksum(dataset: Dataset) -> str:
    """Return the SHA-256 of points, targets and class names.

    Each array goes in as a line of its type and shape, then its values as little-endian float64
    or int64 in C order. Strings go in as UTF-8, each behind its length in bytes.
    """
    digest = hashlib.sha256()
    if dataset.kind == "strings":
        _add_strings(digest, dataset.X)
    elif dataset.kind == "csr":
        matrix = dataset.X.copy()
        matrix.sum_duplicates()
        digest.update(f"csr {matrix.shape}\n".encode())
        _add_array(digest, matrix.data, "<f8")
        _add_array(digest, matrix.indices, "<i8")
        _add_array(digest, matrix.indptr, "<i8")
    else:
        _add_array(digest, dataset.X, "<f8")
    _add_array(digest, dataset.y, "<i8" if dataset.classes else "<f8")
    _add_strings(digest, dataset.classes)
    return digest.hexdigest()


def _add_array(digest, array: np.ndarray, dtype: str) -> None:
    digest.update(f"{dtype} {tuple(int(n) for n in array.shape)}\n".encode())
    digest.update(np.ascontiguousarray(array, dtype=dtype).tobytes())


def _add_strings(digest, strings: list[str]) -> None:
    digest.update(f"strings {len(strings)}\n".encode())
    for text in strings:
        data = text.encode("utf-8")
        digest.update(f"{len(data)}\n".encode() + data)
