"""Exact coefficients of a support vector machine from nearly right ones.

At the optimum the coefficients strictly between their bounds solve a linear system. Guessing
which these are, solving, and guessing again from the signs of coefficients and margins is a
semismooth Newton method (Hintermueller, Ito and Kunisch, SIAM J. Optim. 13, 2002): from a good
start it ends after a few systems, at the accuracy of double precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

_PROXIMITY = (1e-8, 1e-5, 1e-11)  # of the largest diagonal entry, tried in turn


@dataclass
class FreeSystem:
    """Equations of the coefficients strictly between their bounds.

    Attributes
    ----------
    free : ndarray of shape (f,), int
        Their positions.
    signs : ndarray of shape (f,)
        Their labels.
    """

    free: np.ndarray
    signs: np.ndarray
    _lift: float
    _factor: tuple
    _along: np.ndarray

    @classmethod
    def of(cls, K, signs, free, shift):
        """Factor the block of `free` plus a multiple of the identity; None where that fails."""
        block = K[free][:, free]  # faster than both at once
        # a multiple of yy' changes no solution with given a'y, and lifts the null direction of
        # as many points as the rank of K and one more
        lift = float(block.diagonal().max(initial=0.0))
        block += lift
        block[np.diag_indices_from(block)] += shift
        try:
            factor = cho_factor(block, lower=True, overwrite_a=True, check_finite=False)
        except (LinAlgError, ValueError):
            return None
        # G = D K D with the signs on D's diagonal: K D a = D right
        along = cho_solve(factor, np.ones(free.size), check_finite=False)
        return cls(free, signs[free], lift, factor, along) if along.sum() > 0 else None

    def solve(self, right, balance=0.0):
        """Find (a, b) with G a + b y = right and a'y = balance.

        Parameters
        ----------
        right : ndarray of shape (f,) or (f, k)
        balance : float

        Returns
        -------
        a : ndarray of the shape of `right`
        b : float or ndarray of shape (k,)
        """
        signs = self.signs if right.ndim == 1 else self.signs[:, None]
        signed = cho_solve(self._factor, signs * right, check_finite=False)
        b = (signed.sum(axis=0) - balance) / self._along.sum()
        return signs * (signed - np.multiply.outer(self._along, b)), b + self._lift * balance


def polish_dual(K, signs, C, alpha, *, accuracy=1e-10, max_iter=40):
    """Solve max a'e - a'Ga/2 over 0 <= a <= C, a'y = 0 from a nearby start.

    Each system has a small multiple of |a - start|^2 added, so that it has one solution where
    points depend on each other; the start then moves to the solution, until that stays.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semidefinite; read only.
    signs : ndarray of shape (n,)
    C : float
    alpha : ndarray of shape (n,)
        Start, within the bounds.
    accuracy : float
        Largest violation of the margin of a coefficient between its bounds.
    max_iter : int
        Cap on linear systems at each size of the added term.

    Returns
    -------
    (ndarray of shape (n,), FreeSystem) or None
        None where the guesses did not settle.
    """
    scale = K.diagonal().max()
    if not scale > 0:
        return None
    for proximity in _PROXIMITY:
        found = _settle(K, signs, C, alpha, scale, proximity * scale, accuracy, max_iter)
        if found is not None:
            return found
    return None


def guess_system(K, signs, C, alpha):
    """Give the equations of the coefficients that seem to be between their bounds.

    Parameters
    ----------
    K, signs, C, alpha
        As of `polish_dual`.

    Returns
    -------
    FreeSystem or None
        None where no coefficient is.
    """
    scale = K.diagonal().max()
    free = np.flatnonzero((alpha > 1e-5 * alpha.max()) & (alpha < (1 - 1e-5) * C))
    if free.size == 0 or not scale > 0:
        return None
    return FreeSystem.of(K, signs, free, _PROXIMITY[1] * scale)


def _settle(K, signs, C, alpha, scale, shift, accuracy, max_iter):
    lower, upper = _guess_bounds(K, signs, C, alpha, scale)
    seen, system, last = set(), None, np.inf
    for _ in range(max_iter):
        if system is None:
            free = np.flatnonzero(~(lower | upper))
            if free.size == 0:
                return None
            system = FreeSystem.of(K, signs, free, shift)
            if system is None:
                return None
            alpha = np.where(upper, C, np.where(lower, 0.0, alpha))
            scores = _scores(K, signs, alpha)
        moved, intercept = system.solve(1.0 - system.signs * scores[free], -float(signs @ alpha))
        alpha = alpha.copy()
        alpha[free] += moved
        scores = _scores(K, signs, alpha)
        shortfall = 1.0 - signs * (scores + intercept)
        error = np.abs(shortfall[free]).max()
        guess = alpha + shortfall / scale
        # of a free coefficient the shortfall is 0 up to rounding: its value decides
        guess[free] = alpha[free]
        slack = 1e-10 / scale
        new_lower = (guess < 0) | (lower & (guess <= slack))
        new_upper = (guess > C) | (upper & (guess >= C - slack))
        if np.array_equal(new_lower, lower) and np.array_equal(new_upper, upper):
            if error <= accuracy or error > 0.5 * last:
                return np.clip(alpha, 0.0, C), system
            last = error
            continue
        lower, upper, system, last = new_lower, new_upper, None, np.inf
        alpha = np.clip(alpha, 0.0, C)
        key = (lower.tobytes(), upper.tobytes())
        if key in seen:
            return None
        seen.add(key)
    return None


def _guess_bounds(K, signs, C, alpha, scale):
    """Guess which coefficients are at their bounds, from their values and their margins."""
    # where the bound is out of reach, what is small is told by the largest coefficient
    size = C if C * scale < 1e6 else alpha.max(initial=0.0)
    lower, upper = alpha <= 1e-12 * size, alpha >= (1 - 1e-9) * C
    inner = (alpha > 1e-4 * size) & (alpha < C - 1e-4 * size)
    if inner.any():
        scores = _scores(K, signs, alpha)
        intercept = np.median((signs - scores)[inner])
        guess = alpha + (1.0 - signs * (scores + intercept)) / scale
        # an interior point method leaves what is at a bound a little inside
        lower |= (guess < 0) & (alpha <= 1e-4 * size)
        upper |= (guess > C) & (alpha >= C - 1e-4 * size)
    return lower, upper


def _scores(K, signs, alpha):
    used = np.flatnonzero(alpha)
    signed = signs[used] * alpha[used]
    return signed @ K[used] if used.size < 0.7 * signs.size else K @ (signs * alpha)
