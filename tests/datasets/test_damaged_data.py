"""Files that look right and are not: rounded, altered, reordered or cut copies are refused."""

import hashlib
import json
import re

import numpy as np
import pytest
import yaml

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry, Facts
from gramworks.datasets.facts import check_facts, facts_of
from gramworks.datasets.parsing import parse, parse_unchecked
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch, read_manifest
from gramworks.datasets.state_facts import main
from gramworks.errors import DataError, FileDamaged

ROWS = ["0.1234,2.3,a", "0.5678,0.8,b", "0.9012,1.4,a", "0.3456,2.6,b"]


def _parse_as(make_entry, tmp_path, good, bad, **keys):
    """State the facts of a good file, then register a bad one under its own sha256."""

    def entry_of(text, facts=None):
        data = text.encode()
        (tmp_path / "m").mkdir(exist_ok=True)
        (tmp_path / "m" / "t").write_bytes(data)
        values = make_entry(**keys).model_dump()
        values["sources"][0]["files"] = [
            {"path": "t", "mirror": "m/t", "bytes": len(data),
             "sha256": hashlib.sha256(data).hexdigest()}
        ]  # fmt: skip
        entry = DatasetEntry.model_validate(values | {"facts": facts})
        fetch(entry, tmp_path / "raw", mirror=str(tmp_path), log=lambda line: None)
        return entry

    facts = facts_of(parse_unchecked(entry_of(good), tmp_path / "raw"))
    return parse(entry_of(bad, facts), tmp_path / "raw")


@pytest.mark.parametrize(
    ("rows", "fact"),
    [
        ([row.replace("0.1234", "0.123") for row in ROWS], "checksum: found"),
        ([row.replace("2.3", "23") for row in ROWS], "checksum: found"),
        (ROWS[::-1], "checksum: found"),
        (ROWS[:3], "rows: found 3, expected 4"),
        ([*ROWS[:3], ROWS[3].replace("b", "a")], "classes: found {'a': 3, 'b': 1}"),
    ],
    ids=["rounded", "lost decimal point", "other order", "truncated", "other label"],
)
def test_a_damaged_table_is_refused(make_entry, tmp_path, rows, fact):
    with pytest.raises(DataError, match="not the one its registry entry describes") as error:
        _parse_as(make_entry, tmp_path, "\n".join(ROWS), "\n".join(rows))
    assert fact in str(error.value)


def test_spelling_and_sorted_order_do_not_matter(make_entry, tmp_path):
    spelt = "\n".join(row.replace("2.3", "2.30").replace("0.8", ".8") for row in ROWS)
    assert _parse_as(make_entry, tmp_path, "\n".join(ROWS), spelt).rows == 4
    keys = {"sort": "lexicographic"}
    dataset = _parse_as(make_entry, tmp_path, "\n".join(ROWS), "\n".join(ROWS[::-1]), **keys)
    assert dataset.X[:, 0].tolist() == sorted(dataset.X[:, 0])


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["heart", "sonar"])
def test_damaged_copies_of_real_files(name, tmp_path, mirror):
    """The damages that were met in packages: rounded, decimal points lost, rows moved, cut."""
    entry = load_entry(name)
    fetch(entry, tmp_path, mirror=mirror, offline=True, log=lambda line: None)
    good = parse(entry, tmp_path)

    def refused(fact, X=good.X, y=good.y):
        bad = Dataset(good.id, X, y, good.classes, good.feature_names)
        with pytest.raises(DataError, match=fact):
            check_facts(entry, bad)

    check_facts(entry, good)
    refused("checksum", X=np.round(good.X, 0 if name == "heart" else 3))
    lost = good.X.copy()
    lost[good.X[:, 9] == 1.4 if name == "heart" else 0, 9] *= 10
    refused("checksum", X=lost)
    refused("checksum", X=good.X[::-1], y=good.y[::-1])
    refused("rows", X=good.X[:-1], y=good.y[:-1])
    refused("classes", y=1 - good.y)


@pytest.mark.mirror
def test_rounded_sonar_is_another_data_set(tmp_path, mirror):
    entry, other = load_entry("sonar"), load_entry("sonar-rounded")
    fetch(entry, tmp_path, mirror=mirror, offline=True, log=lambda line: None)
    with pytest.raises(DataError, match="'sonar-rounded' is not the one"):
        check_facts(other, parse(entry, tmp_path))


