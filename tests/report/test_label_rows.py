import pytest

from gramworks.report.answer_figures import READINGS
from gramworks.report.build import build_page, tabulate_study
from gramworks.report.cells import tables
from gramworks.report.comparison import compare
from gramworks.report.label_rows import apart, label_panels
from gramworks.report.scores import read_scores
from gramworks.report.study_figures import figure_names

METRIC = "test-error-percent"


@pytest.fixture
def rows(draws):
    return [
        row
        for method, far in (("svm", 0), ("knn", 10))
        for setting, values in [
            ("ridge=1", [3, 4]), ("label=earn;ridge=1", [2, 2]), ("label=acq;ridge=1", [4, 6]),
        ]
        for row in draws("iris", method, [v + far for v in values], setting=setting)
    ]  # fmt: skip


@pytest.fixture
def comparison(rows, make_study, write_scores, make_published):
    scores = read_scores([write_scores(rows)])
    return compare(make_study(), scores, make_published([]), {})


def test_means_come_first_and_labels_apart(comparison):
    whole, single = tables(comparison, [METRIC])
    assert (whole.name, single.name) == ("iris", "iris by label")
    assert [row[:2] for row in whole.rows] == [("svm", "ridge=1"), ("knn", "ridge=1")]
    assert [row[:2] for row in single.rows] == [
        ("svm", "label=acq;ridge=1"), ("knn", "label=acq;ridge=1"),
        ("svm", "label=earn;ridge=1"), ("knn", "label=earn;ridge=1"),
    ]  # fmt: skip
    assert whole.rows[0][2][0].measured.startswith("3.5")
    assert single.rows[0][2][0].measured.startswith("5.0")


def test_panels_of_labels(comparison):
    whole, single = apart(comparison)
    panels = label_panels(single)
    assert list(panels["dataset"]) == ["iris: acq"] * 2 + ["iris: earn"] * 2
    assert set(panels["setting"]) == {"ridge=1"}
    assert len(whole) == 2


def test_data_sets_without_labels_have_neither(make_study, write_scores, make_published, draws):
    scores = read_scores([write_scores(draws("iris", "svm", [1, 2], setting="C=1"))])
    found = compare(make_study(), scores, make_published([]), {})
    assert [table.by_label for table in tables(found, [METRIC])] == [False]
    assert label_panels(apart(found)[1]).empty
    names = figure_names(make_study(metrics=["a", "weight-1", "weight-2", "b"]))
    assert names[:5] == ["a", "a by label", "weights", "b", "b by label"]
    assert names[5:] == list(READINGS)


def test_files_and_page(tmp_path, rows, make_study, write_scores):
    study, home = make_study(), tmp_path / "report"
    tabulate_study(study, [write_scores(rows)], {}, home, {})
    made = {path.name for path in (home / "small").rglob("*")}
    assert made >= {
        "table-iris.md", "table-iris_by_label.md", "figure-test-error-percent.svg",
        "figure-test-error-percent-by-label.svg",
    }  # fmt: skip
    assert "label=" not in (home / "small" / "table-iris.md").read_text()
    page = build_page([study], home, benchmarks=tmp_path, provenance={}, datasets=[])
    text = page.read_text()
    assert "iris, each label against the rest (4 rows)" in text
    assert "figure-test-error-percent-by-label.png" in text
    tabulate_study(study, [write_scores(rows[:2])], {}, home, {})
    assert not list((home / "small").rglob("*by[_-]label*"))
