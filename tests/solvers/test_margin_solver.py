import cvxpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramworks.errors import FitError, KernelError
from gramworks.solvers.bundle import Cut, minimise_over
from gramworks.solvers.domains import Simplex
from gramworks.solvers.margin import minimise_margin
from gramworks.solvers.master import solve_master
from gramworks.solvers.svm_dual import solve_svm


def minimise_soft_margin(grams, signs, traces, C, **options):
    return minimise_margin(grams, signs, traces=traces, C=C, **options)


def problem(seed, n=24):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.4 * X[:, 1] ** 2 + 0.5 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    v = rng.normal(size=n)
    grams = [X @ X.T, np.exp(-squares / 2), np.exp(-squares / 0.2), np.outer(v, v)]
    return grams, y, np.array([np.trace(K) for K in grams])


def reference(grams, signs, traces, C, total, solver, **options):
    """Theorem 17 as a cone programme on clipped factors: value of omega, and the weights."""
    signs = np.atleast_2d(signs)
    alphas = [cvxpy.Variable(signs.shape[1]) for _ in signs]
    t = cvxpy.Variable()
    limits = []
    for K, r in zip(grams, traces, strict=True):
        values, vectors = np.linalg.eigh(K)
        factor = (vectors * np.sqrt(np.clip(values, 0, None))).T * np.sqrt(total / r)
        squares = [
            cvxpy.sum_squares(factor @ cvxpy.multiply(y, a))
            for y, a in zip(signs, alphas, strict=True)
        ]
        limits.append(sum(squares) <= t)
    box = [c for a, y in zip(alphas, signs, strict=True) for c in (a >= 0, a <= C, y @ a == 0)]
    value = 2 * sum(cvxpy.sum(a) for a in alphas) - t
    task = cvxpy.Problem(cvxpy.Maximize(value), limits + box)
    task.solve(solver=solver, **options)
    assert task.status == cvxpy.OPTIMAL
    shares = np.array([limit.dual_value.item() for limit in limits])
    return task.value, total * shares / traces


GENERIC = [("CLARABEL", {}), ("SCS", {"eps": 1e-7, "max_iters": 200_000})]


@pytest.mark.parametrize(("solver", "options"), GENERIC)
@pytest.mark.parametrize(("seed", "m", "C"), [(0, 2, 1.0), (1, 3, 0.1), (2, 4, 10.0)])
def test_objective_and_kernel_match_generic_solvers(solver, options, seed, m, C):
    grams, y, traces = problem(seed)
    grams, traces = grams[:m], traces[:m]
    found = minimise_soft_margin(grams, y, traces, C, gap=1e-8)
    value, weights = reference(grams, y, traces, C, traces.sum(), solver, **options)
    assert found.gap <= 1e-8
    assert found.omega == pytest.approx(value, rel=1e-5)
    ours = sum(w * K for w, K in zip(found.weights, grams, strict=True))
    theirs = sum(w * K for w, K in zip(weights, grams, strict=True))
    assert np.linalg.norm(ours - theirs) <= 5e-3 * np.linalg.norm(theirs)
    assert found.weights @ traces == pytest.approx(traces.sum())


def test_sum_of_several_criteria_matches_a_generic_solver():
    grams, y, traces = problem(3)
    rows = np.array([y, np.roll(y, 5), -np.roll(y, 9)])
    found = minimise_soft_margin(grams, rows, traces, 1.0, gap=1e-8)
    value, _ = reference(grams, rows, traces, 1.0, traces.sum(), "CLARABEL")
    assert found.omega == pytest.approx(value, rel=1e-6)
    assert len(found.machines) == 3


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), C=st.floats(0.05, 20), rough=st.sampled_from([0.3, 1e-2, 1e-4]))
def test_every_pair_of_bounds_encloses_the_optimum(seed, C, rough):
    grams, y, traces = problem(seed, n=16)
    best = minimise_soft_margin(grams, y, traces, C, gap=1e-8)
    early = minimise_soft_margin(grams, y, traces, C, gap=rough)
    for _, lower, upper in best.bounds + early.bounds:
        assert lower <= best.omega * (1 + 1e-9)
        assert upper >= best.omega * (1 - 1e-7)
    assert early.gap <= rough
    # the promise of the gap, against any other weights
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(4)) * traces.sum() / traces
    K = sum(w * K for w, K in zip(weights, grams, strict=True))
    assert 2 * solve_svm(K, y, C, gap=1e-9).primal >= (1 - early.gap) * early.omega * (1 - 1e-9)


def test_the_value_is_that_of_an_svm_on_the_combined_kernel():
    grams, y, traces = problem(5)
    found = minimise_soft_margin(grams, y, traces, 1.0)
    K = sum(w * K for w, K in zip(found.weights, grams, strict=True))
    assert found.objective == pytest.approx(solve_svm(K, y, 1.0, gap=1e-9).primal, rel=2e-6)
    assert found.objective == found.omega / 2


