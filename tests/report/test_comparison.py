import math

import numpy as np
import pytest

from gramworks.errors import DataError
from gramworks.report.comparison import COLUMNS, compare
from gramworks.report.grid_edges import edge_counts
from gramworks.report.published import read_published
from gramworks.report.scores import read_scores
from gramworks.report.verdicts import REASONS, VERDICTS

ERROR = {"metric": "test-error-percent", "decimals": "1"}


def cell(table, dataset, method, setting="", metric="test-error-percent"):
    key = {"dataset": dataset, "method": method, "setting": setting, "metric": metric}
    found = table[(table[list(key)] == list(key.values())).all(axis=1)]
    assert len(found) == 1, found
    return found.iloc[0]


@pytest.fixture
def compared(make_study, write_scores, make_published, draws):
    def run(rows, published, absent=None, **changes):
        scores = read_scores([write_scores(rows)])
        return compare(make_study(**changes), scores, make_published(published), absent or {})

    return run


def test_a_cell_by_hand_with_the_published_name(compared, draws):
    values = [10.0, 12.0, 14.0, 16.0]
    table = compared(
        draws("sonar-rounded", "svm", values),
        [ERROR | {"dataset": "sonar", "method": "svm", "value": "16.0", "note": "by hand"}],
    )
    assert tuple(table.columns) == COLUMNS
    found = cell(table, "sonar-rounded", "svm")
    sd = np.std(values, ddof=1)
    assert found["published_as"] == "sonar"
    assert found["measured_mean"] == 13
    assert found["measured_sd"] == pytest.approx(sd)
    assert found["measured_se"] == found["published_se"] == pytest.approx(sd / 2)
    assert found["resolution"] == pytest.approx(2 * math.sqrt(2 * sd**2 / 4 + 0.01 / 12))
    assert (found["n"], found["difference"], found["verdict"]) == (4, -3, "agrees")
    assert (found["published"], found["decimals"]) == (16.0, 1)
    assert (found["assumed_spread"], found["note"]) == ("published", "by hand")


def test_every_published_cell_has_a_row_and_a_reason(compared, draws):
    rows = [
        *draws("iris", "svm", [1.0, 2.0], setting="C=1"),
        *draws("iris", "knn", [], setting=""),
        {"dataset": "iris", "method": "knn", "status": "failed", "reason": "ValueError: no"},
        {"dataset": "iris", "method": "graph", "status": "skipped", "reason": "no graph"},
    ]
    printed = [
        ERROR | {"dataset": d, "method": m, "setting": s, "value": "1.0"}
        for d, m, s in [
            ("iris", "svm", "C=1"), ("iris", "svm", "C=2"), ("iris", "ridge", ""),
            ("iris", "knn", ""), ("iris", "graph", ""), ("heart", "svm", "C=1"),
            ("sonar", "svm", "C=1"), ("yeast-mips", "svm", ""),
        ]
    ]  # fmt: skip
    printed.append(printed[0] | {"metric": "C", "value": "1", "decimals": ""})
    absent = {"heart": ("source-unreachable", "3 sources tried")}
    table = compared(rows, printed, absent)
    reasons = {
        (r.dataset, r.method, r.setting, r.metric): (r.verdict, r.reason)
        for r in table.itertuples()
    }
    error = "test-error-percent"
    assert reasons == {
        ("iris", "svm", "C=1", error): ("agrees", ""),
        ("iris", "svm", "C=1", "C"): ("not-run", "metric-not-measured"),
        ("iris", "svm", "C=2", error): ("not-run", "setting-not-in-run"),
        ("iris", "ridge", "", error): ("not-run", "method-not-in-run"),
        ("iris", "knn", "", error): ("not-run", "failed"),
        ("iris", "graph", "", error): ("not-run", "skipped"),
        ("heart", "svm", "C=1", error): ("not-run", "source-unreachable"),
        ("sonar-rounded", "svm", "C=1", error): ("not-run", "dataset-not-in-run"),
        ("yeast-mips", "svm", "", error): ("not-run", "dataset-not-in-run"),
    }
    assert "3 sources tried" in cell(table, "heart", "svm", "C=1")["note"]
    assert "ValueError: no" in cell(table, "iris", "knn")["note"]
    assert set(table["verdict"]) <= set(VERDICTS)
    assert set(table["reason"]) - {""} <= set(REASONS)


