"""The quadratic on a sphere: optimality, the hard case, and all stationary points."""

import numpy as np
import pytest
from scipy.linalg import eigvals

from gramworks.errors import FitError
from gramworks.solvers import target_error
from gramworks.solvers.secular_roots import stationary_points
from gramworks.solvers.sphere import minimise_on_sphere
from gramworks.solvers.target_error import (
    ErrorSpectrum,
    KernelEigenpairs,
    error_spectrum,
    general_components,
    kernel_eigenpairs,
    solve_targets,
    target_levels,
)

RIDGES = 10.0 ** np.arange(-6, 7)


def random_problem(seed):
    """A spectrum of H, labels on some points, and |t|; degenerate in many ways."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 201)) if seed % 4 == 0 else int(rng.integers(2, 41))
    rank = int(rng.integers(1, n)) if n > 2 else 1
    vectors = np.linalg.qr(rng.normal(size=(n, rank)))[0]
    values = 10.0 ** rng.uniform(-2, 2, size=rank)
    if seed % 3 == 0:  # repeated eigenvalues
        values[: (rank + 1) // 2] = values[0]
    ridge = float(rng.choice(RIDGES))
    m = int(rng.integers(0, n))
    known = np.sort(rng.permutation(n)[:m])
    u = rng.choice([-1.0, 1.0], size=m) / np.sqrt(n)
    if seed % 5 == 0:
        u[:] = 0.0  # f is zero to the last bit
    elif seed % 5 == 1:
        u *= 1e-15
    elif seed % 5 < 4 and n > 4:
        # f is zero on the lowest eigenspace alone: no point of its part of the kernel is known
        half, most = n // 2, max(1, min(rank, n // 2) // 2)
        vectors = np.zeros((n, 2 * most))
        vectors[:half, :most] = np.linalg.qr(rng.normal(size=(half, most)))[0]
        vectors[half:, most:] = np.linalg.qr(rng.normal(size=(n - half, most)))[0]
        values = np.append(np.full(most, values.max()), np.resize(values, most) / 2)
        known = np.sort(half + rng.permutation(n - half)[: max(1, min(m, n - half - 1))])
        u = rng.choice([-1.0, 1.0], size=len(known)) / np.sqrt(n)
        if seed % 5 == 3:  # and nearly so
            turned = vectors + 10.0 ** rng.uniform(-16, -9) * rng.normal(size=vectors.shape)
            vectors = np.linalg.qr(turned)[0]
    spectrum = ErrorSpectrum(vectors, values / (values + ridge), ridge / (values + ridge))
    return spectrum, known, u, np.sqrt(1 - u @ u)


@pytest.mark.parametrize("block", range(10))
def test_conditions_of_optimality_on_random_targets(block):
    hard = 0
    for seed in range(100 * block, 100 * block + 100):
        spectrum, known, u, radius = random_problem(seed)
        n = spectrum.vectors.shape[0]
        unknown = np.setdiff1d(np.arange(n), known)
        found = solve_targets(spectrum, known[None], u[None], radius)
        t, multiplier = found.targets[0], float(found.multiplier[0])
        H = np.eye(n) - (spectrum.vectors * spectrum.shares) @ spectrum.vectors.T
        H0, b = H[np.ix_(unknown, unknown)], H[np.ix_(unknown, known)] @ u
        np.testing.assert_allclose(H0 @ t - multiplier * t, -b, atol=1e-8)
        assert abs(np.linalg.norm(t) - radius) < 1e-8
        assert np.linalg.eigvalsh(H0)[0] >= multiplier - 1e-8
        energy = t @ H0 @ t + 2 * t @ b
        np.testing.assert_allclose(found.energy[0], energy, atol=1e-8)
        rng = np.random.default_rng(seed)
        away = t[:, None] + rng.normal(size=(len(t), 40)) * 10.0 ** rng.uniform(-6, 1, 40)
        away *= radius / np.linalg.norm(away, axis=0)
        sampled = np.einsum("ik,ij,jk->k", away, H0, away) + 2 * b @ away
        assert (sampled >= energy - 1e-12).all()
        hard += bool(found.hard[0]) and u.any()
    assert hard >= 5  # the hard case proper: something is known, but not on the lowest eigenspace


def random_diagonal(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 201))
    mu, f = np.sort(rng.random(n)), rng.normal(size=n) * 10.0 ** rng.integers(-8, 3)
    if seed % 3 == 0:
        mu[: n // 2] = mu[0]
    if seed % 4 == 0:
        f[mu == mu[0]] = 0.0
    elif seed % 4 == 1:
        f[0] = 1e-15 * rng.normal()
    return mu, f, 10.0 ** rng.uniform(-2, 2)


def test_conditions_of_optimality_on_random_diagonals():
    hard = 0
    for seed in range(1000):
        mu, f, radius = random_diagonal(seed)
        found = minimise_on_sphere(mu, f, radius)
        xi, multiplier = found.coordinates, float(found.multiplier)
        size = radius * max(1.0, abs(multiplier))
        assert np.abs((multiplier - mu) * xi - f).max() <= 1e-12 * size
        assert abs(np.linalg.norm(xi) / radius - 1) < 1e-13
        assert multiplier <= mu[0]
        hard += bool(found.hard)
    assert 20 < hard < 400


@pytest.mark.parametrize("seed", range(30))
def test_a_circle_searched_point_by_point(seed):
    rng = np.random.default_rng(seed)
    mu, f = np.sort(rng.normal(size=2)), rng.normal(size=2) * 0.3
    if seed % 3 == 0:
        f[0] = 0.0
    radius = float(rng.uniform(0.1, 3))
    angle = np.linspace(0, 2 * np.pi, 200_001)
    x = radius * np.array([np.cos(angle), np.sin(angle)])
    energy = mu @ x**2 + 2 * f @ x
    found = minimise_on_sphere(mu, f, radius)
    assert found.energy <= energy.min() + 1e-12
    assert found.energy > energy.min() - 1e-7
    turns = np.diff(np.sign(np.diff(energy)))
    points = stationary_points(mu, f, radius)
    extremes = energy[1:-1][turns != 0]
    for value in extremes:  # the search misses a pair that lies between two of its points
        assert np.abs(points.energies - value).min() < 1e-6


@pytest.mark.parametrize("seed", range(40))
def test_roots_are_the_real_eigenvalues_of_the_companion_pencil(seed):
    """(A - mu)^2 y = f f'y / s^2 (Gander, Golub and von Matt 1989)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    mu = np.cumsum(rng.uniform(0.2, 1.0, n))
    f, radius = rng.normal(size=n) * 10.0 ** rng.uniform(-1, 0.5), float(rng.uniform(0.5, 5))
    pencil = np.block([[np.diag(mu), -np.eye(n)], [-np.outer(f, f) / radius**2, np.diag(mu)]])
    values = eigvals(pencil)
    real = np.sort(values[np.abs(values.imag) < 1e-9].real)
    points = stationary_points(mu, f, radius)
    assert not points.degenerate.any()
    np.testing.assert_allclose(points.multipliers, real, atol=1e-7)
    assert (np.diff(points.energies) >= -1e-9).all()
    for multiplier, energy in zip(points.multipliers, points.energies, strict=True):
        xi = f / (multiplier - mu)
        np.testing.assert_allclose(np.linalg.norm(xi), radius, rtol=1e-7)
        np.testing.assert_allclose(mu @ xi**2 + 2 * f @ xi, energy, rtol=1e-6, atol=1e-7)


