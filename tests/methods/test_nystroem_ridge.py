"""Ridge regression on Nystrom features against kernel ridge regression and scikit-learn."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge

from gramworks.datasets.seeds import generator
from gramworks.errors import ConfigError, FitError
from gramworks.kernels import gaussian, polynomial
from gramworks.kernels.gaussian_kernel import median_width
from gramworks.methods.registry import load_method
from gramworks.problem import Problem
from gramworks.solvers.feature_ridge import solve_feature_ridge
from gramworks.solvers.nystroem import nystroem_features

METHOD = load_method("nystroem-ridge")
N = 90


def problem(task, kernels=None, shared=None, seed=1):
    rng = np.random.default_rng(seed)
    codes = rng.integers(2 if task == "binary" else 3, size=N)
    X = rng.standard_normal((N, 3)) + 2 * np.eye(3)[codes]
    truth = X @ [1.0, -2.0, 0.5] + np.sin(X[:, 0]) if task == "regression" else codes
    labelled = rng.random(N) < 0.5
    return Problem(
        study="s", dataset="d", task=task, setting={}, repeat=0,
        kernels={} if kernels is None else {"K1": kernels(X)}, y=np.where(labelled, truth, 0),
        labelled=labelled, unlabelled=np.zeros(N, bool), test=~labelled,
        n_classes=0 if task == "regression" else int(codes.max()) + 1,
        generator=generator("s"), features=X, shared=shared or {},
    )  # fmt: skip


def fitted(made, **values):
    return METHOD.fit(made, METHOD.parameters(values, "test"))


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("kernel", ["gaussian-w2", "poly-d3-o1"])
def test_with_all_points_as_landmarks_it_is_kernel_ridge_regression(kernel, task):
    def gram(X):
        return gaussian(X, width=2) if kernel == "gaussian-w2" else polynomial(X, degree=3)

    made = problem(task, gram)
    whole = load_method("kernel-ridge")
    wanted = whole.fit(made, whole.parameters({"ridge": 0.3}, "test"))
    found = fitted(made, kernel=kernel, rank=200, ridge=0.3)
    np.testing.assert_allclose(found.predictions, wanted.predictions, rtol=1e-6, atol=1e-6)


def test_features_are_those_of_scikit_learn():
    X = np.random.default_rng(0).standard_normal((3000, 4))
    landmarks = X[100:140]
    ours = nystroem_features(
        lambda rows: gaussian(X[rows], landmarks, width=2), gaussian(landmarks, width=2), len(X)
    )
    theirs = Nystroem(gamma=1 / 8, n_components=40).fit(landmarks).transform(X)
    assert ours.shape == (3000, 40)
    np.testing.assert_allclose(ours @ ours[:50].T, theirs @ theirs[:50].T, atol=1e-8)
    np.testing.assert_allclose(ours[100:140] @ ours[100:140].T, gaussian(landmarks, width=2),
                               atol=1e-9)  # fmt: skip


def test_landmarks_that_are_equal_give_fewer_features():
    X = np.random.default_rng(0).standard_normal((20, 2))
    landmarks = np.vstack([X[:5], X[:5]])
    found = nystroem_features(
        lambda rows: gaussian(X[rows], landmarks, width=1), gaussian(landmarks, width=1), 20
    )
    assert found.shape == (20, 5)


def test_the_regression_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    features, targets = rng.standard_normal((60, 7)) + 3, rng.standard_normal((60, 2)) + 1e3
    weights, intercept = solve_feature_ridge(features, targets, 0.7)
    theirs = Ridge(alpha=0.7).fit(features, targets)
    np.testing.assert_allclose(weights.T, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(intercept, theirs.intercept_, rtol=1e-12)
    for ridge in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(FitError, match="ridge is"):
            solve_feature_ridge(features, targets, ridge)
    with pytest.raises(FitError, match="too small for float64"):
        solve_feature_ridge(features[:, [0, 0]], targets, 1e-300)
    with pytest.raises(FitError, match="beyond float64"):
        solve_feature_ridge(features * 1e200, targets, 1.0)


def test_what_draws_share_changes_no_prediction():
    made = problem("regression")
    parameters = {"kernel": "gaussian-median"}
    settings = [{"rank": 20}, {"rank": 30}]
    said = []
    shared = METHOD.module.learn({}, made.features, settings, parameters, said.append)
    assert {name: array.shape for name, array in shared.items()} == {
        "gaussian-median-rank-20": (N, 20), "gaussian-median-rank-30": (N, 30),
    }  # fmt: skip
    assert len(said) == 2
    for setting in settings:
        alone = fitted(made, **parameters, **setting)
        kept = fitted(problem("regression", shared=shared), **parameters, **setting)
        np.testing.assert_array_equal(alone.predictions, kept.predictions)
    # The width is that of all points, not of the landmarks.
    width = median_width(made.features)
    assert fitted(made, kernel=f"gaussian-w{width:.17g}", rank=20).predictions == pytest.approx(
        fitted(made, kernel="gaussian-median", rank=20).predictions, rel=1e-9
    )


def test_a_higher_rank_comes_nearer():
    made = problem("regression")
    exact = fitted(made, kernel="gaussian-w2", rank=N).predictions
    errors = [
        np.abs(fitted(made, kernel="gaussian-w2", rank=rank).predictions - exact).max()
        for rank in (5, 20, 60)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.01 * np.ptp(exact)


@pytest.mark.parametrize(
    "kernel", ["gaussian-w1-centred", "linear@view", "diffusion-b1", "spectrum-l2", "gausian-w1"]
)
def test_kernels_that_landmarks_cannot_stand_for(kernel):
    with pytest.raises(ConfigError, match="allowed are|no family|Allowed"):
        METHOD.parameters({"kernel": kernel}, "test")


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs Linux's /proc")
def test_100000_points_fit_into_half_a_gibibyte():
    code = """
        import numpy as np
        from gramworks.methods.registry import load_method
        from gramworks.problem import Problem

        method, n = load_method("nystroem-ridge"), 100_000
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n, 5))
        params = {"kernel": "gaussian-w2", "rank": 60}
        shared = method.module.learn({}, X, [params], {}, print)
        labelled, y = np.arange(n) < 50_000, np.sin(X[:, 0])
        made = Problem(
            study="s", dataset="d", task="regression", setting={}, repeat=0, kernels={},
            y=np.where(labelled, y, 0), labelled=labelled, unlabelled=np.zeros(n, bool),
            test=~labelled, n_classes=0, generator=rng, features=X, shared=shared,
        )
        found = method.fit(made, method.parameters(params, "test")).predictions
        print(np.corrcoef(found, y[~labelled])[0, 1])
        # what getrusage says begins with the memory of the process that started this one
        print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
    """
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    correlation, peak = map(float, made.stdout.splitlines()[-2:])
    assert correlation > 0.99
    assert peak / 1024 < 512
