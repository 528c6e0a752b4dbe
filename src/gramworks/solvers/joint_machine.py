"""Machines with losses on points and penalties on functionals, with a certified duality gap.

Minimises |f|^2/2 + sum_i c_i l1(f(x_i) + b, y_i) + nu sum_j l2(L_j f) (Zhang, Lee and Teh, NIPS 26,
2013, equation (2)) over f = sum_k a_k v_k, the v_k being k(x_i, .) and the representers z_j, from
their Gram matrix M, by a primal-dual interior point method. A ramp bound max(0, r) is the least
bound s over s >= 0, s >= r, whose multipliers beta and bound - beta stay positive; smooth terms
enter by their slopes and curvatures. A step factors one positive definite matrix of the size of M.
The gap is between values of the problem itself: that of (f, b), and that of its dual at the slopes,
which are feasible once they are balanced.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from gramworks.solvers.convex_losses import Losses, Penalties, Ramps

_INSIDE = 0.995  # part of the way to the nearest bound that a step goes
_EPS = np.finfo(np.float64).eps
_PATIENCE = 12  # steps without a smaller gap before the search is given up
_HALVINGS = 12
_SHORT, _EVEN = 0.3, 0.5


@dataclass(frozen=True)
class JointSolution:
    """A machine on points and functionals, and how good it is.

    Attributes
    ----------
    coefficients : ndarray of shape (l + m,)
        a; the values of f on points and functionals are M a, decision values f + intercept.
    intercept : float
    objective : float
    gap : float
        (objective - dual value) / objective: the optimum is at most so much better.
    n_iter : int
        Steps.
    converged : bool
        Whether the gap is as small as was asked for.
    """

    coefficients: np.ndarray
    intercept: float
    objective: float
    gap: float
    n_iter: int
    converged: bool


def solve_joint(
    M, losses: Losses, penalties: Penalties, *, bias=True, tol=1e-6, max_iter=200
) -> JointSolution:
    """Solve one machine.

    Parameters
    ----------
    M : ndarray of shape (l + m, l + m)
        Gram matrix of the l labelled points and then m functionals; only read.
    losses : Losses
        Of the l points, which have both signs if there is a bias.
    penalties : Penalties
        Of the m functionals, with nu > 0 unless m = 0.
    bias : bool
        Whether an unpenalised b is added.
    tol : float
        Relative gap to reach.
    max_iter : int
        Cap on steps.

    Returns
    -------
    JointSolution
        The one of the least gap met.
    """
    problem = _Problem(np.asarray(M, dtype=np.float64), losses, penalties, bias)
    state, best, since = problem.start(), None, 0
    for step in range(max_iter + 1):
        found = problem.certify(state, tol, step)
        since = 0 if best is None or found.gap < best.gap else since + 1
        best = found if since == 0 else best
        if best.converged or since == _PATIENCE or step == max_iter:
            break
        moved = problem.advance(state)
        if moved is None:
            break
        state = moved
    return replace(best, n_iter=step)


def _relative_gap(objective, bound) -> float:
    """Give (objective - bound) / objective; inf where the two are no numbers or certify nothing.

    All terms are at least 0 where M is semidefinite, so that a value below says that it is not.
    """
    if objective == 0.0:
        return 0.0
    if not (np.isfinite(objective) and np.isfinite(bound) and objective > 0.0):
        return float("inf")
    return max((objective - bound) / objective, 0.0)


class _State(NamedTuple):
    """Where the method is: f and b, and multipliers and slacks of the ramps."""

    a: np.ndarray
    u: np.ndarray
    """M a + b on points, M a on functionals"""
    b: float
    beta: np.ndarray
    """multiplier of s >= r; that of s >= 0 is the bound less beta"""
    s: np.ndarray
    p: np.ndarray
    """s - r"""


class _Problem:
    """The problem of one call: its terms, and the steps towards its solution."""

    def __init__(self, M, losses, penalties, bias):
        self.M, self.losses, self.penalties, self.bias = M, losses, penalties, bias
        self.l, self.n = losses.signs.size, len(M)
        self.own = (np.arange(self.n) < self.l).astype(float)  # what the bias is added to
        mine, others = losses.ramps(), penalties.ramps(self.n - self.l)
        others = others._replace(place=others.place + self.l)
        self.ramps = Ramps(*(np.concatenate(pair) for pair in zip(mine, others, strict=True)))
        self.level = float(np.trace(M)) / max(self.n, 1)

    def start(self) -> _State:
        """Start in the middle of the multipliers, with slacks of the size of the values there."""
        beta = np.minimum(0.5 * self.ramps.bound, 1.0 / (self.level or 1.0))
        a = -self._at_places(self.ramps.slope * beta)
        u = self.M @ a
        r = self._over(u)
        away = 1.0 + np.abs(r)
        return _State(a, u, 0.0, beta, np.maximum(r, 0.0) + away, np.maximum(-r, 0.0) + away)

    def certify(self, state, tol, steps) -> JointSolution:
        """Evaluate the problem at (a, b) and its dual at the slopes."""
        f = state.u - state.b * self.own
        objective = (
            0.5 * float(state.a @ f)
            + self.losses.value(state.u[: self.l])
            + self.penalties.value(state.u[self.l :])
        )
        dual = -self._slopes(state)[0]
        if self.bias:
            dual[: self.l] = self.losses.balanced(dual[: self.l])
        bound = (
            -0.5 * float(dual @ (self.M @ dual))
            - self.losses.conjugate(dual[: self.l])
            - self.penalties.conjugate(dual[self.l :])
        )
        gap = _relative_gap(objective, bound)
        return JointSolution(state.a, float(state.b), objective, gap, steps, gap <= tol)

    def advance(self, state) -> _State | None:
        """Go one step: first where it would lead without centring, then the centred one."""
        slopes, curvatures = self._slopes(state)
        gamma = self.ramps.bound - state.beta
        with np.errstate(divide="ignore", over="ignore"):
            weight = 1.0 / (state.s / gamma + state.p / state.beta)
        W = curvatures + self._at_places(weight)
        D = np.clip(1.0 / np.maximum(W, 1e-150), 4.0 * _EPS * self.n * self.level, None)
        system = self.M.copy()
        system[np.diag_indices_from(system)] += D
        try:
            factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        rates = cho_solve(factor, self.own, check_finite=False) if self.bias else None
        solve = (factor, rates, D, weight, gamma, slopes)
        if not self.ramps.place.size:
            return self._shortened(state, self._direction(state, *solve, 0.0, 0.0), 1.0)
        mean = float(state.beta @ state.p + gamma @ state.s) / (2 * gamma.size)
        ahead = self._direction(state, *solve, 0.0, 0.0)
        t = self._longest(state, ahead, gamma)
        after = self._moved(state, ahead, t)
        left = float(after.beta @ after.p + (self.ramps.bound - after.beta) @ after.s)
        rest = state.a + slopes
        # slacks that vanish before smooth terms have settled would hold the method up
        least = min(mean, 0.1 * self.level * float(rest @ rest) / (2 * gamma.size))
        target = max(mean * min((left / (2 * gamma.size * mean)) ** 3, 1.0), least)
        second = (ahead.beta * ahead.p, -ahead.beta * ahead.s)
        step = self._direction(state, *solve, target - second[0], target - second[1])
        t = _INSIDE * self._longest(state, step, gamma)
        if t < _SHORT:  # products far from equal: towards their mean instead
            even = self._direction(state, *solve, _EVEN * mean, _EVEN * mean)
            longer = _INSIDE * self._longest(state, even, gamma)
            step, t = (even, longer) if longer > t else (step, t)
        return self._shortened(state, step, min(t, 1.0))

    def _direction(self, state, factor, rates, D, weight, gamma, slopes, low, high) -> _State:
        """Solve for a direction; low and high are the wanted products beta p and gamma s."""
        wanted = self._over(state.u) - high / gamma + low / state.beta
        h = -(state.a + slopes) - self._at_places(self.ramps.slope * weight * wanted)
        solved = cho_solve(factor, D * h, check_finite=False)
        move_b = 0.0
        if self.bias:
            move_b = float(self.own @ (solved + state.a)) / float(self.own @ rates)
            solved = solved - move_b * rates
        moved = self.M @ solved + move_b * self.own
        over = (D * (h - solved))[self.ramps.place]  # equals `moved` there, without its rounding
        beta = weight * (self.ramps.slope * over + wanted)
        p = (low - state.beta * state.p - state.p * beta) / state.beta
        s = (high - gamma * state.s + state.s * beta) / gamma
        return _State(solved, moved, move_b, beta, s, p)

    def _longest(self, state, step, gamma) -> float:
        """Find how far a step can go before a multiplier or slack is zero, 1 at most."""
        values = np.concatenate([state.beta, gamma, state.s, state.p])
        moves = np.concatenate([step.beta, -step.beta, step.s, step.p])
        falling = moves < 0
        return min(1.0, float(np.min(values[falling] / -moves[falling], initial=np.inf)))

    def _moved(self, state, step, t) -> _State:
        return _State(*(now + t * move for now, move in zip(state, step, strict=True)))

    def _shortened(self, state, step, t) -> _State:
        """Halve the step until the conditions that are not linear hold no worse than before."""
        before = self._misses(state)
        for _ in range(_HALVINGS):
            moved = self._moved(state, step, t)
            if self._misses(moved) <= (1.0 - 0.01 * t) * before or self._settled(moved):
                break
            t *= 0.5
        return moved

    def _misses(self, state) -> float:
        """Measure how far coefficients are from the slopes, and slacks from the values."""
        rest = state.a + self._slopes(state)[0]
        slack = self._over(state.u) - state.s + state.p
        return float(np.sqrt(self.level * (rest @ rest) + slack @ slack))

    def _settled(self, state) -> bool:
        scale = np.sqrt(self.level * (state.a @ state.a)) + np.abs(state.u).max(initial=0.0) + 1.0
        return self._misses(state) <= 1e-9 * scale

    def _slopes(self, state) -> tuple[np.ndarray, np.ndarray]:
        """Give the slope of all terms, those of ramps by their multipliers, and curvatures."""
        points = self.losses.smooth(state.u[: self.l])
        others = self.penalties.smooth(state.u[self.l :])
        slopes = np.concatenate([points[0], others[0]])
        slopes += self._at_places(self.ramps.slope * state.beta)
        return slopes, np.concatenate([points[1], others[1]])

    def _over(self, u) -> np.ndarray:
        """Give r = slope u + offset of each ramp."""
        return self.ramps.slope * u[self.ramps.place] + self.ramps.offset

    def _at_places(self, values) -> np.ndarray:
        return np.bincount(self.ramps.place, values, minlength=self.n)
