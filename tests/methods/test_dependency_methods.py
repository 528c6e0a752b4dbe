"""Methods of kernel dependency estimation against plain computations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramworks.datasets.seeds import generator
from gramworks.errors import ConfigError
from gramworks.methods._inner_choice import WidthAndRidge, inner_folds, width_grid
from gramworks.methods.registry import load_method
from gramworks.output_kernel import OutputKernel
from gramworks.problem import Problem, Skip

N, KNOWN = 40, 25
RNG = np.random.default_rng(8)
X = RNG.standard_normal((N, 3))
Y = np.tanh(X @ RNG.standard_normal((3, 4)) + 0.1 * RNG.standard_normal((N, 4)))
GAUSSIAN = OutputKernel("gaussian-w1.2", {"width": 1.2})
SQUARES = ((X[:, None] - X[None]) ** 2).sum(-1)
LABELLED = np.arange(N) < KNOWN


def problem(task="vectors", **changes):
    y = {"vectors": Y, "regression": Y[:, 0], "multiclass": np.arange(N) % 3}[task]
    shown = np.where(LABELLED.reshape(-1, *[1] * (y.ndim - 1)), y, 0)
    keys = {
        "study": "s", "dataset": "d", "task": task, "setting": {}, "repeat": 0,
        "kernels": {"K1": X @ X.T}, "y": shown, "labelled": LABELLED,
        "unlabelled": np.zeros(N, dtype=bool), "test": ~LABELLED, "n_classes": 3,
        "generator": generator("s", 1), "features": np.tanh(X), "log": lambda line: None,
        "output_kernel": GAUSSIAN if task == "vectors" else None,
    }  # fmt: skip
    return Problem(**{**keys, **changes})


def run(name, made, **values):
    method = load_method(name)
    return method.fit(made, method.parameters(values, "test"))


def output_squares(a, b):
    return 2 - 2 * np.exp(-((a[:, None] - b[None]) ** 2).sum(-1) / (2 * 1.2**2))


def plain_dependency(train, test, width, ridge):
    """Regress on the output features alone: with all components projections are not needed."""
    gauss = np.exp(-SQUARES / (2 * width**2))
    weights = gauss[np.ix_(test, train)] @ np.linalg.inv(
        gauss[np.ix_(train, train)] + ridge * np.eye(len(train))
    )
    # Phi^ = mean + sum_i w_i (Phi_i - mean), as inner products with the candidates
    weights += (1 - weights.sum(axis=1, keepdims=True)) / len(train)
    L = 1 - output_squares(Y[train], Y[train]) / 2
    return train[np.argmin(np.diagonal(L) - 2 * weights @ L, axis=1)]


def test_dependency_equals_a_regression_in_feature_space():
    train, test = np.arange(KNOWN), np.arange(KNOWN, N)
    keys = {"sigma_grid": [0.8], "sigma_reading": "width", "ridges": [0.3]}
    found = run("kernel-dependency", problem(), **keys)
    assert_array_equal(found.preimages, plain_dependency(train, test, 0.8, 0.3))
    found = run("kernel-dependency", problem(), ridge_scale="points", **keys)
    assert_array_equal(found.preimages, plain_dependency(train, test, 0.8, 0.3 * KNOWN))
    assert found.metrics["on-edge-width"] == found.metrics["on-edge-ridge"] == 0
    assert found.metrics["output-width"] == 1.2


def test_width_and_ridge_have_the_lowest_inner_loss():
    widths, ridges = [0.05, 0.5, 1.0, 5.0], [1e-3, 1e-1, 10.0]
    folds = inner_folds(problem(), 5)
    losses = np.zeros((4, 3))
    for i, width in enumerate(widths):
        for j, ridge in enumerate(ridges):
            lost = []
            for test in folds:
                train = np.setdiff1d(np.arange(KNOWN), test)
                chosen = plain_dependency(train, test, width, ridge)
                lost.append(np.diagonal(output_squares(Y[test], Y[chosen])).mean())
            losses[i, j] = np.mean(lost)
    found = run(
        "kernel-dependency", problem(), sigma_grid=widths, sigma_reading="width", ridges=ridges
    )
    assert found.metrics["inner-loss"] == pytest.approx(losses.min())
    i, j = np.unravel_index(losses.argmin(), losses.shape)
    assert (found.metrics["chosen-width"], found.metrics["chosen-ridge"]) == (widths[i], ridges[j])
    assert found.metrics["on-edge-width"] == float(i in (0, 3))


def test_numbers_are_kernel_ridge_regression():
    found = run(
        "kernel-dependency", problem("regression"), sigma_grid=[1], sigma_reading="width",
        ridges=[0.5],
    )  # fmt: skip
    gauss = np.exp(-SQUARES / 2)
    mean = Y[:KNOWN, 0].mean()
    weights = np.linalg.solve(gauss[:KNOWN, :KNOWN] + 0.5 * np.eye(KNOWN), Y[:KNOWN, 0] - mean)
    assert_allclose(found.predictions, mean + gauss[KNOWN:, :KNOWN] @ weights, rtol=1e-9)


def test_a_base_kernel_alone():
    found = run("kernel-dependency", problem("multiclass"), on_top="nothing", ridges=[1])
    assert "chosen-width" not in found.metrics
    assert set(found.predictions) <= {0, 1, 2}


def test_neighbours_of_vectors_are_averaged_in_feature_space():
    found = run("knn", problem(), neighbours=3)
    L = 1 - output_squares(Y[:KNOWN], Y[:KNOWN]) / 2
    for place, row in enumerate(range(KNOWN, N)):
        near = np.argsort(SQUARES[row, :KNOWN])[:3]
        best = np.argmin(np.diagonal(L) - 2 * L[near].mean(axis=0))
        assert found.preimages[place] == best
    single = run("knn", problem(), neighbours=1)
    assert_array_equal(single.preimages, SQUARES[KNOWN:, :KNOWN].argmin(axis=1))
    chosen = run("knn", problem(), neighbours="chosen", neighbours_grid=[3])
    assert_array_equal(chosen.preimages, found.preimages)


def test_neighbours_are_chosen_for_classes_too():
    found = run("knn", problem("multiclass"), neighbours="chosen", neighbours_grid=[1, 3, 5])
    assert found.metrics["chosen-neighbours"] in (1, 3, 5)
    with pytest.raises(ConfigError, match="neighbours"):
        load_method("knn").parameters({"neighbours": 0}, "test")


def test_readings_of_sigma():
    def widths(**keys):
        return width_grid(WidthAndRidge(sigma_grid=[0.02, 0.5, 1], **keys))

    assert_allclose(widths(sigma_reading="precision"), [np.sqrt(0.5), 1, 5])
    assert_allclose(widths(sigma_reading="width"), [0.02, 0.5, 1])
    assert_allclose(widths(), [0.02, 0.5, np.sqrt(0.5), 1, 5])


def test_inner_folds_deal_classes_out():
    folds = inner_folds(problem("multiclass"), 5)
    assert_array_equal(np.sort(np.concatenate(folds)), np.arange(KNOWN))
    for fold in folds:
        assert set(np.bincount(fold % 3, minlength=3)) <= {1, 2}
    with pytest.raises(Skip, match="30 inner folds of 25"):
        inner_folds(problem(), 30)


def test_machines_choose_by_the_error_on_folds():
    found = run(
        "svm-one-vs-rest", problem("multiclass"), sigma_grid=[0.5, 2], sigma_reading="width",
        ridges=[0.1, 1],
    )  # fmt: skip
    assert found.metrics["chosen-width"] == pytest.approx(0.5) or found.metrics[
        "chosen-width"
    ] == pytest.approx(2)
    from sklearn.svm import SVC

    width, ridge = found.metrics["chosen-width"], found.metrics["chosen-ridge"]
    gauss = np.exp(-SQUARES / (2 * width**2))
    values = []
    for code in range(3):
        machine = SVC(kernel="precomputed", C=1e6, tol=1e-6)
        y = np.where(np.arange(KNOWN) % 3 == code, 1, -1)
        machine.fit(gauss[:KNOWN, :KNOWN] + ridge * np.eye(KNOWN), y)
        values.append(machine.decision_function(gauss[KNOWN:, :KNOWN]))
    assert_array_equal(found.predictions, np.argmax(values, axis=0))


def test_a_net_wants_values_on_its_cube():
    with pytest.raises(Skip, match="off its cube"):
        run("hopfield", problem(features=2 * X))


def test_a_net_finds_a_stored_image_from_its_upper_part():
    images = np.where(RNG.random((6, 32)) < 0.5, -1.0, 1.0)
    known = np.array([True] * 6 + [False] * 6)
    twice = np.vstack([images, images])
    made = problem(
        features=twice[:, :16], y=np.where(known[:, None], twice[:, 16:], 0), labelled=known,
        test=~known, unlabelled=~(known | ~known), kernels={},
    )  # fmt: skip
    assert_array_equal(run("hopfield", made).preimages, np.arange(6))
