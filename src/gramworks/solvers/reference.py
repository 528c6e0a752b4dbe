"""The same problems in a modelling language, for generic cone solvers: slow, for comparison.

Formulations of Lanckriet et al., JMLR 5 (2004), as they stand there. Kernels enter by clipped
factors: a modelling language refuses the quadratic form of a matrix that rounding has made
indefinite by 1e-17.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Reference:
    """What a generic solver says.

    Attributes
    ----------
    value : float
        omega, or <K_tr, Y>_F.
    weights : ndarray of shape (m,)
    ridge : float
        tau.
    compile_seconds, solve_seconds : float
    """

    value: float
    weights: np.ndarray
    ridge: float
    compile_seconds: float
    solve_seconds: float


def solve_sdp(
    kernels, signs, labelled=None, *, criterion="l1", C=1.0, total=None, solver, **options
):
    """Solve Theorem 16: (26), (30), (35), (41) or (45), weights of any sign.

    Parameters
    ----------
    kernels : sequence of m ndarrays of shape (n, n)
    signs : ndarray of shape (l,)
        Labels of the labelled points.
    labelled : ndarray of shape (n,), bool, optional
    criterion, C, total
        As of `minimise_margin`.
    solver : str
        Name in cvxpy, such as "SCS" or "CLARABEL"; `options` go to it.

    Returns
    -------
    Reference
    """
    import cvxpy

    n = kernels[0].shape[0]
    rows = np.arange(n) if labelled is None else np.flatnonzero(labelled)
    mu = cvxpy.Variable(len(kernels))
    tau, ridge_limits = _ridge(cvxpy, criterion, C)
    K = sum(mu[i] * kernels[i] for i in range(len(kernels)))
    outer = np.outer(signs, signs)
    G = sum(mu[i] * (outer * kernels[i][np.ix_(rows, rows)]) for i in range(len(kernels)))
    t, shift, spare = cvxpy.Variable((1, 1)), cvxpy.Variable(), cvxpy.Variable((rows.size, 1))
    ones, column = np.ones((rows.size, 1)), signs.reshape(-1, 1)
    border, corner = ones + spare + cvxpy.multiply(shift, column), t
    limits = [spare >= 0, K >> 0, *ridge_limits]
    if criterion == "l1":
        over = cvxpy.Variable((rows.size, 1))
        limits.append(over >= 0)
        border = border - over
        corner = t - 2 * C * cvxpy.sum(over)
    matrix = cvxpy.bmat([[G + cvxpy.multiply(tau, np.eye(rows.size)), border], [border.T, corner]])
    traces = np.array([np.trace(k) for k in kernels])
    whole, given = _trace(traces, mu, tau, n, criterion, total)
    limits += [0.5 * (matrix + matrix.T) >> 0, whole == given]
    task = cvxpy.Problem(cvxpy.Minimize(t[0, 0]), limits)
    return _solve(cvxpy, task, solver, options, lambda: mu.value, lambda: _value(tau))


def solve_qcqp(
    kernels, signs, labelled=None, *, criterion="l1", C=1.0, total=None, solver, **options
):
    """Solve Theorem 17: (27), (34), (40) or (47), nonnegative weights.

    Parameters as of `solve_sdp`; the weights are the multipliers of the quadratic constraints.

    Returns
    -------
    Reference
    """
    import cvxpy

    n = kernels[0].shape[0]
    rows = np.arange(n) if labelled is None else np.flatnonzero(labelled)
    traces = np.array([np.trace(k) for k in kernels])
    total = float(traces.sum() + (n if criterion == "l2-auto" else 0)) if total is None else total
    alpha, t = cvxpy.Variable(rows.size), cvxpy.Variable()
    limits = []
    for K, trace in zip(kernels, traces, strict=True):
        factor = clipped_factor(K[np.ix_(rows, rows)]) * np.sqrt(total / trace)
        limits.append(cvxpy.sum_squares(factor @ cvxpy.multiply(signs, alpha)) <= t)
    box = [alpha >= 0, signs @ alpha == 0]
    if criterion == "l1":
        box.append(alpha <= C)
    value = 2 * cvxpy.sum(alpha) - t
    if criterion == "l2":
        value = value - cvxpy.sum_squares(alpha) / C
    if criterion == "l2-auto":
        limits.append((total / n) * cvxpy.sum_squares(alpha) <= t)
    task = cvxpy.Problem(cvxpy.Maximize(value), limits + box)

    def shares():
        return np.array([np.ravel(limit.dual_value)[0] for limit in limits])

    def ridge():
        if criterion == "l2-auto":
            return total * shares()[-1] / n
        return 1.0 / C if criterion == "l2" else 0.0

    return _solve(
        cvxpy, task, solver, options, lambda: total * shares()[: len(kernels)] / traces, ridge
    )


def solve_alignment(kernels, target, *, weights, solver, **options):
    """Solve (53), or (55) for nonnegative weights.

    Parameters
    ----------
    kernels : sequence of m ndarrays of shape (n, n)
    target : ndarray of shape (n, n)
        Y: yy' on the labelled block, 0 elsewhere.
    weights : {"nonnegative", "free"}
    solver : str

    Returns
    -------
    Reference
    """
    import cvxpy

    mu = cvxpy.Variable(len(kernels))
    K = sum(mu[i] * kernels[i] for i in range(len(kernels)))
    products = np.array([[np.vdot(a, b) for b in kernels] for a in kernels])
    aims = np.array([np.vdot(k, target) for k in kernels])
    limits = [cvxpy.sum_squares(clipped_factor(products) @ mu) <= 1]
    limits.append(K >> 0 if weights == "free" else mu >= 0)
    task = cvxpy.Problem(cvxpy.Maximize(aims @ mu), limits)
    return _solve(cvxpy, task, solver, options, lambda: mu.value, lambda: 0.0)


def clipped_factor(K):
    """Give F with F'F = K, negative eigenvalues counted as rounding.

    Parameters
    ----------
    K : ndarray of shape (n, n)

    Returns
    -------
    ndarray of shape (n, n)
    """
    values, vectors = np.linalg.eigh(K)
    return (vectors * np.sqrt(np.clip(values, 0.0, None))).T


def _ridge(cvxpy, criterion, C):
    if criterion == "l2-auto":
        tau = cvxpy.Variable()
        return tau, [tau >= 0]
    return (1.0 / C if criterion == "l2" else 0.0), []


def _value(tau):
    return float(tau.value) if hasattr(tau, "value") else float(tau)


def _trace(traces, mu, tau, n, criterion, total):
    learned = criterion == "l2-auto"
    given = float(traces.sum() + (n if learned else 0)) if total is None else float(total)
    return (traces @ mu + n * tau if learned else traces @ mu), given


def _solve(cvxpy, task, solver, options, weights, ridge):
    task.solve(solver=solver, **options)
    if task.status not in (cvxpy.OPTIMAL, cvxpy.OPTIMAL_INACCURATE):
        raise ArithmeticError(f"{solver} ended with status {task.status}")
    stats = task.solver_stats
    return Reference(
        value=float(task.value),
        weights=np.asarray(weights()),
        ridge=float(ridge()),
        compile_seconds=float(task.compilation_time or 0.0),
        solve_seconds=float((stats.solve_time or 0.0) + (stats.setup_time or 0.0)),
    )
