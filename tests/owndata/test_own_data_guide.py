"""The guide's example: its table is made, its command run, and its output compared."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from gramworks.owndata.command import add_parsers

GUIDE = (Path(__file__).parents[2] / "docs" / "own-data.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_example_prints_what_the_guide_shows(folder, command):
    (code,) = blocks("python")
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    (shown,) = [block for block in blocks("console") if "cultivar" in block]
    line, wanted = shown.split("\n", 1)
    status, out, err = command(*line.removeprefix("$ gramworks ").split())
    assert status == 0, err
    assert _without_methods(out) == _without_methods(wanted)
    told = "  left out: oracle: a control that sees the test labels\n"
    assert told in out
    assert told in wanted


def _without_methods(text):
    """Drop what grows with the registry."""
    return re.sub(r"  left out: .*\n", "", re.sub(r"\d+ methods", "methods", text))


def test_every_option_of_the_guide_is_one():
    parser = argparse.ArgumentParser()
    add_parsers(parser.add_subparsers())
    new = parser._subparsers._group_actions[0].choices["new"]
    stated = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", GUIDE)) - {"--cores", "--configfile"}
    assert stated <= set(new._option_string_actions), stated
    assert {"--missing", "--update", "--na"} <= stated


def test_the_changes_name_every_option():
    parser = argparse.ArgumentParser()
    add_parsers(parser.add_subparsers())
    choices = parser._subparsers._group_actions[0].choices
    text = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    told = set(re.findall(r"--[a-z][a-z-]+", text))
    for name in ("new", "predict"):
        stated = {o for o in choices[name]._option_string_actions if o.startswith("--")}
        assert stated - {"--help"} <= told, name
    assert "`predictions:`" in text
