import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier

from gramworks.errors import FitError
from gramworks.fitting import OutputNeighbours, select_dependency, select_neighbours
from gramworks.fitting.dependency_selection import output_losses
from gramworks.kernels import gaussian, linear, zero_one
from gramworks.learning import KernelDependency
from gramworks.solvers.ridge import solve_ridge
from gramworks.solvers.ridge_path import ridge_path


def problem(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    Y = np.sin(X @ rng.standard_normal((3, 2))) + 0.2 * rng.standard_normal((n, 2))
    folds = np.array_split(rng.permutation(n), 5)
    return X, Y, folds


def squares_between(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(axis=2)


def test_one_factorisation_serves_all_ridges():
    X, Y, _ = problem()
    K, K_new = gaussian(X, width=1.0), gaussian(X[:7] + 0.1, X, width=1.0)
    ridges = [1e-6, 0.1, 10.0]
    path = ridge_path(K)
    for ridge, found in zip(ridges, path.predictions(K_new, Y, ridges), strict=True):
        wanted = solve_ridge(K, Y, ridge, centre=False)
        np.testing.assert_allclose(found, K_new @ wanted.coefficients, rtol=1e-8, atol=1e-11)
        np.testing.assert_allclose(path.left_out(Y, ridge), wanted.left_out, rtol=1e-7)
    with pytest.raises(FitError, match="take a larger ridge"):
        ridge_path(K - np.eye(60)).coefficients(Y, 0.5)


@pytest.mark.parametrize("per_point", [False, True])
@pytest.mark.parametrize("n_components", [None, 3, 0.8])
def test_losses_equal_refits(per_point, n_components):
    X, Y, folds = problem()
    grams = [gaussian(X, width=w) for w in (0.3, 1.0, 3.0)]
    L, ridges = gaussian(Y, width=0.8), [10.0, 0.01, 0.3]
    choice = select_dependency(
        [grams[0], lambda: grams[1], grams[2]], L, ridges,
        folds=folds, n_components=n_components, per_point=per_point,
    )  # fmt: skip
    wanted = np.zeros((3, 3))
    for g, K in enumerate(grams):
        for r, ridge in enumerate(ridges):
            for test in folds:
                train = np.setdiff1d(np.arange(60), test)
                factor = train.size if per_point else 1
                model = KernelDependency(ridge * factor, n_components)
                model.fit(K[np.ix_(train, train)], L[np.ix_(train, train)])
                chosen = train[model.predict(K[np.ix_(test, train)])]
                wanted[g, r] += (2 - 2 * L[test, chosen]).sum() / 60
    np.testing.assert_allclose(choice.losses, wanted, rtol=1e-12)
    g, r = np.unravel_index(wanted.argmin(), wanted.shape)
    assert (choice.gram, choice.ridge) == (g, ridges[r])
    assert choice.on_edge == {"gram": g != 1, "ridge": ridges[r] != 0.3}


def test_other_losses_and_ties():
    X, _, folds = problem()
    y = (X[:, 0] > 0).astype(int)
    L = zero_one(y)
    losses = (y[:, None] != y).astype(float)
    assert np.array_equal(output_losses(L), losses)
    grams = [gaussian(X, width=1.0)] * 2
    same = select_dependency(grams, L, [0.1, 1.0], folds=folds)
    told = select_dependency(grams, L, [0.1, 1.0], folds=folds, loss=losses)
    assert np.array_equal(same.losses, told.losses)
    tied = select_dependency(grams, L, [0.1, 1.0, 0.5], folds=folds, loss=0 * losses)
    assert (tied.gram, tied.ridge) == (0, 1.0)
    alone = select_dependency(grams[:1], L, [0.1], folds=folds)
    assert alone.on_edge == {"gram": False, "ridge": False}


@pytest.mark.parametrize("k", [1, 3, 7])
def test_neighbours_equal_brute_force(k):
    X, Y, _ = problem()
    X_new = problem(12, seed=5)[0]
    K, K_new = gaussian(X, width=1.0), gaussian(X_new, X, width=1.0)
    model = OutputNeighbours(k).fit(K, linear(Y))
    order = squares_between(X_new, X).argsort(axis=1)[:, :k]
    means = Y[order].mean(axis=1)
    assert np.array_equal(model.predict(K_new), squares_between(means, Y).argmin(axis=1))
    candidates = np.random.default_rng(3).standard_normal((25, 2))
    found = model.predict(K_new, linear(candidates, Y))
    assert np.array_equal(found, squares_between(means, candidates).argmin(axis=1))
    if k == 1:
        assert np.array_equal(model.predict(), np.arange(60))


def test_neighbours_of_classes_vote():
    X, _, _ = problem()
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    X_new = problem(40, seed=5)[0]
    K, K_new = gaussian(X, width=1.0), gaussian(X_new, X, width=1.0)
    found = y[OutputNeighbours(1).fit(K, zero_one(y)).predict(K_new)]
    assert np.array_equal(found, KNeighborsClassifier(1).fit(X, y).predict(X_new))
    found = y[OutputNeighbours(7).fit(K, zero_one(y)).predict(K_new)]
    votes = KNeighborsClassifier(7).fit(X, y).predict_proba(X_new)
    assert (votes[np.arange(40), found] == votes.max(axis=1)).all()


def test_choice_of_neighbours_equals_refits():
    X, Y, folds = problem()
    K, L = gaussian(X, width=1.0), gaussian(Y, width=0.8)
    grid = [9, 1, 2, 5]
    choice = select_neighbours(K, L, grid, folds=folds)
    wanted = np.zeros(4)
    for position, k in enumerate(grid):
        for test in folds:
            train = np.setdiff1d(np.arange(60), test)
            model = OutputNeighbours(k).fit(K[np.ix_(train, train)], L[np.ix_(train, train)])
            chosen = train[model.predict(K[np.ix_(test, train)])]
            wanted[position] += (2 - 2 * L[test, chosen]).sum() / 60
    np.testing.assert_allclose(choice.losses, wanted, rtol=1e-12)
    assert choice.neighbours == grid[wanted.argmin()]
    assert choice.on_edge == (choice.neighbours in (1, 9))
    tied = select_neighbours(K, L, grid, folds=folds, loss=np.ones_like(L))
    assert (tied.neighbours, tied.on_edge) == (1, True)


def test_constant_outputs_and_one_point():
    X, _, folds = problem()
    K, L = gaussian(X, width=1.0), np.ones((60, 60))
    assert OutputNeighbours(3).fit(K, L).predict(K[:5]).tolist() == [0] * 5
    assert select_dependency([K], L, [0.1, 1.0], folds=folds).losses.tolist() == [[0.0, 0.0]]
    assert select_neighbours(K, L, [1, 3], folds=folds).neighbours == 1
    assert OutputNeighbours(1).fit([[1.0]], [[2.0]]).predict([[0.3]]).tolist() == [0]


def test_unusable_choices_are_refused():
    X, Y, folds = problem()
    K, L = gaussian(X, width=1.0), linear(Y)
    everything = [np.arange(60)]
    for call, said in [
        (lambda: select_dependency([], L, [1.0], folds=folds), "0 grams"),
        (lambda: select_dependency([K], L, [], folds=folds), "0 ridges"),
        (lambda: select_dependency([K], L, [0.0], folds=folds), "ridges=0.0"),
        (lambda: select_dependency([K, K[:5, :5]], L, [1.0], folds=folds), r"grams\[1\] has shape"),
        (lambda: select_dependency([K], L, [1.0], folds=[]), "folds is empty"),
        (lambda: select_dependency([K], L, [1.0], folds=[[0, 60]]), "outside of 0..59"),
        (lambda: select_dependency([K], L, [1.0], folds=[[0, 0]]), "a row twice"),
        (lambda: select_dependency([K], L, [1.0], folds=[[]]), r"folds\[0\]"),
        (lambda: select_dependency([K], L, [1.0], folds=everything), "none are left"),
        (lambda: select_dependency([K], L, [1.0], folds=folds, loss=[[1.0]]), "loss has shape"),
        (lambda: select_neighbours(K, L, [], folds=folds), "grid is empty"),
        (lambda: select_neighbours(K, L, [49], folds=folds), "48 training points"),
        (lambda: select_neighbours(K, L[:5, :5], [1], folds=folds), "L .5, 5."),
        (lambda: OutputNeighbours(61).fit(K, L), "60 training points"),
        (lambda: OutputNeighbours(0).fit(K, L), "neighbours=0"),
        (lambda: OutputNeighbours(1).fit(K, L[:5, :5]), "L has shape"),
        (lambda: OutputNeighbours(1).fit(K, L).predict(K, []), "candidates is empty"),
    ]:
        with pytest.raises(FitError, match=said):
            call()


@pytest.mark.parametrize(
    ("folds", "said"),
    [
        (5, r"folds=5; it is a list.*KFold\(5\)"),
        (KFold(3).split(np.eye(7)), r"folds\[0\] is a tuple of 2; .*test alone of a pair"),
        (KFold(2).split(np.eye(8)), r"folds\[0\] is a tuple of 2; .*test alone of a pair"),
        ([np.arange(500) < 9], r"folds\[0\] is an array of shape \(500,\) and type bool; .*mask"),
        ([["a"]], r"folds\[0\] is a list of 1"),
        ([3], r"folds\[0\] is 3"),
    ],
)
def test_folds_that_are_no_rows(folds, said):
    K = np.eye(500)
    with pytest.raises(FitError, match=said):
        select_dependency([K], K, [1.0], folds=folds)


def test_one_gram_is_no_list_of_them():
    K = np.eye(6)
    with pytest.raises(FitError, match=r"grams has shape \(6, 6\).*give \[K\]"):
        select_dependency(K, K, [1.0], folds=[[0, 1]])
