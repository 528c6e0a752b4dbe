"""Splits: disjoint, complete, seeded from their identity, clear about what cannot be done."""

import subprocess
import sys

import numpy as np
import pytest
from pydantic import TypeAdapter

from gramworks.datasets.seeds import generator
from gramworks.datasets.splits import SplitSpec, make_splits, read_splits, write_splits
from gramworks.errors import DataError, FileDamaged

Y = np.repeat([0, 1, 2], [60, 30, 10])


def make(y=Y, partitions=None, study="s", dataset="d", **spec):
    chosen = TypeAdapter(SplitSpec).validate_python(spec)
    return make_splits(chosen, y, study=study, dataset=dataset, partitions=partitions)


SPECS = [
    {"kind": "random-fraction", "test": 0.2, "repeats": 5},
    {"kind": "random-fraction", "test": 0.2, "repeats": 5, "stratified": True},
    {"kind": "labelled", "sizes": [10, 20], "scheme": "stratified", "repeats": 4},
    {"kind": "labelled", "sizes": [10, 20], "scheme": "balanced", "repeats": 4, "test": 30},
    {"kind": "labelled", "sizes": [10, 20], "scheme": "free", "repeats": 4, "test": 30},
    {"kind": "k-fold", "folds": 5, "repeats": 2},
    {"kind": "k-fold", "folds": 7, "repeats": 2, "stratified": False},
    {"kind": "test-sizes", "sizes": [5, 20], "repeats": 4},
    {"kind": "drawn", "labelled": 30, "test": 20, "repeats": 4},
]


@pytest.mark.parametrize("spec", SPECS)
def test_every_draw_divides_all_points(spec):
    for splits in make(**spec).values():
        for repeat in range(splits.repeats):
            parts = splits.draw(repeat)
            assert sorted(np.concatenate(parts)) == list(range(100))
            assert set(Y[parts[0]]) == {0, 1, 2}
            assert all((np.diff(part) > 0).all() for part in parts)


@pytest.mark.parametrize("spec", [s for s in SPECS if s["kind"] != "k-fold"])
def test_more_repeats_or_other_sizes_leave_a_draw_as_it_was(spec):
    few = make(**spec)
    more = make(**{**spec, "repeats": 9, **({"sizes": [25, 20]} if "sizes" in spec else {})})
    for setting in few.keys() & more.keys():
        for name in ("labelled", "test", "unlabelled"):
            n = few[setting].repeats
            found, expected = getattr(more[setting], name)[:n], getattr(few[setting], name)
            np.testing.assert_array_equal(found, expected)


def test_identity_seeds():
    spec = SPECS[0]
    first = make(**spec)[""].test
    np.testing.assert_array_equal(make(**spec)[""].test, first)
    assert not np.array_equal(make(study="other", **spec)[""].test, first)
    assert not np.array_equal(make(dataset="other", **spec)[""].test, first)
    assert len({tuple(row) for row in first}) == 5
    folds = make(**SPECS[5])[""]
    assert not np.array_equal(folds.test[:5], folds.test[5:])


def test_generator_is_the_same_in_another_process():
    code = "from gramworks.datasets.seeds import generator; print(generator('a', 1).integers(1e9))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("0", "77")
    }  # fmt: skip
    assert found == {str(generator("a", 1).integers(1e9))} == {"685575644"}
    assert generator("1").integers(1e9) != generator(1).integers(1e9)
    assert generator("a", "b").integers(1e9) != generator("ab").integers(1e9)
    assert generator(np.int64(3)).integers(1e9) == generator(3).integers(1e9)
    for bad in ((), (1.5,), (True,), (None,)):
        with pytest.raises(TypeError):
            generator(*bad)


def test_sizes():
    assert make(**SPECS[0])[""].test.shape == (5, 20)
    assert make(y=np.zeros(683, int), kind="random-fraction", test=0.2, repeats=1)[
        ""
    ].test.shape == (1, 137)
    found = make(**SPECS[3])
    assert list(found) == ["n_labelled=10", "n_labelled=20"]
    assert found["n_labelled=10"].unlabelled.shape == (4, 60)
    assert make(**SPECS[2])["n_labelled=20"].unlabelled.shape == (4, 0)
    found = make(**SPECS[7])
    assert list(found) == ["n_test=5", "n_test=20"]
    assert found["n_test=5"].test.shape == (4, 5)
    [found] = make(**SPECS[8]).values()
    assert (found.labelled.shape, found.test.shape) == ((4, 30), (4, 20))
    [found] = make(kind="own-draws", repeats=3).values()
    assert found.unlabelled.tolist() == [list(range(100))] * 3


