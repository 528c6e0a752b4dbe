"""All stationary points of a quadratic on a sphere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.solvers.sphere import minimise_on_sphere

_EPS = np.finfo(np.float64).eps
_HALVINGS = 120


@dataclass(frozen=True)
class StationaryPoints:
    """Stationary points by their multipliers, ascending.

    Attributes
    ----------
    multipliers : ndarray of shape (k,)
    energies : ndarray of shape (k,)
        They ascend with the multipliers.
    degenerate : ndarray of shape (k,), bool
        The multiplier is an eigenvalue on whose eigenspace f is zero: a sphere of points, all of
        one energy. The others are single points, roots of the secular equation.
    """

    multipliers: np.ndarray
    energies: np.ndarray
    degenerate: np.ndarray


def stationary_points(eigenvalues, linear, radius, rounding=None) -> StationaryPoints:
    """Find every stationary point of sum mu_a xi_a^2 + 2 sum f_a xi_a on the sphere.

    Between two neighbouring poles the secular function is convex: none, one or two roots, on
    either side of its minimum. Roots are held as distances from the nearer pole.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n,)
        mu_a, ascending; those equal up to rounding are one pole.
    linear : ndarray of shape (n,)
        f_a; rounding beside the largest number counts as zero.
    radius : float
        At 0 there is nothing to be stationary: no points are given.
    rounding : tuple of two ndarrays of shape (n,), optional
        As of `minimise_on_sphere`.

    Returns
    -------
    StationaryPoints
    """
    mu, f = np.asarray(eigenvalues, dtype=float), np.asarray(linear, dtype=float)
    if mu.size == 0 or radius == 0:
        return StationaryPoints(np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool))
    f = f / radius
    if rounding is None:
        size = mu.size * _EPS * np.abs(mu).max()
        apart = np.full(mu.size, size)
        tiny = apart + mu.size * _EPS * np.abs(f).max()
    else:
        apart, tiny = rounding[0], rounding[1] / radius
    poles, weights = _merged(mu, f, apart, tiny)
    free = weights == 0
    found = [_degenerate(poles, weights, float(radius), at) for at in np.flatnonzero(free)]
    poles, weights = poles[~free], weights[~free]
    if poles.size:
        origins, offsets = _roots(poles, weights)
        separations = poles[None, :] - poles[origins][:, None]  # pole less origin
        denominators = separations - offsets[:, None]
        z = -weights / denominators  # f / (mu - mu_a)
        energies = (poles * z**2).sum(axis=1) + 2 * (weights * z).sum(axis=1)
        values = poles[origins] + offsets
        found += [(m, radius**2 * e, False) for m, e in zip(values, energies, strict=True)]
    found = sorted((point for point in found if point is not None), key=lambda p: p[0])
    columns = zip(*found, strict=True) if found else ((), (), ())
    multipliers, energies, degenerate = (np.array(column) for column in columns)
    return StationaryPoints(multipliers, energies, degenerate.astype(bool))


def _merged(mu, f, apart, tiny):
    """Join eigenvalues that are equal up to rounding; f becomes its length on each eigenspace."""
    starts = np.flatnonzero(np.diff(mu, prepend=-np.inf) > apart)
    weights = np.sqrt(np.add.reduceat(f**2, starts))
    return mu[starts], np.where(weights <= tiny[starts], 0.0, weights)


def _degenerate(poles, weights, radius, at):
    others = weights > 0
    z = weights[others] / (poles[at] - poles[others])
    room = 1.0 - (z**2).sum()
    if room < 0:
        return None
    energy = (poles[others] * z**2).sum() + 2 * (weights[others] * z).sum() + poles[at] * room
    return poles[at], radius**2 * energy, True


def _roots(poles, weights):
    """Give the roots as (pole number, signed distance from it)."""
    outer = [
        (0, -float(minimise_on_sphere(poles, weights, 1.0).gap)),
        (poles.size - 1, float(minimise_on_sphere(-poles[::-1], -weights[::-1], 1.0).gap)),
    ]
    gaps = np.diff(poles)
    left = np.arange(gaps.size)
    if gaps.size == 0:
        return _split(outer)
    middle = _value(poles, weights, left, gaps / 2, slope=True)
    nearer = np.where(middle > 0, left, left + 1)  # the minimum lies in that half
    sign = np.where(middle > 0, 1.0, -1.0)
    low, high = np.zeros(gaps.size), gaps / 2
    for _ in range(_HALVINGS):
        x = 0.5 * (low + high)
        beyond = sign * _value(poles, weights, nearer, sign * x, slope=True) > 0
        low, high = np.where(beyond, low, x), np.where(beyond, x, high)
    lowest, x = _value(poles, weights, nearer, sign * high), high
    for side, origin in ((1.0, left), (-1.0, left + 1)):
        has = lowest <= 1.0
        at = np.where(origin == nearer, x, gaps - x)[has]
        pole = origin[has]
        low, high = np.minimum(weights[pole], at), at  # g >= (w / distance)^2
        for _ in range(_HALVINGS):
            tried = np.where(high < 2 * low, 0.5 * (low + high), np.sqrt(low) * np.sqrt(high))
            above = _value(poles, weights, pole, side * tried) > 1.0
            low, high = np.where(above, tried, low), np.where(above, high, tried)
        outer += list(zip(pole, side * high, strict=True))
    return _split(outer)


def _split(roots):
    return np.array([r[0] for r in roots], dtype=int), np.array([r[1] for r in roots])


def _value(poles, weights, origin, offset, slope=False):
    """Evaluate the secular function, or its slope up to a factor, at pole + offset."""
    difference = (poles[origin][:, None] - poles[None, :]) + offset[:, None]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        ratio = weights / difference
        return -(ratio**2 / difference).sum(axis=1) if slope else (ratio**2).sum(axis=1)
