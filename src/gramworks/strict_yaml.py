"""YAML as people write it: duplicate keys and tabs refused with file and line, 1e-3 a number."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from gramworks.errors import ConfigError


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses duplicate keys and reads 1e-3 as YAML 1.2 does."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen: dict[Hashable, int] = {}
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, Hashable):
                raise ConfigError(f"{self.name}, line {line}: a key must be a name, found {key!r}.")
            if key in seen:
                raise ConfigError(
                    f"{self.name}, line {line}: key {key!r} stands already in line {seen[key]}; "
                    "remove one of the two."
                )
            seen[key] = line
        return super().construct_mapping(node, deep=deep)


# YAML 1.1 reads 010 as eight and 1:30 as ninety; nobody means that here.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:int"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^[-+]?(0|[1-9]\d*)$"), list("-+0123456789")
)
# PyYAML follows YAML 1.1, which wants a dot and a signed exponent in a float.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"),
    list("-+0123456789."),
)


def load_yaml(path: str | Path) -> dict[str, Any]:
    """Read one YAML mapping.

    Parameters
    ----------
    path : path
        The file; its name stands in every error.

    Returns
    -------
    dict
        The mapping; an empty file is an empty mapping.

    Raises
    ------
    ConfigError
        When the file is missing, is not valid YAML (with the line), has a key twice, or is not
        a mapping at its top.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text ({error}).") from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, name: str) -> dict[str, Any]:
    """Parse a YAML mapping given as text; ``name`` stands in the errors (see `load_yaml`)."""
    try:
        loader = _Loader(text)
        loader.name = name
        value = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        hint = " Indent with spaces, never with tabs." if "\\t" in str(error.problem) else ""
        raise ConfigError(f"{name}{line}: not valid YAML: {error.problem}.{hint}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: not valid YAML: {error}.") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(
            f"{name}: expected keys and values at the top, found {type(value).__name__}."
        )
    return value