def test_rows_follow_the_study(compared, draws):
    rows = [r for d in ("iris", "sonar-rounded") for m in ("majority", "svm") for r in
            [*draws(d, m, [1.0, 2.0]), *draws(d, m, [1.0, 2.0], metric="weight-1"),
             *draws(d, m, [1.0, 2.0], metric="another")]]  # fmt: skip
    table = compared(rows, [])
    order = list(zip(table["dataset"], table["method"], table["metric"], strict=True))
    metrics = ["test-error-percent", "weight-1", "another"]
    assert order == [
        (d, m, k) for d in ("sonar-rounded", "iris") for m in ("svm", "majority") for k in metrics
    ]
    assert set(table["verdict"]) == {"measured-only"}


def test_not_comparable_keeps_the_difference(compared, draws, make_study):
    table = compared(
        draws("iris", "svm", [5.0, 6.0, 7.0]),
        [ERROR | {"dataset": "iris", "method": m, "value": "1.0"} for m in ("svm", "knn")],
        datasets={"iris": {"not_comparable": "published-only", "note": "another iris"}},
    )
    found = cell(table, "iris", "svm")
    assert (found["verdict"], found["reason"]) == ("not-comparable", "published-only")
    assert (found["difference"], found["note"]) == (5, "another iris")
    assert found["resolution"] > 0
    assert tuple(cell(table, "iris", "knn")[["verdict", "reason"]]) == (
        "not-comparable", "published-only",
    )  # fmt: skip


def test_rows_of_a_setting_picked_by_hand_get_no_verdict(compared, draws):
    key = {"dataset": "iris", "method": "svm"}
    table = compared(
        [
            *draws("iris", "svm", [5.0, 6.0, 7.0], setting="C=1"),
            *draws("iris", "svm", [5.0, 6.0, 7.0], setting="C=1;draw=lucky"),
        ],
        [
            ERROR | key | {"setting": setting, "value": "1.0"}
            for setting in ("C=1", "C=1;draw=lucky", "C=1;draw=unlucky")
        ],
        methods={
            "svm": {
                "settings": [{"C": 1}, {"C": 1, "draw": ["lucky", "unlucky"]}],
                "not_comparable": {"draw": "chosen-by-hand"},
            }
        },
    )
    assert cell(table, "iris", "svm", "C=1")["verdict"] == "worse"
    found = cell(table, "iris", "svm", "C=1;draw=lucky")
    assert (found["verdict"], found["reason"]) == ("not-comparable", "chosen-by-hand")
    assert found["difference"] == 5
    found = cell(table, "iris", "svm", "C=1;draw=unlucky")
    assert (found["verdict"], found["reason"]) == ("not-run", "setting-not-in-run")
    assert set(table["reason"]) - {""} <= set(REASONS)


def test_what_failed_or_did_not_converge_is_counted_beside_the_mean(compared, draws):
    svm = {"dataset": "iris", "method": "svm"}
    rows = [
        *draws("iris", "svm", [1.0, 2.0]),
        svm
        | {"repeat": 2, "metric": "test-error-percent", "value": "6", "status": "not-converged"},
        svm | {"repeat": 3, "status": "failed", "reason": "no"},
        # the draw gave an error rate, but its weight was no number
        svm | {"repeat": 0, "status": "failed", "reason": "weight-1 is nan"},
        svm | {"repeat": 1, "status": "failed", "reason": "weight-1 is nan"},
    ]
    table = compared(
        rows, [{"dataset": "iris", "method": "svm", "metric": "weight-1", "value": "1"}]
    )
    found = cell(table, "iris", "svm")
    assert (found["n"], found["measured_mean"]) == (3, 3)
    assert (found["n_failed"], found["n_not_converged"]) == (1, 1)
    weight = cell(table, "iris", "svm", metric="weight-1")
    assert (weight["verdict"], weight["reason"]) == ("not-run", "failed")
    assert weight["note"] == "weight-1 is nan"


def test_a_failure_that_nobody_published_is_a_row(compared):
    table = compared([{"dataset": "iris", "method": "svm", "status": "failed", "reason": "x"}], [])
    found = cell(table, "iris", "svm", metric="")
    assert (found["verdict"], found["reason"], found["n_failed"]) == ("not-run", "failed", 1)


