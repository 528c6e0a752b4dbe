import math

import pytest

from gramworks.errors import DataError, FileDamaged
from gramworks.report.published import COLUMNS, read_published

HEADER = ",".join(COLUMNS)
LINE = "s,p,1,iris,svm,C=1;criterion=l1,test-error-percent,2.60,2,,,"


def written(tmp_path, *lines, header=HEADER):
    path = tmp_path / "p.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def test_the_shipped_file_is_read_whole():
    table = read_published()
    assert len(table) == 548
    cell = table[
        (table["dataset"] == "wisconsin") & (table["method"] == "margin-nonnegative")
        & (table["setting"] == "C=1;criterion=l1") & (table["metric"] == "omega-half")
    ]  # fmt: skip
    assert [number.value for number in cell["number"]] == [33.689]


@pytest.mark.parametrize(
    ("value", "decimals", "last_digit"),
    [
        ("2.60", "2", 0.01),
        ("1.18e+07", "", 1e5),
        ("600", "", 1),
        ("4e+06", "", 1e6),
        ("10", "0", 1),
    ],
)
def test_last_digit_of_the_printed_text(tmp_path, value, decimals, last_digit):
    line = LINE.replace("2.60,2", f"{value},{decimals}")
    number = read_published(written(tmp_path, line))["number"][0]
    assert (number.value, number.last_digit) == (float(value), last_digit)


def test_spreads_become_standard_errors(tmp_path):
    a = LINE.replace(",,,", ",2.08,standard deviation over 10 draws,")
    b = LINE.replace("svm", "knn").replace(",,,", ",0.03,standard error,")
    numbers = read_published(written(tmp_path, a, b, LINE.replace("svm", "ridge")))["number"]
    assert numbers[0].standard_error == pytest.approx(2.08 / math.sqrt(10), rel=1e-15)
    assert numbers[1].standard_error == 0.03
    assert numbers[2].standard_error is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("2.60,2", "2.60,1"), "decimals"),
        (("2.60", "2,60"), "fields"),
        (("2.60", "two"), "value"),
        (("2.60,2", "nan,"), "finite"),
        (("C=1;criterion=l1", "criterion=l1;C=1"), "setting"),
        (("C=1", "C=1.0"), "setting"),
        ((",,,", ",1,variance,"), "kind"),
        ((",,,", ",1,,"), "kind"),
        ((",,,", ",-1,standard error,"), "negative"),
        (("test-error-percent", ""), "metric"),
    ],
)
def test_faults_are_refused_with_file_and_line(tmp_path, change, said):
    path = written(tmp_path, LINE.replace("svm", "knn"), LINE.replace(*change))
    with pytest.raises((DataError, FileDamaged), match=said) as caught:
        read_published(path)
    assert str(path) in str(caught.value)
    if caught.type is DataError:
        assert "line 3" in str(caught.value)


def test_a_cell_printed_twice_and_other_columns_are_refused(tmp_path):
    with pytest.raises(DataError, match="line 3.*twice"):
        read_published(written(tmp_path, LINE, LINE.replace("2.60", "2.70")))
    with pytest.raises(FileDamaged, match="columns"):
        read_published(written(tmp_path, header=",".join(COLUMNS[:-1])))
