"""The report in a real browser: nothing is asked for, nothing is wrong, tables sort and filter."""

import json

import numpy as np
import pandas as pd
import pytest

from gramworks.report import view_columns
from gramworks.report.build import build_page, tabulate_study
from gramworks.report.looks import Looks
from gramworks.report.score_lines import score_lines
from gramworks.report.scores import COLUMNS, read_scores
from gramworks.studies.study_file import Study

HOSTILE = "<script>alert(1)</script>\"'&= x"
METHODS = ("svm", "knn", "kernel-ridge", "majority", "oracle")


def scores(rng):
    """Make draws of a published study and of one with two sizes."""
    rows = []
    blank = dict.fromkeys(COLUMNS, "") | {"status": "ok"}
    for dataset, level in (("iris", 80.0), ("wine", 60.0), ("heart", 70.0), (HOSTILE, 65.0)):
        for place, method in enumerate(METHODS):
            for size in (5, 20):
                for repeat in range(6):
                    value = level + size / 2 + 3 * (len(METHODS) - place) + rng.normal()
                    rows.append(
                        blank
                        | {"study": "own", "dataset": dataset, "method": method, "repeat": repeat}
                        | {"setting": f"n_labelled={size}", "metric": "test-accuracy-percent"}
                        | {"value": f"{value:.6f}"}
                    )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def predictions(rng, classes):
    n = 60
    truth = [classes[i] for i in rng.integers(0, len(classes), n)]
    table = pd.DataFrame(
        {
            "method": "svm", "setting": "n_labelled=20", "repeat": 0, "point": np.arange(n),
            "truth": truth, "prediction": rng.permutation(truth),
            "decision": rng.normal(size=n) if len(classes) == 2 else np.nan,
            "positive": classes[1] if len(classes) == 2 else "",
        }
    )  # fmt: skip
    return table[["method", *view_columns.PREDICTIONS]]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    rng = np.random.default_rng(0)
    names = ("iris", "wine", "heart")
    study = Study.model_validate(
        {
            "name": "own", "title": HOSTILE, "summary": HOSTILE,
            "datasets": {name: {} for name in names},
            "kernels": ["linear", "gaussian-w1"],
            "splits": {"kind": "labelled", "sizes": [5, 20], "repeats": 6},
            "methods": {name: {} for name in METHODS}, "metrics": ["test-accuracy-percent"],
        }
    )  # fmt: skip
    paper = Study.model_validate(
        {
            "name": "margin-tables", "title": "Printed", "paper": "kernel-matrix-sdp",
            "datasets": {"heart": {}}, "kernels": ["linear"],
            "splits": {"kind": "random-fraction", "test": 0.2, "repeats": 3},
            "methods": {"single-1": {}}, "metrics": ["test-accuracy-percent"],
        }
    )  # fmt: skip
    raw = folder / "scores/own/iris"
    raw.mkdir(parents=True)
    table = scores(rng)
    for method in METHODS:
        own = table[(table["dataset"] == "iris") & (table["method"] == method)]
        own.to_csv(raw / f"{method}.csv", index=False)
    table.to_csv(folder / "scores.csv", index=False, lineterminator="\n")
    printed = pd.DataFrame(
        [
            dict.fromkeys(COLUMNS, "")
            | {"study": "margin-tables", "dataset": "heart", "method": "single-1", "status": "ok"}
            | {"setting": "C=1;criterion=l1", "metric": "test-accuracy-percent"}
            | {"repeat": i, "value": f"{80 + i}"}
            for i in range(3)
        ],
        columns=list(COLUMNS),
    )
    printed.to_csv(folder / "printed.csv", index=False, lineterminator="\n")
    points = pd.DataFrame(rng.normal(size=(60, 2)), columns=["first", "second"])
    points = points.assign(
        point=np.arange(60), target="", label=rng.permutation(["a", HOSTILE] * 30)
    )
    looks = Looks(
        sizes={n: {"n_labelled=5": (5.0, 95.0), "n_labelled=20": (20.0, 80.0)} for n in names},
        timings=table.assign(metric="seconds", value=rng.random(len(table))),
        alignments={
            "iris": pd.DataFrame(
                [("linear", HOSTILE, 0.4), ("linear", "linear", 1.0)],
                columns=list(view_columns.ALIGNMENT),
            )
        },
        maps={"iris": points[list(view_columns.MAP)]},
        predictions={
            "iris": predictions(rng, ["a", HOSTILE]), "wine": predictions(rng, ["a", "b", HOSTILE]),
        },
    )  # fmt: skip
    home = folder / "report"
    tabulate_study(study, [folder / "scores.csv"], {}, home, {}, looks=looks)
    tabulate_study(paper, [folder / "printed.csv"], {}, home, {})
    row = dict.fromkeys(("id", "title", "source", "licence", "caveats"), HOSTILE)
    data = [row | {"rows": 150, "columns": 4, "checksum": "c0ffee" * 10}]
    data.append(data[0] | {"id": "iris", "caveats": [HOSTILE, f"6 rows dropped of {HOSTILE}"]})
    path = build_page(
        [study, paper], home, benchmarks=folder, provenance={"note": HOSTILE}, datasets=data
    )
    assert len(score_lines(study, read_scores([folder / "scores.csv"]))) == 240
    return path


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True)])
def test_nothing_is_wrong_and_nothing_is_asked_for(browser, page, width, dark, scripts):
    browser.open(page, width, dark=dark, scripts=scripts)
    assert browser.requests() == [page.resolve().as_uri()]
    assert browser.faults() == []
    # hostile names are text, and the page is no wider than the screen
    body = browser.run("document.body.innerText")
    assert "<script>alert(1)</script>" in body
    assert browser.run("document.querySelectorAll('script').length") == 1
    assert browser.run("document.documentElement.scrollWidth") == width
    broken = "Array.from(document.images).filter(i => !i.complete || !i.naturalWidth).length"
    assert browser.run(broken) == 0
    assert browser.run("document.images.length") >= 8
    assert browser.run("document.querySelectorAll('button.sort').length > 10") is scripts


