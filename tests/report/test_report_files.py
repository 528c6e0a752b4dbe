import base64
import csv
import hashlib
import html
import html.parser
import io
import re
import xml.etree.ElementTree as ElementTree

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from gramworks.errors import FileDamaged
from gramworks.report.benchmarks import stage_costs
from gramworks.report.build import build_page, tabulate_study
from gramworks.report.cells import number, signed
from gramworks.report.escaping import file_name, inert, latex, markdown, original, plain
from gramworks.report.page_text import duration, flat, ranges

VOID = {"meta", "link", "img", "br", "wbr"}


class Page(html.parser.HTMLParser):
    """Checks nesting and collects what the tests ask for."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.text = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]):
            self.text.append(data)


@pytest.fixture
def report(tmp_path, make_study, write_scores, draws, hostile):
    """Tabulate a study with hostile names and build its page."""

    def build(folder="report"):
        study = make_study(title=hostile, summary=hostile, datasets={"iris": {"note": hostile}})
        rows = [
            *draws("iris", "svm", [10.0, 12.0, 11.0]),
            *draws("iris", "svm", [1, 0, 0], metric="on-edge-C"),
            *draws(hostile, hostile, [10.0, 12.0, 11.0]),
            *draws("iris", "=SUM(A1)", [10.0, 12.5, 11.0]),
            {"dataset": "iris", "method": "knn", "status": "failed", "reason": hostile},
            *draws("iris", "ridge", [3, 4], status="not-converged", reason="cap"),
        ]
        home = tmp_path / folder
        told = {"gramworks": "0", "note": hostile, "packages": {"numpy": "2"}}
        absent = {"heart": ("source-unreachable", hostile)}
        tabulate_study(study, [write_scores(rows)], absent, home, told)
        bench = tmp_path / "benchmarks" / "fit" / "iris"
        bench.mkdir(parents=True, exist_ok=True)
        (bench / "svm.tsv").write_text("s\th:m:s\tmax_rss\tcpu_time\n90.5\t0:01:30\t120.2\t80\n")
        row = dict.fromkeys(("id", "title", "source", "licence", "caveats"), hostile)
        data = [row | {"rows": 150, "columns": 4, "checksum": "c0ffee" * 10}]
        page = build_page(
            [study], home, benchmarks=tmp_path / "benchmarks", provenance=told, datasets=data
        )
        return home, page

    return build


def digests(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {p.relative_to(folder): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_equal_runs_write_equal_bytes(report, tmp_path):
    first, _ = report("one")
    second, _ = report("two")
    assert digests(first) == digests(second)
    assert not list(tmp_path.rglob("*.tmp"))


def test_the_page_is_well_formed_and_asks_for_nothing(report):
    home, path = report()
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert path == home / "index.html"
    assert len(page.ids) == len(set(page.ids))
    assert not {"iframe", "object", "b"} & {tag for tag, _ in page.tags}
    # the one script is the one that the page's policy names by its hash
    [script] = re.findall(r"<script>(.*?)</script>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html.unescape(text)
    assert "{{" not in script
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")]
        source = attributes.get("src", "data:") if tag != "link" else attributes["href"]
        assert source.startswith("data:")
    links = [a["href"] for tag, a in page.tags if tag == "a"]
    for link in links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert (home / link).is_file(), link
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    assert "url(" not in style
    assert "@import" not in style
    assert "default-src 'none'" in text


def test_the_page_says_what_happened(report, hostile):
    _, path = report()
    page = Page(path.read_text(encoding="utf-8"))
    text = " ".join(" ".join(page.text).split())
    assert "1 of 12 draws failed." in text
    assert "9 ok, 1 failed, 0 skipped, 2 not-converged" in text
    assert plain(hostile) in text
    assert "90 s" in text
    assert "120 MB" in text
    assert "c0ffee" * 10 in text
    assert "(1 of 3)" in text
    tables = [a for tag, a in page.tags if tag == "table"]
    captions = [a for tag, a in page.tags if tag == "caption"]
    assert len(tables) == len(captions) > 5
    assert "Which method is best" in text
    assert all("scope" in a for tag, a in page.tags if tag == "th")
    assert all(a.get("alt") for tag, a in page.tags if tag == "img")


def test_the_page_says_how_many_draws_were_run(tmp_path, make_study, write_scores, draws):
    def said(splits, **datasets):
        study = make_study(splits=splits, datasets={name: {} for name in datasets})
        rows = [
            row for name, n in datasets.items() for row in draws(name, "svm", [1.0, 2.0, 3.0][:n])
        ]
        tabulate_study(study, [write_scores(rows)], {}, tmp_path / "r", {})
        page = build_page(
            [study], tmp_path / "r", benchmarks=tmp_path, provenance={}, datasets=[]
        )  # fmt: skip
        text = " ".join(" ".join(Page(page.read_text(encoding="utf-8")).text).split())
        return text.partition("Draws of each row in this run: ")[2].partition(".")[0]

    ten = {"kind": "random-fraction", "test": 0.2, "repeats": 10}
    assert said(ten, iris=3, heart=3) == "3 (the study file states 10)"
    assert (
        said(ten | {"repeats": 3}, iris=3, heart=2) == "iris 3; heart 2 (the study file states 3)"
    )
    folds = {"kind": "k-fold", "folds": 3, "repeats": 1}
    assert said(folds, iris=3) == "3"


def test_what_settings_share_is_told_once(tmp_path, make_study, write_scores, draws):
    study = make_study(datasets={"iris": {}})
    lost = {"dataset": "iris", "method": "knn", "status": "failed"}
    rows = [
        *draws("iris", "svm", [1.0, 2.0]),
        *[
            lost | {"setting": f"k={k}", "repeat": repeat, "reason": "no neighbours"}
            for k in range(1, 6)
            for repeat in range(2)
        ],
        lost | {"setting": "k=6", "reason": "another"},
    ]
    tabulate_study(study, [write_scores(rows)], {}, tmp_path / "r", {})
    page = build_page([study], tmp_path / "r", benchmarks=tmp_path, provenance={}, datasets=[])
    text = " ".join(" ".join(Page(page.read_text(encoding="utf-8")).text).split())
    told = "No value: knn k=1, knn k=2, knn k=3 and 2 more rows: failed, no neighbours."
    assert told in text
    assert text.count("no neighbours") == 2  # the note, and the row among the problems
    assert "k=1 | k=2 | k=3 | k=4 | k=5 failed 10 0-1 no neighbours" in text
    assert text.count("another") == 2


def test_csv_tables_keep_hostile_names_as_text(report, hostile):
    home, _ = report()
    tidy = pd.read_csv(home / "small" / "comparison.csv", keep_default_na=False)
    assert hostile in set(tidy["dataset"])
    with open(home / "small" / "table-iris.csv", newline="", encoding="utf-8") as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    assert rows["svm"]["test-error-percent"] == "11.00 ± 1.00 [0.58]"
    assert rows["'=SUM(A1)"]  # no formula in a spreadsheet
    assert rows["knn"]["test-error-percent"] == "– failed ∅"
    assert rows["ridge"]["test-error-percent"].startswith("3.50 ± 0.71†")


def test_markdown_tables_keep_hostile_names_as_text(report, hostile):
    home, _ = report()
    text = (home / "small" / f"table-{file_name(hostile)}.md").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;alert\\(1\\)" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    # unescaped pipes alone divide cells
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}


def test_latex_tables_keep_hostile_names_as_text(report, hostile):
    home, _ = report()
    text = (home / "small" / f"table-{file_name(hostile)}.tex").read_text(encoding="utf-8")
    body = text.split("\n", 1)[1]
    bare = re.sub(r"\\[\\{}$&%#_]", "", body)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert "%" not in bare
    assert "\\LaTeX" not in body
    assert "\\textbackslash{}LaTeX" in body
    lines = body.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    for line in lines:
        assert line.endswith(r"\\")
        assert len(re.findall(r"(?<!\\)&", line)) == 2


def test_figures_are_readable_and_keep_hostile_names_as_text(report, hostile):
    home, _ = report()
    svg = (home / "small/figures/figure-test-error-percent.svg").read_text(encoding="utf-8")
    tree = ElementTree.fromstring(svg)
    words = "".join(tree.itertext())
    assert "<script>alert(1)</script>" in words
    assert "$x_1$" in words
    assert not [e for e in tree.iter() if e.tag.endswith("}script")]
    assert "date" not in svg.lower().replace("update", "")
    for element in tree.iter():
        for name, value in element.attrib.items():
            assert not (name.endswith("href") and not value.startswith("#"))
    image = matplotlib.image.imread(home / "small/figures/figure-test-error-percent.png")
    assert min(image.shape[:2]) > 200
    # nothing is cut off: a margin of paper on all sides
    edges = [image[:3], image[-3:], image[:, :3], image[:, -3:]]
    assert all((edge[..., :3] > 0.99).all() for edge in edges)


def test_tables_of_an_earlier_run_are_removed(report):
    home, _ = report()
    stale = home / "small" / "table-heart.md"
    stale.write_text("old")
    (home / "small" / "kept.txt").write_text("mine")
    report()
    assert not stale.exists()
    assert (home / "small" / "kept.txt").exists()


def test_a_study_without_any_score_has_a_page(tmp_path, make_study):
    study = make_study(name="margin-tables", datasets={"heart": {}})
    absent = {"heart": ("source-not-embedded", "")}
    tabulate_study(study, [], absent, tmp_path, {})
    path = build_page([study], tmp_path, benchmarks=tmp_path / "none", provenance={}, datasets=[])
    text = " ".join(Page(path.read_text()).text)
    assert "There are no scores." in text
    assert "Nothing of this study was measured" in text


def test_a_damaged_study_file_is_named(report, tmp_path, make_study):
    home, _ = report()
    tidy = home / "small" / "comparison.csv"
    tidy.write_bytes(tidy.read_bytes()[:-40])
    with pytest.raises(FileDamaged, match="comparison.csv.*snakemake"):
        build_page([make_study()], home, benchmarks=home, provenance={}, datasets=[])
    tidy.unlink()
    with pytest.raises(FileDamaged, match="comparison.csv"):
        build_page([make_study()], home, benchmarks=home, provenance={}, datasets=[])


def test_stage_costs_sum_by_first_folder(tmp_path):
    def bench(name, *rows):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("s\th:m:s\tmax_rss\tcpu_time\n" + "".join(f"{r}\n" for r in rows))

    bench("gram/iris/linear.tsv", "1.5\t0:00:01\t-\tNA")
    bench("gram/heart.tsv", "2.5\t0:00:02\t90.5\t2.0", "3\t0:00:03\t70\t1")
    bench("report.tsv", "0.1\t0:00:00\t-\t-")
    gram, report = stage_costs(tmp_path)
    assert (gram.stage, gram.jobs, gram.seconds, gram.longest) == ("gram", 3, 7.0, 3.0)
    assert (gram.cpu_seconds, gram.memory_mb) == (3.0, 90.5)
    assert report.stage == "report"
    assert report.memory_mb != report.memory_mb
    (tmp_path / "bad.tsv").write_text("nothing\n1\n")
    with pytest.raises(FileDamaged, match="bad.tsv"):
        stage_costs(tmp_path)
    assert stage_costs(tmp_path / "none") == []


def test_escapes():
    assert markdown("a|b*c_d`e<f>&g") == "a\\|b\\*c\\_d\\`e&lt;f&gt;&amp;g"
    assert latex("50% a_b {x} $y$ \\z ~^#&") == (
        r"50\% a\_b \{x\} \$y\$ \textbackslash{}z \textasciitilde{}\textasciicircum{}\#\&"
    )
    assert plain("a\x00b\n c\ud800") == "a\ufffdb c\ufffd"
    assert file_name("../a b") == ".._a_b"
    io.StringIO(plain("\udcff")).read().encode("utf-8")


def test_no_text_is_a_formula_and_all_come_back():
    for text in (
        "=cmd|' /C calc'!A0",
        "+1+2",
        "-x",
        "@x",
        "\t=1",
        "'",
        "'=1",
        "''",
        "-1.5",
        "a=b",
        "",
    ):
        assert original(inert(text)) == text
        assert not inert(text).startswith(("=", "@", "\t", "+"))
    assert inert("=1") == "'=1"
    assert [inert(text) for text in ("-1.5", "+2e-3", "-1+2")] == ["-1.5", "+2e-3", "'-1+2"]


def test_small_texts():
    assert [ranges(["3", "0", "1", "2", "7"]), ranges([""])] == ["0-3, 7", "all"]
    assert [duration(s) for s in (0.25, 45, 119, 600, 7300)] == [
        "0.2 s", "45 s", "119 s", "10 min", "2.0 h",
    ]  # fmt: skip
    assert dict(flat({"a": {"b": [1, 2], "c": [{"d": 0}]}, "e": None, "f": {}})) == {
        "a.b": "1, 2", "a.c.1.d": "0",
    }  # fmt: skip
    assert [number(1.18e7, None), number(2.6, 2), number(float("nan"), 2)] == [
        "1.18e+07",
        "2.60",
        "",
    ]
    assert [signed(0.26, 1), signed(-0.26, 1)] == ["+0.3", "-0.3"]


def test_a_mean_is_one_text_whatever_its_last_bit_and_file():
    exact = 0.14875  # just below in binary
    for mean in (exact, np.nextafter(exact, 1), np.nextafter(exact, 0), float(f"{exact:.10g}")):
        assert number(mean, 4) == "0.1488"
        assert number(mean * 1e6, 4) == "1.49e+05"
    assert [number(v, 1) for v in (2.25, 2.35, -2.45, np.inf)] == ["2.2", "2.4", "-2.4", "inf"]
