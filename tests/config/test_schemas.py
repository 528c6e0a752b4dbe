import difflib
from pathlib import Path

import pytest

from gramworks.config import load_config
from gramworks.schemas import generated_files
from gramworks.strict_yaml import load_yaml

FOLDER = Path(__file__).parents[2] / "workflow" / "schemas"


@pytest.mark.parametrize("name", sorted(generated_files()))
def test_generated_files_are_current(name):
    kept, made = (FOLDER / name).read_text(), generated_files()[name]
    diff = "".join(difflib.unified_diff(kept.splitlines(True), made.splitlines(True), "kept"))
    assert not diff, f"run `gramworks schema --write`\n{diff}"


def test_defaults_file_is_a_valid_configuration():
    values = load_yaml(FOLDER / "config.defaults.yaml")
    assert load_config({"studies": ["x"], **values}) == load_config({"studies": ["x"]})
