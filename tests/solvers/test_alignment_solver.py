import numpy as np
import pytest

from gramworks.errors import FitError
from gramworks.solvers.alignment import align_free, align_nonnegative
from gramworks.solvers.psd_slice import frobenius_products
from gramworks.solvers.reference import solve_alignment


def problem(seed, n=22, m=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] + X[:, 1] ** 2 > 1, 1.0, -1.0) * (np.arange(n) < 16)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    kernels = [X @ X.T, (1 + X @ X.T) ** 2, np.exp(-squares / 2), np.exp(-squares / 20)][:m]
    target = np.outer(y, y)
    aims = np.array([np.vdot(K, target) for K in kernels])
    return kernels, target, frobenius_products(kernels), aims


@pytest.mark.parametrize(
    ("solver", "options"), [("CLARABEL", {}), ("SCS", {"eps": 1e-8, "max_iters": 100_000})]
)
@pytest.mark.parametrize("weights", ["nonnegative", "free"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_value_and_kernel_match(weights, seed, solver, options):
    kernels, target, products, aims = problem(seed)
    if weights == "free":
        found = align_free(kernels, products, aims)
    else:
        found = align_nonnegative(products, aims)
    other = solve_alignment(kernels, target, weights=weights, solver=solver, **options)
    assert found.gap <= 1e-6
    assert found.value == pytest.approx(other.value, rel=1e-5)
    ours, theirs = (
        sum(mu * K for mu, K in zip(w, kernels, strict=True))
        for w in (found.weights, other.weights)
    )
    assert np.linalg.norm(ours) == pytest.approx(1.0)
    assert np.linalg.norm(ours - theirs) <= 2e-3
    assert np.linalg.eigvalsh(ours)[0] >= -1e-9


def test_free_weights_are_the_linear_solution_where_that_is_semidefinite():
    kernels, _, products, _ = problem(3)
    wanted = np.array([0.2, 0.1, 3.0, 0.5])
    found = align_free(kernels, products, products @ wanted)
    np.testing.assert_allclose(
        found.weights, wanted / np.sqrt(wanted @ products @ wanted), rtol=1e-6
    )


def test_scale_and_duplicates_do_not_matter():
    kernels, target, *_ = problem(1, m=3)
    given = [kernels[0], 1e8 * kernels[1], 0 * kernels[0], kernels[2], kernels[2]]
    products, aims = frobenius_products(given), np.array([np.vdot(K, target) for K in given])
    _, _, plain, plain_aims = problem(1, m=3)
    one, two = align_nonnegative(products, aims), align_nonnegative(plain, plain_aims)
    assert one.value == pytest.approx(two.value, rel=1e-9)
    assert one.weights[2] == 0
    free = align_free(given, products, aims)
    assert free.value == pytest.approx(align_free(kernels, plain, plain_aims).value, rel=1e-6)


def test_kernels_without_alignment_are_refused():
    products = np.eye(2)
    with pytest.raises(FitError, match="no kernel has a positive alignment"):
        align_nonnegative(products, np.array([0.0, -1.0]))
    with pytest.raises(FitError, match="all kernels are zero"):
        align_nonnegative(np.zeros((2, 2)), np.zeros(2))
    with pytest.raises(FitError, match="no kernel has a positive alignment"):
        align_free([np.eye(2)] * 2, products, np.zeros(2))
