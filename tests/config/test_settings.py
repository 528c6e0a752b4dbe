import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramworks.settings import format_setting, join_settings, parse_setting, plain_scalar

words = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
values = st.one_of(
    words, st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: v)
)


@given(st.dictionaries(words, values, max_size=5))
def test_round_trip(setting):
    text = format_setting(setting)
    assert parse_setting(text) == {k: plain_scalar(v) for k, v in setting.items()}
    assert format_setting(parse_setting(text)) == text


def test_published_form():
    assert format_setting({"criterion": "l1", "C": 1.0}) == "C=1;criterion=l1"


@pytest.mark.parametrize("value", [0.2, "0.20", "0.2", "2e-1"])
def test_one_form_a_number(value):
    assert format_setting({"a": value}) == "a=0.2"


@pytest.mark.parametrize("value", [None, True, [1], "a b", "a;b", "a=b", ""])
def test_what_is_no_scalar_is_refused(value):
    with pytest.raises(ValueError, match="setting"):
        plain_scalar(value)


def test_join_sorts_and_refuses_clashes():
    assert join_settings("labelled=16", "C=1") == "C=1;labelled=16"
    with pytest.raises(ValueError, match="labelled"):
        join_settings("labelled=16", "labelled=3")