def test_hard_case_and_its_rule_of_sign():
    found = minimise_on_sphere(np.array([1.0, 1.0, 3.0]), np.array([0.0, 0.0, 1.0]), 2.0)
    assert found.hard
    assert found.multiplier == 1.0
    np.testing.assert_allclose(found.coordinates, [np.sqrt(4 - 0.25), 0, -0.5])
    points = stationary_points([1.0, 1.0, 3.0], [0.0, 0.0, 1.0], 2.0)
    np.testing.assert_allclose(points.multipliers, [1.0, 2.5, 3.5])
    assert points.degenerate.tolist() == [True, False, False]
    # the same with less room: the secular equation has a root below
    short = minimise_on_sphere(np.array([1.0, 1.0, 3.0]), np.array([0.0, 0.0, 1.0]), 0.25)
    assert not short.hard
    np.testing.assert_allclose(short.multiplier, -1.0)


@pytest.mark.parametrize("tiny", [1e-300, 1e-200, 1e-12, -1e-12, 1e-6])
def test_nearly_hard_case_goes_the_way_of_the_small_slope(tiny):
    found = minimise_on_sphere(np.array([0.0, 1.0]), np.array([tiny, 0.1]), 1.0)
    if abs(tiny) > 1e-14:
        assert np.sign(found.coordinates[0]) == -np.sign(tiny)
        assert not found.hard
    np.testing.assert_allclose(abs(found.coordinates[0]), np.sqrt(1 - 0.01), rtol=1e-5)


