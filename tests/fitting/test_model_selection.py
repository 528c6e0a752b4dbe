import numpy as np
import pytest
from sklearn.svm import SVC

from gramworks.errors import FitError, KernelError
from gramworks.fitting.model_selection import _much_worse, draw_partitions, select_gaussian_svm
from gramworks.solvers.interior_point import maximise_dual
from gramworks.solvers.one_vs_rest import solve_path, solve_ridge_path
from gramworks.solvers.svm_dual import solve_svm


def gaussian(X, width):
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1) / (2 * width**2))


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=70) > 0, "in", "out")
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_table_matches_fits_on_grams_computed_anew(data, n_classes):
    X, y = data
    if n_classes == 3:
        y = np.where(X[:, 0] > 1, "far", y)
    known = np.arange(70) < 60
    C_grid, factors = [0.1, 1.0, 100.0], [0.5, 1.0, 2.0]
    choice = select_gaussian_svm(
        gaussian(X, 1.5),
        y,
        known,
        C_grid=C_grid,
        width_factors=factors,
        partitions=3,
        generator=np.random.default_rng(1),
        tol=1e-6,
    )
    codes = np.unique(y[known], return_inverse=True)[1]
    drawn = draw_partitions(
        codes, partitions=3, test_fraction=0.2, generator=np.random.default_rng(1)
    )
    expected = np.zeros((3, 3))
    for i, factor in enumerate(factors):
        K = gaussian(X[known], 1.5 * factor)
        for j, C in enumerate(C_grid):
            for train, test in drawn:
                values = [
                    SVC(C=C, kernel="precomputed", tol=1e-6)
                    .fit(K[np.ix_(train, train)], codes[train] == code)
                    .decision_function(K[np.ix_(test, train)])
                    for code in range(n_classes)
                ]
                expected[i, j] += np.mean(np.argmax(values, axis=0) == codes[test]) / 3
    np.testing.assert_allclose(choice.accuracies, expected, atol=1e-12)
    assert choice.accuracies[list(choice.factors).index(choice.factor)][
        C_grid.index(choice.C)
    ] == pytest.approx(expected.max())
    assert choice.n_fits == 27
    assert choice.not_converged == 0


def test_ties_go_to_the_smaller_values_and_edges_are_told(data):
    X, _ = data
    y = X[:, 0] > 0
    far = gaussian(10 * np.where(y, 1.0, -1.0)[:, None], 5.0)
    choice = select_gaussian_svm(far, y, C_grid=[100, 1, 10], width_factors=[2.0, 1.0])
    assert choice.accuracies.min() == 1.0
    assert (choice.C, choice.factor) == (1.0, 1.0)
    assert choice.on_edge == {"C": True, "width": True}
    alone = select_gaussian_svm(far, y, C_grid=[1.0])
    assert alone.on_edge == {"C": False, "width": False}


def test_the_same_generator_gives_the_same_choice(data):
    X, y = data
    tables = [
        select_gaussian_svm(
            gaussian(X, 1.0), y, C_grid=[1.0, 10.0], generator=np.random.default_rng(5)
        ).accuracies
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*tables)


def test_path_takes_over_machines_without_bounded_coefficients(data):
    X, y = data
    K, signs = gaussian(X, 0.05), np.where(y == "in", 1.0, -1.0)[None]
    path = solve_path(K, signs, [0.1, 10.0, 1e3, 1e5], tol=1e-6)
    # near the identity no coefficient exceeds 2
    assert [machines.n_iter > 0 for machines in path] == [True, True, False, False]
    direct = solve_svm(K, signs[0], 1e5, tol=1e-6)
    np.testing.assert_allclose(path[-1][0][0], signs[0] * direct.alpha, atol=1e-5)


def test_fits_that_meet_the_cap_are_counted(data):
    X, _ = data
    rng = np.random.default_rng(3)
    y = rng.choice([-1, 1], size=70)
    choice = select_gaussian_svm(
        gaussian(X, 5.0), y, C_grid=[1.0, 1e6], max_iter=50, generator=rng, partitions=2
    )
    assert choice.not_converged >= 2


