"""Choosing a kernel and C: against scikit-learn's machines, one fold at a time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from gramworks.errors import FitError
from gramworks.fitting.kernel_choice import choose_kernel, stratified_folds
from gramworks.solvers.ridge import ridge_path, solve_ridge

RNG = np.random.default_rng(4)
Y = np.array(["b", "a", "a"] * 12)
X = RNG.normal(size=(36, 3)) + 0.7 * (Y == "a")[:, None]
SQUARES = ((X[:, None] - X[None]) ** 2).sum(-1)
BLOCKS = [np.exp(-SQUARES / w) for w in (0.3, 3.0, 30.0)]
GRID = [0.1, 1.0, 30.0]


def by_hand(blocks, y, machine, seed):
    wrong = np.zeros((len(blocks), len(GRID)))
    codes = np.unique(y, return_inverse=True)[1]
    for train, test in stratified_folds(codes, 5, np.random.default_rng(seed)):
        for i, K in enumerate(blocks):
            for j, C in enumerate(GRID):
                predicted = machine(K, y, train, test, C)
                wrong[i, j] += np.sum(predicted != y[test])
    return wrong / len(y)


def hinge(K, y, train, test, C):
    model = SVC(C=C, kernel="precomputed", decision_function_shape="ovr")
    return model.fit(K[np.ix_(train, train)], y[train]).predict(K[np.ix_(test, train)])


def squared(K, y, train, test, C):
    classes = np.unique(y)
    targets = np.where(y[train, None] == classes, 1.0, -1.0)
    targets = targets[:, 1:] if len(classes) == 2 else targets
    found = solve_ridge(K[np.ix_(train, train)], targets, 1 / (2 * C))
    values = K[np.ix_(test, train)] @ found.coefficients + found.intercept
    codes = (values[:, 0] > 0).astype(int) if len(classes) == 2 else values.argmax(axis=1)
    return classes[codes]


@pytest.mark.parametrize(("loss", "machine"), [("hinge", hinge), ("squared", squared)])
@pytest.mark.parametrize("seed", [0, 1])
def test_errors_are_those_of_the_folds(loss, machine, seed):
    choice = choose_kernel(BLOCKS, Y, C_grid=GRID, loss=loss, generator=np.random.default_rng(seed))
    wanted = by_hand(BLOCKS, Y, machine, seed)
    assert_allclose(choice.errors, wanted)
    assert choice.errors[choice.index, GRID.index(choice.C)] == wanted.min()


def test_three_classes_with_squared_loss():
    y = np.array(["u", "v", "w"] * 12)
    choice = choose_kernel(
        BLOCKS, y, C_grid=GRID, loss="squared", generator=np.random.default_rng(2)
    )
    assert_allclose(choice.errors, by_hand(BLOCKS, y, squared, 2))


def test_equally_good_choices_go_to_the_first_kernel_and_smallest_C():
    clear = np.where(np.equal.outer(Y, Y), 1.0, 0.0) + 0.1 * np.eye(36)
    choice = choose_kernel([clear, 2 * clear], Y, C_grid=[10, 1, 0.1], loss="squared")
    assert (choice.index, choice.C) == (0, 0.1)
    assert choice.C_on_edge
    assert choice.errors.max() == 0


def test_one_pair_is_no_choice():
    choice = choose_kernel(BLOCKS[:1], Y, C_grid=[2.0])
    assert (choice.index, choice.C, choice.C_on_edge) == (0, 2.0, False)


def test_folds_of_rare_classes():
    codes = np.array([0] * 12 + [1] * 3)
    folds = stratified_folds(codes, 5, np.random.default_rng(0))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(15))
    assert [int(codes[test].sum()) for _, test in folds].count(1) == 3
    assert len(stratified_folds(np.array([0, 0, 1, 1]), 5, np.random.default_rng(0))) == 2
    single = np.array([0, 0, 0, 0, 1])
    choice = choose_kernel([np.eye(5)], single, C_grid=[1, 2], folds=4)
    assert_array_equal(choice.errors > 0, [[True, True]])  # the fold without the class errs
    with pytest.raises(FitError, match="two labelled points"):
        stratified_folds(np.array([0, 1]), 5, np.random.default_rng(0))


def test_ridges_of_one_decomposition():
    targets = np.column_stack([X[:, 0], X[:, 1] ** 2])
    ridges = [1e-3, 0.5, 20.0]
    coefficients, intercepts = ridge_path(BLOCKS[1], targets, ridges)
    for a, b, ridge in zip(coefficients, intercepts, ridges, strict=True):
        found = solve_ridge(BLOCKS[1], targets, ridge)
        assert_allclose(a, found.coefficients, rtol=1e-7, atol=1e-9)
        assert_allclose(b, found.intercept, rtol=1e-8)


@pytest.mark.parametrize(
    ("values", "told"),
    [({"C_grid": []}, "0 C"), ({"C_grid": [0]}, "C_grid"), ({"loss": "logistic"}, "loss"),
     ({"folds": 1}, "folds")],
)  # fmt: skip
def test_unusable(values, told):
    with pytest.raises(FitError, match=told):
        choose_kernel(BLOCKS, Y, **{"C_grid": GRID, **values})
