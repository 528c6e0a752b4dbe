"""Read a text file that is not trusted: size, compression, encoding."""

from __future__ import annotations

from pathlib import Path

from gramworks.datasets.bounded import read_bounded
from gramworks.errors import DataError

LARGEST = 64 << 20
"""Bytes of text beyond which a file is refused, packed or not."""


def read_text(path: Path, *, encoding: str = "utf-8-sig", packed: bool = False) -> str:
    """Return the text of a file, a byte-order mark removed and line ends as they are.

    Parameters
    ----------
    path : Path
    encoding : str
    packed : bool
        Whether the file is gzipped.

    Raises
    ------
    DataError
        When it is not there, too large, damaged, in another encoding, binary, or a web page.
    """
    data = read_bounded(path, LARGEST, packing="gzip" if packed else "none")
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise DataError(
            f"{path}: not text in encoding {encoding!r} ({error}); state the option `encoding`."
        ) from None
    if "\0" in text:
        raise DataError(f"{path}: holds zero bytes, so it is not a text file.")
    if text[:200].lstrip().lower().startswith(("<!doctype html", "<html")):
        raise DataError(f"{path}: is an HTML page, not data; remove it and fetch again.")
    return text


def without_comment(line: str) -> str:
    """Cut a line at its first ``%`` outside quotes, as KEEL and ARFF headers have comments."""
    if "%" not in line:
        return line
    quote = ""
    for i, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "%":
            return line[:i]
    return line
