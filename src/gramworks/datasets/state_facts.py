"""Say the facts of a data set: ``python -m gramworks.datasets.state_facts ID-OR-YAML-FILE``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from gramworks.datasets.facts import facts_of
from gramworks.datasets.parsing import parse_unchecked
from gramworks.datasets.registry import load_entry, load_entry_file
from gramworks.datasets.sources import fetch
from gramworks.errors import GramworksError


def main(arguments: list[str]) -> int:
    """Print the facts of registered data sets (or of YAML files of entries) as YAML."""
    if not arguments:
        print("usage: python -m gramworks.datasets.state_facts ID-OR-FILE ...", file=sys.stderr)
        return 2
    for name in arguments:
        try:
            entry = load_entry_file(name) if name.endswith(".yaml") else load_entry(name)
            with tempfile.TemporaryDirectory() as folder:
                kept = Path("data/raw") if Path("data/raw").is_dir() else Path(folder)
                log = lambda line: print(f"# {line}", file=sys.stderr)  # noqa: E731
                fetch(entry, kept / entry.id, log=log)
                dataset = parse_unchecked(entry, kept / entry.id)
        except GramworksError as error:
            print(error, file=sys.stderr)
            return 1
        facts = facts_of(dataset)
        print(f"# {entry.id}\nfacts:\n  rows: {facts.rows}")
        if facts.columns is not None:
            print(f"  columns: {facts.columns}")
        if facts.classes:
            counts = ", ".join(f"{label!r}: {count}" for label, count in facts.classes.items())
            print(f"  classes: {{{counts}}}")
        if facts.partitions:
            print(f"  partitions: {facts.partitions}")
        if facts.views:
            print("  views:")
        for name, view in facts.views.items():
            values = view.model_dump(exclude_none=True).items()
            print(f"    {name}: {{{', '.join(f'{key}: {value}' for key, value in values)}}}")
        print(f"  checksum: {facts.checksum}")
        for note in dataset.notes:
            print(f"# note: {note}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
