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

_JITTER = 1e-13  # of the largest diagonal entry, where points repeat


@dataclass
class FreeSystem:
    """Equations of the coefficients strictly between their bounds.

    Attributes
    ----------
    free : ndarray of shape (f,), int
        Their positions.
    """

    free: np.ndarray
    signs: np.ndarray
    _factor: tuple
    _along: np.ndarray

    @classmethod
    def of(cls, K, signs, free):
        """Factor the block of `free`; None where it is not positive definite."""
        block = K[np.ix_(free, free)]
        y = signs[free]
        block *= y[:, None]
        block *= y
        if free.size:
            block[np.diag_indices_from(block)] += _JITTER * block.diagonal().max()
        try:
            factor = cho_factor(block, lower=True, overwrite_a=True, check_finite=False)
        except (LinAlgError, ValueError):
            return None
        along = cho_solve(factor, y, check_finite=False)
        return cls(free, y, factor, along) if y @ along > 0 else None

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
        a = cho_solve(self._factor, right, check_finite=False)
        b = (self.signs @ a - balance) / (self.signs @ self._along)
        return a - np.multiply.outer(self._along, b), b


def polish_dual(K, signs, C, alpha, *, max_iter=25):
    """Solve max a'e - a'Ga/2 over 0 <= a <= C, a'y = 0 from a nearby start.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semidefinite; read only.
    signs : ndarray of shape (n,)
    C : float
    alpha : ndarray of shape (n,)
        Start, within the bounds.
    max_iter : int
        Cap on linear systems.

    Returns
    -------
    (ndarray of shape (n,), FreeSystem) or None
        None where the guesses did not settle.
    """
    scale = K.diagonal().max()
    if not scale > 0:
        return None
    lower, upper = alpha <= 1e-12 * C, alpha >= (1 - 1e-9) * C
    if C * scale > 1e6:  # a bound out of reach: what is small is told by the coefficients
        lower = alpha <= 1e-9 * alpha.max(initial=0.0)
    seen = set()
    for _ in range(max_iter):
        free = np.flatnonzero(~(lower | upper))
        if free.size == 0:
            return None
        system = FreeSystem.of(K, signs, free)
        if system is None:
            return None
        capped = np.where(upper, C * signs, 0.0)
        y = signs[free]
        pull = K[free] @ capped if upper.any() else 0.0
        found, intercept = system.solve(1.0 - y * pull, -capped.sum())
        alpha = np.where(upper, C, 0.0)
        alpha[free] = found
        used = np.flatnonzero(alpha)
        signed = signs[used] * alpha[used]
        scores = signed @ K[used] if used.size < 0.7 * signs.size else K @ (signs * alpha)
        shortfall = (1.0 - signs * (scores + intercept)) / scale
        # of a free coefficient the shortfall is 0 up to rounding: its value decides
        shortfall[free] = 0.0
        guess = alpha + shortfall
        new_lower, new_upper = guess < 0, guess > C
        new_lower |= lower & (guess <= 1e-10 / scale)
        new_upper |= upper & (guess >= C - 1e-10 / scale)
        if np.array_equal(new_lower, lower) and np.array_equal(new_upper, upper):
            return np.clip(alpha, 0.0, C), system
        lower, upper = new_lower, new_upper
        key = (lower.tobytes(), upper.tobytes())
        if key in seen:
            return None
        seen.add(key)
    return None
