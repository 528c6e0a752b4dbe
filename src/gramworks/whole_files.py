"""Write files whole or not at all.

A writer works on a temporary name in the same folder, which is synchronised and renamed, so that
a killed job leaves the old file or none and two writers never mix. What a killed writer leaves
behind is removed by the next one of the same file.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

_SUFFIX = ".tmp"


@contextlib.contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary name that becomes `path` when the block ends without an error.

    Parameters
    ----------
    path : path-like
        Where the file goes; the folder is made if needed, an existing file is replaced.

    Yields
    ------
    Path
        A name in the same folder that no other writer has. The block creates the file; when it
        raises, the file is removed and `path` stays as it was.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)
    temporary = path.with_name(f"{_prefix(path)}{os.getpid()}.{secrets.token_hex(4)}{_SUFFIX}")
    try:
        yield temporary
        _synchronise(temporary)
        os.replace(temporary, path)
        _synchronise(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write UTF-8 text by `replacing`, line ends as they are."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike, content: bytes) -> None:
    """Write bytes by `replacing`."""
    with replacing(path) as temporary, open(temporary, "xb") as file:
        file.write(content)


def final_name(path: str | os.PathLike) -> Path:
    """Tell which file a temporary name of `replacing` becomes; other names stay."""
    path = Path(path)
    stem, mark, _ = path.name.rpartition(f".{socket.gethostname()}.")
    if mark and stem.startswith(".") and path.name.endswith(_SUFFIX):
        return path.with_name(stem[1:])
    return path


def _prefix(path: Path) -> str:
    return f".{path.name}.{socket.gethostname()}."


def _remove_abandoned(path: Path) -> None:
    """Remove temporary files of killed writers: those of this machine whose process is gone."""
    prefix = _prefix(path)
    for name in os.listdir(path.parent):
        if not (name.startswith(prefix) and name.endswith(_SUFFIX)):
            continue
        process = name[len(prefix) :].split(".", 1)[0]
        if process.isdigit() and not _is_running(int(process)):
            (path.parent / name).unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
        # A killed process that its parent has not yet waited for still takes signals.
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:  # another user's, or a system without /proc
        return True
    return state not in {"Z", "X"}


def _synchronise(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        # Some network file systems cannot synchronise a folder; the rename still stands.
        if not path.is_dir():
            raise
    finally:
        os.close(descriptor)
