"""Describe a parsed data set for the report: what it is, and what identifies the bytes."""

from __future__ import annotations

from pathlib import Path

from gramworks.absent import read_absent
from gramworks.datasets.registry import load_entry
from gramworks.datasets.store import read_dataset, read_provenance


def describe_table(path: str | Path) -> dict:
    """Describe a file ``results/datasets/{dataset}/{recipe}.h5``.

    Returns
    -------
    dict
        id, title, recipe, rows, columns, classes, checksum (of the parsed arrays, from the
        registry, which they were compared with), source, licence, caveats (those of the registry
        and what was noticed while parsing). An absent data set has its reason among the caveats.
    """
    path = Path(path)
    entry = load_entry(path.parent.name)
    facts = entry.facts
    absent = read_absent(path)
    described = {
        "id": entry.id,
        "title": entry.title,
        "recipe": path.stem,
        "rows": facts.rows if facts else None,
        "columns": facts.columns if facts else None,
        "classes": len(entry.target.classes),
        "checksum": facts.checksum if facts else "",
        "licence": entry.licence,
        "source": "",
        "caveats": list(entry.caveats),
    }
    if absent:
        return described | {"caveats": [f"{absent.kind}: {absent.reason}", *entry.caveats]}
    dataset = read_dataset(path)
    source = read_provenance(path).get("inputs", {}).get("source", "")
    notes = [note for note in dataset.notes if note not in entry.caveats]
    return described | {
        "rows": dataset.rows,
        "columns": len(dataset.feature_names) or described["columns"],
        "source": source,
        "caveats": [*entry.caveats, *notes],
    }
