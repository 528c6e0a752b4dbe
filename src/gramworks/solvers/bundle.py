"""Minimise a convex function over a set of weights from cutting planes, with a certified gap.

Each evaluation gives an upper bound, an affine function that lies below the objective everywhere
and, where the function is smooth, its second derivatives. The next point minimises the highest of
the affine functions plus the curvature at the best point: a bundle method that turns into
Newton's near a smooth minimum (Luksan and Vlcek, Mathematical Programming 83, 1998). The least
value of the highest affine function over the set is a lower bound of the optimum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramworks.solvers.master import solve_master

ROUGH = 2e-2  # accuracy of the first evaluation


@dataclass(frozen=True)
class Cut:
    """One evaluation: value >= f(point), and constant + slope @ x <= f(x) for every x.

    `curvature` is the second derivative at the point, or None.
    """

    value: float
    constant: float
    slope: np.ndarray
    curvature: np.ndarray | None = None
    payload: Any = None


@dataclass
class BundleSolution:
    """The best point met, its cut, and the bounds after every evaluation."""

    point: np.ndarray
    best: Cut
    lower: float
    n_iter: int
    bounds: list[tuple[float, float, float]] = field(default_factory=list)
    """Seconds since the start, lower and upper bound."""

    @property
    def gap(self) -> float:
        """Relative certified gap, (upper - lower) / upper."""
        return relative_gap(self.best.value, self.lower)


def relative_gap(upper: float, lower: float) -> float:
    """Give (upper - lower) / upper for a nonnegative objective; 0 where both are 0.

    Without an upper bound it is 1. Bounds that cross by more than the rounding of the cuts prove
    nothing: inf.
    """
    if not np.isfinite(upper):
        return 1.0
    if lower > upper * (1 + 1e-12):
        return np.inf
    return max(upper - lower, 0.0) / upper if upper > 0 else 0.0


def minimise_over(
    domain,
    evaluate: Callable[[np.ndarray, float], Cut],
    *,
    gap: float,
    max_iter: int = 300,
    patience: int = 30,
    start: np.ndarray | None = None,
) -> BundleSolution:
    """Minimise a nonnegative convex function over a domain.

    Parameters
    ----------
    domain : Simplex or PsdSlice
    evaluate : callable
        `evaluate(x, accuracy)` returns a `Cut` whose value and height at x differ by no more
        than `accuracy` times the value, where it can.
    gap : float
        Wanted relative gap between the upper and the lower bound.
    max_iter : int
        Cap on evaluations.
    patience : int
        Evaluations without a smaller gap after which rounding is taken to be the limit.
    start : ndarray of shape (domain.size,), optional
        First point; default: the middle of the domain.

    Returns
    -------
    BundleSolution
        Its gap is what was proved, whether or not it is the one asked for.
    """
    began = time.perf_counter()
    point = domain.admit(domain.start() if start is None else start)
    finest = 0.1 * gap
    precision = min(max(1e-3 * gap, 1e-11), 1e-8)
    cuts: list[Cut] = []
    solution = None
    last_gain, least, lower = 0, np.inf, -np.inf
    for iteration in range(1, max_iter + 1):
        # far from the optimum a rough value will do
        accuracy = finest if solution is not None else max(finest, ROUGH)
        cut = evaluate(point, accuracy if domain.size > 1 else finest)
        if solution is None and not np.isfinite(cut.value):
            cut = evaluate(point, finest)
        cuts.append(cut)
        if solution is None:
            solution = BundleSolution(point, cut, 0.0, 1)
        elif cut.value < solution.best.value:
            solution.point, solution.best = point, cut
        solution.n_iter = iteration
        step = None
        # curved for the next point; flat for the bound, once the curved one is near, and for
        # every other point where the curved model leads nowhere
        order = [solution.best.curvature, None]
        if iteration - last_gain > 2 and iteration % 2:
            order.reverse()
        for curvature in order:
            upper = solution.best.value
            if step is not None and solution.gap > 100 * gap + 1e-3:
                continue
            found = solve_master(
                domain, cuts, solution.point, curvature, scale=upper, accuracy=precision
            )
            if found is None:
                continue
            lower = max(lower, found.bound)
            solution.lower = max(lower, 0.0)
            step = found.point if step is None else step
            if solution.gap <= gap:
                break
        seconds = time.perf_counter() - began
        solution.bounds.append((seconds, solution.lower, solution.best.value))
        if solution.gap <= gap or step is None:
            break
        width = solution.best.value - lower  # early bounds are below zero
        if width < 0.999 * least:
            last_gain, least = iteration, width
        elif iteration - last_gain > patience:
            break
        point = domain.admit(step)
    return solution
