import numpy as np
import pytest

from gramworks.errors import KernelError
from gramworks.kernels import alignment, centre, gaussian, linear, normalise
from gramworks.kernels.tiles import held, ranges, tile_side, upper_tiles
from gramworks.kernels.transforms import centred_blocks, row_sums, unit_blocks


@pytest.fixture
def X():
    return np.random.default_rng(2).standard_normal((31, 4)) + 2


def frozen(K):
    K = np.array(K, dtype=float)
    K.setflags(write=False)
    return K


def test_centre_is_the_kernel_of_centred_points(X):
    K = centre(frozen(linear(X)))
    np.testing.assert_allclose(K, linear(X - X.mean(axis=0)), atol=1e-12)
    H = np.eye(31) - 1 / 31
    K = gaussian(X, width=1)
    np.testing.assert_allclose(centre(K), H @ K @ H, atol=1e-14)
    assert np.array_equal(centre(K), centre(K).T)
    asymmetric = np.random.default_rng(0).standard_normal((31, 31))
    np.testing.assert_allclose(centre(asymmetric), H @ asymmetric @ H, atol=1e-14)


def test_normalise_is_the_cosine(X):
    K = normalise(frozen(linear(X)))
    rows = X / np.linalg.norm(X, axis=1)[:, None]
    np.testing.assert_allclose(K, rows @ rows.T, rtol=1e-14)
    assert np.array_equal(np.diagonal(K), np.ones(31))
    assert np.array_equal(K, K.T)


def test_normalise_at_the_ends_of_float64():
    for scale in (1e-300, 1e300):
        assert np.array_equal(normalise([[scale, 0], [0, scale]]), np.eye(2))


def test_a_zero_row_has_no_unit_length(X):
    X[[4, 7]] = 0
    with pytest.raises(KernelError, match=r"2 of 31 rows \(4, 7;"):
        normalise(linear(X))
    with pytest.raises(KernelError, match=r"1 of 2 rows \(1; first value -3\)"):
        normalise([[1, 0], [0, -3]])


@pytest.mark.parametrize("function", [centre, normalise, lambda K: alignment(K, K)])
@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((3, 4)), r"shape \(3, 4\)"),
        (np.ones(4), r"shape \(4,\)"),
        (np.ones((0, 0)), r"shape \(0, 0\)"),
        ([[1, np.nan], [np.nan, 1]], "nan in row 0, column 1"),
        ([["a"]], "not a matrix of numbers"),
        ([[1j]], "complex"),
    ],
)
def test_not_a_gram(function, K, message):
    with pytest.raises(KernelError, match=message):
        function(K)


def test_alignment_against_its_definition(X):
    K, L = frozen(gaussian(X, width=1)), frozen(linear(X))
    wanted = np.trace(K @ L) / np.sqrt(np.trace(K @ K) * np.trace(L @ L))
    assert alignment(K, L) == pytest.approx(wanted, rel=1e-13)
    assert alignment(K, L) == alignment(L, K)
    assert alignment(K, K) == pytest.approx(1, abs=1e-14)
    assert alignment(1e200 * K, 1e-200 * L) == pytest.approx(wanted, rel=1e-13)
    assert alignment(K, -K) == pytest.approx(-1, abs=1e-14)
    y = np.where(X[:, 0] > 2, 1.0, -1.0)
    target = y @ K @ y / (31 * np.linalg.norm(K))
    assert alignment(K, np.outer(y, y)) == pytest.approx(target, rel=1e-13)


def test_alignment_refusals(X):
    K = linear(X)
    with pytest.raises(KernelError, match="K2 is the zero matrix"):
        alignment(K, np.zeros_like(K))
    with pytest.raises(KernelError, match=r"\(31, 31\) and K2 \(2, 2\)"):
        alignment(K, np.eye(2))


@pytest.mark.parametrize("n", [1, 2, 3, 511, 512, 513, 683, 1025, 5000])
def test_tiles_cover_the_upper_triangle_once(n):
    assert tile_side(n) <= 512
    assert tile_side(n) % 2 == 0
    seen = np.zeros((n, n), dtype=np.int8)
    for rows, columns in upper_tiles(n):
        seen[rows, columns] += 1
        if rows != columns:
            seen[columns, rows] += 1
    assert (seen == 1).all()
    widths = [part.stop - part.start for part in ranges(n)]
    assert sum(widths) == n


@pytest.mark.parametrize("n", [1, 40, 700])
def test_in_blocks_as_in_whole(n):
    X = np.random.default_rng(n).standard_normal((n, 3)) + 1
    K = linear(X)
    centred, unit = centred_blocks(held(K), row_sums(held(K))), unit_blocks(held(K), K.max())
    for rows, columns in upper_tiles(n):
        np.testing.assert_allclose(
            centred.tile(rows, columns), centre(K)[rows, columns], atol=1e-13
        )
        assert np.array_equal(unit.tile(rows, columns), normalise(K)[rows, columns])
