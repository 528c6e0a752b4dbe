"""Verification of all data sets in one go, and the page made of the registry."""

import re
from pathlib import Path

import pytest

from gramworks.cli import main
from gramworks.datasets import registry
from gramworks.datasets.catalogue import catalogue
from gramworks.datasets.registry import FOLDER, dataset_ids, load_entry
from gramworks.datasets.verification import verify

PAGE = Path(__file__).resolve().parents[2] / "docs" / "datasets.md"


@pytest.fixture
def run(tmp_path):
    lines = []

    def run_verify(*ids, **keys):
        lines.clear()
        keys = {"mirror": "", "offline": True} | keys
        return verify(ids, tmp_path / "raw", log=lines.append, **keys), lines

    return run_verify


def test_one_line_each_and_the_total(run):
    verdicts, lines = run("two-norm", "heart", "iris", "heart")
    assert verdicts == {"two-norm": "ok", "heart": "not here", "iris": "ok"}
    assert re.fullmatch(
        r"two-norm  ok: 330 rows, 20 columns, from generator two-norm with seed 1 \(\d+\.\d s\)",
        lines[0],
    )
    assert lines[1].startswith("heart     not here: repository amritmaj/SVM-Tree: the network is")
    assert lines[-1] == "3 data sets: 2 ok, 1 not here, 0 wrong"
    assert len(lines) == 4


def test_it_goes_on_after_any_failure(run, monkeypatch, tmp_path):
    """A wrong fact, an entry that is not valid, other bytes, and a fault of a parser itself."""
    folder = tmp_path / "registry"
    folder.mkdir()
    for name in ("iris", "iris-two", "two-norm", "heart", "sonar"):
        (folder / f"{name}.yaml").write_text((FOLDER / f"{name}.yaml").read_text())

    def edit(name, old, new):
        path = folder / f"{name}.yaml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    edit("iris-two", "versicolor: 50", "versicolor: 51")
    edit("two-norm", "seed: 1", "sead: 1")
    mirror = tmp_path / "mirror" / "uci"
    mirror.mkdir(parents=True)
    (mirror / "heart.dat").write_bytes(b"<html><title>Sign in</title>")
    (mirror / "sonar.csv").symlink_to("nowhere")
    monkeypatch.setattr(registry, "FOLDER", folder)
    verdicts, lines = run(mirror=str(mirror.parent))
    assert verdicts == {
        "heart": "wrong", "iris": "ok", "iris-two": "wrong", "sonar": "not here",
        "two-norm": "wrong",
    }  # fmt: skip
    assert "WRONG: repository amritmaj/SVM-Tree: heart.dat: an HTML page (Sign in)" in lines[0]
    assert "classes: found {'versicolor': 50, 'virginica': 50}, expected" in lines[2]
    assert "unknown key 'sources.0.generated.sead'" in lines[4] or "sead" in lines[4]
    assert all("\n" not in line for line in lines)
    assert lines[-1] == "5 data sets: 1 ok, 1 not here, 3 wrong"

    def broken(*words, **keys):
        raise ZeroDivisionError

    monkeypatch.setattr("gramworks.datasets.verification.parse", broken)
    verdicts, lines = run("iris")
    assert "WRONG: ZeroDivisionError" in lines[0]


def test_exit_status(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("GRAMWORKS_MIRROR", raising=False)
    raw = ["--raw", str(tmp_path), "--offline"]
    assert main(["datasets", *raw, "--verify", "iris", "heart"]) == 0
    assert "heart  not here" in capsys.readouterr().out
    assert main(["datasets", *raw, "--verify", "irs", "iris"]) == 1
    output = capsys.readouterr().out
    assert "irs   WRONG: no data set 'irs'; did you mean 'iris'" in output
    assert "iris  ok" in output


def test_the_page_is_current(tmp_path, capsys):
    assert PAGE.read_text(encoding="utf-8") == catalogue(), (
        "run `gramworks datasets --write-docs` and commit docs/datasets.md"
    )
    assert main(["datasets", "--write-docs", str(tmp_path / "page.md")]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == catalogue()


def test_the_page_says_what_the_registry_says():
    rows = {}
    for line in catalogue().splitlines():
        if line.startswith("| `"):
            cells = re.split(r"(?<!\\) \| ", line.strip("| "))
            assert len(cells) == 7, line
            rows[cells[0].strip("`")] = cells[1:]
    assert list(rows) == dataset_ids()
    papers, size, classes, source, licence, caveat = rows["ionosphere"]
    assert papers == "kernel-matrix-sdp, invariance-rkhs"
    assert (size, classes) == ("351 x 34", "bad: 126, good: 225")
    assert source.startswith("wheel (`orange3==3.40.0`); [jbrownlee/Datasets](https://github.com/")
    assert licence.startswith("CC BY 4.0")
    assert caveat.startswith("The second feature is zero in all rows.<br>")
    assert "90, of 2 to 3964 rows (multilabel)" in rows["reuters-modapte"]
    assert rows["yeast-networks"][1].startswith("4443 points; views `costanzo-2016`")
    assert "bowang-lab/BIONIC/tree/0f4307f" in rows["yeast-networks"][3]
    for name in rows:
        assert f"- **{name}**: " in catalogue()
        assert len(load_entry(name).caveats) == rows[name][-1].count("<br>") + bool(rows[name][-1])