def test_one_repeat(compared, draws):
    printed = ERROR | {"dataset": "iris", "method": "svm", "value": "1.0"}
    found = cell(compared(draws("iris", "svm", [5.0]), [printed]), "iris", "svm")
    assert (found["n"], found["verdict"], found["reason"]) == (1, "not-comparable", "one-repeat")
    assert math.isnan(found["measured_sd"])
    assert math.isnan(found["measured_se"])


def test_an_absent_data_set_gives_way_to_one_that_stands_for_it(compared, draws):
    printed = [ERROR | {"dataset": "sonar", "method": "svm", "value": "1.0"}]
    absent = {"sonar": ("source-not-embedded", "")}
    both = {"sonar": {}, "sonar-rounded": {"published_as": "sonar"}}
    table = compared(draws("sonar-rounded", "svm", [1.0, 2.0]), printed, absent, datasets=both)
    assert list(table["dataset"]) == ["sonar-rounded"]
    absent["sonar-rounded"] = ("source-unreachable", "")
    table = compared([], printed, absent, datasets=both)
    # one printed cell is one cell, whatever could have stood for it
    assert list(table["dataset"]) == ["sonar"]
    assert list(table["reason"]) == ["source-not-embedded"]
    turned = dict(reversed(both.items()))
    table = compared([], printed, absent, datasets=turned)
    assert list(table["dataset"]) == ["sonar"]


def test_settings_of_the_kind_that_was_printed_stand_first(compared, draws):
    given = ["loss=squared;n_labelled=30", "loss=squared;n_labelled=60", "n_labelled=30"]
    given.append("n_labelled=60")
    rows = [row for dataset in ("iris", "heart") for setting in given
            for row in draws(dataset, "svm", [1.0, 2.0], setting=setting)]  # fmt: skip
    # the printed one of 60 does not go before the measured one of 30
    printed = ERROR | {"dataset": "iris", "method": "svm", "value": "1.0"}
    table = compared(rows, [printed | {"setting": "n_labelled=60"}])
    assert list(table["setting"]) == 2 * (given[2:] + given[:2])
    assert list(compared(rows, [])["setting"]) == 2 * given


def test_grid_edges_are_no_metric_of_the_tables(compared, draws, write_scores):
    rows = [
        *draws("iris", "svm", [1.0, 2.0, 3.0]),
        *draws("iris", "svm", [1, 0, 1], metric="on-edge-C"),
        *draws("iris", "svm", [0, 0, 0], metric="on-edge-width"),
    ]
    assert set(compared(rows, [])["metric"]) == {"test-error-percent"}
    edges = edge_counts("small", read_scores([write_scores(rows)]))
    assert edges[["choice", "on_edge", "n"]].to_numpy().tolist() == [["C", 2, 3], ["width", 0, 3]]


def test_rows_of_another_study_are_refused(compared, draws):
    with pytest.raises(DataError, match="other-study"):
        compared(draws("iris", "svm", [1.0], study="other-study"), [])


def test_nothing_run_against_the_shipped_numbers(make_study, write_scores):
    study = make_study(name="margin-tables", datasets={"wisconsin": {}})
    table = compare(study, read_scores([]), read_published(), {})
    assert len(table) == 374
    assert set(table["verdict"]) == {"not-run"}
    assert set(table["reason"]) == {"dataset-not-in-run"}


def test_of_C_the_inverse_is_averaged(compared, draws):
    table = compared(draws("iris", "svm", [0.5, 1.0, 1e9, 1e9], metric="C"), [])
    (row,) = table[(table["metric"] == "C") & (table["n"] > 0)].to_dict("records")
    ridges = np.array([2.0, 1.0, 1e-9, 1e-9])
    assert row["measured_mean"] == pytest.approx(1 / 0.75)
    assert row["measured_sd"] == pytest.approx(ridges.std(ddof=1) / 0.75**2)


def test_equal_numbers_have_no_spread(compared, draws):
    table = compared(draws("iris", "svm", [0.1, 0.1, 0.1]), [])
    (row,) = table[table["n"] > 0].to_dict("records")
    assert row["measured_sd"] == 0.0
