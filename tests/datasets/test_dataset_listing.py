"""The listing of data sets: nothing is fetched, and it says what can be had here."""

import pytest

from gramworks.datasets.listing import COLUMNS, format_listing, list_datasets
from gramworks.datasets.registry import dataset_ids


@pytest.fixture
def rows(tmp_path, monkeypatch):
    def forbidden(*words, **keys):
        raise AssertionError("the listing must not fetch")

    monkeypatch.setattr("gramworks.datasets.origins.url.read_address", forbidden)
    monkeypatch.setattr("gramworks.datasets.origins.wheel.subprocess.run", forbidden)
    return lambda mirror="": {row["id"]: row for row in list_datasets(tmp_path, mirror=mirror)}


def test_without_a_mirror(rows):
    found = rows()
    assert list(found) == dataset_ids()
    assert found["two-norm"]["here"] == "yes (generated)"
    assert found["iris"]["here"] == "yes (installed)"
    assert found["wisconsin"]["here"] == "needs the package index"
    assert found["heart"]["here"] == "needs a mirror or the network"
    assert found["usps"]["rows"] == 9298
    assert found["usps"]["classes"] == 10
    assert found["sonar"]["source"] == "url"
    assert rows("https://example.org/base")["heart"]["here"] == "needs the mirror's address"


def test_kept_and_mirrored(rows, tmp_path):
    mirror = tmp_path / "mirror"
    (mirror / "uci").mkdir(parents=True)
    (mirror / "uci" / "heart.dat").write_bytes(bytes(16623))
    (mirror / "uci" / "sonar.csv").write_bytes(bytes(3))
    found = rows(str(mirror))
    assert found["heart"]["here"] == "yes (mirror)"
    assert found["sonar"]["here"] == "needs a mirror or the network"


def test_table(rows):
    lines = format_listing(list(rows().values())).splitlines()
    assert lines[0].split() == list(COLUMNS)
    assert len(lines) == 1 + len(dataset_ids())
    assert all(line == line.rstrip() for line in lines)
    start = lines[0].index("task")
    assert all(line[start - 1] == " " != line[start] for line in lines)
