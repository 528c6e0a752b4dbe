"""A quadratic on a sphere: its global minimum by a safeguarded secular equation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError

_EPS = np.finfo(np.float64).eps
_MOST_STEPS = 200


@dataclass(frozen=True)
class SphereMinimum:
    """Global minima; leading axes are problems, solved together.

    Attributes
    ----------
    coordinates : ndarray of shape (..., n)
        xi, in the basis of the eigenvectors.
    multiplier : ndarray of shape (...)
        mu of (mu - mu_a) xi_a = f_a; at most the smallest eigenvalue. NaN at radius 0.
    gap : ndarray of shape (...)
        mu_1 - mu, with all its digits where it is small beside mu_1.
    energy : ndarray of shape (...)
        sum_a mu_a xi_a^2 + 2 sum_a f_a xi_a.
    hard : ndarray of shape (...), bool
        Whether the hard case holds: mu is mu_1, the minimum is not unique.
    """

    coordinates: np.ndarray
    multiplier: np.ndarray
    gap: np.ndarray
    energy: np.ndarray
    hard: np.ndarray


def minimise_on_sphere(eigenvalues, linear, radius, rounding=None) -> SphereMinimum:
    """Minimise sum_a mu_a xi_a^2 + 2 sum_a f_a xi_a subject to |xi| = radius.

    The minimum is xi_a = f_a / (mu - mu_a) with the root mu <= mu_1 of the secular equation
    sum_a (f_a / (mu - mu_a))^2 = radius^2, (7) of Angelini et al. (2007). Newton's method on
    1 / |xi(mu)|, which is concave in mu_1 - mu, rises to the root from a lower bound of it; a
    bracket guards it. In the hard case f is zero on the lowest eigenspace and the others are too
    short at mu = mu_1: the missing length goes along the first eigenvector, in its positive
    direction.

    Parameters
    ----------
    eigenvalues : ndarray of shape (..., n)
        mu_a, ascending.
    linear : ndarray of shape (..., n)
        f_a. On the lowest eigenspace (eigenvalues equal up to rounding) it counts as zero where
        it is rounding beside the largest numbers of the problem.
    radius : float, or ndarray of shape (...)
    rounding : tuple of two ndarrays of shape (..., n), optional
        By how much eigenvalues and f_a may be off, where that is less than rounding beside the
        largest of them: what eigenvalues of one space may differ by, and what of f counts as zero.

    Returns
    -------
    SphereMinimum

    Raises
    ------
    FitError
        A negative or infinite radius, or no coordinates for a positive one.
    """
    mu, f = np.asarray(eigenvalues, dtype=float), np.asarray(linear, dtype=float)
    shape = np.broadcast_shapes(mu.shape, f.shape)
    s = np.broadcast_to(np.asarray(radius, dtype=float), shape[:-1])
    if not (np.isfinite(s).all() and (s >= 0).all()):
        raise FitError(f"the radius is {radius!r}; allowed: finite numbers from 0")
    if shape[-1] == 0:
        if (s > 0).any():
            raise FitError("no unknown coordinate is left, but the radius of the sphere is not 0")
        nothing = np.zeros(s.shape)
        return SphereMinimum(np.zeros(shape), nothing + np.nan, nothing, nothing, s < 0)
    unit = np.where(s > 0, s, 1.0)[..., None]
    w, d = f / unit, mu - mu[..., :1]
    if rounding is None:
        n = shape[-1]
        apart = n * _EPS * np.abs(mu).max(axis=-1, keepdims=True)
        tiny = apart + n * _EPS * np.abs(w).max(axis=-1, keepdims=True)
    else:
        apart, tiny = rounding[0][..., :1], rounding[1][..., :1] / unit
    lowest = d <= apart
    w = np.where(lowest & (_length(np.where(lowest, w, 0.0))[..., None] <= tiny), 0.0, w)
    size = np.abs(w)
    with np.errstate(divide="ignore", invalid="ignore"):
        at_pole = np.where(w == 0, 0.0, size / d)
    hard = _length(at_pole) <= 1.0  # never where w is not zero at a pole
    low = np.maximum((size - d).max(axis=-1), 0.0)
    delta = _root(size, d, low, np.maximum(_length(size), low), ~hard)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(w == 0, 0.0, -w / (d + delta[..., None]))
    missing = np.sqrt(np.maximum(1.0 - (z**2).sum(axis=-1), 0.0))
    z[..., 0] = np.where(hard, missing, z[..., 0])
    z /= _length(z)[..., None]
    xi = np.where(s[..., None] > 0, z * unit, 0.0)
    multiplier = np.where(s > 0, mu[..., 0] - delta, np.nan)
    energy = (mu * xi**2 + 2 * f * xi).sum(axis=-1)
    return SphereMinimum(xi, multiplier, delta, energy, hard & (s > 0))


def _root(size, d, low, high, wanted):
    """Solve sum (size / (d + delta))^2 = 1 for delta in [low, high], where wanted; else 0."""
    delta = np.where(wanted, low, 0.0)
    active = wanted.copy()
    low, high = low.copy(), high.copy()
    for _ in range(_MOST_STEPS):
        if not active.any():
            break
        shifted = d + delta[..., None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(size == 0, 0.0, size / shifted)
            length = _length(ratio)
            slope = ((ratio / length[..., None]) ** 2 / shifted).sum(axis=-1)
            step = (length - 1.0) / slope
        low = np.where(active & (length >= 1), np.maximum(low, delta), low)
        high = np.where(active & (length < 1), np.minimum(high, delta), high)
        tried = delta + step
        inside = np.isfinite(tried) & (tried >= low) & (tried <= high)
        middle = np.sqrt(low) * np.sqrt(high)
        tried = np.where(inside, tried, np.where(low > 0, middle, 0.5 * high))
        still = active & (np.abs(length - 1.0) > 2 * _EPS) & (tried != delta)
        delta = np.where(still, tried, delta)
        active = still
    return delta


def _length(x):
    return np.sqrt((x**2).sum(axis=-1))
