import datetime

import pytest

from gramworks.config import load_config, run_config
from gramworks.errors import ConfigError


def faults(values):
    with pytest.raises(ConfigError) as caught:
        load_config(values)
    return str(caught.value)


def test_defaults():
    config = load_config({"studies": ["a"]})
    assert (config.sources, config.repeats, config.mirror) == ("embedded", None, None)


def test_misspelt_key_names_the_nearest():
    text = faults({"studies": ["a"], "repeets": 3})
    assert "unknown key 'repeets'" in text
    assert "did you mean 'repeats'?" in text


@pytest.mark.parametrize("value", [3, "3", "3.0", 3.0])
def test_numbers_in_any_form(value):
    assert load_config({"studies": ["a"], "repeats": value}).repeats == 3


@pytest.mark.parametrize("value", [0, -1, 2.5, "many", True, float("nan"), [3]])
def test_unusable_numbers_are_refused_with_the_key(value):
    assert "config.yaml: repeats:" in faults({"studies": ["a"], "repeats": value})


def test_null_and_missing_studies():
    assert "studies" in faults({"studies": None})
    assert "'studies' is missing" in faults({})


def test_empty_list_of_methods():
    assert "methods" in faults({"studies": ["a"], "methods": []})


def test_duplicated_name():
    assert "a stands more than once" in faults({"studies": ["a", "b", "a"]})


def test_bare_date_is_explained():
    text = faults({"studies": [datetime.date(2024, 1, 2)]})
    assert "bare date (2024-01-02)" in text
    assert "quotes" in text


@pytest.mark.parametrize("name", ["a b(1)/c", "../x", "a/b", "ä", "", "..", "a\n", 'x"y', "a;b"])
def test_names_keep_to_the_pattern(name):
    text = faults({"studies": ["a"], "datasets": [name]})
    assert "[A-Za-z0-9_.-]+" in text


def test_all_faults_are_told_at_once():
    text = faults({"studies": ["a", "a"], "repeats": -1, "sorces": "any"})
    assert len(text.splitlines()) == 3


def test_wrong_choice_lists_the_choices():
    assert "no 'all'; Valid: any, embedded" in faults({"studies": ["a"], "sources": "all"})
    assert "did you mean 'any'" in faults({"studies": ["a"], "sources": "Any"})


def test_engine_merged_values_are_checked_against_the_strict_reading(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("studies: [a]\nstudies: [b]\n")
    with pytest.raises(ConfigError, match="line 2: key 'studies' stands already in line 1"):
        run_config({"studies": ["b"]}, [path])
