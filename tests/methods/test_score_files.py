import pytest

from gramworks.draws import failed_rows
from gramworks.errors import FileDamaged
from gramworks.score_files import read_rows, write_rows

ROWS = failed_rows(
    "m", [{}], [""], study="s", dataset="d", repeats=range(9), status="failed", reason="r"
)


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.52, 0.54, -1])
def test_damaged_files_are_named_with_the_command_that_rebuilds_them(tmp_path, keep):
    path = tmp_path / "a.csv"
    write_rows(path, ROWS)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep) if 0 < keep < 1 else keep])
    with pytest.raises(FileDamaged, match=r"a\.csv.*(?s:.)*snakemake"):
        read_rows(path)


def test_missing_and_binary_files_are_named(tmp_path):
    with pytest.raises(FileDamaged, match=r"no\.csv"):
        read_rows(tmp_path / "no.csv")
    (tmp_path / "b.csv").write_bytes(b"\x00\xff\x00")
    with pytest.raises(FileDamaged, match=r"b\.csv"):
        read_rows(tmp_path / "b.csv")


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.csv"
    write_rows(path, ROWS)
    before = path.read_bytes()

    def broken():
        yield ROWS[0]
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        write_rows(path, broken())
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
