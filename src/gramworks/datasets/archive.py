"""Take single files out of archives that are not trusted."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from gramworks.errors import DataError

LARGEST = 256 << 20
"""Bytes of one member beyond which it is refused unless the caller states another limit."""


def read_member(archive: Path, member: str, *, largest: int = LARGEST) -> bytes:
    """Read one file of a zip archive or wheel.

    Nothing is unpacked to disk, so no path in the archive is ever used as one; suspicious paths
    are refused all the same, as is everything that is not a plain file of a plausible size.

    Parameters
    ----------
    archive : Path
    member : str
        Path inside the archive.
    largest : int
        Limit in bytes, for the stated size and for what really comes out.

    Returns
    -------
    bytes

    Raises
    ------
    DataError
        When the archive is damaged; the member is missing, stands there twice, climbs out of its
        folder, is absolute, a link or a folder, is encrypted, or is larger than the limit.
    """
    where = f"{archive.name}: member {member!r}"
    path = PurePosixPath(member)
    if path.is_absolute() or ".." in path.parts or "\\" in member or ":" in member:
        raise DataError(f"{where} has a path that leaves its folder; it is refused.")
    try:
        with zipfile.ZipFile(archive) as content:
            found = [info for info in content.infolist() if info.filename == member]
            if len(found) != 1:
                raise DataError(f"{where} is in the archive {len(found)} times, expected once.")
            info = found[0]
            if info.is_dir() or stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
                raise DataError(f"{where} is a link or folder, not a plain file; it is refused.")
            if info.file_size > largest:
                raise DataError(
                    f"{where} states {info.file_size} bytes, at most {largest} are allowed."
                )
            with content.open(info) as stream:
                data = stream.read(largest + 1)
    except (
        zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError,
        ValueError,
    ) as error:  # fmt: skip
        raise DataError(f"{where}: the archive cannot be read ({error}); remove it.") from None
    if len(data) > largest:
        raise DataError(f"{where} unpacks to more than the allowed {largest} bytes.")
    return data