def test_files_changed_after_fetching(make_entry, tmp_path):
    text = "\n".join(ROWS)
    _parse_as(make_entry, tmp_path, text, text)
    entry = make_entry()
    manifest = tmp_path / "raw" / "manifest.json"
    command = re.escape(f"snakemake --force --cores 1 -- {manifest}")
    with pytest.raises(FileDamaged, match=f"t in .* is missing or has changed.*{command}"):
        parse(entry, tmp_path / "raw")  # its entry states another sha256
    stated = json.loads(manifest.read_text())
    stated["source"]["index"] = 7
    manifest.write_text(json.dumps(stated))
    with pytest.raises(FileDamaged, match=f"does not fit the registry entry.*{command}"):
        parse(entry, tmp_path / "raw")
    manifest.write_text(json.dumps({"absent": {"status": "failed"}}))
    with pytest.raises(FileDamaged, match=f"names no source.*{command}"):
        parse(entry, tmp_path / "raw")
    with pytest.raises(FileDamaged, match="there is no such file"):
        parse(entry, tmp_path / "nowhere")


DAMAGED_MANIFESTS = [
    b"",
    b"{}",
    b"[1]",
    b"null",
    b'{"source": ',
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"dataset": "a", "source": {"index": -1, "kind": "url", "name": "x"}, "files": {}}',
    b'{"dataset": "a", "source": {"index": true, "kind": "url", "name": "x"}, "files": {}}',
    b'{"dataset": "a", "source": {"index": 0, "kind": 3, "name": "x"}, "files": {}}',
    b'{"absent": 1}',
]


@pytest.mark.parametrize("content", DAMAGED_MANIFESTS, ids=lambda content: repr(content[:50]))
def test_a_damaged_manifest_is_named_with_the_command(content, tmp_path):
    path = tmp_path / "manifest.json"
    path.write_bytes(content)
    command = f"snakemake --force --cores 1 -- {path}"
    with pytest.raises(FileDamaged) as found:
        read_manifest(path)
    assert str(found.value).startswith(f"{path}: ")
    assert command in str(found.value)


def test_a_manifest_is_read_as_it_was_returned(make_entry, tmp_path):
    text = "\n".join(ROWS)
    _parse_as(make_entry, tmp_path, text, text)
    path = tmp_path / "raw" / "manifest.json"
    assert read_manifest(path) == json.loads(path.read_text())
    absent = {"absent": {"status": "unavailable", "code": "a", "reason": "b"}}
    path.write_text(json.dumps(absent))
    assert read_manifest(path) == absent


def test_an_entry_without_facts_says_how_to_state_them(tmp_path):
    entry = load_entry("iris").model_copy(update={"facts": None})
    fetch(entry, tmp_path, log=lambda line: None)
    with pytest.raises(DataError, match="python -m gramworks.datasets.state_facts iris"):
        parse(entry, tmp_path)


def test_stated_facts_are_those_of_the_entry(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["iris-two"]) == 0
    stated = yaml.safe_load(capsys.readouterr().out)["facts"]
    assert Facts.model_validate(stated) == load_entry("iris-two").facts
    assert main(["iris-tow"]) == 1
    assert "did you mean 'iris-two'" in capsys.readouterr().err
    assert main([]) == 2
    assert list(tmp_path.iterdir()) == []


def test_columns_with_a_view_make_a_block(make_entry, tmp_path):
    colour = {"name": "c", "type": "nominal", "values": ["r", "g"], "encode": "one-hot"}
    columns = ["u", {"name": "v", "view": "block"}, colour | {"view": "block"}]
    text = "1,2,r,a\n3,4,g,b\n"
    keys = {"columns": columns, "layout": ["features", "target"]}
    dataset = _parse_as(make_entry, tmp_path, text, text, **keys)
    assert dataset.feature_names == ["u", "v", "c=r", "c=g"]
    assert {name: view.tolist() for name, view in dataset.views.items()} == {
        "block": [[2, 1, 0], [4, 0, 1]]
    }
    facts = facts_of(dataset)
    assert facts.views["block"].columns == 3
    other = keys | {"columns": ["u", {"name": "v", "view": "other"}, colour | {"view": "other"}]}
    assert facts_of(_parse_as(make_entry, tmp_path, text, text, **other)) != facts
