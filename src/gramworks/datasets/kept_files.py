"""Bytes kept as published: looked at, checked by SHA-256, and written whole or not at all."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gramworks.datasets.entry_sources import SourceFile
from gramworks.whole_files import write_bytes


class NotObtained(Exception):
    """One source could not give the stated bytes; the text says why. Stays inside fetching."""


class WrongContent(NotObtained):
    """Bytes came that are not the stated ones."""


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, read in blocks."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_kept(folder: Path, file: SourceFile) -> bool:
    """Whether a file is in the folder with the stated SHA-256."""
    path = folder / file.name
    return path.is_file() and path.stat().st_size == file.bytes and sha256_of(path) == file.sha256


def check_bytes(data: bytes, file: SourceFile) -> None:
    """Check bytes against what the registry states.

    Raises
    ------
    WrongContent
        When they are a web page, truncated, longer, or have another SHA-256.
    """
    if hashlib.sha256(data).hexdigest() == file.sha256:
        return
    page = re.match(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", data[:1024], re.I)
    if page:
        title = re.search(rb"<title[^>]*>(.*?)</title>", data[:20000], re.I | re.S)
        words = " ".join(title[1].decode("utf-8", "replace").split())[:80] if title else "no title"
        raise WrongContent(f"{file.name}: an HTML page ({words}) instead of data")
    if len(data) < file.bytes:
        raise WrongContent(f"{file.name}: truncated, {len(data)} of {file.bytes} bytes")
    if len(data) > file.bytes:
        raise WrongContent(f"{file.name}: longer than the stated {file.bytes} bytes")
    found = hashlib.sha256(data).hexdigest()
    raise WrongContent(f"{file.name}: wrong content, sha256 is {found}, expected {file.sha256}")


def keep(data: bytes, folder: Path, file: SourceFile) -> None:
    """Check bytes and write them under the file's name."""
    check_bytes(data, file)
    write_bytes(folder / file.name, data)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock beside a file, so that two jobs do not fetch it twice.

    Where the file system has no locks the work is done twice, which is harmless: files are
    renamed into place whole.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(f".{path.name}.lock"), "a") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield
