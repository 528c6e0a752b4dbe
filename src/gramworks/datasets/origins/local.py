"""Sources that need no bytes from elsewhere: generators and installed packages."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gramworks.datasets.entry_sources import Generated, Installed
from gramworks.datasets.kept_files import NotObtained


def available(source: Generated | Installed, folder: Path) -> bool:
    """Whether the package is installed; a generator always is."""
    if source.kind == "generated":
        return True
    return importlib.util.find_spec(source.loader.split(".")[0]) is not None


def obtain(source: Generated | Installed, folder: Path, log: Callable[[str], None]) -> None:
    """Check that the package is installed; there is nothing to fetch."""
    if not available(source, folder):
        raise NotObtained(f"package {source.package} is not installed here")


def call_loader(source: Installed) -> Any:
    """Call the function that loads an installed data set.

    Raises
    ------
    NotObtained
        When the package has no such function.
    """
    module, _, function = source.loader.rpartition(".")
    try:
        return getattr(importlib.import_module(module), function)()
    except (ImportError, AttributeError) as error:
        raise NotObtained(f"{source.package}: {source.loader} cannot be called ({error})") from None
