import numpy as np
import pytest

from gramworks.solvers.domains import Multipliers
from gramworks.solvers.psd_slice import PsdSlice, frobenius_products


def kernels(n=14, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    return [(1 + X @ X.T) ** 2, np.exp(-squares / 2), X @ X.T]


def combined(grams, weights):
    return sum(mu * K for mu, K in zip(weights, grams, strict=True))


def members(grams, total, count=300, seed=1):
    """Weights of any sign with a semidefinite sum of the wanted trace, by trial."""
    rng = np.random.default_rng(seed)
    traces = np.array([np.trace(K) for K in grams])
    found = []
    while len(found) < count:
        mu = rng.normal(0.4, 1.0, size=len(grams)) / traces
        if mu @ traces <= 0:
            continue
        mu *= total / (mu @ traces)
        if np.linalg.eigvalsh(combined(grams, mu))[0] >= 0:
            found.append(mu)
    return np.array(found)


def coordinates(domain, mu):
    return np.linalg.lstsq(domain.transform, mu, rcond=None)[0]


def explored(grams, total, rounds=6):
    domain = PsdSlice(grams, total)
    rng = np.random.default_rng(2)
    for _ in range(rounds):
        domain.admit(domain.start() + 0.5 * rng.normal(size=domain.size))
    return domain


def test_no_constraint_cuts_off_a_member():
    grams, total = kernels(), 50.0
    domain = explored(grams, total)
    limits = domain.constraints()
    assert limits.blocks
    assert (members(grams, total) < 0).any()
    for mu in members(grams, total):
        z = coordinates(domain, mu)
        assert limits.normal @ z == pytest.approx(1.0)
        assert np.all(limits.rows @ z >= limits.limits - 1e-12)
        for block in limits.blocks:
            values = np.linalg.eigvalsh(np.einsum("j,jkl->kl", z, block))
            assert values[0] >= -1e-9 * abs(values[-1])


def test_admitted_points_are_semidefinite_of_the_wanted_trace_and_inside_ones_stay():
    grams, total = kernels(), 50.0
    domain = PsdSlice(grams, total)
    rng = np.random.default_rng(3)
    moved = 0
    for _ in range(20):
        point = domain.start() + rng.normal(size=domain.size)
        K = combined(grams, domain.transform @ domain.admit(point))
        values = np.linalg.eigvalsh(K)
        assert values[0] >= -1e-12 * values[-1]
        assert np.trace(K) == pytest.approx(total)
        moved += values[0] < 1e-6 * values[-1]
    assert moved > 10
    mu = members(grams, total, count=1)[0]
    np.testing.assert_allclose(
        domain.transform @ domain.admit(coordinates(domain, mu)), mu, rtol=1e-6, atol=1e-8
    )


def test_bounds_hold_for_any_multipliers():
    grams, total = kernels(), 50.0
    domain = explored(grams, total)
    limits = domain.constraints()
    inside = np.array([coordinates(domain, mu) for mu in members(grams, total)])
    rng = np.random.default_rng(4)
    for _ in range(50):
        slope = rng.normal(size=domain.size)
        blocks = [np.cov(rng.normal(size=(b.shape[1], 9))) for b in limits.blocks]
        blocks[0][0, 0] -= 1.0  # what is not semidefinite is clipped
        multipliers = Multipliers(rng.exponential(size=limits.rows.shape[0]), blocks)
        assert domain.bound_below(2.0, slope, multipliers) <= (2.0 + inside @ slope).min() + 1e-12


def test_two_kernels_have_the_interval_of_their_generalised_eigenvalues():
    _, second, linear = kernels()
    first = linear + 0.3 * np.eye(14)
    domain = PsdSlice([first, second], 1.0)
    # far along both directions: pulled back to the ends of the interval
    direction = np.array([-domain.normal[1], domain.normal[0]])
    ratios = []
    for sign in (1, -1):
        mu = domain.transform @ domain.admit(domain.start() + sign * direction)
        assert mu.min() < 0
        ratios.append(-mu[1] / mu[0])
    values = np.linalg.eigvals(np.linalg.solve(second, first)).real
    np.testing.assert_allclose(sorted(ratios), [values.min(), values.max()], rtol=1e-6)


def test_dependent_kernels_take_one_coordinate_and_scale_does_not_matter():
    grams = kernels()
    domain = PsdSlice([grams[0], 1e8 * grams[0], grams[1], grams[1]], 1.0)
    assert domain.size == 2
    point = domain.admit(domain.start())
    K = combined([grams[0], 1e8 * grams[0], grams[1], grams[1]], domain.transform @ point)
    assert np.trace(K) == pytest.approx(1.0)


def test_common_null_space_is_left_out():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(20, 6))
    grams = [flat @ np.diag(rng.uniform(0, 1, 6)) @ flat.T for _ in range(3)]
    domain = PsdSlice(grams, 1.0)
    for _ in range(5):
        point = domain.admit(domain.start() + rng.normal(size=3))
        values = np.linalg.eigvalsh(combined(grams, domain.transform @ point))
        assert values[0] >= -1e-12
    assert domain.lowest(point, 99)[0].size == 6


def test_products():
    grams = kernels()
    expected = [[np.trace(a @ b) for b in grams] for a in grams]
    np.testing.assert_allclose(frobenius_products(grams), expected)
