"""Files of rows and of fitted pieces: written whole, damage told, merged in one order."""

import csv
import json
import subprocess
import sys

import pytest

from gramworks.draws import failed_rows
from gramworks.errors import FileDamaged
from gramworks.kept_pieces import KeptPieces, piece_key
from gramworks.merging import main, rows_of
from gramworks.part_files import read_pieces, write_pieces
from gramworks.score_files import COLUMNS, text_rows, write_table


def piece(first, last, settings=("C=1", "C=2"), method="m"):
    rows = text_rows(
        row for setting in settings for row in failed_rows(
            method, [{}], [setting], study="s", dataset="d", repeats=range(first, last + 1),
            status="failed", reason="r",
        )
    )  # fmt: skip
    return {"method": method, "first": first, "last": last, "scores": rows, "timings": rows,
            "predictions": []}  # fmt: skip


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.52, 0.54, -2])
def test_damaged_parts_are_named_with_the_command_that_rebuilds_them(tmp_path, keep):
    path = tmp_path / "a.json"
    write_pieces(path, [piece(0, 8)])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep) if 0 < keep < 1 else keep])
    with pytest.raises(FileDamaged, match=r"a\.json.*(?s:.)*snakemake"):
        read_pieces(path)


def test_parts_that_hold_something_else_are_named(tmp_path):
    path = tmp_path / "a.json"
    with pytest.raises(FileDamaged, match=r"a\.json"):
        read_pieces(path)
    write_pieces(path, [piece(0, 1)])
    text = path.read_text()
    deep = "[" * 100_000
    for content in (
        deep,
        "[]",
        "{}",
        "7",
        '"text"',
        text.replace('"failed"', '"ok"', 1),
        "\x00\xff",
    ):
        path.write_text(content)
        with pytest.raises(FileDamaged, match=r"a\.json"):
            read_pieces(path)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.csv"
    write_table(path, COLUMNS, piece(0, 3)["scores"])
    before = path.read_bytes()

    def broken():
        yield ["one"]
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        write_table(path, COLUMNS, broken())
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_rows_are_merged_in_one_order_however_they_were_cut(tmp_path):
    write_pieces(tmp_path / "x.json", [piece(3, 11), piece(0, 4, method="other")])
    write_pieces(tmp_path / "y.json", [piece(0, 2)])
    write_pieces(tmp_path / "whole.json", [piece(0, 11, settings=("C=2", "C=1"))])
    cut = rows_of([tmp_path / "x.json", tmp_path / "y.json"], "m", 12, "scores")
    assert cut == rows_of([tmp_path / "whole.json"], "m", 12, "scores")
    # repeats count as numbers: 2 comes before 10
    assert [(row[3], row[4]) for row in cut] == [
        (setting, str(repeat)) for setting in ("C=1", "C=2") for repeat in range(12)
    ]


def test_repeats_that_are_missing_or_stand_twice_are_told(tmp_path):
    write_pieces(tmp_path / "x.json", [piece(0, 2), piece(4, 5)])
    with pytest.raises(FileDamaged, match=r"x\.json: holds repeats 4 to 5 of m, and repeat 3"):
        rows_of([tmp_path / "x.json"], "m", 6, "scores")
    write_pieces(tmp_path / "x.json", [piece(0, 2), piece(2, 5)])
    with pytest.raises(FileDamaged, match="holds repeats 2 to 5 of m, and repeat 3"):
        rows_of([tmp_path / "x.json"], "m", 6, "scores")


def test_a_part_that_lacks_a_method_or_its_last_repeats_is_told(tmp_path):
    write_pieces(tmp_path / "x.json", [piece(0, 2)])
    with pytest.raises(FileDamaged, match=r"x\.json: holds 3 repeats of m, expected are 4"):
        rows_of([tmp_path / "x.json"], "m", 4, "scores")
    with pytest.raises(FileDamaged, match=r"x\.json: holds 0 repeats of other, expected are 3"):
        rows_of([tmp_path / "x.json"], "other", 3, "scores")
    with pytest.raises(FileDamaged, match="holds 3 repeats of m, expected are 2"):
        rows_of([tmp_path / "x.json"], "m", 2, "scores")


def test_merging_from_the_command_line(tmp_path, capsys):
    part = piece(0, 1)
    part["predictions"] = [["C=1", "0", "3", "=1+1", "b", "0.5", "=1+1"]]
    write_pieces(tmp_path / "x.json", [part])
    files = {kind: str(tmp_path / f"{kind}.csv") for kind in ("scores", "timings", "predictions")}
    options = [text for kind, path in files.items() for text in (f"--{kind}", path)]
    assert main(["--method", "m", "--repeats", "2", *options, str(tmp_path / "x.json")]) == 0
    with open(files["scores"], newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == COLUMNS
    assert rows == part["scores"]
    with open(files["predictions"], newline="") as file:
        assert list(csv.reader(file))[1][3] == "'=1+1"
    (tmp_path / "x.json").write_text("cut")
    assert main(["--method", "m", "--repeats", "2", *options, str(tmp_path / "x.json")]) == 1
    assert "x.json" in capsys.readouterr().err


def test_merging_imports_nothing_that_takes_time():
    code = "import sys, gramworks.merging; print(sorted({'numpy', 'h5py'} & set(sys.modules)))"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"


def test_a_piece_is_found_again_by_what_it_depends_on(tmp_path):
    given = tmp_path / "gram.h5"
    given.write_bytes(b"one")
    kept = KeptPieces(tmp_path / "pieces")
    key = piece_key("slice", [given])
    assert kept.get("m.0-1", key) is None
    kept.keep("m.0-1", key, piece(0, 1))
    assert kept.get("m.0-1", key) == piece(0, 1)
    assert kept.get("m.0-1", piece_key("other slice", [given])) is None
    given.write_bytes(b"two")
    assert piece_key("slice", [given]) != key
    given.write_bytes(b"one")
    assert piece_key("slice", [given]) == key
    [path] = (tmp_path / "pieces").iterdir()
    path.write_bytes(path.read_bytes()[:-20])
    assert kept.get("m.0-1", key) is None


def test_large_inputs_of_a_piece_are_known_by_size_and_time(tmp_path):
    import os

    given = tmp_path / "gram.h5"
    given.write_bytes(b"0" * (2**20 + 1))
    key = piece_key("slice", [given])
    assert piece_key("slice", [given]) == key
    os.utime(given, ns=(1, 1))
    assert piece_key("slice", [given]) != key


def test_what_is_kept_is_text(tmp_path):
    write_pieces(tmp_path / "x.json", [piece(0, 1)])
    rows = json.loads((tmp_path / "x.json").read_text())["pieces"][0]["scores"]
    assert all(isinstance(cell, str) for row in rows for cell in row)
