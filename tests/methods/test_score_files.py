import pytest

from gramworks.draws import failed_rows
from gramworks.errors import FileDamaged
from gramworks.score_files import merge_rows, read_rows, write_rows

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


def chunk(tmp_path, name, repeats, settings=("C=1", "C=2")):
    rows = [row for setting in settings for row in failed_rows(
        "m", [{}], [setting], study="s", dataset="d", repeats=repeats, status="failed", reason="r"
    )]  # fmt: skip
    write_rows(tmp_path / name, rows)
    return tmp_path / name


def test_a_chunk_without_one_of_its_draws_is_damaged(tmp_path):
    whole = chunk(tmp_path, "0-2.csv", range(3))
    merge_rows([whole], tmp_path / "m.csv", ["C=1", "C=2"])
    lines = whole.read_text().splitlines(keepends=True)
    whole.write_text("".join(lines[:-1]))
    with pytest.raises(FileDamaged, match=r"0-2\.csv: lacks draw 2 of setting 'C=2'"):
        merge_rows([whole], tmp_path / "m.csv", ["C=1", "C=2"])


def test_a_chunk_with_other_draws_is_damaged(tmp_path):
    with pytest.raises(FileDamaged, match="has the unknown draw 3"):
        merge_rows([chunk(tmp_path, "0-2.csv", range(4))], tmp_path / "m.csv", ["C=1", "C=2"])
    with pytest.raises(FileDamaged, match="has the unknown draw 0 of setting 'C=9'"):
        merge_rows([chunk(tmp_path, "0-0.csv", [0], ["C=1", "C=9"])], tmp_path / "m.csv", ["C=1"])
