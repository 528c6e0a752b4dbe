"""Parsed data sets as HDF5 files: results/datasets/{dataset}/{recipe}.h5."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import Dataset, Points, kind_of
from gramworks.hdf5 import atomic, damaged, opened, read_json, write_array, write_json

_KIND = "dataset"


def write_dataset(path: str | Path, dataset: Dataset, *, recipe: str, provenance: dict) -> None:
    """Write a data set.

    Layout: ``X`` (an array; a group with data, indices, indptr, shape; or UTF-8 bytes with their
    offsets); ``y`` (an array, or strings as X); ``groups``; ``unlabelled``;
    ``partitions/{i}/train`` and ``test``; ``views/{name}`` as X; JSON ``about`` (id, kinds of
    points, targets and views, recipe, classes, feature names, row ids, notes), ``provenance`` and
    ``digest``, a checksum of all of it.

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
        "target": "strings" if isinstance(dataset.y, list) else "values",
        "views": {name: kind_of(view) for name, view in dataset.views.items()},
        "recipe": recipe,
        "classes": dataset.classes,
        "feature_names": dataset.feature_names,
        "row_ids": dataset.row_ids,
        "notes": dataset.notes,
    }
    with atomic(path, _KIND) as file:
        _write_points(file, "X", dataset.X)
        if isinstance(dataset.y, list):
            _write_points(file, "y", dataset.y)
        else:
            write_array(file, "y", dataset.y)
        if dataset.groups is not None:
            write_array(file, "groups", dataset.groups)
        if dataset.unlabelled is not None:
            write_array(file, "unlabelled", dataset.unlabelled.astype(np.int8))
        for name, view in dataset.views.items():
            _write_points(file.require_group("views"), name, view)
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
                X=_read_points(file["X"], about["kind"]),
                y=_read_target(file["y"], about["target"]),
                classes=about["classes"],
                feature_names=about["feature_names"],
                row_ids=about["row_ids"],
                partitions=_read_partitions(file) if "partitions" in file else None,
                groups=file["groups"][()] if "groups" in file else None,
                unlabelled=file["unlabelled"][()] == 1 if "unlabelled" in file else None,
                views={
                    name: _read_points(file["views"][name], kind)
                    for name, kind in about["views"].items()
                },
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
    text = json.dumps(about, sort_keys=True)
    return hashlib.sha256(f"{checksum(dataset)} {text}".encode()).hexdigest()


def _write_points(parent: Any, name: str, X: Points) -> None:
    if isinstance(X, list):
        data = [text.encode("utf-8") for text in X]
        group = parent.create_group(name)
        write_array(group, "bytes", np.frombuffer(b"".join(data), dtype=np.uint8))
        write_array(group, "offsets", np.cumsum([0, *map(len, data)], dtype=np.int64))
    elif isinstance(X, np.ndarray):
        write_array(parent, name, X.astype(np.float64, copy=False))
    else:
        group = parent.create_group(name)
        write_array(group, "data", X.data.astype(np.float64, copy=False))
        write_array(group, "indices", X.indices.astype(np.int64))
        write_array(group, "indptr", X.indptr.astype(np.int64))
        write_array(group, "shape", np.array(X.shape, dtype=np.int64))


def _read_target(item: Any, kind: str) -> np.ndarray | list[str]:
    return _read_points(item, "strings") if kind == "strings" else item[()]


def _read_points(group: Any, kind: str) -> Points:
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
