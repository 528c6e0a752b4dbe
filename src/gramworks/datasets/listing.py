"""What data sets there are, and whether each can be had here."""

from __future__ import annotations

from pathlib import Path

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.registry import dataset_ids, load_entry, own_ids
from gramworks.datasets.sources import describe, is_available, mirror_in_use

COLUMNS = ("id", "rows", "columns", "task", "classes", "source", "here", "licence")


def list_datasets(raw: str | Path = "data/raw", *, mirror: str | None = None) -> list[dict]:
    """Describe every registered data set, without downloading anything.

    Parameters
    ----------
    raw : path
        Folder of the kept files, one folder a data set.
    mirror : str, optional
        As in `gramworks.datasets.sources.fetch`.

    Returns
    -------
    list of dict
        Keys `COLUMNS` and title, papers, sources (all of them in words), caveats. ``source`` is
        the kind of the preferred one; ``here`` begins with yes or needs.
    """
    names = [*dataset_ids(), *own_ids()]
    return [_row(load_entry(name), Path(raw), mirror_in_use(mirror)) for name in names]


def _row(entry: DatasetEntry, raw: Path, mirror: str) -> dict:
    facts = entry.facts
    return {
        "id": entry.id,
        "rows": facts.rows if facts else None,
        "columns": facts.columns if facts else None,
        "task": entry.task,
        "classes": len(entry.target.classes),
        "source": entry.sources[0].kind,
        "here": _here(entry, raw / entry.id, mirror),
        "licence": entry.licence,
        "title": entry.title,
        "papers": entry.papers,
        "sources": [describe(source) for source in entry.sources],
        "caveats": entry.caveats,
    }


def _here(entry: DatasetEntry, folder: Path, mirror: str) -> str:
    words = {"generated": "generated", "installed": "installed", "own": "your own"}
    for source in entry.sources:
        if is_available(source, folder):
            return f"yes ({words.get(source.kind, 'kept')})"
    addresses = [source for source in entry.sources if source.kind == "url"]
    if mirror and addresses:
        if "://" in mirror:
            return "needs the mirror's address"
        for source in addresses:
            if all(_same_size(Path(mirror) / f.mirror, f.bytes) for f in source.files):
                return "yes (mirror)"
    if any(source.kind == "wheel" for source in entry.sources):
        return "needs the package index"
    if addresses:
        return "needs a mirror or the network"
    if entry.sources[0].kind == "own":
        return f"needs `gramworks new --update {entry.id}`"
    return f"needs package {entry.sources[0].package}"


def _same_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def format_listing(rows: list[dict], columns: tuple[str, ...] = COLUMNS) -> str:
    """Write rows as a text table with a heading; numbers stand to the right.

    Returns
    -------
    str
        One line a data set, no trailing blanks.
    """
    cells = [[("-" if row[c] is None else str(row[c])) for c in columns] for row in rows]
    if "classes" in columns:  # a real-valued target has no classes
        at = columns.index("classes")
        cells = [[("-" if i == at and c == "0" else c) for i, c in enumerate(r)] for r in cells]
    lines = [list(columns), *cells]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    numbers = {i for i, c in enumerate(columns) if c in ("rows", "columns", "classes")}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