def test_many_problems_at_once_are_the_same_as_one_by_one():
    problems = [random_diagonal(4 * k + k % 4) for k in range(60)]
    n = 5
    mu = np.array([np.resize(p[0], n) for p in problems])
    mu.sort(axis=1)
    f = np.array([np.resize(p[1], n) for p in problems])
    radius = np.array([p[2] for p in problems])
    together = minimise_on_sphere(mu, f, radius)
    for k in range(60):
        alone = minimise_on_sphere(mu[k], f[k], radius[k])
        np.testing.assert_array_equal(together.coordinates[k], alone.coordinates)
        assert together.multiplier[k] == alone.multiplier


def test_radius_zero_and_unusable_radii():
    found = minimise_on_sphere(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 0.0)
    assert found.coordinates.tolist() == [0.0, 0.0]
    assert np.isnan(found.multiplier)
    for radius in (-1.0, np.nan, np.inf):
        with pytest.raises(FitError, match="the radius is"):
            minimise_on_sphere(np.array([1.0]), np.array([1.0]), radius)
    with pytest.raises(FitError, match="no unknown coordinate"):
        minimise_on_sphere(np.zeros(0), np.zeros(0), 1.0)


def test_levels_of_the_target_are_those_of_the_dense_block():
    spectrum, known, u, _ = random_problem(2)
    n = spectrum.vectors.shape[0]
    unknown = np.setdiff1d(np.arange(n), known)
    H = np.eye(n) - (spectrum.vectors * spectrum.shares) @ spectrum.vectors.T
    values, vectors = np.linalg.eigh(H[np.ix_(unknown, unknown)])
    f = vectors.T @ H[np.ix_(unknown, known)] @ u
    levels, linear, _ = target_levels(spectrum, known, u)
    np.testing.assert_allclose(levels, values[: len(levels)], atol=1e-12)
    np.testing.assert_allclose((linear**2).sum(), (f**2).sum(), atol=1e-14)


def full_rank(n, seed, spread=3.0):
    """Centred kernel of rank n - 1 whose eigenvalues are 1 to 10^-spread."""
    rng = np.random.default_rng(seed)
    rest = rng.normal(size=(n, n - 1))
    vectors = np.linalg.qr(np.column_stack([np.ones(n), rest]))[0][:, 1:]
    return KernelEigenpairs(10.0 ** -np.linspace(0, spread, n - 1), vectors), rng


@pytest.mark.parametrize("ridge", [1e-5, 1e-7, 1e-9, 1e-11])
@pytest.mark.parametrize("m", [2, 5, 17])
def test_a_small_ridge_leaves_the_limit_of_no_ridge(m, ridge):
    n = 24
    pairs, rng = full_rank(n, 100 * m)
    known = np.sort(rng.permutation(n)[:m])
    unknown = np.setdiff1d(np.arange(n), known)
    u = rng.choice([-1.0, 1.0], size=m) / np.sqrt(n)
    radius = np.sqrt(1 - u @ u)
    # without a ridge targets have mean zero, and cost sum (v't)^2 / mu^2 in units of ridge^2
    Q = (pairs.vectors / pairs.values**2) @ pairs.vectors.T
    start = np.full(n - m, -u.sum() / (n - m))
    free = np.linalg.svd(np.ones((1, n - m)))[2][1:].T
    block = Q[np.ix_(unknown, unknown)]
    linear = free.T @ (block @ start + Q[np.ix_(unknown, known)] @ u)
    values, vectors = np.linalg.eigh(free.T @ block @ free)
    inner = minimise_on_sphere(values, vectors.T @ linear, np.sqrt(radius**2 - start @ start))
    limit = start + free @ vectors @ inner.coordinates
    found = solve_targets(error_spectrum(pairs, ridge), known[None], u[None], radius)
    # off by the ridge beside the smallest eigenvalue, and by what the kernel's vectors are off
    np.testing.assert_allclose(found.targets[0], limit, atol=3e3 * ridge + 1e-6)
    assert not found.hard[0]
    assert cost(pairs, ridge, known, u, found.targets[0]) <= cost(pairs, ridge, known, u, limit) * (
        1 + 1e-6
    )


def cost(pairs, ridge, known, u, t):
    """Give y'Hy as a sum of squares, which keeps its digits."""
    y = np.zeros(pairs.vectors.shape[0])
    y[known] = u
    y[np.setdiff1d(np.arange(y.size), known)] = t
    inside = pairs.vectors.T @ y
    beyond = y - pairs.vectors @ inside
    return np.sum((ridge / (pairs.values + ridge) * inside) ** 2) + beyond @ beyond


