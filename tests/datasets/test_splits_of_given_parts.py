"""Labelled points drawn out of a given training part."""

import numpy as np
import pytest

from gramworks.datasets.splits import Given, make_splits
from gramworks.errors import DataError

TRAIN, TEST = np.array([9, 0, 3, 5, 7, 2, 8, 1]), np.array([6, 4])
MANY = np.zeros((12, 3), dtype=np.int8)


def splits(partitions=((TRAIN, TEST),), y=MANY, study="s", **spec):
    return make_splits(Given(**spec), y, study=study, dataset="d", partitions=list(partitions))


def test_draws_are_out_of_the_training_rows_and_the_test_set_is_whole():
    made = splits(labelled=3, repeats=50)[""]
    assert made.repeats == 50
    chosen = np.zeros(12)
    for repeat in range(50):
        labelled, unlabelled, test = made.draw(repeat)
        assert len(labelled) == 3
        assert list(test) == [4, 6]
        assert set(labelled) < set(TRAIN)
        # 10 and 11 are in neither given part.
        assert sorted([*labelled, *unlabelled]) == [0, 1, 2, 3, 5, 7, 8, 9, 10, 11]
        chosen[labelled] += 1
    # Each row is chosen with probability 3/8: 18.75 times of 50, standard deviation 3.4.
    assert (np.abs(chosen[TRAIN] - 18.75) < 4 * 3.43).all()


def test_a_draw_is_seeded_by_itself():
    few, many = splits(labelled=3, repeats=2)[""], splits(labelled=3, repeats=9)[""]
    np.testing.assert_array_equal(few.labelled, many.labelled[:2])
    other = splits(labelled=3, repeats=9, study="t")[""]
    assert (other.labelled != many.labelled).any()
    assert len(np.unique(many.labelled, axis=0)) > 1


def test_partitions_take_turns_and_sizes_are_settings():
    second = (np.array([0, 1, 2, 3, 4, 5, 6, 7]), np.array([8, 9]))
    third = (np.array([0, 1, 2]), np.array([3]))
    made = splits([(TRAIN, TEST), second, third], sizes=[8, 3], labelled=2, repeats=3)
    assert list(made) == ["n_labelled=8", "n_labelled=3"]
    tests = [list(made["n_labelled=8"].draw(r)[2]) for r in range(3)]
    assert tests == [[4, 6], [8, 9], [4, 6]]
    assert {tuple(made["n_labelled=3"].draw(r)[2]) for r in range(3)} == {(3,)}


def test_without_repeats_there_is_one_draw_a_partition():
    assert splits(labelled=8)[""].repeats == 1
    assert sorted(splits(labelled=8)[""].draw(0)[0]) == sorted(TRAIN)


def test_repeated_training_rows_are_one_point():
    made = splits([(np.array([0, 0, 1]), np.array([2, 2]))], labelled=2, repeats=5)[""]
    for repeat in range(5):
        assert list(made.draw(repeat)[0]) == [0, 1]
        assert list(made.draw(repeat)[2]) == [2]
    with pytest.raises(DataError, match="3 labelled points .* has 2"):
        splits([(np.array([0, 0, 1]), np.array([2]))], labelled=3)


def test_classes_may_be_missing():
    y = np.where(np.arange(12) == 9, 1, 0)
    made = splits(y=y, labelled=1, repeats=30)[""]
    assert {int(y[made.draw(r)[0]].sum()) for r in range(30)} == {0, 1}


def test_whole_given_parts_are_as_before():
    made = splits()[""]
    np.testing.assert_array_equal(made.labelled[0], TRAIN)
    np.testing.assert_array_equal(made.test[0], TEST)
