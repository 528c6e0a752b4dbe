"""Margin criteria over combinations of many rank-one kernels v_i v_i', as one cone programme.

With K_i = v_i v_i' the problem over mu >= 0, mu'r = c (the same for any sign where the v_i are
orthogonal) is the quadratically constrained programme (32), (37), (42) or (46) of Lanckriet et
al., JMLR 5 (2004). Minimising over mu leaves the machine f = sum_i beta_i sqrt(c / r_i) v_i + b
with the square of the 1-norm of beta in place of |w|^2, so that no n x n matrix is needed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, csc_array, csc_matrix, eye_array, kron, vstack

from gramworks.solvers.bundle import relative_gap
from gramworks.solvers.margin import MarginSolution, check_numbers
from gramworks.solvers.margin_criterion import NotSeparable
from gramworks.solvers.svm_certificate import balance
from gramworks.solvers.svm_dual import solve_svm


@dataclass(frozen=True)
class _Answer:
    """What the cone solver found: weights, ridge, and feasible dual coefficients (q, l)."""

    weights: np.ndarray
    ridge: float
    alpha: np.ndarray


def minimise_rank_one(
    vectors, signs, sizes, *, criterion="l1", C=1.0, total=None, n_points=None, gap=1e-6
):
    """Minimise omega over mu >= 0, sum_i mu_i sizes_i = total (with "l2-auto" + n tau).

    Parameters
    ----------
    vectors : ndarray of shape (l, p)
        The v_i on the labelled points.
    signs : ndarray of shape (l,) or (q, l)
        Labels -1 and +1; with q rows the sum of the q criteria is minimised.
    sizes : ndarray of shape (p,)
        Squared lengths of the v_i over all points, positive.
    criterion : {"hard", "l1", "l2", "l2-auto"}
    C : float
        Parameter of "l1" and "l2".
    total : float, optional
        Default: the sum of `sizes`, with "l2-auto" plus `n_points`.
    n_points : int, optional
        Number of all points, the trace of the identity; default: l.
    gap : float
        Wanted relative gap between the certified bounds.

    Returns
    -------
    MarginSolution
        The upper bound is that of a machine on the combined kernel, the lower one that of
        dual coefficients.

    Raises
    ------
    FitError
        Numbers or labels are not usable, or "hard" where no combination separates the classes.
    """
    began = time.perf_counter()
    check_numbers(criterion, "nonnegative", C, gap)
    signs = np.atleast_2d(np.asarray(signs, dtype=np.float64))
    vectors, sizes = np.asarray(vectors, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    n_points = vectors.shape[0] if n_points is None else n_points
    if total is None:
        total = float(sizes.sum()) + (n_points if criterion == "l2-auto" else 0)
    features = vectors * np.sqrt(total / sizes)
    found = _solve_programme(features, signs, criterion, C, total / n_points)
    weights = found.weights * total / sizes
    ridge = found.ridge
    combined = (vectors * weights) @ vectors.T
    combined[np.diag_indices_from(combined)] += ridge
    bound = C if criterion == "l1" else 1e3 * max(found.alpha.max(), 1e-300)
    machines = [
        solve_svm(combined, y, bound, gap=0.1 * gap, start=a)
        for y, a in zip(signs, found.alpha, strict=True)
    ]
    values = 2.0 * np.array([m.primal if criterion == "l1" else m.separated for m in machines])
    coefficients = [found.alpha, np.array([machine.alpha for machine in machines])]
    lower = max(
        _bound_below(_feasible(a, signs, bound), signs, features, criterion, C, total / n_points)
        for a in coefficients
    )
    upper = float(values.sum())
    if criterion == "hard" and not np.isfinite(upper):
        raise NotSeparable(_OVERLAP)
    gap_found = relative_gap(upper, lower)
    if upper < lower <= upper * (1 + 1e-9):
        gap_found = (lower - upper) / upper  # rounding of either side
    return MarginSolution(
        weights=weights,
        ridge=ridge,
        omega=upper,
        gap=gap_found,
        converged=gap_found <= gap,
        n_iter=1,
        n_svm=len(machines),
        n_decompositions=0,
        bounds=[(time.perf_counter() - began, lower, upper)],
        machines=machines,
        values=values,
    )


_OVERLAP = (
    "no combination of the rank-one kernels separates the classes, so that there is no hard "
    "margin; allow errors (criterion l1, l2 or l2-auto), or take more eigenvectors"
)


def _solve_programme(features, signs, criterion, C, per_point):
    import clarabel  # comes with cvxpy; 0.1 s to import

    (q, n), p = signs.shape, features.shape[1]
    # unknowns: beta (q p), b (q), xi (q n), u (p) >= lengths over q of the beta_i, s, w
    n_slack = 0 if criterion == "hard" else q * n
    count = q * p + q + n_slack + p + 2
    first_u = q * p + q + n_slack
    at_s, at_w = first_u + p, first_u + p + 1
    rows, right, cones = [], [], []

    def add(matrix, values, cone):
        rows.append(csc_array(matrix))
        right.append(np.asarray(values, dtype=float))
        cones.append(cone)

    def unit(columns, scale=1.0):
        data = np.full(len(columns), scale)
        return csc_array((data, (np.arange(len(columns)), columns)), shape=(len(columns), count))

    # y (Phi beta + b) + xi >= 1
    intercepts = kron(eye_array(q), np.ones((n, 1))).multiply(signs.reshape(-1, 1))
    parts = [_margins(features, signs), intercepts]
    if n_slack:
        parts.append(eye_array(q * n))
    margins = block_array([[*parts, csc_array((q * n, p + 2))]])
    add(-margins, -np.ones(q * n), clarabel.NonnegativeConeT(q * n))
    slack = np.arange(q * p + q, q * p + q + n_slack)
    if criterion == "l1":
        add(unit(slack, -1.0), np.zeros(n_slack), clarabel.NonnegativeConeT(n_slack))
    if q == 1:
        bounds = unit(np.arange(first_u, first_u + p), -1.0)
        beta = unit(np.arange(p))
        add(vstack([bounds + beta, bounds - beta]), np.zeros(2 * p),
            clarabel.NonnegativeConeT(2 * p))  # fmt: skip
    else:
        for i in range(p):
            columns = [first_u + i, *(i + p * k for k in range(q))]
            add(unit(columns, -1.0), np.zeros(q + 1), clarabel.SecondOrderConeT(q + 1))
    norm = np.sqrt(1.0 / per_point)
    spread = np.zeros((1, count))
    spread[0, first_u : first_u + p] = 1.0
    spread[0, at_s] = -1.0
    if criterion == "l2-auto":
        spread[0, at_w] = norm
        cone = unit([at_w, *slack], -1.0)
        add(cone, np.zeros(1 + n_slack), clarabel.SecondOrderConeT(1 + n_slack))
    else:
        add(unit([at_w], -1.0), [0.0], clarabel.NonnegativeConeT(1))
    add(spread, [0.0], clarabel.NonnegativeConeT(1))

    diagonal, linear = np.zeros(count), np.zeros(count)
    diagonal[at_s] = 1.0
    if criterion == "l1":
        linear[slack] = C
    if criterion == "l2":
        diagonal[slack] = C
    if criterion != "l2-auto":
        linear[at_w] = 1.0  # unused: at its bound 0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    answer = clarabel.DefaultSolver(
        csc_matrix((diagonal, (np.arange(count), np.arange(count))), shape=(count, count)),
        linear, csc_matrix(vstack(rows)), np.concatenate(right), cones, settings,
    ).solve()  # fmt: skip
    x, duals = np.array(answer.x), np.array(answer.z)
    alpha = np.maximum(np.nan_to_num(duals[: q * n]).reshape(q, n), 0.0)
    alpha = _feasible(alpha, signs, C if criterion == "l1" else np.inf)
    if str(answer.status) in ("PrimalInfeasible", "AlmostPrimalInfeasible"):
        if criterion == "hard":
            raise NotSeparable(_OVERLAP)
        x = np.zeros(count)  # never so with errors allowed: no answer, equal weights
    beta = np.nan_to_num(x[: q * p]).reshape(q, p)
    shares = np.sqrt((beta**2).sum(axis=0))
    on_ridge = norm * np.linalg.norm(x[slack]) if criterion == "l2-auto" else 0.0
    everything = shares.sum() + on_ridge
    if not everything > 0:
        shares, everything = np.ones(p), float(p)
    ridge = 1.0 / C if criterion == "l2" else per_point * on_ridge / everything
    return _Answer(shares / everything, ridge, alpha)


def _margins(features, signs):
    """Give the block diagonal matrix of the y Phi."""
    blocks = [[None] * len(signs) for _ in signs]
    for k, y in enumerate(signs):
        blocks[k][k] = csc_array(y[:, None] * features)
    return block_array(blocks)


def _feasible(alpha, signs, C):
    """Bring each row within its bound and to a'y = 0."""
    return np.array([balance(np.minimum(a, C), y) for a, y in zip(alpha, signs, strict=True)])


def _bound_below(alpha, signs, features, criterion, C, per_point):
    """Give max_t of omega's bracket at t alpha, t as far as C allows: a lower bound."""
    products = (signs * alpha) @ features
    square = (products**2).sum(axis=0).max(initial=0.0)
    if criterion == "l2":
        square += (alpha**2).sum() / C
    if criterion == "l2-auto":
        square = max(square, per_point * (alpha**2).sum())
    length, largest = alpha.sum(), alpha.max(initial=0.0)
    if not length > 0:
        return 0.0
    stretch = length / square if square > 0 else np.inf
    if criterion == "l1":
        stretch = min(stretch, C / largest)
    return float(2 * stretch * length - stretch**2 * square) if np.isfinite(stretch) else np.inf
