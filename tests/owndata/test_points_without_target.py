"""Points whose target nobody knows: in no draw labelled or tested, and nowhere counted."""

import numpy as np
import pytest

from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.facts import facts_of
from gramworks.datasets.splits import KFold, Labelled, make_splits
from gramworks.datasets.store import read_dataset, write_dataset
from gramworks.draws import run_draws
from gramworks.errors import DataError
from gramworks.methods.registry import load_method


@pytest.fixture
def partly(points):
    X, y = points
    unlabelled = np.arange(40) % 5 == 3
    return Dataset(
        "t", X, np.where(unlabelled, 0, y), ["a", "b"], ["u", "v", "w"], unlabelled=unlabelled
    )


@pytest.mark.parametrize(
    "spec",
    [
        Labelled(sizes=[6], scheme="stratified", repeats=4),
        KFold(folds=4, repeats=2),
    ],
)
def test_they_are_unlabelled_in_every_draw(partly, spec):
    made = make_splits(spec, partly.y, study="s", dataset="t", unlabelled=partly.unlabelled)
    none = np.flatnonzero(partly.unlabelled)
    for draws in made.values():
        for repeat in range(draws.repeats):
            labelled, unlabelled, test = draws.draw(repeat)
            assert np.isin(none, unlabelled).all()
            assert sorted([*labelled, *unlabelled, *test]) == list(range(40))


def test_the_other_points_are_drawn_as_if_alone(partly):
    spec = Labelled(sizes=[6], scheme="stratified", repeats=2)
    known = np.flatnonzero(~partly.unlabelled)
    alone = make_splits(spec, partly.y[known], study="s", dataset="t")["n_labelled=6"]
    among = make_splits(spec, partly.y, study="s", dataset="t", unlabelled=partly.unlabelled)
    np.testing.assert_array_equal(among["n_labelled=6"].draw(1)[0], known[alone.draw(1)[0]])
    np.testing.assert_array_equal(among["n_labelled=6"].draw(1)[2], known[alone.draw(1)[2]])


def test_given_partitions_do_not_go_with_them(partly):
    pairs = [(np.arange(20), np.arange(20, 40))]
    with pytest.raises(DataError, match="do not go together"):
        make_splits(
            KFold(folds=2, repeats=1), partly.y, study="s", dataset="t", partitions=pairs,
            unlabelled=partly.unlabelled,
        )  # fmt: skip


def test_facts_and_files_know_them(partly, tmp_path):
    facts = facts_of(partly)
    known = ~partly.unlabelled
    assert facts.unlabelled == 8
    assert facts.classes == {
        "a": int((partly.y[known] == 0).sum()),
        "b": int(partly.y[known].sum()),
    }
    write_dataset(tmp_path / "t.h5", partly, recipe="none", provenance={})
    back = read_dataset(tmp_path / "t.h5")
    np.testing.assert_array_equal(back.unlabelled, partly.unlabelled)
    assert checksum(back) == checksum(partly)
    assert partly.take(np.arange(5)).unlabelled.tolist() == [False, False, False, True, False]


def test_correlations_leave_them_out(partly):
    spec = Labelled(sizes=[10], scheme="stratified", repeats=1)
    splits = make_splits(spec, partly.y, study="s", dataset="t", unlabelled=partly.unlabelled)
    K = partly.X @ partly.X.T

    def correlation(y):
        data = Dataset("t", partly.X, y, ["a", "b"], [], unlabelled=partly.unlabelled)
        method = load_method("kernel-pca")
        shared = method.module.learn({"K1": K}, data.X, [{}], {}, print)
        rows, _ = run_draws(
            method, [{}], {}, data, splits, {"K1": K}, study="s", repeats=[0], shared=shared
        )
        return next(row["value"] for row in rows if row["metric"] == "correlation")

    assert correlation(partly.y) == correlation(np.where(partly.unlabelled, 1, partly.y))
