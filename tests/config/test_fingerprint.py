import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import gramworks
from gramworks import fingerprint as module
from gramworks.errors import GramworksError
from gramworks.fingerprint import fingerprint, reached_modules
from gramworks.methods.registry import method_module, method_names


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `gramworks` of three modules in a temporary folder."""
    root = tmp_path / "gramworks"
    (root / "sub").mkdir(parents=True)
    (root / "__init__.py").write_text("__version__ = '1'\n")
    (root / "sub" / "__init__.py").write_text("")
    (root / "a.py").write_text("from gramworks.sub import b\n\ndef f():\n    return b.g()\n")
    (root / "sub" / "b.py").write_text("from ..c import h\n\ndef g():\n    return h()\n")
    (root / "c.py").write_text('"""Doc."""\n\ndef h():\n    """Doc."""\n    return 1  # one\n')
    (root / "d.py").write_text("def unused():\n    return 1\n")
    monkeypatch.setattr(module, "_ROOT", root)
    return root


def test_reaches_through_relative_and_absolute_imports(package):
    expected = {"gramworks.a", "gramworks.sub", "gramworks.sub.b", "gramworks.c"}
    assert reached_modules(["gramworks.a"]) == expected


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('"""Other doc."""\n\ndef h():\n    """Other."""\n    return 1\n', True),
        ("def h():\n\n\n    # a comment\n    return (1)\n", True),
        ("def h():\n    return 2\n", False),
        ("def h():\n    return 1.0\n", False),
    ],
)
def test_only_code_counts(package, text, same):
    before = fingerprint(None, ["gramworks.a"])
    (package / "c.py").write_text(text)
    assert (fingerprint(None, ["gramworks.a"]) == before) is same


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        ("from gramworks.lazy import f", True),
        ("from gramworks.lazy import *", True),
        ("from gramworks import lazy", True),
        ("import gramworks.lazy as z", True),
        ("def later():\n    from gramworks.lazy import f", True),
        ("from gramworks.lazy import other", False),
        ("if TYPE_CHECKING:\n    from gramworks.lazy import f", False),
    ],
)
def test_public_names_of_lazy_packages_lead_to_their_modules(package, text, reached):
    (package / "lazy").mkdir()
    (package / "lazy" / "__init__.py").write_text('_EXPORTS = {"f": "inner", "g": "gramworks.c"}\n')
    (package / "lazy" / "inner.py").write_text("def f():\n    return 1\n")
    (package / "a.py").write_text(text + "\n")
    assert ("gramworks.lazy.inner" in reached_modules(["gramworks.a"])) is reached


def test_real_public_names_are_followed():
    for name, home in (("gaussian", "gaussian_kernel"), ("centre", "transforms")):
        code = f"from gramworks.kernels import {name}"
        assert f"gramworks.kernels.{home}" in module_imports(code)


def module_imports(code):
    return module._imports(ast.parse(code).body, None, False)


def test_unreached_module_and_version_do_not_count(package):
    before = fingerprint(None, ["gramworks.a"])
    (package / "d.py").write_text("def unused():\n    return 22222\n")
    (package / "__init__.py").write_text("__version__ = '22222'\n")
    assert fingerprint(None, ["gramworks.a"]) == before


def test_script_counts(package, tmp_path):
    script = tmp_path / "s.py"
    script.write_text("from gramworks.c import h\nh()\n")
    before = fingerprint(script)
    script.write_text("from gramworks.c import h\nh()  # said\n")
    assert fingerprint(script) == before
    script.write_text("from gramworks.c import h\nh() + 1\n")
    assert fingerprint(script) != before


def test_syntax_error_names_file_and_line(package):
    (package / "c.py").write_text("x = 1\ndef h(:\n")
    with pytest.raises(GramworksError, match=r"c\.py, line 2"):
        fingerprint(None, ["gramworks.a"])


def _modules():
    found = pkgutil.walk_packages(gramworks.__path__, "gramworks.")
    return sorted(module.name for module in found)


def test_methods_do_not_reach_each_other():
    modules = {method_module(name) for name in method_names()}
    for found in modules:
        assert reached_modules([found]) & modules == {found}


@pytest.mark.parametrize("name", [m for m in _modules() if importlib.util.find_spec(m).origin])
def test_package_inits_lead_nowhere(name):
    path = Path(importlib.util.find_spec(name).origin)
    if path.name == "__init__.py":
        assert reached_modules([name]) <= {name, name.rpartition(".")[0]}


def test_imports_in_any_block_are_followed():
    code = """
match 1:
    case 1:
        from gramworks.kernels import gaussian
try:
    pass
except ValueError:
    import gramworks.errors
finally:
    with open("x") as f:
        from gramworks import draws
f = lambda: 1 if 2 else 3
class A:
    async def b(self):
        async for c in d:
            from gramworks.hdf5 import atomic
"""
    found = module_imports_anywhere(code)
    for name in ("kernels.gaussian_kernel", "errors", "draws", "hdf5"):
        assert f"gramworks.{name}" in found


def module_imports_anywhere(code):
    return module._imports(list(module._statements(ast.parse(code))), None, False)


def test_imports_for_type_checkers_are_not_followed():
    code = (
        "if TYPE_CHECKING:\n    if x:\n        import gramworks.draws\n"
        "else:\n    import gramworks.errors"
    )
    assert module_imports_anywhere(code) == {"gramworks.errors"}
