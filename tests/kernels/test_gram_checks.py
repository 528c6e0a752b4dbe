import json

import numpy as np
import pytest

from gramworks.errors import KernelError
from gramworks.kernels import check_gram, gaussian, linear
from gramworks.kernels.eigenvalue_ends import exact_ends, lanczos_ends


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def with_spectrum(values, rng):
    Q, _ = np.linalg.qr(rng.standard_normal((len(values), len(values))))
    K = (Q * values) @ Q.T
    return (K + K.T) / 2


def test_fine(rng):
    K = gaussian(rng.standard_normal((40, 3)), width=1)
    K.setflags(write=False)
    check = check_gram(K)
    assert check.outcome == "fine"
    assert check.reason == ""
    assert check.shift == check.asymmetry == 0
    assert check.trace == 40
    assert check.repair(K) is K
    assert check.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(K)[0], abs=1e-13)
    json.dumps(check.record(), allow_nan=False)


@pytest.mark.parametrize(
    "K", [[[0.0]], np.zeros((5, 5)), np.ones((7, 7)), np.diag([0.0, 1.0]), [[2, 1], [1, 2]]]
)
def test_degenerate_and_fine(K):
    assert check_gram(K).outcome == "fine"


def test_smallest_eigenvalue_1e_12_below_zero_is_fine(rng):
    values = np.linspace(0, 1, 30)
    values[0] = -1e-12
    check = check_gram(with_spectrum(values, rng))
    assert check.outcome == "fine"
    assert check.smallest_eigenvalue == pytest.approx(-1e-12, abs=1e-14)


def test_smallest_eigenvalue_1e_8_below_zero_is_repaired_by_its_size(rng):
    values = np.linspace(0.5, 10, 30)
    values[0] = -1e-7
    K = with_spectrum(values, rng)
    K.setflags(write=False)
    check = check_gram(K)
    assert check.outcome == "repaired"
    assert check.shift == pytest.approx(1e-7, rel=1e-6)
    assert "1e-07 added to the diagonal" in check.reason
    repaired = check.repair(K)
    assert abs(np.linalg.eigvalsh(repaired)[0]) < 1e-14
    np.testing.assert_allclose(repaired - K, check.shift * np.eye(30), atol=1e-14)
    assert check.trace == pytest.approx(np.trace(repaired), rel=1e-14)


def test_smallest_eigenvalue_a_thousandth_below_zero_is_refused(rng):
    values = np.linspace(0, 2, 30)
    values[0] = -2e-3
    check = check_gram(with_spectrum(values, rng), "K2")
    assert check.outcome == "refused"
    assert "K2 is not positive semidefinite: its smallest eigenvalue -0.002" in check.reason
    assert "-0.001 of the largest" in check.reason
    with pytest.raises(KernelError, match=r"-0\.002"):
        check.repair(np.eye(30))


def test_tanh_is_refused(rng):
    check = check_gram(np.tanh(linear(rng.standard_normal((50, 4))) - 1))
    assert check.outcome == "refused"
    assert "tanh" in check.reason


def test_negative_definite_is_refused():
    assert check_gram(-np.eye(4)).outcome == "refused"


def test_asymmetric_by_rounding_is_averaged():
    K = 2 * np.eye(6)
    K[1, 4] = 1e-9
    K.setflags(write=False)
    check = check_gram(K)
    assert (check.outcome, check.asymmetry) == ("repaired", 1e-9)
    repaired = check.repair(K)
    assert repaired[1, 4] == repaired[4, 1] == 5e-10
    assert "1e-09" in check.reason


def test_asymmetric_by_five_is_refused_with_its_position():
    K = np.eye(600)
    K[2, 550] = 5
    check = check_gram(K)
    assert check.outcome == "refused"
    assert check.asymmetry == 5
    assert "5 in row 2, column 550 and 0 in row 550, column 2" in check.reason


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite_is_refused_with_its_position(value):
    K = np.eye(600)
    K[560, 3] = value
    check = check_gram(K)
    assert check.outcome == "refused"
    assert f"{value} in row 560, column 3" in check.reason


def test_not_square_is_refused():
    check = check_gram(np.ones((40, 60)))
    assert check.outcome == "refused"
    assert "(40, 60)" in check.reason


def test_a_large_matrix_that_is_refused(monkeypatch, rng):
    monkeypatch.setattr("gramworks.kernels.checks.EXACT_POINTS", 100)
    values = np.linspace(0, 2, 400)
    values[0] = -2e-3
    check = check_gram(with_spectrum(values, rng))
    assert check.outcome == "refused"
    assert check.smallest_eigenvalue == pytest.approx(-2e-3, abs=check.eigenvalue_error + 1e-9)


@pytest.mark.parametrize("kind", ["dense", "rank one", "zero", "clustered", "diagonal", "one"])
def test_lanczos_against_lapack(kind, rng):
    K = {
        "dense": with_spectrum(rng.uniform(-1, 1, 150), rng),
        "rank one": np.outer(np.arange(150.0), np.arange(150.0)),
        "zero": np.zeros((150, 150)),
        "clustered": gaussian(rng.standard_normal((150, 2)), width=2),
        "diagonal": np.diag(np.linspace(1, 2, 150)),
        "one": np.array([[3.0]]),
    }[kind]
    exact = exact_ends(K)
    found = lanczos_ends(lambda v: K @ v, len(K), tolerance=1e-10, least_steps=20, most_steps=150)
    scale = max(abs(exact.largest), abs(exact.smallest))
    assert found.smallest == pytest.approx(exact.smallest, abs=1e-9 * scale)
    assert found.largest == pytest.approx(exact.largest, abs=1e-9 * scale)
    assert found.error <= 1e-10 * scale


def test_lanczos_stopped_early_bounds_from_inside_and_says_so(rng):
    K = with_spectrum(np.linspace(0, 1, 200) ** 2, rng)
    found = lanczos_ends(lambda v: K @ v, 200, tolerance=1e-12, least_steps=5, most_steps=12)
    assert 0 < found.smallest < 0.05
    assert found.largest <= 1 + 1e-12
    assert found.error > 1e-6
    assert np.abs(np.linalg.eigvalsh(K) - found.smallest).min() <= found.error