def test_shares_of_the_classes():
    for row in make(**SPECS[1])[""].test:
        assert np.bincount(Y[row]).tolist() == [12, 6, 2]
    for row in make(**SPECS[2])["n_labelled=20"].labelled:
        assert np.bincount(Y[row]).tolist() == [12, 6, 2]
    counts = [np.bincount(Y[row]) for row in make(**SPECS[3])["n_labelled=20"].labelled]
    assert all(sorted(c) == [6, 7, 7] for c in counts)
    small = make(kind="labelled", sizes=[3], scheme="stratified", repeats=1)["n_labelled=3"]
    assert sorted(Y[small.labelled[0]]) == [0, 1, 2]
    folds = make(**SPECS[5])[""]
    assert all(np.bincount(Y[row[row >= 0]]).tolist() == [12, 6, 2] for row in folds.test)
    uneven = make(y=np.repeat([0, 1], [11, 6]), kind="k-fold", folds=4, repeats=1)[""]
    sizes = [(row >= 0).sum() for row in uneven.test]
    assert sorted(sizes) == [4, 4, 4, 5]


def test_free_draws_are_uniform_given_that_each_class_is_there():
    """Two labelled of y = (0, 0, 0, 1): the three pairs with the 1 are equally likely."""
    y = np.array([0, 0, 0, 1])
    found = make(y=y, kind="labelled", sizes=[2], scheme="free", repeats=3000)["n_labelled=2"]
    pairs, counts = np.unique(found.labelled, axis=0, return_counts=True)
    assert pairs.tolist() == [[0, 3], [1, 3], [2, 3]]
    assert abs(counts - 1000).max() < 6 * np.sqrt(3000 * (1 / 3) * (2 / 3))


ONE = np.array([0] * 10 + [1])


@pytest.mark.parametrize(
    ("y", "spec", "message"),
    [
        (ONE, {"kind": "k-fold", "folds": 5, "repeats": 1},
         r"class code 1 has 1 member\(s\), fewer than the 5 folds; use fewer folds"),
        (ONE, {"kind": "k-fold", "folds": 5, "repeats": 1, "stratified": False},
         "has all members of class code 1"),
        (ONE, {"kind": "k-fold", "folds": 12, "repeats": 1, "stratified": False}, "12 folds"),
        (ONE, {"kind": "labelled", "sizes": [4], "scheme": "balanced", "repeats": 1},
         "class code 1 has 1 members, 2 are wanted"),
        (ONE, {"kind": "labelled", "sizes": [1], "repeats": 1}, "cannot hold each of 2 classes"),
        (ONE, {"kind": "labelled", "sizes": [11], "repeats": 1}, "11 labelled and 1 test"),
        (ONE, {"kind": "labelled", "sizes": [5], "test": 7, "repeats": 1}, "there are 11"),
        (ONE, {"kind": "random-fraction", "test": 0.01, "repeats": 1}, "leaves a part empty"),
        (ONE, {"kind": "given"}, "no given partitions"),
        (ONE * 1.0, {"kind": "k-fold", "folds": 5, "repeats": 1}, "real-valued target"),
        (ONE - 1, {"kind": "k-fold", "folds": 5, "repeats": 1}, "found -1"),
    ],
)  # fmt: skip
def test_what_cannot_be_done(y, spec, message):
    with pytest.raises(DataError, match=message) as error:
        make(y=y, **spec)
    assert "study 's', data set 'd'" in str(error.value)


def test_a_class_that_free_draws_never_meet(monkeypatch):
    monkeypatch.setattr("gramworks.datasets.split_draws.MOST_TRIES", 3)
    y = np.repeat([0, 1], [10_000, 1])
    with pytest.raises(DataError, match="3 random draws of 2 points never had all 2 classes"):
        make(y=y, kind="labelled", sizes=[2], scheme="free", repeats=1)


def test_single_member_is_always_labelled():
    for stratified in (False, True):
        spec = {"kind": "random-fraction", "test": 0.4, "repeats": 20, "stratified": stratified}
        assert all(10 in row for row in make(y=ONE, **spec)[""].labelled)


def test_real_targets_need_no_classes():
    y = np.linspace(0, 1, 20)
    assert make(y=y, kind="k-fold", folds=5, repeats=1, stratified=False)[""].repeats == 5
    assert make(y=y, kind="random-fraction", test=0.5, repeats=3)[""].test.shape == (3, 10)
    assert make(y=y, kind="labelled", sizes=[5], repeats=3)["n_labelled=5"].repeats == 3


