import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge

from gramworks.errors import FitError, KernelError
from gramworks.kernels import (
    from_distances,
    gaussian,
    linear,
    polynomial,
    subsequence,
    zero_one,
)
from gramworks.learning import KernelDependency, kernel_dependency
from gramworks.solvers.gaussian_preimage import gaussian_preimages


def problem(n=30, new=9, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X, X_new = rng.standard_normal((n, 3)), rng.standard_normal((new, 3))
    Y = np.sin(X @ rng.standard_normal((3, d))) + 0.1 * rng.standard_normal((n, d)) + 2.0
    return gaussian(X, width=1.2), gaussian(X_new, X, width=1.2), Y


def squares_between(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(axis=2)


def quadratic_map(Y):
    """Features of (y'z + 1)^2, explicitly."""
    n, d = Y.shape
    pairs = [np.sqrt(2) * Y[:, i] * Y[:, j] for i in range(d) for j in range(i)]
    return np.column_stack([np.ones(n), np.sqrt(2) * Y, Y**2, *pairs])


@pytest.mark.parametrize("ridge", [1e-3, 0.5, 30.0])
def test_one_scalar_output_is_kernel_ridge_regression(ridge):
    K, K_new, Y = problem(d=1)
    y = Y[:, 0]
    peer = KernelRidge(alpha=ridge, kernel="precomputed").fit(K, y - y.mean())
    model = KernelDependency(ridge, preimage="linear").fit(K, np.outer(y, y), outputs=y)
    wanted = peer.predict(K_new) + y.mean()
    np.testing.assert_allclose(model.predict(K_new), wanted, rtol=1e-10)
    projections = KernelDependency(ridge).fit(K, np.outer(y, y)).transform(K_new)
    assert projections.shape == (9, 1)
    np.testing.assert_allclose(np.abs(projections[:, 0]), np.abs(peer.predict(K_new)), rtol=1e-10)


def test_many_outputs_are_as_many_ridge_regressions():
    K, K_new, Y = problem()
    wanted = np.empty((9, 4))
    for j in range(4):
        peer = KernelRidge(alpha=0.3, kernel="precomputed").fit(K, Y[:, j] - Y[:, j].mean())
        wanted[:, j] = peer.predict(K_new) + Y[:, j].mean()
    model = KernelDependency(0.3, preimage="linear").fit(K, outputs=Y)
    np.testing.assert_allclose(model.predict(K_new), wanted, rtol=1e-10)
    assert model.n_components_ == 4
    # shifting the outputs shifts the predictions: the outputs are centred
    moved = KernelDependency(0.3, preimage="linear").fit(K, outputs=Y + 1e3)
    np.testing.assert_allclose(moved.predict(K_new), wanted + 1e3, rtol=1e-10)


@pytest.mark.parametrize("n_components", [None, 3])
def test_predictions_equal_brute_force_in_an_explicit_feature_space(n_components):
    K, K_new, Y = problem()
    candidates = np.random.default_rng(5).standard_normal((40, 4)) + 2.0
    phi, phi_candidates = quadratic_map(Y), quadratic_map(candidates)
    mean = phi.mean(axis=0)
    _, _, axes = np.linalg.svd(phi - mean, full_matrices=False)
    axes = axes[: n_components or 14]
    predicted = K_new @ np.linalg.solve(K + 0.2 * np.eye(30), (phi - mean) @ axes.T)
    model = KernelDependency(0.2, n_components).fit(K, polynomial(Y, degree=2))
    assert model.n_components_ == len(axes)
    found = model.transform(K_new)
    np.testing.assert_allclose(np.abs(found), np.abs(predicted), rtol=1e-8, atol=1e-10)
    projected = model.project(polynomial(candidates, Y, degree=2))
    np.testing.assert_allclose(
        np.abs(projected), np.abs((phi_candidates - mean) @ axes.T), rtol=1e-8, atol=1e-8
    )
    np.testing.assert_allclose(
        squares_between(found, projected),
        squares_between(predicted, (phi_candidates - mean) @ axes.T),
        rtol=1e-8,
    )
    chosen = model.predict(K_new, polynomial(candidates, Y, degree=2))
    wanted = squares_between(predicted, (phi_candidates - mean) @ axes.T).argmin(axis=1)
    assert np.array_equal(chosen, wanted)
    own = squares_between(predicted, (phi - mean) @ axes.T).argmin(axis=1)
    assert np.array_equal(model.predict(K_new), own)
    assert np.array_equal(model.predict(K_new, polynomial(Y, degree=2)), own)


def test_components_are_those_of_the_centred_gram():
    K, _, Y = problem()
    L = gaussian(Y, width=1.0)
    model = KernelDependency(1.0).fit(K, L)
    centred = L - L.mean(0) - L.mean(1)[:, None] + L.mean()
    P = model.projections_
    np.testing.assert_allclose(P @ P.T, centred, atol=1e-12)
    np.testing.assert_allclose(P.T @ P, np.diag(model.eigenvalues_), atol=1e-11)
    coefficients = model._components.coefficients
    np.testing.assert_allclose(model.eigenvalues_ * (coefficients**2).sum(axis=0), 1.0, rtol=1e-9)
    np.testing.assert_allclose(model.project(L), P, atol=1e-9)
    assert np.all(np.diff(model.eigenvalues_) <= 0)


def test_leave_one_out_residuals_equal_refits():
    K, _, Y = problem()
    model = KernelDependency(0.4).fit(K, linear(Y))
    for i in (0, 7, 29):
        rest = np.arange(30) != i
        a = np.linalg.solve(K[np.ix_(rest, rest)] + 0.4 * np.eye(29), model.projections_[rest])
        np.testing.assert_allclose(
            model.residuals_[i], model.projections_[i] - K[i, rest] @ a, rtol=1e-9
        )


def test_numbers_and_shares_of_components():
    K, _, Y = problem()
    L = gaussian(Y, width=1.0)
    full = KernelDependency(1.0).fit(K, L)
    assert full.variance_share_ == 1.0
    assert KernelDependency(1.0, 10**6).fit(K, L).n_components_ == full.n_components_ == 29
    some = KernelDependency(1.0, 5).fit(K, L)
    np.testing.assert_allclose(some.transform(), full.transform()[:, :5], atol=1e-12)
    for share in (0.1, 0.5, 0.9, 0.999):
        model = KernelDependency(1.0, share).fit(K, L)
        p = model.n_components_
        cumulated = np.cumsum(full.eigenvalues_) / full.eigenvalues_.sum()
        assert cumulated[p - 1] >= share
        assert p == 1 or cumulated[p - 2] < share
        np.testing.assert_allclose(model.variance_share_, cumulated[p - 1])


def test_strings_to_strings():
    """Inputs of many a are answered by x, of many b by z, whatever is around."""
    rng = np.random.default_rng(1)
    S, T = [], []
    for _ in range(40):
        many = rng.choice(["a", "b"])
        S.append("".join(rng.choice([many] * 12 + list("abc"), 8)))
        T.append({"a": "xxxx", "b": "zzzz"}[many])
    K, L = subsequence(S, length=2, decay=0.5), subsequence(T, length=3, decay=0.5)
    model = KernelDependency(0.1).fit(K[:30, :30], L[:30, :30])
    predicted = model.predict(K[30:, :30])
    assert [T[i] for i in predicted] == T[30:]
    choices = ["none", "zzzz", "", "xxxx"]
    chosen = model.predict(K[30:, :30], subsequence(choices, T[:30], length=3, decay=0.5))
    assert [choices[i] for i in chosen] == T[30:]


def test_classes_of_mixed_types():
    X = np.repeat([[0.0, 0], [9, 0], [0, 9]], 5, axis=0) + np.random.default_rng(0).random((15, 2))
    y = [1] * 5 + ["1"] * 5 + [None] * 5
    model = KernelDependency(0.1).fit(gaussian(X, width=2.0), zero_one(y))
    assert model.n_components_ == 2
    assert [y[i] for i in model.predict()] == y
    assert model.predict().tolist() == [0] * 5 + [5] * 5 + [10] * 5  # equal outputs: the first


def test_a_candidate_far_away_blurs_no_others():
    K, K_new, Y = problem()
    candidates = np.vstack([np.full(4, 1e8), Y])
    model = KernelDependency(0.1).fit(K, linear(Y))
    found = model.predict(K_new, linear(candidates, Y))
    assert np.array_equal(found, model.predict(K_new) + 1)


def test_a_large_offset_of_the_outputs_takes_nothing():
    K, K_new, Y = problem(d=1)
    y = Y[:, 0]
    wanted = KernelDependency(0.1, preimage="linear").fit(K, outputs=y).predict(K_new)
    moved = KernelDependency(0.1, preimage="linear").fit(K, outputs=y + 1e6)
    np.testing.assert_allclose(moved.predict(K_new) - 1e6, wanted, atol=1e-8)


@pytest.mark.parametrize("offset", [1e6, 1e8, 1e11])
def test_an_offset_that_takes_the_components_is_said(offset):
    K, _, Y = problem()
    L = (Y + offset) @ (Y + offset).T
    with pytest.raises(KernelError, match="rounding takes what is left.*their mean"):
        KernelDependency(1e-3).fit(K, L)


@pytest.mark.parametrize("offset", [1e8, -1e12])
def test_fixed_points_of_outputs_far_from_zero(offset):
    K, K_new, Y = problem(d=2)
    Y = np.round(Y * 2**10) / 2**10  # so that moved outputs have the same differences
    L = gaussian(Y, width=1.0)
    wanted = KernelDependency(0.05, preimage="fixed-point").fit(K, L, outputs=Y).preimages(K_new)
    model = KernelDependency(0.05, preimage="fixed-point").fit(K, L, outputs=Y + offset)
    found = model.preimages(K_new)
    assert found.converged.all()
    assert not found.fell_back.any()
    unit = np.spacing(abs(offset))
    np.testing.assert_allclose(found.vectors - offset, wanted.vectors, atol=1e-7 + unit)


def test_fixed_points_of_clusters_far_apart():
    _, _, Y = problem(d=2)
    far = np.vstack([Y, Y + 1e9])
    result = gaussian_preimages(np.eye(60)[[3, 40]] + np.eye(60)[[4, 41]], far, 1.0, far[[3, 40]])
    assert result.converged.all()
    assert not result.fell_back.any()


@pytest.mark.parametrize("scale", [1e-150, 1e-160, 1e-170, 1e-310])
def test_outputs_whose_squares_underflow_are_to_be_rescaled(scale):
    K, _, Y = problem()
    with pytest.raises(FitError, match="underflow; rescale"):
        KernelDependency(1.0, preimage="linear").fit(K, outputs=Y * scale)
    if scale in (1e-150, 1e-160):
        with pytest.raises(KernelError, match="underflow; rescale"):
            KernelDependency(1.0).fit(K, linear(Y * scale))
    with pytest.raises(KernelError, match="D has entries up to .* underflow; rescale"):
        from_distances(np.sqrt(squares_between(Y, Y)) * scale)
    constant = KernelDependency(1.0, preimage="linear").fit(K, outputs=np.full(30, scale / 3))
    np.testing.assert_allclose(constant.predict(), scale / 3, rtol=1e-12)


def test_duplicate_outputs_give_the_first():
    K, K_new, Y = problem()
    Y = np.concatenate([Y[:10]] * 3)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(30)
        L = gaussian(Y[order], width=1.0)
        found = KernelDependency(0.1).fit(K, L).predict(K_new)
        firsts = [np.flatnonzero((Y[order] == Y[order][i]).all(axis=1))[0] for i in found]
        assert np.array_equal(found, firsts)


@pytest.mark.parametrize("value", [0.0, 1.0, 1e-9, 1e9])
def test_constant_outputs(value):
    K, K_new, _ = problem()
    model = KernelDependency(0.1).fit(K, np.full((30, 30), value))
    assert model.n_components_ == 0
    assert model.transform(K_new).shape == (9, 0)
    assert model.predict(K_new).tolist() == [0] * 9
    candidates = np.array([[0.5], [1.0], [2.0]]) * np.full(30, value)
    assert model.predict(K_new, candidates).tolist() == [1 if value else 0] * 9
    y = np.full(30, 3.5)
    for preimage, L in (("linear", None), ("fixed-point", np.ones((30, 30)))):
        constant = KernelDependency(0.1, preimage=preimage).fit(K, L, outputs=y)
        np.testing.assert_allclose(constant.predict(K_new), 3.5, rtol=1e-12)


def test_one_training_point_and_one_candidate():
    model = KernelDependency(1.0).fit([[1.0]], [[1.0]])
    assert model.predict([[0.5], [0.1]]).tolist() == [0, 0]
    K, K_new, Y = problem()
    model = KernelDependency(1.0).fit(K, linear(Y))
    assert model.predict(K_new, linear(Y[:1], Y)).tolist() == [0] * 9


def test_candidates_must_not_be_empty():
    K, K_new, Y = problem()
    model = KernelDependency(1.0).fit(K, linear(Y))
    for empty in ([], np.empty((0, 30)), [[]]):
        with pytest.raises(FitError, match="candidates is empty"):
            model.predict(K_new, empty)


def test_distances_as_the_loss():
    K, K_new, Y = problem()
    D = np.sqrt(squares_between(Y, Y))
    model = KernelDependency(0.2).fit(K, from_distances(D))
    same = KernelDependency(0.2).fit(K, linear(Y))
    assert np.array_equal(model.predict(K_new), same.predict(K_new))
    star = 2.0 * (1 - np.eye(30))
    star[29, :29] = star[:29, 29] = 1.0
    indefinite = -0.5 * star**2
    with pytest.raises(KernelError, match="not positive semidefinite.*from_distances"):
        KernelDependency(0.2).fit(K, indefinite)
    clipped = KernelDependency(0.2).fit(K, from_distances(star, indefinite="clip"))
    assert np.isfinite(clipped.transform(K_new)).all()


def test_fixed_points_are_nearest_in_feature_space():
    K, K_new, Y = problem(d=2)
    width = 0.7
    model = KernelDependency(0.05, preimage="fixed-point").fit(
        K, gaussian(Y, width=width), outputs=Y
    )
    np.testing.assert_allclose(model.width_, width, rtol=1e-9)
    result = model.preimages(K_new)
    assert result.converged.all()
    assert not result.fell_back.any()
    assert np.array_equal(model.predict(K_new), result.vectors)
    # the point itself is mean + sum_n f_n v_n, so that <Phi(z), point> is this
    weights = 1 / 30 + model.transform(K_new) @ model._components.coefficients.T

    def agreement(z):
        return (weights * gaussian(z, Y, width=width)).sum(axis=1)

    best = agreement(result.vectors)
    assert (
        best >= agreement(Y[KernelDependency(0.05).fit(K, gaussian(Y, width=width)).predict(K_new)])
    ).all()
    for direction in np.vstack([np.eye(2), -np.eye(2)]):
        assert (best >= agreement(result.vectors + 1e-3 * direction)).all()


def test_fixed_points_that_fail_are_said(monkeypatch):
    K, K_new, Y = problem(d=2)
    L = gaussian(Y, width=0.7)
    model = KernelDependency(0.05, preimage="fixed-point").fit(K, L, outputs=Y)
    impatient = partial(gaussian_preimages, max_iter=3)
    monkeypatch.setattr(kernel_dependency, "gaussian_preimages", impatient)
    result = model.preimages(K_new)
    assert np.array_equal(result.fell_back, ~result.converged)
    assert result.fell_back.any()
    with pytest.warns(ConvergenceWarning, match=f"{result.fell_back.sum()} of 9 fixed-point"):
        vectors = model.predict(K_new)
    nearest = KernelDependency(0.05).fit(K, L).predict(K_new)
    assert np.array_equal(vectors[result.fell_back], Y[nearest][result.fell_back])


def test_a_point_that_repels_all_vectors_has_no_fixed_point():
    _, _, Y = problem(d=2)
    weights = np.vstack([np.full(30, -1.0), np.eye(30)[3], np.zeros(30)])
    result = gaussian_preimages(weights, Y, 0.5, Y[:3])
    assert result.fell_back.tolist() == [True, False, True]
    np.testing.assert_allclose(result.vectors, Y[[0, 3, 2]], rtol=1e-12)


def test_single_precision_and_lists():
    K, K_new, Y = problem()
    L = linear(Y)
    wanted = KernelDependency(0.5).fit(K, L).predict(K_new)
    as32 = [M.astype(np.float32) for M in (K, L, K_new)]
    model = KernelDependency(0.5).fit(*as32[:2])
    assert model.transform(as32[2]).dtype == np.float64
    assert np.array_equal(model.predict(as32[2]), wanted)
    assert np.array_equal(
        KernelDependency(0.5).fit(K.tolist(), L.tolist()).predict(K_new.tolist()), wanted
    )


def test_inputs_are_not_changed_and_models_are_kept():
    K, K_new, Y = problem()
    L = gaussian(Y, width=1.0)
    for array in (K, K_new, L):
        array.setflags(write=False)
    model = KernelDependency(ridge=0.5, n_components=0.9).fit(K, L)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(K_new), model.predict(K_new))
    assert clone(model).get_params() == {
        "ridge": 0.5,
        "n_components": 0.9,
        "preimage": "candidates",
    }
    assert not hasattr(clone(model), "dual_coef_")


@pytest.mark.parametrize("scale", [1e-80, 1e-9, 1e9, 1e80])
def test_the_scale_of_the_output_kernel_does_not_matter(scale):
    K, K_new, Y = problem()
    wanted = KernelDependency(0.5).fit(K, linear(Y))
    model = KernelDependency(0.5).fit(K, scale * linear(Y))
    assert np.array_equal(model.predict(K_new), wanted.predict(K_new))
    assert model.n_components_ == 4


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"ridge": 0}, "ridge=0;"),
        ({"ridge": -1.0}, "ridge=-1.0"),
        ({"ridge": np.nan}, "ridge=nan"),
        ({"ridge": "1"}, "ridge='1'"),
        ({"ridge": 1.0, "n_components": 0}, "n_components=0"),
        ({"ridge": 1.0, "n_components": 1.0}, "n_components=1.0; a share"),
        ({"ridge": 1.0, "n_components": -0.5}, "n_components=-0.5"),
        ({"ridge": 1.0, "n_components": "all"}, "n_components='all'"),
        ({"ridge": 1.0, "n_components": True}, "n_components=True"),
        ({"ridge": 1.0, "preimage": "candidate"}, "did you mean 'candidates'"),
    ],
)
def test_unusable_parameters_are_refused(parameters, said):
    K, _, Y = problem()
    with pytest.raises(FitError, match=said):
        KernelDependency(**parameters).fit(K, linear(Y))


