"""Minimise a convex function over the simplex from cutting planes, with a certified gap.

The level bundle method of Lemarechal, Nemirovskii and Nesterov (Mathematical Programming 69,
1995): each evaluation gives an upper bound and an affine function that lies below the objective
everywhere; the least value of the highest of these is a lower bound of the optimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog, nnls

LEVEL = 0.3  # how far above the lower bound the next point is sought


@dataclass(frozen=True)
class Cut:
    """One evaluation: value >= f(point), and constant + slope @ x <= f(x) for every x."""

    value: float
    constant: float
    slope: np.ndarray
    payload: Any = None


@dataclass
class BundleSolution:
    """The best point met, its cut, and the bounds after every evaluation."""

    point: np.ndarray
    best: Cut
    lower: float
    n_iter: int
    bounds: list[tuple[float, float]] = field(default_factory=list)

    @property
    def gap(self) -> float:
        """Relative certified gap, (upper - lower) / upper."""
        return relative_gap(self.best.value, self.lower)


def relative_gap(upper: float, lower: float) -> float:
    """Give (upper - lower) / upper for a nonnegative objective; 0 where both are 0.

    Bounds that cross by more than the rounding of the cuts prove nothing: inf.
    """
    if lower > upper * (1 + 1e-12):
        return np.inf
    return max(upper - lower, 0.0) / upper if upper > 0 else 0.0


def minimise_on_simplex(
    evaluate: Callable[[np.ndarray, float], Cut],
    n_unknowns: int,
    *,
    gap: float,
    max_iter: int = 300,
    patience: int = 30,
) -> BundleSolution:
    """Minimise a nonnegative convex function over x >= 0, sum x = 1.

    Parameters
    ----------
    evaluate : callable
        `evaluate(x, accuracy)` returns a `Cut` whose value and height at x differ by no more
        than `accuracy` times the value, where it can.
    n_unknowns : int
        Dimension of x.
    gap : float
        Wanted relative gap between the upper and the lower bound.
    max_iter : int
        Cap on evaluations.
    patience : int
        Evaluations without a smaller gap after which rounding is taken to be the limit.

    Returns
    -------
    BundleSolution
        Its gap is what was proved, whether or not it is the one asked for.
    """
    point = np.full(n_unknowns, 1.0 / n_unknowns)
    finest = 0.25 * gap if n_unknowns > 1 else gap
    accuracy = 1e-2 if n_unknowns > 1 else finest
    cuts: list[Cut] = []
    solution = None
    last_gain, least = 0, np.inf
    for iteration in range(1, max_iter + 1):
        cut = evaluate(point, accuracy)
        cuts.append(cut)
        if solution is None:
            solution = BundleSolution(point, cut, 0.0, 1)
        elif cut.value < solution.best.value:
            solution.point, solution.best = point, cut
        solution.n_iter = iteration
        bound, lowest = bound_below(cuts, scale=max(solution.best.value, 1e-300))
        solution.lower = max(solution.lower, bound)
        solution.bounds.append((solution.lower, solution.best.value))
        if solution.gap <= gap:
            break
        if solution.gap < 0.999 * least:
            last_gain, least = iteration, solution.gap
        previous, settled = point, accuracy <= finest
        accuracy = max(finest, 0.1 * solution.gap)
        level = solution.lower + LEVEL * (solution.best.value - solution.lower)
        point = project_on_level(point, cuts, level, fallback=lowest)
        repeated = settled and np.array_equal(point, previous)
        if repeated or iteration - last_gain > patience:
            break
    return solution


def bound_below(cuts: list[Cut], *, scale: float) -> tuple[float, np.ndarray]:
    """Minimise the highest cut over the simplex by linear programming.

    The bound is recomputed from the multipliers: any convex combination of cuts lies below the
    objective, and its minimum over the simplex sits at a corner. So the bound holds whatever
    the tolerance of the linear solver.

    Returns
    -------
    bound : float
    lowest : ndarray of shape (n_unknowns,)
        Where the highest cut is lowest.
    """
    constants = np.array([cut.constant for cut in cuts]) / scale
    slopes = np.array([cut.slope for cut in cuts]) / scale
    n_cuts, n_unknowns = slopes.shape
    # each cut of itself bounds too, and serves when the linear solver fails
    each = (constants + slopes.min(axis=1)) * scale
    bound, lowest = float(each.max()), np.full(n_unknowns, 1.0 / n_unknowns)
    answer = linprog(
        np.append(np.zeros(n_unknowns), 1.0),
        A_ub=np.hstack([slopes, -np.ones((n_cuts, 1))]),
        b_ub=-constants,
        A_eq=np.append(np.ones(n_unknowns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_unknowns + [(None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if answer.status != 0:
        return bound, lowest
    shares = np.maximum(-answer.ineqlin.marginals, 0.0)
    if shares.sum() > 0:
        shares /= shares.sum()
        combined = shares @ constants + (shares @ slopes).min()
        bound = max(bound, float(combined * scale))
    return bound, clean_simplex(answer.x[:n_unknowns])


def project_on_level(centre, cuts: list[Cut], level: float, *, fallback):
    """Find the point of the simplex nearest to `centre` where no cut is above `level`.

    With x = centre + Z z, Z spanning sum x = 0, this is the least distance problem
    min |z| s.t. A z >= b, solved exactly as a nonnegative least squares problem (Lawson and
    Hanson, Solving Least Squares Problems, 1974, chapter 23).
    """
    n_unknowns = centre.shape[0]
    if n_unknowns == 1:
        return centre
    basis = null_space(np.ones((1, n_unknowns)))
    slopes = np.array([cut.slope for cut in cuts])
    heights = np.array([cut.constant for cut in cuts]) + slopes @ centre
    rows = np.vstack([basis, -slopes @ basis])
    limits = np.concatenate([-centre, heights - level])
    sizes = np.linalg.norm(rows, axis=1)
    kept = sizes > 1e-14 * sizes.max()  # a cut without slope asks for nothing
    rows, limits = rows[kept] / sizes[kept, None], limits[kept] / sizes[kept]
    try:
        multipliers, _ = nnls(np.vstack([rows.T, limits]), np.eye(n_unknowns)[-1])
    except RuntimeError:  # its iteration cap
        return fallback
    residual = np.vstack([rows.T, limits]) @ multipliers - np.eye(n_unknowns)[-1]
    if residual[-1] > -1e-12:
        return fallback
    step = -residual[:-1] / residual[-1]
    if np.any(rows @ step < limits - 1e-9 * (1 + np.abs(limits))):
        return fallback
    return clean_simplex(centre + basis @ step)


def clean_simplex(point):
    """Set what rounding left at or below 1e-13 to zero, and the sum to one."""
    point = np.where(point > 1e-13, point, 0.0)
    return point / point.sum()
