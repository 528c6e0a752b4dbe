"""The worked examples of the documentation run as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.md"))


def code_of(page):
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S))


def run(code, folder):
    command = [sys.executable, "-c", code]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.stem)
def test_example_runs(page, tmp_path):
    printed = run(code_of(page), tmp_path)
    if page.stem == "string-pairs":
        right = re.search(r"(\d+)% of the outputs are right", printed)
        assert int(right[1]) >= 85
        assert len(re.findall(" -> ", printed)) == 16


@pytest.mark.parametrize("stem", ["few-labels", "several-sources"])
def test_example_prints_what_it_shows(stem, tmp_path):
    (page,) = (page for page in EXAMPLES if page.stem == stem)
    shown = re.findall(r"^```text\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    assert run(code_of(page), tmp_path) == "".join(shown)