@pytest.mark.parametrize("rank", [3, 8, 20])
def test_both_ways_of_the_levels_agree_where_both_have_digits(rank, monkeypatch):
    n, m = 30, 6
    pairs, rng = full_rank(n, rank)
    pairs = KernelEigenpairs(pairs.values[:rank], pairs.vectors[:, :rank])
    known = np.sort(rng.permutation(n)[:m])
    u = rng.normal(size=m) / n
    spectrum = error_spectrum(pairs, 1e-2)
    radius = np.sqrt(1 - u @ u)
    plain = solve_targets(spectrum, known[None], u[None], radius)
    levels, linear, _ = target_levels(spectrum, known, u)
    monkeypatch.setattr(target_error, "_GRADED", 1.0)
    graded = solve_targets(spectrum, known[None], u[None], radius)
    np.testing.assert_allclose(graded.targets, plain.targets, atol=1e-9)
    np.testing.assert_allclose(graded.energy, plain.energy, atol=1e-12)
    np.testing.assert_allclose(graded.multiplier, plain.multiplier, atol=1e-11)
    others, pull, _ = target_levels(spectrum, known, u)
    np.testing.assert_allclose(others, levels, atol=1e-12)
    np.testing.assert_allclose(np.abs(pull), np.abs(linear), atol=1e-10)


def test_hidden_levels_of_a_low_rank_kernel_keep_their_digits():
    # more directions than known points: some targets cost the square of the ridge alone
    n, m, rank = 40, 3, 8
    pairs, rng = full_rank(n, 7)
    pairs = KernelEigenpairs(pairs.values[:rank], pairs.vectors[:, :rank])
    known = np.sort(rng.permutation(n)[:m])
    spectrum = error_spectrum(pairs, 1e-9)
    levels, _, rounding = target_levels(spectrum, known, np.full(m, 0.1))
    # targets in the kernel's range that are zero on the known points
    inside = np.linalg.svd(pairs.vectors[known])[2][m:].T
    exact = np.linalg.eigvalsh(inside.T @ np.diag((spectrum.rests / 1e-9) ** 2) @ inside) * 1e-18
    np.testing.assert_allclose(levels[: rank - m], exact, rtol=1e-5)
    assert (np.diff(levels) > 0).all()
    assert (rounding[0][: rank - m] < 1e-3 * exact).all()


def test_components_of_a_draw_do_not_depend_on_the_other_draws():
    X = np.array([[i % 2 * 2 - 1.0, i // 2 % 2 * 2 - 1.0] for i in range(8)])
    spectrum = error_spectrum(kernel_eigenpairs(X @ X.T), 1.0)
    y = np.array([[-1, 1, -1, 1, -1, 1, -1, 1], [1, 1, -1, 1, -1, 1, -1, 1.0]]) / np.sqrt(8)
    values, vectors = general_components(spectrum, y)
    for row in range(2):
        own_values, own_vectors = general_components(spectrum, y[row : row + 1])
        k = own_values.shape[1]
        np.testing.assert_allclose(values[row, :k], own_values[0], atol=1e-14)
        np.testing.assert_allclose(np.abs(vectors[row, :, :k]), np.abs(own_vectors[0]), atol=1e-9)
        assert np.isnan(values[row, k:]).all()
        assert (vectors[row, :, k:] == 0).all()


@pytest.mark.parametrize("ridge", [1.0, 1e-2, 1e-3])
def test_components_are_those_of_the_deflated_matrix(ridge):
    pairs, rng = full_rank(15, 3, spread=1.0)
    spectrum = error_spectrum(pairs, ridge)
    y = rng.normal(size=(1, 15))
    y /= np.linalg.norm(y)
    values, vectors = general_components(spectrum, y)
    beyond = np.eye(15) - pairs.vectors @ pairs.vectors.T
    H = (pairs.vectors * (spectrum.rests / ridge) ** 2) @ pairs.vectors.T + beyond / ridge**2
    others = np.linalg.svd(y)[2][1:].T
    exact = np.linalg.eigvalsh(others.T @ H @ others) * ridge**2
    np.testing.assert_allclose(values[0, 1:], exact, rtol=1e-6)
    np.testing.assert_allclose(vectors[0].T @ vectors[0], np.eye(15), atol=1e-12)
