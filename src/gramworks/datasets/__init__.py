"""Data sets: registry, sources, parsers, generators, normalisation and splits."""

from __future__ import annotations

import importlib
from typing import Any

_EXPORTS = {
    "Dataset": "gramworks.datasets.dataset",
    "dataset_ids": "gramworks.datasets.registry",
    "entry_digest": "gramworks.datasets.registry",
    "fetch": "gramworks.datasets.sources",
    "list_datasets": "gramworks.datasets.listing",
    "load_entry": "gramworks.datasets.registry",
    "make_splits": "gramworks.datasets.splits",
    "normalise": "gramworks.datasets.normalisation",
    "parse": "gramworks.datasets.parsing",
    "read_dataset": "gramworks.datasets.store",
    "write_dataset": "gramworks.datasets.store",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(importlib.import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