def test_families_of_given_partitions_are_settings():
    given = [(np.array([0]), np.array([1, 2, 3])), (np.array([1, 2]), np.array([0, 3]))] * 2
    y = np.array([0, 1, 0, 1])
    found = make(y=y, partitions=given, kind="given", sizes=[2, 1])
    assert list(found) == ["n_labelled=2", "n_labelled=1"]
    assert found["n_labelled=2"].labelled.tolist() == [[1, 2]] * 2
    assert found["n_labelled=1"].test.tolist() == [[1, 2, 3]] * 2
    with pytest.raises(DataError, match=r"has 3 training rows; there are ones of \[1, 2\]"):
        make(y=y, partitions=given, kind="given", sizes=[3])
    with pytest.raises(DataError, match="3 given partitions are asked for, there are 2"):
        make(y=y, partitions=given, kind="given", sizes=[1], repeats=3)


def test_several_labels_a_point_are_drawn_freely():
    y = np.array([[0, 1], [1, 1], [0, 0], [1, 0]] * 5, dtype=np.int8)
    splits = make(y=y, kind="labelled", sizes=[5], repeats=3)["n_labelled=5"]
    assert splits.labelled.shape == (3, 5)
    assert make(y=y, kind="k-fold", folds=4, repeats=1, stratified=False)[""].test.shape == (4, 5)
    with pytest.raises(DataError, match="several labels a point has no classes"):
        make(y=y, kind="k-fold", folds=4, repeats=1)


def test_given_partitions_may_repeat_rows_and_differ_in_size():
    given = [(np.array([0, 0, 1]), np.array([2])), (np.array([3, 1]), np.array([2, 2]))]
    found = make(y=np.array([0, 1, 0, 1]), partitions=given, kind="given")[""]
    assert found.labelled.tolist() == [[0, 0, 1], [3, 1, -1]]
    assert found.draw(1)[1].tolist() == [0]
    assert found.draw(0)[0].tolist() == [0, 0, 1]
    assert make(y=ONE, partitions=given, kind="given", repeats=1)[""].repeats == 1
    with pytest.raises(DataError, match="3 given partitions are asked for, there are 2"):
        make(y=ONE, partitions=given, kind="given", repeats=3)


@pytest.mark.parametrize("spec", SPECS)
def test_split_files(tmp_path, spec):
    splits = make(**spec)
    write_splits(tmp_path / "s.h5", splits, {"stage": "split"})
    found = read_splits(tmp_path / "s.h5")
    assert list(found) == list(splits)
    for setting, draws in splits.items():
        for name in ("labelled", "unlabelled", "test"):
            np.testing.assert_array_equal(getattr(found[setting], name), getattr(draws, name))


def test_damaged_split_file(tmp_path):
    path = tmp_path / "s.h5"
    write_splits(path, make(**SPECS[0]), {})
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(FileDamaged, match="Rebuild it with: snakemake"):
        read_splits(path)


@pytest.mark.parametrize(
    ("y", "test", "wanted", "spare"),
    [([0, 0, 1, 2], 0.75, 3, 1), ([0] * 4 + [1, 2, 3, 4, 5, 6], 0.6, 6, 3)],
)
def test_a_test_share_that_leaves_a_class_without_label_is_refused(y, test, wanted, spare):
    spec = {"kind": "random-fraction", "test": test, "repeats": 1, "stratified": True}
    with pytest.raises(DataError, match=f"is {wanted} test points, .* classes {spare} are left"):
        make(y=np.array(y), **spec)


def test_stratified_tests_of_tiny_classes_have_the_exact_size():
    y = np.array([0] * 4 + [1, 2, 3, 4, 5, 6])
    for test, n_test in ((0.1, 1), (0.2, 2), (0.3, 3)):
        spec = {"kind": "random-fraction", "test": test, "repeats": 10, "stratified": True}
        splits = make(y=y, **spec)[""]
        assert splits.test.shape == (10, n_test)
        assert all(set(y[row]) == set(y) for row in splits.labelled)
        assert all((y[row] == 0).all() for row in splits.test)
    # by hand: shares 3.5, 1.75, 1.75 of 7: remainders .75 and .75 are served before .5
    y = np.repeat([0, 1, 2], [8, 4, 4])
    spec = {"kind": "random-fraction", "test": 7 / 16, "repeats": 3, "stratified": True}
    for row in make(y=y, **spec)[""].test:
        np.testing.assert_array_equal(np.bincount(y[row]), [3, 2, 2])


@pytest.mark.parametrize(
    "spec", [s for s in SPECS if s.get("stratified", True) and s.get("scheme") != "free"]
)
def test_codes_without_members_change_no_draw(spec):
    whole, holes = make(**spec), make(y=np.array([1, 4, 6])[Y], **spec)
    for setting, splits in whole.items():
        np.testing.assert_array_equal(splits.labelled, holes[setting].labelled)
        np.testing.assert_array_equal(splits.test, holes[setting].test)
