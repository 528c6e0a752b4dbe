"""Hierarchical labels: paths such as ``01/02@10/03``, several to a point."""

from __future__ import annotations


def label_paths(cell: str) -> frozenset[str]:
    """Return the paths of one point."""
    return frozenset(path.strip() for path in cell.split("@") if path.strip())


def top_labels(cell: str, level: int = 1) -> set[str]:
    """Return the first steps of each path of one point, as far as ``level``."""
    return {"/".join(path.split("/")[:level]) for path in label_paths(cell)}
