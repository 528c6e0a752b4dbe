import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.normalisation import is_recipe, normalise_dataset, task_after
from gramworks.datasets.splits import KFold, Labelled, RandomFraction, make_splits
from gramworks.datasets.store import read_dataset, write_dataset
from gramworks.errors import DataError

CODES = np.array([0, 1, 1, 0, 1, 0, 1, 0, 0, 1])


@pytest.fixture
def images():
    X = np.random.default_rng(1).random((10, 6))
    given = [(np.arange(8), np.array([8, 9]))]
    return Dataset("d", X, CODES, ["a", "b"], [f"p{i}" for i in range(6)], partitions=given)


@pytest.fixture
def halves(images):
    return normalise_dataset(images, "columns-4-to-rest")


def test_features_become_outputs_and_classes_stay_behind_them(images, halves):
    assert halves.task == "vectors"
    assert_array_equal(halves.X, images.X[:, :4])
    assert_array_equal(halves.y, images.X[:, 4:])
    assert_array_equal(halves.groups, CODES)
    assert halves.classes == ["a", "b"]
    assert halves.feature_names == ["p0", "p1", "p2", "p3"]
    assert_array_equal(halves.strata, CODES)
    assert halves.notes[-1] == "features 5 to 6 are the output"


def test_outputs_without_classes_are_numbered(images):
    numbers = Dataset("d", images.X, images.X[:, 0], [], images.feature_names)
    made = normalise_dataset(numbers, "columns-4-to-rest")
    assert (made.task, made.groups, made.classes) == ("vectors", None, [])
    assert_array_equal(made.strata, np.arange(10.0))


def test_vectors_survive_the_store(halves, tmp_path):
    path = tmp_path / "d.h5"
    write_dataset(path, halves, recipe="columns-4-to-rest", provenance={})
    back = read_dataset(path)
    assert back.task == "vectors"
    assert back.y.dtype == np.float64
    assert_array_equal(back.y, halves.y)
    assert_array_equal(back.groups, CODES)
    assert checksum(back) == checksum(halves)


def test_the_checksum_sees_fractions_of_outputs(halves):
    other = Dataset(**{**vars(halves), "y": halves.y + 1e-9})
    assert checksum(other) != checksum(halves)


def test_rows_of_vectors_are_taken_together(halves):
    part = normalise_dataset(halves, "first-3-rows")
    assert_array_equal(part.y, halves.y[:3])
    assert_array_equal(part.groups, CODES[:3])


def test_first_rows_drop_given_partitions(images):
    made = normalise_dataset(images, "first-7-rows")
    assert made.partitions is None
    assert_array_equal(made.X, images.X[:7])


def test_first_rows_of_each_class_keep_their_order(images):
    made = normalise_dataset(images, "first-2-a-class")
    assert_array_equal(made.X, images.X[[0, 1, 2, 3]])
    made = normalise_dataset(images, "first-3-a-class")
    assert_array_equal(made.X, images.X[[0, 1, 2, 3, 4, 5]])


def test_steps_are_done_in_their_order(images):
    recipe = "first-2-a-class-then-signed-then-columns-4-to-rest"
    made = normalise_dataset(images, recipe)
    assert_array_equal(made.y, 2 * images.X[:4, 4:] - 1)
    assert is_recipe(recipe)
    assert task_after("multiclass", recipe) == "vectors"
    assert task_after("multiclass", "first-2-a-class-then-signed") == "multiclass"
    assert not is_recipe("first-2-a-class-then-columns")
    assert not is_recipe("first-2-a-class-then-")


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ("first-11-rows", "it has 10 rows"),
        ("first-6-a-class", "class 'a' has 5 rows"),
        ("columns-6-to-rest", "it has 6 features"),
    ],
)
def test_more_than_there_is(images, recipe, words):
    with pytest.raises(DataError, match=f"{recipe} on data set 'd'.*{words}"):
        normalise_dataset(images, recipe)


def test_unfit_data(images, halves):
    texts = Dataset("d", ["a"] * 10, CODES, ["a", "b"], [])
    with pytest.raises(DataError, match="wants dense features and no views, found strings"):
        normalise_dataset(texts, "columns-4-to-rest")
    with pytest.raises(DataError, match="from 0 to 1, found strings"):
        normalise_dataset(texts, "signed")
    with pytest.raises(DataError, match="from 0 to 1, found .*-0"):
        normalise_dataset(normalise_dataset(images, "signed"), "signed")
    numbers = Dataset("d", images.X, images.X[:, 0], [], images.feature_names)
    with pytest.raises(DataError, match=r"not of one class each \(task regression\)"):
        normalise_dataset(numbers, "first-2-a-class")


def folds(y, **keys):
    spec = KFold(folds=5, repeats=2, **keys)
    return make_splits(spec, y, study="s", dataset="d")[""]


def test_one_fold_is_labelled():
    y = np.arange(50) % 2
    usual, turned = folds(y), folds(y, train_on="one")
    assert_array_equal(turned.labelled, usual.test)
    assert_array_equal(turned.test, usual.labelled)
    assert turned.labelled.shape == (10, 10)
    for repeat in (0, 1):
        own = turned.labelled[5 * repeat : 5 * repeat + 5]
        assert_array_equal(np.sort(own.ravel()), np.arange(50))
        assert (y[own].sum(axis=1) == 5).all()


def test_a_fold_without_a_class_cannot_be_learned_from():
    y = (np.arange(50) == 7).astype(int)
    with pytest.raises(DataError, match=r"fold \d has no member of class code 1"):
        folds(y, stratified=False, train_on="one")
    with pytest.raises(DataError, match="fewer than the 5 folds"):
        folds(y, train_on="one")


@pytest.mark.parametrize(
    "spec",
    [
        KFold(folds=4, repeats=1, stratified=False, train_on="one"),
        KFold(folds=2, repeats=1, stratified=False),
        Labelled(sizes=[2], repeats=3, scheme="free", test="rest"),
        RandomFraction(test=0.7, repeats=1, stratified=False),
    ],
)
def test_a_labelled_part_may_lack_a_class_behind_outputs(spec):
    rare = np.r_[np.arange(7), np.zeros(13, dtype=int)]
    with pytest.raises(DataError, match="class"):
        make_splits(spec, rare, study="s", dataset="d")
    (made,) = make_splits(spec, rare, study="s", dataset="d", behind=True).values()
    (same,) = make_splits(spec, np.zeros(20, dtype=int), study="s", dataset="d").values()
    assert_array_equal(made.labelled, same.labelled)


def test_stated_strata_are_those_of_the_classes_behind_outputs():
    codes = np.repeat([0, 1], 10)
    spec = KFold(folds=5, repeats=1)
    (made,) = make_splits(spec, codes, study="s", dataset="d", behind=True).values()
    assert (codes[made.test].sum(axis=1) == 2).all()