def test_partitions_keep_the_shares_of_the_classes():
    codes = np.repeat([0, 1, 2], [50, 10, 1])
    drawn = draw_partitions(
        codes, partitions=4, test_fraction=0.2, generator=np.random.default_rng(0)
    )
    for train, test in drawn:
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(61))
        assert np.bincount(codes[test], minlength=3).tolist() == [10, 2, 0]
    assert len({tuple(test) for _, test in drawn}) == 4


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"C_grid": []}, FitError, "C_grid is"),
        ({"C_grid": [1.0, 0.0]}, FitError, "positive numbers"),
        ({"C_grid": [1.0, 1.0]}, FitError, "stands there twice"),
        ({"C_grid": [1.0], "partitions": 0}, FitError, "partitions=0"),
        ({"C_grid": [1.0], "test_fraction": 1.0}, FitError, "test_fraction=1.0"),
        ({"C_grid": [1.0], "test_fraction": 1e-3}, FitError, "leave no test point"),
        ({"C_grid": [1.0], "width_factors": [2.0]}, KernelError, "a Gaussian kernel"),
    ],
)
def test_unusable_options_are_named(data, options, error, message):
    X, y = data
    with pytest.raises(error, match=message):
        select_gaussian_svm(X @ X.T, y, **options)


def test_a_kernel_too_narrow_to_widen_is_refused(data):
    X, y = data
    with pytest.raises(KernelError, match="vanish in float64"):
        select_gaussian_svm(gaussian(X, 0.01), y, C_grid=[1.0], width_factors=[1.0, 100.0])


def test_ridge_path_is_the_two_norm_soft_margin(data):
    X, y = data
    K, signs = gaussian(X, 1.0), np.where(y == "in", 1.0, -1.0)
    C_grid = [0.1, 1.0, 10.0]
    for C, machines in zip(C_grid, solve_ridge_path(K, signs[None], C_grid, tol=1e-8), strict=True):
        # LIBSVM keeps kernel entries in single precision, which is 1e-5 off here
        alpha = maximise_dual(K + np.eye(70) / C, signs, 1e9, accuracy=1e-12)
        np.testing.assert_allclose(machines.coefficients[0], signs * alpha, atol=1e-5)
        # stationary: the slack of a support vector is alpha / C
        scores = K @ machines.coefficients[0] + machines.intercepts[0]
        slack = 1.0 - signs * scores
        used = np.abs(machines.coefficients[0]) > 1e-6
        np.testing.assert_allclose(
            slack[used], np.abs(machines.coefficients[0][used]) / C, atol=1e-5
        )


def test_selection_by_the_two_norm_criterion_uses_the_ridge(data):
    X, y = data
    options = {"C_grid": [0.01, 100.0], "partitions": 3}
    plain, ridge = (
        select_gaussian_svm(
            gaussian(X, 1.0), y, ridge=ridge, generator=np.random.default_rng(0), **options
        )
        for ridge in (False, True)
    )
    assert ridge.n_fits == plain.n_fits
    assert not np.array_equal(ridge.accuracies, plain.accuracies)


def test_a_race_chooses_what_the_full_grid_chooses():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 3))
    y = np.where(np.linalg.norm(X, axis=1) + 0.3 * rng.normal(size=120) > 1.6, "far", "near")
    options = {
        "C_grid": [0.01, 1, 100], "width_factors": [0.05, 0.5, 1, 4], "partitions": 20,
    }  # fmt: skip
    K = gaussian(X, 2.0)
    full = select_gaussian_svm(K, y, generator=np.random.default_rng(0), **options)
    raced = select_gaussian_svm(K, y, generator=np.random.default_rng(0), race=3, **options)
    assert (raced.C, raced.factor) == (full.C, full.factor)
    assert raced.n_fits < 0.7 * full.n_fits
    stayed = np.isfinite(raced.accuracies)
    assert 0 < stayed.sum() < stayed.size
    np.testing.assert_array_equal(raced.accuracies[stayed], full.accuracies[stayed])
    assert full.accuracies[~stayed].max() < full.accuracies.max()


def test_a_pair_is_dropped_by_the_test_of_mcnemar():
    right = np.zeros((2, 50, 1, 3), bool)
    right[..., 0] = True
    right[:, :45, :, 1] = True  # 10 of 100 points: sqrt(10) = 3.16 standard errors
    right[:, :46, :, 2] = True  # 8: 2.83
    stay = np.ones((1, 3), bool)
    assert _much_worse(right, stay, 3.0, 1.0).tolist() == [[False, True, False]]
    # each point met twice: the same evidence is worth sqrt(2) less
    assert not _much_worse(right, stay, 3.0, 2.0).any()
    stay[0, 0] = False
    assert not _much_worse(right, stay, 3.0, 1.0)[0, 1:].any()


@pytest.mark.parametrize("race", ["a", -1, 0, float("nan"), True])
def test_a_race_wants_a_positive_number(race, data):
    X, y = data
    with pytest.raises(FitError, match="race=.*; allowed: a positive finite number"):
        select_gaussian_svm(gaussian(X, 1.0), y, C_grid=[1.0], race=race)
