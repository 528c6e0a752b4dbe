"""Read a file that is not trusted into memory: no more of it than a limit, packed or not."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import Literal

from gramworks.errors import DataError

_PACKED = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
_BLOCK = 1 << 20


def read_bounded(
    path: Path, largest: int, *, packing: Literal["none", "gzip", "any"] = "none"
) -> bytes:
    """Return the bytes of a file.

    Memory is asked for as bytes come, never for what a file or limit states.

    Parameters
    ----------
    path : Path
    largest : int
        Bytes, unpacked, beyond which a file is refused.
    packing : {"none", "gzip", "any"}
        How the file is packed; any: as it begins, with gzip, bzip2, xz or not at all.

    Raises
    ------
    DataError
        When it is not there, cannot be read or unpacked, or is too large.
    """
    blocks: list[bytes] = []
    size = 0
    try:
        with open(path, "rb") as file:
            found = _PACKED.get(file.read(2), open)
        opener = {"none": open, "gzip": gzip.open, "any": found}[packing]
        with opener(path, "rb") as file:
            while block := file.read(_BLOCK):
                size += len(block)
                if size > largest:
                    raise DataError(f"{path}: more than {largest} bytes; it is refused.")
                blocks.append(block)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; fetch the data set first.") from None
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"{path}: cannot be read ({error}); fetch it again.") from None
    return b"".join(blocks)
