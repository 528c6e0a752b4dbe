"""Pieces kept beside the parts, so that a job fits only what is new.

Several methods share a job; when one of them changes, or the job was killed, the pieces of the
others are found here. A piece is known by all that it depends on: settings, parameters, the code
it ran, and the files it read. What depends on something else is fitted again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gramworks.errors import FileDamaged
from gramworks.part_files import read_pieces, write_pieces

_BY_CONTENT = 2**20
"""Bytes up to which the content of an input tells; beyond, its size and time stamp, as for the
workflow engine."""


class KeptPieces:
    """The pieces of one data set in a study.

    Parameters
    ----------
    folder : path
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def get(self, name: str, key: str) -> dict[str, Any] | None:
        """Give the piece of that name if it is there and depends on the same things.

        A damaged file counts as a piece that was not fitted.
        """
        path = self._path(name)
        try:
            found = read_pieces(path, key) if path.is_file() else None
        except FileDamaged:
            return None
        return found[0] if found else None

    def keep(self, name: str, key: str, piece: dict[str, Any]) -> None:
        """Keep a piece in place of an older one of that name."""
        write_pieces(self._path(name), [piece], key)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def piece_key(slice_: str, inputs: Iterable[str | Path]) -> str:
    """Digest what a piece depends on.

    Parameters
    ----------
    slice_ : str
        Settings, parameters, repeats and code, as one line of canonical JSON.
    inputs : iterable of path
        The files it reads.
    """
    digest = hashlib.sha256(slice_.encode())
    for path in map(Path, inputs):
        status = path.stat()
        digest.update(f"\0{path.as_posix()}\0{status.st_size}\0".encode())
        if status.st_size <= _BY_CONTENT:
            digest.update(path.read_bytes())
        else:
            digest.update(str(status.st_mtime_ns).encode())
    return digest.hexdigest()
