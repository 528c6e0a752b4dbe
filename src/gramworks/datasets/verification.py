"""Fetch, parse and check registered data sets, one line each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.kept_files import WrongContent
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import dataset_ids, load_entry
from gramworks.datasets.sources import fetch
from gramworks.errors import SourceUnreachable

VERDICTS = ("ok", "not here", "wrong")


def verify(
    ids: Sequence[str] = (),
    raw: str | Path = "data/raw",
    *,
    mirror: str | None = None,
    offline: bool = False,
    log: Callable[[str], None] = print,
) -> dict[str, str]:
    """Fetch data sets where they can be had and compare them with their registry entries.

    A fault of one data set does not keep the others from being looked at.

    Parameters
    ----------
    ids : sequence of str
        Empty for all that are registered.
    raw : path
        Folder of the kept files, one folder a data set; what is fetched stays there.
    mirror, offline
        As in `gramworks.datasets.sources.fetch`.
    log : callable
        Receives a line a data set as soon as it is known, then one with the totals.

    Returns
    -------
    dict
        Id to ``ok``, ``not here`` (no source can be reached), or ``wrong``: the entry is not valid,
        a source has other bytes, the file cannot be parsed, or a fact differs.
    """
    names = list(dict.fromkeys(ids)) or dataset_ids()
    width = max((len(name) for name in names), default=0)
    verdicts: dict[str, str] = {}
    for name in names:
        start = time.perf_counter()
        verdicts[name], words = _verdict(name, Path(raw), mirror, offline)
        shown = "WRONG" if verdicts[name] == "wrong" else verdicts[name]
        log(f"{name:{width}}  {shown}: {words} ({time.perf_counter() - start:.1f} s)")
    counts = Counter(verdicts.values())
    log(f"{len(names)} data sets: {', '.join(f'{counts[word]} {word}' for word in VERDICTS)}")
    return verdicts


def _verdict(name: str, raw: Path, mirror: str | None, offline: bool) -> tuple[str, str]:
    try:
        entry = load_entry(name)
        quiet = lambda line: None  # noqa: E731
        manifest = fetch(entry, raw / name, mirror=mirror, offline=offline, log=quiet)
        dataset = parse(entry, raw / name)
    except SourceUnreachable as error:
        reasons = [line[4:] for line in str(error).splitlines() if line.startswith("  - ")]
        words = "; ".join(reasons) or _one_line(error)
        return ("wrong" if isinstance(error.__cause__, WrongContent) else "not here"), words
    except Exception as error:
        # Whatever a parser does with one file, the other data sets are to be looked at.
        return "wrong", _one_line(error)
    return "ok", f"{_size(dataset)}, from {manifest['source']['name']}"


def _size(dataset: Dataset) -> str:
    words = f"{dataset.rows} rows"
    if dataset.kind != "strings":
        words += f", {dataset.X.shape[1]} columns"
    return words + (f", {len(dataset.views)} views" if dataset.views else "")


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if text else type(error).__name__
