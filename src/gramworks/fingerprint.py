"""Fingerprints of library code: which edit reruns which jobs.

The workflow engine sees edits of scripts and parameters, not of imported modules. A rule
therefore carries, as a parameter, a hash of the syntax trees of its script and of every module of
the package that the script reaches through imports. Docstrings, comments and layout are no part
of a syntax tree's hash, so that they rerun nothing.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from gramworks.errors import GramworksError

PACKAGE = "gramworks"
# Text: a dry run of many studies asks for these files thousands of times.
_ROOT = os.path.dirname(os.path.realpath(__file__))


def fingerprint(script: str | Path | None, modules: Iterable[str] = ()) -> str:
    """Hash the code that a job runs.

    Parameters
    ----------
    script : path or None
        The rule's script.
    modules : iterable of str
        Further roots found by name at run time, such as a method's module.

    Returns
    -------
    str
        16 hexadecimal digits. Equal exactly when the syntax trees, docstrings taken out, of the
        script and of all modules reached from it and from ``modules`` are equal.

    Raises
    ------
    GramworksError
        When a file is missing or is not valid Python; names the file and line.
    """
    pending = sorted(set(modules))
    parts = []
    if script is not None:
        digest, imported = _scan(*_stamp(os.fspath(script)), is_package=False, module=None)
        parts.append(("script", digest))
        pending += imported
    seen: set[str] = set()
    while pending:
        module = pending.pop()
        if module in seen:
            continue
        seen.add(module)
        path, is_package = module_file(module)
        digest, imported = _scan(*_stamp(path), is_package=is_package, module=module)
        parts.append((module, digest))
        pending += imported
    text = "\n".join(f"{name} {digest}" for name, digest in sorted(parts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def reached_modules(modules: Iterable[str]) -> set[str]:
    """List the modules of the package that are reached from ``modules``, themselves included."""
    pending, seen = list(modules), set()
    while pending:
        module = pending.pop()
        if module not in seen:
            seen.add(module)
            path, is_package = module_file(module)
            pending += _scan(*_stamp(path), is_package=is_package, module=module)[1]
    return seen


def module_file(module: str) -> tuple[str, bool]:
    """Return the file of a module of the package, and whether it is a package's `__init__`."""
    base = os.path.join(_ROOT, *module.split(".")[1:])
    path = os.path.join(base, "__init__.py")
    if os.path.isfile(path):
        return path, True
    path = f"{base}.py"
    if not os.path.isfile(path):
        raise GramworksError(f"no module {module}: there is no file {path}.")
    return path, False


def _stamp(path: str) -> tuple[str, int, int]:
    """Identify a file's content for the cache, so that one parse serves all jobs of a run."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise GramworksError(f"{path}: no such file, needed to fingerprint a job.") from None
    return path, status.st_mtime_ns, status.st_size


@functools.cache
def _scan(
    path: str, _mtime: int, _size: int, *, is_package: bool, module: str | None
) -> tuple[str, tuple[str, ...]]:
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"), filename=path)
    except SyntaxError as error:
        raise GramworksError(f"{path}, line {error.lineno}: {error.msg}.") from None
    statements = list(_statements(tree))
    imported = sorted(_imports(statements, module, is_package))
    for node in statements:
        _drop_docstring(node)
    digest = hashlib.sha256(ast.dump(tree, include_attributes=False).encode()).hexdigest()
    return digest, tuple(imported)


def _drop_docstring(node: ast.AST) -> None:
    body = getattr(node, "body", None)
    if not isinstance(body, list):
        return
    # Attribute docstrings (a bare string after an assignment) document as well.
    node.body = [
        part
        for part in body
        if not (
            isinstance(part, ast.Expr)
            and isinstance(part.value, ast.Constant)
            and isinstance(part.value.value, str)
        )
    ]


def _imports(statements: list[ast.AST], module: str | None, is_package: bool) -> set[str]:
    found: set[str] = set()
    for_types = {
        id(part)
        for node in statements
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for top in node.body
        for part in _statements(top)
    }
    for node in statements:
        if id(node) in for_types:  # runs only in type checkers
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                found |= _known(alias.name)
                # `import package as p; p.name`: whatever the package exports may be meant.
                found |= set(_exports(alias.name).values())
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, module, is_package)
            exports = _exports(base)
            for alias in node.names:
                name = f"{base}.{alias.name}"
                found |= _known(name) | set(_exports(name).values())
                found |= {exports[n] for n in exports if alias.name in (n, "*")}
    return found


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a module and its statements; expressions, most of a tree, hold none."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            inside = getattr(node, block, ())
            if isinstance(inside, list):  # the body of a lambda or a conditional is an expression
                pending += inside


def _exports(package: str) -> dict[str, str]:
    """Map the lazy public names of a package to their modules, from its `_EXPORTS`."""
    if package != PACKAGE and not package.startswith(PACKAGE + "."):
        return {}
    try:
        path, is_package = module_file(package)
    except GramworksError:
        return {}
    stated = _stated_exports(*_stamp(path)) if is_package else ()
    whole = PACKAGE + "."
    return {n: m if m.startswith(whole) else f"{package}.{m}" for n, m in stated}


@functools.cache
def _stated_exports(path: str, _mtime: int, _size: int) -> tuple[tuple[str, str], ...]:
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_EXPORTS":
            return tuple(ast.literal_eval(node.value).items())
    return ()


def _absolute(node: ast.ImportFrom, module: str | None, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = (module or "").split(".")
    parts = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*parts, node.module] if node.module else parts)


def _known(name: str) -> set[str]:
    """Find the modules that ``import name`` or ``from a import b`` (as a.b) runs.

    The package's `__init__` files on the way are run as well, and are part of the hash; they are
    empty or lazy, so that they lead nowhere.
    """
    if name != PACKAGE and not name.startswith(PACKAGE + "."):
        return set()
    parts = name.split(".")
    found = set()
    for stop in range(1, len(parts) + 1):
        candidate = ".".join(parts[:stop])
        try:
            module_file(candidate)
        except GramworksError:
            break
        found.add(candidate)
    # The version stands in the top __init__: a release alone must not rerun a finished study.
    return found - {PACKAGE}
