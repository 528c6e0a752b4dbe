"""Files of a public repository at a fixed commit, and mirrors of them."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from gramworks import __version__
from gramworks.datasets.entry_sources import Url
from gramworks.datasets.kept_files import NotObtained, is_kept, keep

BASE = "https://raw.githubusercontent.com"
TIMEOUT = 60.0
"""Seconds without an answer before an address is given up."""
_ATTEMPTS = 2
_PAUSE = 1.0
_BEYOND = 4096  # bytes read past the stated size, enough to tell a web page by its title


def available(source: Url, folder: Path) -> bool:
    """Whether all files are kept already."""
    return all(is_kept(folder, file) for file in source.files)


def obtain(source: Url, folder: Path, log: Callable[[str], None]) -> None:
    """Fetch what is missing from the repository.

    Raises
    ------
    NotObtained
        Saying the address and why.
    """
    for file in source.files:
        if not is_kept(folder, file):
            repository, commit = (
                file.repository or source.repository,
                file.commit or source.commit,
            )
            place = urllib.parse.quote(f"{repository}/{commit}/{file.path}", safe="/,=")
            log(f"fetching {BASE}/{place}")
            keep(read_address(f"{BASE}/{place}", file.bytes), folder, file)


def obtain_mirrored(source: Url, folder: Path, mirror: str, log: Callable[[str], None]) -> None:
    """Copy what is missing from a mirror: a folder, or a base address (https, http, file).

    Raises
    ------
    NotObtained
        Saying the file or address and why.
    """
    for file in source.files:
        if is_kept(folder, file):
            continue
        if "://" in mirror:
            place = f"{mirror.rstrip('/')}/{urllib.parse.quote(file.mirror, safe='/,=')}"
            log(f"fetching {place}")
            keep(read_address(place, file.bytes, ("https", "http", "file")), folder, file)
            continue
        path = Path(mirror).expanduser() / file.mirror
        try:
            with open(path, "rb") as stream:
                data = stream.read(file.bytes + _BEYOND)
        except OSError as error:
            raise NotObtained(f"{path}: {error.strerror or error}") from None
        keep(data, folder, file)


def read_address(address: str, size: int, schemes: tuple[str, ...] = ("https",)) -> bytes:
    """Read the stated bytes from an address, and a little more if there is more.

    Proxies, certificates and so on are those of `urllib` (environment variables). A time-out, a
    broken connection or a server error is tried once more.

    Raises
    ------
    NotObtained
        Naming the address.
    """
    opener = urllib.request.build_opener(_SameSchemes(schemes))
    request = urllib.request.Request(address, headers={"User-Agent": f"gramworks/{__version__}"})
    if urllib.parse.urlsplit(address).scheme not in schemes:
        raise NotObtained(f"{address}: only {', '.join(schemes)} addresses are allowed")
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with opener.open(request, timeout=TIMEOUT) as answer:
                data = answer.read(size + _BEYOND)
                # A connection that breaks off ends the data without an error.
                if len(data) > size or not getattr(answer, "length", None):
                    return data
            reason = f"truncated, {len(data)} of {len(data) + answer.length} promised bytes came"
        except urllib.error.HTTPError as error:
            reason = f"HTTP {error.code} {error.reason}"
            if error.code < 500:
                raise NotObtained(f"{address}: {reason}") from None
        except urllib.error.URLError as error:
            reason = str(error.reason)
            if not isinstance(error.reason, TimeoutError):
                raise NotObtained(f"{address}: {reason}") from None
        except TimeoutError:
            reason = f"no answer within {TIMEOUT:g} s"
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = str(error) or type(error).__name__
        if attempt < _ATTEMPTS:
            time.sleep(_PAUSE)
    raise NotObtained(f"{address}: {reason}")


class _SameSchemes(urllib.request.HTTPRedirectHandler):
    """Refuses to be led from a secure address to another kind of address."""

    def __init__(self, schemes: tuple[str, ...]) -> None:
        self.schemes = set(schemes) - {"file"}

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # noqa: D102, PLR0913
        if urllib.parse.urlsplit(newurl).scheme not in self.schemes:
            raise urllib.error.URLError(f"redirected to {newurl}, which is refused")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