def test_unusable_matrices_are_refused():
    K, K_new, Y = problem()
    L = linear(Y)
    bad = L.copy()
    bad[2, 3] = np.nan
    model = KernelDependency(1.0).fit(K, L)
    for call, error, said in [
        (
            lambda: KernelDependency(1.0).fit(K, L[:20, :20]),
            FitError,
            r"L has shape \(20, 20\) and K \(30, 30\)",
        ),
        (lambda: KernelDependency(1.0).fit(K_new, L), FitError, r"K has shape \(9, 30\)"),
        (lambda: KernelDependency(1.0).fit(K, Y), FitError, r"L has shape \(30, 4\)"),
        (lambda: KernelDependency(1.0).fit(K), FitError, "L is missing"),
        (lambda: KernelDependency(1.0).fit(K, bad), KernelError, "L has nan at row 2, column 3"),
        (
            lambda: KernelDependency(1.0).fit(K, L + np.triu(np.ones((30, 30)))),
            KernelError,
            "L is not symmetric",
        ),
        (
            lambda: KernelDependency(1.0).fit(K - 5 * np.eye(30), L),
            FitError,
            "not positive definite",
        ),
        (
            lambda: model.predict(K[:9, :20]),
            FitError,
            r"K_new has shape \(9, 20\); it wants \(n_new, 30\)",
        ),
        (
            lambda: model.predict(K_new, L[:, :5]),
            FitError,
            r"candidates has .* \(n_cand, 30\), .*the candidates and the 30 training outputs",
        ),
        (lambda: model.predict(K_new, bad), KernelError, "candidates has nan"),
        (lambda: model.preimages(K_new), FitError, "fixed-point"),
        (lambda: KernelDependency(1.0).fit(K, L, outputs=Y), FitError, "alone"),
        (
            lambda: KernelDependency(1.0, preimage="linear").fit(K, L),
            FitError,
            "give fit the outputs",
        ),
        (
            lambda: KernelDependency(1.0, preimage="linear").fit(K, L + 1, outputs=Y),
            FitError,
            "L is not the linear",
        ),
        (
            lambda: KernelDependency(1.0, preimage="linear").fit(K, L, outputs=Y[:9]),
            FitError,
            "outputs has 9 rows",
        ),
        (
            lambda: KernelDependency(1.0, preimage="fixed-point").fit(K, L, outputs=Y),
            FitError,
            "no entries between|not the Gaussian",
        ),
        (
            lambda: KernelDependency(1.0, preimage="fixed-point").fit(
                K, np.full((30, 30), 5.0), outputs=np.full(30, 3.5)
            ),
            FitError,
            "L is not the Gaussian kernel of the outputs, which are all equal",
        ),
        (lambda: model.predict(np.zeros((0, 30))), FitError, "at least one row"),
        (
            lambda: KernelDependency(1.0, preimage="fixed-point").fit(
                K, gaussian(2 * Y, width=1.0) ** np.arange(1, 31), outputs=Y
            ),
            KernelError,
            "not symmetric",
        ),
        (
            lambda: KernelDependency(1.0, preimage="linear").fit(K, outputs=Y).predict(K_new, L),
            FitError,
            "candidates are for",
        ),
    ]:
        with pytest.raises(error, match=said):
            call()
