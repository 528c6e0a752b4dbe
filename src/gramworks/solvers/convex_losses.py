"""Losses of labelled points and penalties of functionals, as smooth terms and as ramps.

A ramp is bound max(0, slope u + offset), with a slope of -1 or 1. Each loss says which of the two
it is made of, and gives the value of its conjugate, so that a solver knows no loss by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, xlogy

LOSSES = ("logistic", "hinge", "squared")
PENALTIES = ("squared", "absolute", "epsilon-insensitive")


class Ramps(NamedTuple):
    """Ramps of some values u, one entry a ramp."""

    place: np.ndarray
    """Which value each is a function of."""
    slope: np.ndarray
    offset: np.ndarray
    bound: np.ndarray

    @classmethod
    def none(cls) -> Ramps:
        """Give no ramps."""
        nothing = np.zeros(0)
        return cls(np.zeros(0, dtype=np.intp), nothing, nothing, nothing)


@dataclass(frozen=True)
class Losses:
    """sum_i costs_i loss(u_i, signs_i).

    Logistic is log(1 + exp(-y u)), hinge max(0, 1 - y u), squared (u - y)^2.
    """

    kind: str
    signs: np.ndarray
    costs: np.ndarray

    def ramps(self) -> Ramps:
        """Give the ramps it is made of; smooth losses have none."""
        if self.kind != "hinge":
            return Ramps.none()
        n = self.signs.size
        return Ramps(np.arange(n), -self.signs, np.ones(n), self.costs)

    def smooth(self, u) -> tuple[np.ndarray, np.ndarray]:
        """Give slopes and curvatures of what is smooth; zeros for ramps."""
        c, y = self.costs, self.signs
        if self.kind == "squared":
            return 2.0 * c * (u - y), 2.0 * c
        if self.kind == "logistic":
            share = expit(-y * u)
            return -y * c * share, c * share * (1.0 - share)
        return np.zeros(u.size), np.zeros(u.size)

    def value(self, u) -> float:
        """Give the sum."""
        if self.kind == "squared":
            return float(self.costs @ np.square(u - self.signs))
        if self.kind == "logistic":
            return float(self.costs @ np.logaddexp(0.0, -self.signs * u))
        return float(self.costs @ np.maximum(1.0 - self.signs * u, 0.0))

    def conjugate(self, a) -> float:
        """Give the sum of the conjugates at -a, for a in their domain."""
        if self.kind == "squared":
            return float(np.sum(a**2 / (4.0 * self.costs)) - self.signs @ a)
        beta = self.signs * a
        if self.kind == "hinge":
            return float(-beta.sum())
        share = np.clip(beta / self.costs, 0.0, 1.0)
        return float(self.costs @ (xlogy(share, share) + xlogy(1.0 - share, 1.0 - share)))

    def balanced(self, a) -> np.ndarray:
        """Move a point of the conjugates' domain to one whose sum is zero."""
        if self.kind == "squared":
            return a - a.mean()
        moved = a.copy()
        ahead = self.signs > 0
        plus, minus = a[ahead].sum(), -a[~ahead].sum()
        if plus > minus:
            moved[ahead] *= minus / plus
        elif minus > plus:
            moved[~ahead] *= plus / minus
        return moved


@dataclass(frozen=True)
class Penalties:
    """nu sum_j penalty(u_j): u^2, |u| or max(0, |u| - epsilon)."""

    kind: str
    nu: float
    epsilon: float = 0.0
    """Of the epsilon-insensitive penalty."""

    @property
    def free(self) -> float:
        """How large a value may be that is not penalised."""
        return self.epsilon if self.kind == "epsilon-insensitive" else 0.0

    def ramps(self, count: int) -> Ramps:
        """Give the ramps of so many functionals, two each; the squared penalty has none."""
        if self.kind == "squared":
            return Ramps.none()
        both = np.tile(np.arange(count), 2)
        return Ramps(
            both, np.repeat([1.0, -1.0], count), np.full(2 * count, -self.free),
            np.full(2 * count, self.nu),
        )  # fmt: skip

    def smooth(self, u) -> tuple[np.ndarray, np.ndarray]:
        """Give slopes and curvatures of what is smooth; zeros for ramps."""
        rate = 2.0 * self.nu if self.kind == "squared" else 0.0
        return rate * u, np.full(u.size, rate)

    def value(self, u) -> float:
        """Give the sum."""
        if self.kind == "squared":
            return float(self.nu * (u @ u))
        return float(self.nu * np.maximum(np.abs(u) - self.free, 0.0).sum())

    def conjugate(self, a) -> float:
        """Give the sum of the conjugates at -a, for a in their domain."""
        if self.kind == "squared":
            return float(a @ a / (4.0 * self.nu)) if a.size else 0.0
        return float(self.free * np.abs(a).sum())


def class_costs(signs, C, balanced) -> np.ndarray:
    """Give the weight of each point's loss, C or C divided by the number of points of its class.

    Parameters
    ----------
    signs : ndarray of shape (l,)
    C : float
    balanced : bool

    Returns
    -------
    ndarray of shape (l,)
    """
    costs = np.full(signs.size, float(C))
    for sign in (-1.0, 1.0) if balanced else ():
        costs[signs == sign] /= max(int(np.sum(signs == sign)), 1)
    return costs