def test_scale_duplicates_and_zero_do_not_matter():
    grams, y, traces = problem(6)
    K = grams[1]
    r = np.trace(K)
    # total fixed, so that the problem is the same as with K alone
    one = minimise_soft_margin([K], y, [r], 1.0, total=r)
    four = minimise_soft_margin([K, 1e8 * K, 0 * K, K], y, [r, 1e8 * r, 0, r], 1.0, total=r)
    assert four.weights[2] == 0
    assert four.weights @ [1, 1e8, 0, 1] == pytest.approx(1.0)
    assert four.omega == pytest.approx(one.omega, rel=1e-6)
    assert four.converged


@pytest.mark.parametrize("kernel", [0, 1])  # overlapping and separable classes
def test_the_default_trace_of_a_kernel_scaled_by_1e8_is_still_certified(kernel):
    grams, y, _ = problem(6)
    K = grams[kernel]
    kernels = [K, 1e8 * K, 0 * K, K]
    found = minimise_soft_margin(kernels, y, [np.trace(k) for k in kernels], 1.0)
    assert found.gap <= 1e-6
    assert found.weights @ [1, 1e8, 0, 1] == pytest.approx(2 + 1e8)


def test_a_kernel_that_is_zero_on_the_labelled_block_only_is_left_out_by_its_uselessness():
    grams, y, traces = problem(7)
    found = minimise_soft_margin([grams[1], 0 * grams[1]], y, [traces[1]] * 2, 1.0, gap=1e-8)
    assert found.weights[1] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_rank_one_kernels(C):
    grams, y, traces = problem(8)
    pair, r = [grams[3], np.outer(y, y)], np.array([traces[3], y.size])
    found = minimise_soft_margin(pair, y, r, C)
    value, _ = reference(pair, y, r, C, r.sum(), "CLARABEL")
    assert found.gap <= 1e-6
    assert found.omega == pytest.approx(value, rel=1e-5)


def test_read_only_kernels_are_left_alone():
    grams, y, traces = problem(9)
    copies = [K.copy() for K in grams]
    for K in grams:
        K.flags.writeable = False
    minimise_soft_margin(grams, y, traces, 1.0)
    for K, copy in zip(grams, copies, strict=True):
        np.testing.assert_array_equal(K, copy)


def test_unusable_numbers_are_refused():
    grams, y, traces = problem(10)
    with pytest.raises(FitError, match="C is 0"):
        minimise_soft_margin(grams, y, traces, 0)
    with pytest.raises(FitError, match="trace of the combined kernel is -1"):
        minimise_soft_margin(grams, y, traces, 1.0, total=-1)
    with pytest.raises(FitError, match="one sign"):
        minimise_soft_margin(grams, np.ones_like(y), traces, 1.0)
    with pytest.raises(KernelError, match="kernel 1 has trace -2"):
        minimise_soft_margin(grams[:2], y, [1.0, -2.0], 1.0)
    with pytest.raises(KernelError, match="have trace 0"):
        minimise_soft_margin(grams[:2], y, [0.0, 0.0], 1.0)
    with pytest.raises(FitError, match="free weights want the kernels over all 40 points"):
        minimise_margin(grams[:2], y, weights="free", traces=traces[:2], n_points=40)


def test_bundle_finds_a_known_minimum():
    # f(x) = |x - p|^2 with p in the simplex
    target = np.array([0.2, 0.5, 0.3, 0.0])

    def evaluate(x, accuracy):
        slope = 2 * (x - target)
        value = (x - target) @ (x - target) + 1.0
        return Cut(value, value - slope @ x, slope)

    found = minimise_over(Simplex(4), evaluate, gap=1e-7, max_iter=300)
    assert found.gap <= 1e-7
    np.testing.assert_allclose(found.point, target, atol=1e-3)


def test_lower_bound_is_the_lowest_point_of_the_highest_cut():
    cuts = [Cut(9.0, 0.0, np.array([1.0, 3.0])), Cut(9.0, 2.0, np.array([1.0, -2.0]))]
    found = solve_master(Simplex(2), cuts, np.array([0.5, 0.5]), None, scale=1.0)
    bound, lowest = found.bound, found.point
    grid = np.linspace(0, 1, 100_001)
    points = np.stack([grid, 1 - grid])
    heights = np.max([c.constant + c.slope @ points for c in cuts], axis=0)
    assert bound == pytest.approx(heights.min(), abs=1e-4)
    assert max(c.constant + c.slope @ lowest for c in cuts) == pytest.approx(bound, abs=1e-7)
