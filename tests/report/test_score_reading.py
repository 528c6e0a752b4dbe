import pandas as pd
import pytest

from gramworks.errors import FileDamaged
from gramworks.report.scores import counts_by_status, read_scores, read_timings
from gramworks.report.status import format_status, status_rows
from gramworks.score_files import COLUMNS

HEADER = ",".join(COLUMNS)
GOOD = "small,iris,svm,,0,test-error-percent,1.5,ok,"


def written(tmp_path, *lines, header=HEADER, name="s.csv"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def test_names_that_readers_take_for_missing_survive(tmp_path):
    lines = [f"small,{d},{m},,0,x,1,ok," for d in ("NA", "None", "nan") for m in ("null", "01")]
    table = read_scores([written(tmp_path, *lines)])
    assert list(table["dataset"]) == ["NA", "NA", "None", "None", "nan", "nan"]
    assert set(table["method"]) == {"null", "01"}


def test_files_join_in_order_and_values_are_exact(tmp_path):
    a = written(tmp_path, GOOD, name="a.csv")
    b = written(tmp_path, GOOD.replace("1.5", "0.1234567891").replace("svm", "knn"), name="b.csv")
    table = read_scores([b, a])
    assert list(table["value"]) == [0.1234567891, 1.5]
    assert list(table["repeat"]) == [0, 0]
    assert read_scores(iter([b, a])).equals(table)


@pytest.mark.parametrize(
    "line",
    [
        GOOD.replace("ok", "fine"),
        GOOD.replace("1.5", ""),
        GOOD.replace("1.5", "nan"),
        GOOD.replace("1.5", "inf"),
        GOOD.replace("1.5", "one"),
        GOOD.replace(",0,", ",-1,"),
        GOOD.replace(",0,", ",0.5,"),
        GOOD.replace(",0,", ",,"),
        GOOD.replace("ok,", "failed,broke"),
        GOOD.replace("test-error-percent", ""),
        GOOD.replace("small", ""),
        GOOD[: GOOD.index(",1.5")],
        GOOD + ",more",
        '"' + GOOD,
    ],
)
def test_a_damaged_row_names_the_file_and_the_way_out(tmp_path, line):
    path = written(tmp_path, GOOD.replace("svm", "knn"), line)
    with pytest.raises(FileDamaged) as caught:
        read_scores([path])
    assert str(path) in str(caught.value)
    assert "snakemake" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"study,dataset\n", b"\x00" * 100])
def test_a_damaged_file_is_named(tmp_path, content):
    path = tmp_path / "s.csv"
    path.write_bytes(content)
    with pytest.raises(FileDamaged, match="s.csv"):
        read_scores([path])


def test_a_row_twice_is_refused_with_the_second_file(tmp_path):
    a, b = (written(tmp_path, GOOD, name=name) for name in ("a.csv", "b.csv"))
    with pytest.raises(FileDamaged, match="b.csv.*twice"):
        read_scores([a, b])


def test_a_draw_counts_once_under_its_worst_status(tmp_path):
    path = written(
        tmp_path,
        GOOD,
        GOOD.replace("test-error-percent", "weight-1"),
        GOOD.replace(",0,", ",1,"),
        "small,iris,svm,,1,,,failed,weight-1 is nan",
        "small,iris,svm,,1,,,failed,weight-2 is nan",
        GOOD.replace(",0,", ",2,").replace("ok", "not-converged"),
        "small,iris,graph,,,,,skipped,needs a graph",
    )
    counts = counts_by_status(read_scores([path]))
    assert counts == {"ok": 1, "failed": 1, "skipped": 1, "not-converged": 1}


def test_status_reads_merged_files_and_not_their_chunks(tmp_path):
    home = tmp_path / "scores"
    written(home, GOOD, name="small/iris/svm.csv")
    written(home, GOOD, name="small/iris/svm/0.csv")
    written(home, "big,iris,svm,,0,,,failed,broke", name="big/iris/svm.csv")
    rows = status_rows(home)
    assert rows.to_dict("list") == {
        "study": ["big", "small"], "status": ["failed", "ok"], "draws": [1, 1],
    }  # fmt: skip
    assert format_status(rows).splitlines() == [
        "big    1 failed", "small  1 ok", "all    1 ok, 1 failed",
    ]  # fmt: skip
    assert status_rows(sorted(home.glob("small/*/*.csv")))["study"].tolist() == ["small"]


def test_no_scores_at_all(tmp_path):
    assert status_rows(tmp_path).empty
    assert format_status(status_rows(tmp_path)) == "no scores yet"
    assert isinstance(read_scores([]), pd.DataFrame)


def test_times_of_draws_that_failed_are_passed_over(write_scores):
    rows = [
        {"dataset": "iris", "method": "svm", "metric": "seconds", "value": "0.5"},
        {"dataset": "iris", "method": "svm", "metric": "seconds", "value": "0.1",
         "repeat": 1, "status": "skipped", "reason": "not separable"},
        {"dataset": "iris", "method": "knn", "status": "failed", "repeat": ""},
    ]  # fmt: skip
    path = write_scores(rows)
    assert read_timings([path])["value"].tolist() == [0.5]
    assert read_timings([]).empty
    with pytest.raises(FileDamaged, match="failed or skipped row with a value"):
        read_scores([path])
    path.write_text(path.read_text()[:-9])
    with pytest.raises(FileDamaged):
        read_timings([path])
