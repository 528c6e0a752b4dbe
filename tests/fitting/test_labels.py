import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramworks.errors import FitError
from gramworks.fitting.labels import encode_labels, encode_targets

LABEL = st.one_of(st.integers(), st.text(max_size=3), st.booleans(), st.floats(allow_nan=False))


@given(y=st.lists(st.one_of(st.none(), LABEL), min_size=2, max_size=20))
def test_codes_give_back_the_labels(y):
    known = [label for label in y if label is not None]
    if len(set(known)) < 2:
        with pytest.raises(FitError, match="two or more are needed"):
            encode_labels(y, len(y))
        return
    found = encode_labels(y, len(y))
    assert [label is not None for label in y] == found.labelled.tolist()
    assert list(found.classes[found.codes[found.labelled]]) == known
    assert len(set(found.classes)) == len(found.classes) == len(set(known))


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["a", "-1", "b"], ["-1", "a", "b"]),
        ([2, 1, 2], [1, 2]),
        ([True, False, False], [False, True]),
        (np.array([-1, 1, -1]), [-1, 1]),
        (pd.Series(["x", None, "y"]), ["x", "y"]),
        (pd.Series(["x", "y", pd.NA], dtype="category"), ["x", "y"]),
        (pd.Series([1, 2, pd.NA], dtype="Int64"), [1, 2]),
        (np.array([3.0, np.nan, 1.0]), [1.0, 3.0]),
        (np.array([["u"], ["v"], ["u"]]), ["u", "v"]),
        ([" a", "a", "a"], [" a", "a"]),
        (["1", 1, 1], [1, "1"]),
        ([np.str_("a"), "a", "b"], ["a", "b"]),
        ([0, True, False], [0, 1]),
        ([2**53 + 1, 0.5, 0.5], [0.5, 2**53 + 1]),
    ],
)
def test_types_are_kept(y, classes):
    found = encode_labels(y, 3)
    assert list(found.classes) == classes
    assert [type(a) for a in found.classes.tolist()] == [type(a) for a in classes]


def test_minus_one_is_a_label_and_the_mask_hides_what_it_hides():
    found = encode_labels([-1, 1, -1, "junk"], 4, [True, True, True, False])
    assert found.classes.tolist() == [-1, 1]
    np.testing.assert_array_equal(found.signs(), [[-1, 1, -1]])


def test_more_than_two_classes_have_a_row_of_signs_each():
    signs = encode_labels(["c", "a", None, "b"], 4).signs()
    np.testing.assert_array_equal(signs, [[-1, 1, -1], [-1, -1, 1], [1, -1, -1]])


@pytest.mark.parametrize(
    ("y", "labelled", "message"),
    [
        (["a"] * 3, None, r"1 class \('a'\) on the 3 labelled of 3"),
        ([None] * 3, None, "no label on any of the 3 points"),
        (["a", "b", "a"], [False] * 3, "no label on any of the 3 points"),
        (["a", "b"], None, r"y has shape \(2,\); the kernel has 3 points"),
        (["a", "b", "a"], [0, 1, 2], "boolean mask of shape"),
        (["a", "b", "a"], [True, False], "boolean mask of shape"),
        (["a", None, "b"], [True, True, True], r"labelled\[1\] is True but y\[1\] is None"),
        (None, None, "y is None"),
        ([[1, 2], [1, 3], [1, 2]], None, r"y has shape \(3, 2\)"),
    ],
)
def test_what_is_unusable_is_named(y, labelled, message):
    with pytest.raises(FitError, match=message):
        encode_labels(y, 3, labelled)


def test_targets_are_numbers():
    targets, known = encode_targets([1, None, 2.5, np.nan], 4)
    np.testing.assert_array_equal(targets, [1, np.nan, 2.5, np.nan])
    np.testing.assert_array_equal(known, [True, False, True, False])
    with pytest.raises(FitError, match=r"y\[1\] is 'x'; a regression needs numbers"):
        encode_targets([1, "x", 3], 3)
    with pytest.raises(FitError, match=r"y\[1\] is inf"):
        encode_targets([1, np.inf, 3], 3)
    with pytest.raises(FitError, match="none of the 2 points"):
        encode_targets([None, None], 2)
