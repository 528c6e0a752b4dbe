"""Archives from outside."""

import stat
import zipfile

import pytest

from gramworks.datasets.archive import read_member
from gramworks.errors import DataError


def _archive(tmp_path, *members):
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return path


FILE = stat.S_IFREG | 0o644


def test_a_plain_member_is_read(tmp_path):
    path = _archive(tmp_path, ("d/x.dat", b"data", FILE), ("../y", b"other", FILE))
    assert read_member(path, "d/x.dat") == b"data"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.whl"]


@pytest.mark.parametrize(
    ("name", "data", "mode", "message"),
    [
        ("../x", b"d", FILE, "leaves its folder"),
        ("d/../../x", b"d", FILE, "leaves its folder"),
        ("/etc/x", b"d", FILE, "leaves its folder"),
        ("C:\\x", b"d", FILE, "leaves its folder"),
        ("x", b"/etc/passwd", stat.S_IFLNK | 0o777, "a link or folder"),
        ("x", b"", stat.S_IFIFO | 0o644, "a link or folder"),
        ("x", bytes(5000), FILE, "states 5000 bytes, at most 1000"),
    ],
)
def test_members_that_are_refused(tmp_path, name, data, mode, message):
    with pytest.raises(DataError, match=message):
        read_member(_archive(tmp_path, (name, data, mode)), name, largest=1000)


def test_missing_and_double_members(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = _archive(tmp_path, ("x", b"1", FILE), ("x", b"2", FILE))
    with pytest.raises(DataError, match="2 times, expected once"):
        read_member(path, "x")
    with pytest.raises(DataError, match="0 times, expected once"):
        read_member(path, "z")


def test_a_member_that_understates_its_size(tmp_path):
    """The limit holds for what comes out, not only for what is declared."""
    path = _archive(tmp_path, ("x", bytes(100_000), FILE))
    data = bytearray(path.read_bytes())
    size = (100_000).to_bytes(4, "little")
    assert data.count(size) == 2
    path.write_bytes(bytes(data).replace(size, (500).to_bytes(4, "little")))
    with pytest.raises(DataError):
        read_member(path, "x", largest=1000)


@pytest.mark.parametrize("cut", [0, 10, 60])
def test_damaged_archives(tmp_path, cut):
    path = _archive(tmp_path, ("x", b"some data", FILE))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DataError, match="cannot be read"):
        read_member(path, "x")
