"""Find parser and generator modules by file name, so that a new one edits no existing file."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Literal

from gramworks.errors import ConfigError, suggest

Kind = Literal["parsers", "generators"]


def module_name(kind: Kind, name: str) -> str:
    """Name the module of a parser or generator; ``two-norm`` is two_norm.py.

    Raises
    ------
    ConfigError
        When there is none; lists the valid names.
    """
    folder = Path(__file__).parent / kind
    stem = name.replace("-", "_")
    stems = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    if stem not in stems:
        raise ConfigError(f"no {kind[:-1]} {name!r} in datasets/{kind}; {suggest(stem, stems)}.")
    return f"gramworks.datasets.{kind}.{stem}"


def load_module(kind: Kind, name: str) -> ModuleType:
    """Import the module of a parser (`Options`, `read`) or generator (`Parameters`, `generate`)."""
    return importlib.import_module(module_name(kind, name))
