"""Pages for users say what is there."""

import doctest
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

from gramworks.api_page import PACKAGES, api_page, public_names
from gramworks.config import load_config
from gramworks.methods.registry import load_method, method_names
from gramworks.plan import Plan

ROOT = Path(__file__).parents[2]


def test_the_api_page_is_current():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert text == api_page(), "run: python -m gramworks.api_page --write"


def test_public_names_have_docstrings_with_parameters():
    assert set(public_names("gramworks.gram")) >= {"read_gram", "write_gram"}
    for module in PACKAGES:
        for name in public_names(module):
            assert f"### {name}\n" in api_page()


def test_a_public_name_is_not_hidden_by_the_module_of_its_name():
    code = (
        "from gramworks.learning import deformed_kernels as at_first\n"
        "import gramworks.methods.invariance\n"
        "from gramworks.learning import deformed_kernels, moved_images\n"
        "assert at_first is deformed_kernels and callable(deformed_kernels), deformed_kernels\n"
        "assert callable(moved_images)"
    )
    later = code.split("\n", 1)[1].replace("at_first is deformed_kernels and ", "")
    for order in (code, later):
        made = subprocess.run([sys.executable, "-c", order], capture_output=True, text=True)
        assert made.returncode == 0, made.stderr


def test_methods_that_are_recommended_exist():
    text = (ROOT / "docs" / "which-method.md").read_text()
    words = set(re.findall(r"`([a-z]+(?:-[a-z0-9]+)*)`", text))
    chart = text.split("```mermaid")[1].split("```")[0]
    known = {re.sub(r"-\d+$", "", name) for name in method_names()}
    for word in words:
        load_method(word)
    # the chart recommends nothing that the words do not
    hyphened = set(re.findall(r"\b[a-z]+(?:-[a-z]+)+\b", chart))
    assert {re.sub(r"-\d+$", "", word) for word in hyphened} <= known


def test_messages_that_troubleshooting_quotes_are_those_of_the_code():
    text = (ROOT / "docs" / "troubleshooting.md").read_text()
    files = [*ROOT.glob("src/gramworks/**/*.py"), *ROOT.glob("workflow/**/*.smk")]
    source = "\n".join(path.read_text() for path in [*files, ROOT / "Makefile"])
    # messages are written over several lines of source
    joined = re.sub(r'"\s*\n\s*f?"', "", source)
    quoted = [m for line in text.splitlines() if line.startswith("| ")
              for m in re.findall(r"`([^`]+)`", line.split("|")[1])]  # fmt: skip
    assert len(quoted) > 15
    for message in quoted:
        assert message in joined, message


def test_ways_to_limit_a_run_are_keys_and_names_that_exist():
    text = (ROOT / "docs" / "study-files.md").read_text()
    part = text.split("## Limiting a run")[1].split("\n## ")[0]
    commands = [shlex.split(line) for line in part.splitlines() if line.startswith("snakemake")]
    assert len(commands) == 2
    for words in commands:
        pairs = [word.split("=", 1) for word in words if "=" in word]
        values = {key: yaml.safe_load(value) for key, value in pairs}
        plan = Plan(load_config({"sources": "any"} | values), ROOT)
        [study] = plan.studies
        assert set(values.get("datasets", [])) <= set(plan.datasets(study))
        assert set(values.get("methods", [])) <= set(plan.methods(study))


def test_examples_in_docstrings_give_what_they_say():
    found = 0
    for path in sorted((ROOT / "src" / "gramworks").rglob("*.py")):
        if ">>>" in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
            result = doctest.testmod(importlib.import_module(name))
            assert result.failed == 0, name
            found += result.attempted
    assert found
