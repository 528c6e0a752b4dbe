"""The page of the library's public names, made from their docstrings.

``python -m gramworks.api_page --write`` writes docs/api.md; a test compares.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGES = {
    "gramworks.kernels": "Kernels",
    "gramworks.gram": "The Gram store",
    "gramworks.learning": "Learning kernels and targets",
    "gramworks.fitting": "Fitting on a Gram matrix",
    "gramworks.errors": "Errors",
}
"""Modules whose public names are the library, with a heading each."""
PAGE = Path("docs/api.md")


def public_names(module: str) -> list[str]:
    """List the public names of a package, or those that a module defines itself."""
    found = importlib.import_module(module)
    if hasattr(found, "_EXPORTS"):
        return sorted(found._EXPORTS)
    own = [
        name for name, value in vars(found).items() if getattr(value, "__module__", "") == module
    ]
    return sorted(name for name in own if not name.startswith("_"))


def api_page() -> str:
    """Write the page as Markdown."""
    lines = [
        "# The library's public names",
        "",
        "Made from the docstrings by `python -m gramworks.api_page --write`. How to choose among "
        "them: [which method?](which-method.md)",
        "",
    ]
    for module, title in PACKAGES.items():
        names = ", ".join(f"[{name}](#{name.lower()})" for name in public_names(module))
        lines += [f"- **{title}** (`{module}`): {names}"]
    for module, title in PACKAGES.items():
        lines += ["", f"## {title}", "", f"`{module}`"]
        found = importlib.import_module(module)
        for name in public_names(module):
            lines += ["", *_entry(module, name, getattr(found, name))]
    return "\n".join(lines).rstrip() + "\n"


def _entry(module: str, name: str, value: Any) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    yield "```text"  # as Python, formatters would lay out long signatures anew
    yield f"{module}.{name}{_signature(value)}"
    yield "```"
    yield ""
    yield "```text"
    yield inspect.getdoc(value) or ""
    yield "```"
    if inspect.isclass(value) and not issubclass(value, Exception):
        yield ""
        for own in sorted(vars(value)):
            member = vars(value)[own]
            if own.startswith("_") or not (
                inspect.isfunction(member) or isinstance(member, property)
            ):
                continue
            first = (inspect.getdoc(member) or "").split("\n")[0]
            shown = f"{own}{_signature(member)}" if inspect.isfunction(member) else own
            yield f"- `{shown}`: {first}"


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value)).replace("(self, ", "(").replace("(self)", "()")
    except (TypeError, ValueError):
        return ""


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description="The page of the library's public names.")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    if parser.parse_args().write:
        PAGE.write_text(api_page(), encoding="utf-8")
        print(PAGE)
    else:
        print(api_page(), end="")


if __name__ == "__main__":
    main()
