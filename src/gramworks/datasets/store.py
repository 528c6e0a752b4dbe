"""Parsed data sets as HDF5 files: results/datasets/{dataset}/{recipe}.h5."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import Dataset, Points
from gramworks.hdf5 import atomic, damaged, opened, read_json, write_array, write_json

_KIND = "dataset"


def write_dataset(path: str | Path, dataset: Dataset, *, recipe: str, provenance: dict) -> None:
    """Write a data set.

    Layout: ``X`` (an array; a group with data, indices, indptr, shape; or UTF-8 bytes with their
    offsets); ``y``; ``partitions/{i}/train`` and ``test``; JSON ``about`` (id, kind of points,
    recipe, classes, feature names, row ids, notes), ``provenance`` and ``digest``, a checksum of
    all of it.

    Parameters
    ----------
    path : path
        Written under a temporary name, then renamed.
    dataset : Dataset
    recipe : str
        The normalisation that was applied.
    provenance : dict
        JSON values.
    """
    about = {
        "id": dataset.id,
        "kind": dataset.kind,
        "recipe": recipe,
        "classes": dataset.classes,
        "feature_names": dataset.feature_names,
        "row_ids": dataset.row_ids,
        "notes": dataset.notes,
    }
    with atomic(path, _KIND) as file:
        _write_points(file, dataset.X)
        write_array(file, "y", dataset.y)
        if dataset.partitions is not None:
            group = file.create_group("partitions")
            for i, (train, test) in enumerate(dataset.partitions):
                write_array(group, f"{i}/train", np.asarray(train, dtype=np.int64))
                write_array(group, f"{i}/test", np.asarray(test, dtype=np.int64))
        write_json(file, "about", about)
        write_json(file, "provenance", provenance)
        write_json(file, "digest", _digest(dataset, about))


def read_dataset(path: str | Path) -> Dataset:
    """Read what `write_dataset` wrote, and check it.

    Raises
    ------
    FileDamaged
        When it is missing, truncated, altered or of another kind; names the command that makes it
        again.
    """
    with opened(path, _KIND) as file:
        about = read_json(file, "about")
        stated = read_json(file, "digest")
        try:
            dataset = Dataset(
                id=about["id"],
                X=_read_points(file, about["kind"]),
                y=file["y"][()],
                classes=about["classes"],
                feature_names=about["feature_names"],
                row_ids=about["row_ids"],
                partitions=_read_partitions(file) if "partitions" in file else None,
                notes=about["notes"],
            )
            found = _digest(dataset, about)
        except (ValueError, TypeError, IndexError, KeyError, AttributeError) as error:
            raise damaged(path, f"does not hold a data set ({error})") from error
    if found != stated:
        raise damaged(path, "its content does not have the checksum it states")
    return dataset


def read_provenance(path: str | Path) -> dict:
    """Read how a data set file was made, with ``recipe``."""
    with opened(path, _KIND) as file:
        return {**read_json(file, "provenance"), "recipe": read_json(file, "about")["recipe"]}


def _digest(dataset: Dataset, about: dict) -> str:
    partitions = [[t.tolist(), u.tolist()] for t, u in dataset.partitions or ()]
    text = json.dumps([about, partitions], sort_keys=True)
    return hashlib.sha256(f"{checksum(dataset)} {text}".encode()).hexdigest()


def _write_points(file: Any, X: Points) -> None:
    if isinstance(X, list):
        data = [text.encode("utf-8") for text in X]
        group = file.create_group("X")
        write_array(group, "bytes", np.frombuffer(b"".join(data), dtype=np.uint8))
        write_array(group, "offsets", np.cumsum([0, *map(len, data)], dtype=np.int64))
    elif isinstance(X, np.ndarray):
        write_array(file, "X", X.astype(np.float64, copy=False))
    else:
        group = file.create_group("X")
        write_array(group, "data", X.data.astype(np.float64, copy=False))
        write_array(group, "indices", X.indices.astype(np.int64))
        write_array(group, "indptr", X.indptr.astype(np.int64))
        write_array(group, "shape", np.array(X.shape, dtype=np.int64))


def _read_points(file: Any, kind: str) -> Points:
    group = file["X"]
    if kind == "dense":
        return group[()]
    if kind == "csr":
        from scipy.sparse import csr_array

        parts = tuple(group[name][()] for name in ("data", "indices", "indptr"))
        matrix = csr_array(parts, shape=tuple(group["shape"][()].tolist()))
        matrix.check_format(full_check=True)
        return matrix
    if kind != "strings":
        raise ValueError(f"unknown kind of points {kind!r}")
    data, offsets = bytes(group["bytes"][()]), group["offsets"][()].tolist()
    return [data[a:b].decode("utf-8") for a, b in zip(offsets, offsets[1:], strict=False)]


def _read_partitions(file: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    group = file["partitions"]
    return [(group[f"{i}/train"][()], group[f"{i}/test"][()]) for i in range(len(group))]
