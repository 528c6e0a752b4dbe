"""The solver in the weights against the paper's programmes in generic cone solvers."""

import numpy as np
import pytest

from gramworks.solvers.margin import CRITERIA, minimise_margin
from gramworks.solvers.reference import solve_qcqp, solve_sdp

GENERIC = [
    ("CLARABEL", {}, 2e-5),
    ("SCS", {"eps": 1e-7, "max_iters": 200_000}, 2e-5),
]


def problem(seed, n=18, m=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.4 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    kernels = [np.exp(-squares / 2), (1 + X @ X.T) ** 2, np.exp(-squares / 8), X @ X.T]
    labelled = np.arange(n) < 0.75 * n
    return kernels[:m], y[labelled], labelled


def combined(kernels, weights):
    return sum(mu * K for mu, K in zip(weights, kernels, strict=True))


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize(("solver", "options", "close"), GENERIC)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("weights", "solve"), [("nonnegative", solve_qcqp), ("free", solve_sdp)])
def test_objective_and_kernel_match(weights, solve, criterion, solver, options, close):
    kernels, y, labelled = problem(4)
    ours = minimise_margin(
        kernels, y, labelled, criterion=criterion, weights=weights, C=2.0, gap=1e-8
    )
    other = solve(kernels, y, labelled, criterion=criterion, C=2.0, solver=solver, **options)
    assert ours.gap <= 1e-8
    assert ours.omega == pytest.approx(other.value, rel=close)
    K = combined(kernels, ours.weights)
    assert np.linalg.norm(K - combined(kernels, other.weights)) <= 50 * close * np.linalg.norm(K)
    assert ours.ridge == pytest.approx(other.ridge, rel=50 * close, abs=50 * close)
    assert np.trace(K) + (18 * ours.ridge if criterion == "l2-auto" else 0) == pytest.approx(
        sum(np.trace(k) for k in kernels) + (18 if criterion == "l2-auto" else 0)
    )
    assert np.linalg.eigvalsh(K)[0] >= -1e-9 * np.trace(K)


def test_free_weights_gain_on_nonnegative_ones_where_the_paper_says_so():
    kernels, y, labelled = problem(4)
    found = {
        weights: minimise_margin(kernels, y, labelled, weights=weights)
        for weights in ("nonnegative", "free")
    }
    assert found["free"].weights.min() < 0
    assert found["free"].omega < 0.999 * found["nonnegative"].omega


def test_l2_is_the_hard_margin_of_the_kernel_with_a_ridge():
    kernels, y, _ = problem(5)
    kernels = [K[: y.size, : y.size] for K in kernels]
    for weights in ("nonnegative", "free"):
        found = minimise_margin(kernels, y, criterion="l2", weights=weights, C=4.0, gap=1e-9)
        ridged = combined(kernels, found.weights) + 0.25 * np.eye(y.size)
        hard = minimise_margin([ridged], y, criterion="hard", gap=1e-9)
        assert hard.omega == pytest.approx(found.omega, rel=1e-7)


def test_learned_ridge_is_the_best_of_all():
    kernels, y, _ = problem(6)
    kernels = [K[: y.size, : y.size] for K in kernels]
    n, total = y.size, 30.0
    found = minimise_margin(kernels, y, criterion="l2-auto", total=total, gap=1e-9)
    fixed = [
        minimise_margin(
            kernels, y, criterion="l2", C=1.0 / tau, total=total - n * tau, gap=1e-9
        ).omega
        for tau in np.linspace(0.01, 0.99 * total / n, 40)
    ]
    assert found.omega <= min(fixed) * (1 + 1e-8)
    assert found.omega >= 0.99 * min(fixed)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weights", ["nonnegative", "free"])
def test_every_pair_of_bounds_encloses_the_optimum(criterion, weights):
    for seed in range(2):
        kernels, y, labelled = problem(10 + seed, m=4)
        options = {"criterion": criterion, "weights": weights, "C": 3.0}
        best = minimise_margin(kernels, y, labelled, gap=1e-9, **options)
        for rough in (0.3, 1e-2, 1e-4):
            early = minimise_margin(kernels, y, labelled, gap=rough, **options)
            assert early.gap <= rough
            for _, lower, upper in early.bounds:
                assert lower <= best.omega * (1 + 1e-9)
                assert upper >= best.omega * (1 - 1e-7)


def test_sum_of_criteria_matches_the_sum_of_parts_at_shared_weights():
    kernels, y, labelled = problem(3)
    rows = np.array([y, np.roll(y, 3), -np.roll(y, 5)])
    for weights in ("nonnegative", "free"):
        found = minimise_margin(kernels, rows, labelled, weights=weights, gap=1e-8)
        K = combined(kernels, found.weights)[np.ix_(labelled, labelled)]
        parts = [minimise_margin([K], row, total=np.trace(K), gap=1e-9).omega for row in rows]
        assert found.omega == pytest.approx(sum(parts), rel=1e-7)
        np.testing.assert_allclose(found.values, parts, rtol=1e-6)
        # no other weights do better
        rng = np.random.default_rng(0)
        traces = np.array([np.trace(K) for K in kernels])
        for _ in range(20):
            mu = rng.dirichlet(np.ones(3)) * traces.sum() / traces
            K = combined(kernels, mu)[np.ix_(labelled, labelled)]
            other = sum(
                minimise_margin([K], row, total=np.trace(K), gap=1e-6).omega for row in rows
            )
            assert other >= found.omega * (1 - 1e-6)