def test_what_was_done_to_the_data_stands_above_the_answer(browser, page):
    browser.open(page, 390)
    told = browser.run("document.querySelector('.answer p').innerText")
    assert told.startswith("About the data: iris: 6 rows dropped of ")
    assert HOSTILE.split()[0] in told
    assert browser.run("document.querySelectorAll('.data-notes').length") == 1  # none of a paper
    browser.run("document.querySelector('.data-notes a').click()")
    assert browser.run("location.hash") == "#data"
    captions = browser.run("Array.from(document.querySelectorAll('figcaption'), c => c.innerText)")
    for name in ("ROC curves", "Confusion matrices"):
        [caption] = [text for text in captions if text.startswith(name)]
        assert "They rest on 1 kept draw of 60 test points." in caption


COLUMN = """Array.from(document.querySelector('table.best').tBodies[0].rows)
  .filter(r => !r.hidden).map(r => r.cells[{0}].innerText.split('\\n')[0].trim())"""


def test_tables_sort_by_number_and_by_text(browser, page):
    browser.open(page)
    head = "document.querySelector('table.best').tHead.rows[0].cells[{0}]"
    click = head + ".querySelector('button').click()"
    browser.run(click.format(3))
    means = [float(text) for text in browser.run(COLUMN.format(3))]
    assert means == sorted(means)
    assert browser.run(head.format(3) + ".getAttribute('aria-sort')") == "ascending"
    browser.run(click.format(3))
    means = [float(text) for text in browser.run(COLUMN.format(3))]
    assert means == sorted(means, reverse=True)
    assert browser.run(head.format(3) + ".getAttribute('aria-sort')") == "descending"
    browser.run(click.format(0))
    names = browser.run(COLUMN.format(0))
    assert len(names) == 8
    assert [n.lower() for n in names] == sorted(n.lower() for n in names)
    # 5 before 20: sizes sort by their number
    browser.run(click.format(1))
    assert browser.run(COLUMN.format(1))[0].startswith("5 ")


def choose(browser, kind, value):
    browser.run(
        f"(() => {{ const s = document.getElementById('filters').elements['{kind}'];"
        f" s.value = {value!r}; s.dispatchEvent(new Event('change')); }})()"
    )


def test_filters_hide_what_is_of_another_data_set_or_method(browser, page):
    browser.open(page)
    options = (
        "Array.from(document.getElementById('filters').elements.{0}.options).map(o => o.value)"
    )
    assert {"", "iris", "wine", "heart", HOSTILE} <= set(browser.run(options.format("dataset")))
    assert set(METHODS) <= set(browser.run(options.format("method")))
    choose(browser, "dataset", "iris")
    assert set(browser.run(COLUMN.format(0))) == {"iris"}
    assert browser.run("document.querySelectorAll('table.results').length") > 4
    shown = (
        "Array.from(document.querySelectorAll('table.results')).filter(t => t.offsetParent).length"
    )
    assert browser.run(shown) == 1
    choose(browser, "method", "knn")
    rows = "Array.from(document.querySelectorAll('.results tbody tr')).filter(r => r.offsetParent)"
    names = browser.run(rows + ".map(r => r.cells[0].innerText)")
    assert set(names) == {"knn"}
    assert "table rows shown" in browser.run("document.querySelector('#filters output').innerText")
    browser.run("document.querySelector('#filters button[type=reset]').click()")
    assert browser.run(shown) > 3


