from gramworks.score_files import COLUMNS
from gramworks.studies.derived import derived_module, derives
from gramworks.studies.margin_reuters import METRICS, derive


def rows(method, by_label, dataset="d", setting="criterion=l1"):
    """Accuracies by label and repeat, and their means, as score rows."""
    blank = dict.fromkeys(COLUMNS, "") | {"study": "margin-reuters", "status": "ok"}
    made = []
    for label, values in by_label.items():
        for repeat, value in enumerate(values):
            lost = value is None
            made.append(blank | {
                "dataset": dataset, "method": method, "setting": f"{setting};label={label}",
                "repeat": repeat, "metric": "" if lost else "test-accuracy-percent",
                "value": value, "status": "failed" if lost else "ok",
            })  # fmt: skip
    for repeat in range(len(next(iter(by_label.values())))):
        made.append(blank | {
            "dataset": dataset, "method": method, "setting": setting, "repeat": repeat,
            "metric": "weight-1", "value": 1.0,
        })  # fmt: skip
    return made


FIRST = {"earn": [90, 92], "acq": [80, 80], "crude": [70, 70]}
SECOND = {"earn": [95, 95], "acq": [70, 70], "crude": [70, 70]}
# earn: 94.5 < 95 of single-2; acq: 80.5 > 80; crude: equal, which is no improvement.
BOTH = {"earn": [95, 94], "acq": [82, 79], "crude": [69, 71]}
ALL = rows("single-1", FIRST) + rows("single-2", SECOND) + rows("margin-nonnegative", BOTH)


def test_topics_are_counted_by_means():
    made = derive(ALL)
    assert [(row["repeat"], row["value"]) for row in made] == [(0, 1.0), (1, 1.0)]
    assert {(r["dataset"], r["method"], r["setting"], r["metric"]) for r in made} == {
        ("d", "margin-nonnegative", "criterion=l1", "topics-improved-of-5")
    }
    assert all(tuple(row) == COLUMNS for row in made)


def test_other_methods_do_not_count():
    better = {label: [99, 99] for label in FIRST}
    assert [row["value"] for row in derive(ALL + rows("uniform", better))] == [1.0, 1.0]


def test_data_sets_are_counted_apart():
    other = rows("single-1", FIRST, "e") + rows("margin-nonnegative", SECOND, "e")
    counts = {row["dataset"]: row["value"] for row in derive(ALL + other)}
    assert counts == {"d": 1.0, "e": 1.0}


def test_no_count_unless_every_topic_has_all_methods_and_repeats():
    lost = {**SECOND, "acq": [70, None]}
    with_lost = rows("single-1", FIRST) + rows("single-2", lost) + rows("margin-nonnegative", BOTH)
    assert derive(with_lost) == []
    assert derive(rows("margin-nonnegative", BOTH)) == []
    assert derive(rows("single-1", FIRST)) == []
    short = {**FIRST, "acq": [80]}
    assert derive(rows("single-1", short) + rows("margin-nonnegative", BOTH)) == []
    assert derive([]) == []


def test_the_study_finds_its_module():
    assert derived_module("margin-reuters") == "gramworks.studies.margin_reuters"
    assert derives("margin-reuters") == set(METRICS)
