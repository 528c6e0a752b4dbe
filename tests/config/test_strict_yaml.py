import pytest

from gramworks.errors import ConfigError
from gramworks.strict_yaml import load_yaml, parse_yaml


@pytest.mark.parametrize(("text", "value"), [("1e-3", 1e-3), ("2E5", 2e5), ("1.5e+2", 150.0)])
def test_exponents_without_a_dot_are_numbers(text, value):
    assert parse_yaml(f"x: {text}", "f")["x"] == value


@pytest.mark.parametrize("text", ["010", "1:30", "0x1f", "1_000"])
def test_what_is_no_plain_number_stays_text(text):
    assert parse_yaml(f"x: {text}", "f")["x"] == text


@pytest.mark.parametrize("text", ["0", "7", "-3", "+12", "100"])
def test_plain_integers(text):
    assert parse_yaml(f"x: {text}", "f")["x"] == int(text)


def test_quoted_number_stays_text():
    assert parse_yaml('x: "0.2"', "f")["x"] == "0.2"


def test_duplicate_key_is_refused_with_both_lines():
    with pytest.raises(ConfigError, match=r"f\.yaml, line 3: key 'a' stands already in line 1"):
        parse_yaml("a: 1\nb: 2\na: 3\n", "f.yaml")


def test_tab_is_refused_with_line_and_advice():
    with pytest.raises(ConfigError, match=r"f\.yaml, line 2: .*spaces, never with tabs"):
        parse_yaml("a:\n\tb: 1\n", "f.yaml")


def test_list_at_the_top_is_refused():
    with pytest.raises(ConfigError, match="expected keys and values at the top, found list"):
        parse_yaml("- a\n", "f.yaml")


def test_alias_bomb_and_python_tags_are_refused():
    with pytest.raises(ConfigError, match="not valid YAML"):
        parse_yaml("a: !!python/object/apply:os.system ['true']\n", "f.yaml")


def test_missing_and_binary_files_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.yaml: no such file"):
        load_yaml(tmp_path / "none.yaml")
    (tmp_path / "bin.yaml").write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(ConfigError, match=r"bin\.yaml: cannot be read as UTF-8"):
        load_yaml(tmp_path / "bin.yaml")


def test_byte_order_mark_and_crlf_are_fine(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert load_yaml(tmp_path / "a.yaml") == {"a": 1, "b": 2}


def test_empty_file_is_an_empty_mapping():
    assert parse_yaml("# nothing\n", "f") == {}