def test_tables_download_as_csv_without_formulas(browser, page):
    browser.open(page)
    text = browser.run("gramworksCsv(document.querySelector('table.best'))")
    lines = text.splitlines()
    assert lines[0].startswith("data set,labelled,best method")
    assert len(lines) == 9
    made = browser.run(
        """(() => { const t = document.createElement('table');
        t.innerHTML = '<tbody><tr><td></td><td></td><td></td><td>-1.5</td></tr></tbody>';
        t.rows[0].cells[0].textContent = '=cmd|" /C calc"!A0';
        t.rows[0].cells[1].textContent = '@x, y'; t.rows[0].cells[2].textContent = '-1+2';
        return gramworksCsv(t); })()"""
    )
    assert made == '"\'=cmd|"" /C calc""!A0","\'@x, y",\'-1+2,-1.5\n'
    # numbers stay numbers, whatever stands beside them, and formulas do not
    numbers = ["-0.5", "\u22120.5", "-5 ± 2", "-5 ± 2† [0.6] (-5.1*; 1.2) ▲", "-1e-05", "-.5 ="]
    formulas = ["-1-2", "-5 ± A1", "-1 -2", "+1+cmd", "\u22121\u22122", "-1 (2+3)"]
    kept = browser.run(
        f"""(() => {{ const t = document.createElement('table'); const row = t.insertRow();
        {json.dumps(numbers + formulas)}.forEach(x => {{ row.insertCell().textContent = x; }});
        return gramworksCsv(t); }})()"""
    )
    expected = [n.replace("\u2212", "-") for n in numbers] + [f"'{f}" for f in formulas]
    assert kept.rstrip("\n").split(",") == expected
    folder = page.parent / "saved"
    folder.mkdir(exist_ok=True)
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.run("document.querySelector('button.save').click()")
    for _ in range(100):
        # there under its name before its content is
        if saved := [path for path in folder.glob("*.csv") if path.stat().st_size]:
            break
        browser.run("new Promise(done => setTimeout(done, 50))")
        browser._read(0.05)
    assert saved[0].read_text(encoding="utf-8-sig").startswith("data set,labelled")
    assert browser.faults() == []


def test_squares_lead_to_rows_and_folded_ones_open(browser, page):
    browser.open(page)
    squares = "Array.from(document.querySelectorAll('.squares a'))"
    assert browser.run(f"{squares}.length") > 300
    target = browser.run(
        f"(() => {{ const a = {squares}.find(x => x.hash.startsWith('#idle'));"
        " a.click(); return a.hash.slice(1); })()"
    )
    browser._read(0.5)
    assert browser.run(f"document.getElementById({target!r}).open") is True
    links = browser.run(f"{squares}.map(a => document.getElementById(a.hash.slice(1)) !== null)")
    assert all(links)
    # one stop of the tab key a line
    stops = browser.run(f"{squares}.filter(a => a.tabIndex === 0).length")
    assert stops == browser.run("document.querySelectorAll('.squares').length")


CONTRAST = """(() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .03928 ? v / 12.92 :
    ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const paper = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e)
    .backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const bad = new Set();
  document.querySelectorAll('body *').forEach(e => {
    const own = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.data.trim());
    if (!own || e.closest('script') || !e.getClientRects().length) return;
    const a = light(rgb(getComputedStyle(e).color)), b = light(paper(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.add(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2));
  });
  return Array.from(bad); })()"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_and_headings_are_in_order(browser, page, dark):
    browser.open(page, dark=dark)
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert browser.run(CONTRAST) == []
    levels = browser.run(
        "Array.from(document.querySelectorAll('h1,h2,h3,h4,h5')).map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in zip(levels, levels[1:], strict=False))
    nameless = """Array.from(document.querySelectorAll('a, button, select')).filter(e =>
      !(e.innerText || e.getAttribute('aria-label') || e.textContent || '').trim()).length"""
    assert browser.run(nameless) == 0


CAPTIONS = """Array.from(document.querySelectorAll('.scroll > table > caption')).map(c => {
  const box = c.closest('.scroll'), far = box.scrollWidth - box.clientWidth;
  if (!box.getClientRects().length) return null;
  box.scrollLeft = far;
  const text = c.firstElementChild.getBoundingClientRect(), seen = box.getBoundingClientRect();
  box.scrollLeft = 0;
  return [far > 0, text.left >= seen.left - 1 && text.right <= seen.right + 1, text.width > 0];
}).filter(found => found)"""


@pytest.mark.parametrize("width", [390, 1280])
def test_captions_stay_in_sight_when_a_table_is_moved(browser, page, width):
    browser.open(page, width)
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = browser.run(CAPTIONS)
    assert len(found) > 6
    assert all(inside and wide for _, inside, wide in found)
    if width == 390:  # or the test says nothing
        assert sum(moved for moved, *_ in found) > 3


def test_figures_are_legible_on_a_phone_and_small_ones_stay_small(browser, page):
    browser.open(page, 390)
    widths = browser.run(
        "Array.from(document.images).map(i => [i.getBoundingClientRect().width, i.naturalWidth])"
    )
    assert all(abs(shown - min(natural, 640)) < 1 for shown, natural in widths if shown), widths
    assert any(natural > 640 for _, natural in widths)


def test_it_prints(browser, page, tmp_path):
    browser.open(page)
    browser.pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "report.pdf").stat().st_size > 50_000
