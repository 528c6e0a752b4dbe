"""The checksum of a data set's arrays."""

from __future__ import annotations

import hashlib

import numpy as np

from gramworks.datasets.dataset import Dataset, Points, kind_of


def checksum(dataset: Dataset) -> str:
    """Return the SHA-256 of points, targets and class names.

    Each array goes in as a line of its type and shape, then its values as little-endian float64
    or int64 in C order. Strings go in as UTF-8, each behind its length in bytes. Where there are
    row ids, groups, given partitions, unlabelled points and views, these follow, each behind its
    own name.
    """
    digest = hashlib.sha256()
    _add_points(digest, dataset.X)
    if isinstance(dataset.y, list):
        _add_strings(digest, dataset.y)
    else:
        codes = dataset.classes and dataset.task != "vectors"
        _add_array(digest, dataset.y, "<i8" if codes else "<f8")
    _add_strings(digest, dataset.classes)
    if dataset.row_ids is not None:
        digest.update(b"row_ids\n")
        _add_strings(digest, dataset.row_ids)
    if dataset.groups is not None:
        digest.update(b"groups\n")
        _add_array(digest, dataset.groups, "<i8")
    for train, test in dataset.partitions or ():
        digest.update(b"partition\n")
        _add_array(digest, train, "<i8")
        _add_array(digest, test, "<i8")
    if dataset.unlabelled is not None:
        digest.update(b"unlabelled\n")
        _add_array(digest, dataset.unlabelled, "<i8")
    for name in sorted(dataset.views):
        digest.update(f"view {name}\n".encode())
        _add_points(digest, dataset.views[name])
    return digest.hexdigest()


def _add_points(digest, points: Points) -> None:
    kind = kind_of(points)
    if kind == "strings":
        _add_strings(digest, points)
    elif kind == "csr":
        matrix = points.copy()
        matrix.sum_duplicates()
        digest.update(f"csr {matrix.shape}\n".encode())
        _add_array(digest, matrix.data, "<f8")
        _add_array(digest, matrix.indices, "<i8")
        _add_array(digest, matrix.indptr, "<i8")
    else:
        _add_array(digest, points, "<f8")


def _add_array(digest, array: np.ndarray, dtype: str) -> None:
    digest.update(f"{dtype} {tuple(int(n) for n in array.shape)}\n".encode())
    digest.update(np.ascontiguousarray(array, dtype=dtype).tobytes())


def _add_strings(digest, strings: list[str]) -> None:
    digest.update(f"strings {len(strings)}\n".encode())
    for text in strings:
        data = text.encode("utf-8")
        digest.update(f"{len(data)}\n".encode() + data)
