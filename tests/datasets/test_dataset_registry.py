"""Registry entries: strict keys, names, digests."""

import textwrap

import pytest
import yaml

from gramworks.datasets import registry
from gramworks.datasets.registry import FOLDER, dataset_ids, entry_digest, load_entry
from gramworks.datasets.registry import load_entry_file as load_file
from gramworks.errors import ConfigError

HEART = (FOLDER / "heart.yaml").read_text(encoding="utf-8")


def _file(tmp_path, text, name="heart"):
    path = tmp_path / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_unknown_ids_list_the_valid_ones():
    with pytest.raises(ConfigError, match="'yeast-mips' is known by its published numbers only"):
        load_entry("yeast-mips")
    with pytest.raises(ConfigError, match="no data set 'wisconsn'; did you mean 'wisconsin'"):
        load_entry("wisconsn")
    for name in ("../wisconsin", "a b(1)/c", ""):
        with pytest.raises(ConfigError, match="Valid: .*ionosphere"):
            load_entry(name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("licence:", "license:", "unknown key 'license'; did you mean 'licence'"),
        (
            "    repository:",
            "    repositry:",
            "repositry'; did you mean 'repository'",
        ),
        ("        sha256:", "        sha265:", "sha265'; did you mean 'sha256'"),
        ("  classes:", "  clases:", "unknown key 'target.clases'; did you mean 'classes'"),
        ("kind: url", "kind: uri", "'uri'"),
        ("id: heart", "id: hart", "id is 'hart', the file's name says 'heart'"),
        ("id: heart", "id: a b(1)/c", "allowed are letters"),
        ("id: heart", "id: .heart", "does not begin with a dot"),
        ("format: delimited", "format: delimted", "no parser 'delimted'.* did you mean 'delim"),
        ("header: names", "headers: names", "unknown key 'headers'; did you mean 'header'"),
        ("header: names", "header: maybe", "no 'maybe'; Valid: names, none, skip"),
        ("path: heart.dat", "path: ../heart.dat", "a relative path inside its folder"),
        ("mirror: uci/heart.dat", "mirror: /uci/heart.dat", "a relative path inside its folder"),
        ("path: heart.dat", "path: manifest.json", "two different files would be kept"),
        ("commit: fe84", "commit: main", "String should match pattern"),
        ("1: absent, 2", "1: absend, 2", "classes that are not among"),
        ("1: absent, 2", "true: absent, 2", "put True in quotes"),
        ("classes: [absent, present]", "classes: [absent]", "task 'binary' does not fit 1 cl"),
        ("classes: [absent, present]", "classes: [absent, absent]", "absent stands more than"),
        ("task: binary", "task: binary\ntask: binary", "line 4: key 'task' stands already"),
        ("task: binary", "\ttask: binary", "line 3: not valid YAML"),
        ("absent: 150", "healthy: 150", "facts.classes names other classes"),
    ],
)
def test_faults_name_the_file_and_key(tmp_path, old, new, message):
    assert old in HEART
    path = _file(tmp_path, HEART.replace(old, new, 1))
    with pytest.raises(ConfigError, match=message) as error:
        load_file(path)
    assert "heart.yaml" in str(error.value) or "parser" in str(error.value)


def test_nominal_columns_state_values_and_encoding(tmp_path):
    old = "- {name: sex,"
    for new in ("- {name: sex, type: nominal,", "- {name: sex, values: [0, 1],"):
        with pytest.raises(ConfigError, match="'sex': nominal columns state both"):
            load_file(_file(tmp_path, HEART.replace(old, new)))
    with pytest.raises(ConfigError, match="3 columns need '{}' in their name"):
        load_file(_file(tmp_path, HEART.replace(old, "- {name: sex, count: 3,")))


def test_columns_are_numbered():
    names = [feature.name for feature in load_entry("sonar").features()]
    assert names[0] == "band-1"
    assert names[-1] == "band-60"


@pytest.fixture
def digest_of(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "FOLDER", tmp_path)

    def digest(text, name="two-norm"):
        _file(tmp_path, text, name)
        registry._load.cache_clear()
        return entry_digest(name)

    return digest


def test_digest_follows_what_shapes_the_array(digest_of):
    text = (FOLDER / "two-norm.yaml").read_text(encoding="utf-8")
    before = digest_of(text)
    assert len(before) == 64
    same = [
        "# a comment\n" + text,
        yaml.safe_dump(yaml.safe_load(text), sort_keys=True),
        yaml.safe_dump(yaml.safe_load(text), sort_keys=True, default_flow_style=True),
        text.replace("licence: made here", "licence: made right here"),
        text.replace("seed: 1", "seed: +1"),
    ]
    assert {digest_of(other) for other in same} == {before}
    changed = [
        text.replace("seed: 1", "seed: 2"),
        text.replace("sizes: [182, 148]", "sizes: [148, 182]"),
        text.replace("classes: [plus, minus]", "classes: [minus, plus]"),
        text.replace("rows: 330", "rows: 331"),
    ]
    assert len({digest_of(other) for other in changed} | {before}) == 1 + len(changed)


def test_documented_example_is_a_valid_entry(tmp_path):
    """docs/adding-a-data-set.md shows one complete file; it must stay loadable."""
    page = FOLDER.parents[3] / "docs" / "adding-a-data-set.md"
    block = page.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    entry = load_file(_file(tmp_path, textwrap.dedent(block), "my-table"))
    assert entry.id == "my-table"


def test_ids_are_the_file_names():
    assert dataset_ids() == sorted(load_entry(name).id for name in dataset_ids())
