"""Files of fitted pieces: what one job writes, and what is kept of each piece for the next one.

JSON with a checksum, light to import: the jobs that merge pieces start for almost nothing.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gramworks.errors import FileDamaged
from gramworks.whole_files import write_text


def write_pieces(path: str | Path, pieces: list[dict[str, Any]], key: str = "") -> None:
    """Write pieces, whole or not at all.

    Parameters
    ----------
    path : path
    pieces : list of dict
        ``method``, ``first``, ``last``, and lists of rows: ``scores`` and ``timings`` with the
        columns of `gramworks.score_files.COLUMNS`, and ``predictions``; all cells are text.
    key : str
        What the pieces depend on, for those that are kept.
    """
    body = _text(pieces)
    write_text(path, _text({"key": key, "sha256": _digest(body), "pieces": pieces}) + "\n")


def read_pieces(path: str | Path, key: str = "") -> list[dict[str, Any]] | None:
    """Read pieces back; None where they depend on something else than ``key``.

    Raises
    ------
    FileDamaged
        Names the file and the command that makes it.
    """
    try:
        content = json.loads(Path(path).read_bytes())
        found, pieces, wanted = content["key"], content["pieces"], content["sha256"]
        [piece["method"] for piece in pieces]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(path, f"cannot be read ({type(error).__name__}: {error})") from None
    if _digest(_text(pieces)) != wanted:
        raise _damaged(path, "does not hold what was written to it")
    return pieces if found == key else None


def _text(content: Any) -> str:
    return json.dumps(content, ensure_ascii=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _damaged(path: str | Path, reason: str) -> FileDamaged:
    from gramworks.hdf5 import damaged  # brings libraries that a job without errors does not need

    return damaged(path, reason)
