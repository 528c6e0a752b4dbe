"""The SVM dual by a primal-dual interior point method, for problems LIBSVM leaves unfinished.

LIBSVM keeps kernel entries in single precision and takes ever more steps as C grows against the
kernel. Here some 20 Cholesky factors of n x n matrices, in double precision, settle the same
problem whatever its scale (Fine and Scheinberg, JMLR 2, 2001; Mehrotra's predictor-corrector).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from gramworks.solvers.svm_certificate import balance

_STEP = 0.995  # share of the way to the boundary


def maximise_dual(K, signs, C, *, accuracy=1e-9, max_iter=100):
    """Maximise a'e - a'Ga/2 over 0 <= a <= C, a'y = 0, with G_ij = y_i y_j K_ij.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semidefinite; read only.
    signs : ndarray of shape (n,)
        Labels, -1 and +1, both present.
    C : float
        Upper bound, positive and finite.
    accuracy : float
        Stop when the residuals add no more than this share of the objective to the gap.
    max_iter : int
        Cap on Newton steps.

    Returns
    -------
    alpha : ndarray of shape (n,)
        Within the bounds; the best point reached where rounding ends the search.
    """
    n = signs.size
    gram = K * np.outer(signs, signs)
    # a start that meets all constraints: shares of C that balance the classes, and multipliers
    # of 0 <= a and of a <= C that make it stationary
    positive = np.count_nonzero(signs > 0) / n
    alpha = C * np.where(signs > 0, 1.0 - positive, positive)
    slack = C - alpha
    gradient = gram @ alpha - 1.0
    shift = 1.0 + np.abs(gradient).mean()
    lower, upper = np.maximum(gradient, 0.0) + shift, np.maximum(-gradient, 0.0) + shift
    intercept, best, error = 0.0, alpha, np.inf
    for _ in range(max_iter):
        gradient = gram @ alpha
        mean = (alpha @ lower + slack @ upper) / (2 * n)
        stationarity = 1.0 - gradient - intercept * signs + lower - upper
        residual = -float(signs @ alpha)
        # what each residual adds to the gap, relative to the objective
        value = abs(alpha.sum() - 0.5 * alpha @ gradient)
        last, error = error, (2 * n * mean + C * np.abs(stationarity).sum()) / value
        if error < last:
            best = alpha
        if error <= accuracy or (2 * n * mean <= 1e-13 * value and error > 0.5 * last):
            break
        newton = _NewtonSystem(gram, signs, alpha, slack, lower, upper)
        if not newton.regular:
            break
        # predictor: how far the complementarity can fall; corrector: its second order error
        step, _, d_lower, d_upper = newton.solve(
            stationarity, residual, -alpha * lower, -slack * upper
        )
        primal = _reach(alpha, step, slack, -step)
        dual = _reach(lower, d_lower, upper, d_upper)
        ahead = (alpha + primal * step) @ (lower + dual * d_lower)
        ahead += (slack - primal * step) @ (upper + dual * d_upper)
        target = mean * (ahead / (2 * n * mean)) ** 3
        step, move, d_lower, d_upper = newton.solve(
            stationarity,
            residual,
            target - alpha * lower - step * d_lower,
            target - slack * upper + step * d_upper,
        )
        # one length for both: the dual is quadratic in alpha
        length = min(_reach(alpha, step, slack, -step), _reach(lower, d_lower, upper, d_upper))
        if not length > 1e-10:
            break
        length *= _STEP
        alpha, slack = alpha + length * step, slack - length * step
        lower, upper = lower + length * d_lower, upper + length * d_upper
        intercept += length * move
    return balance(np.clip(best, 0.0, C), signs)


class _NewtonSystem:
    """Newton's equations, reduced to one Cholesky factor of G plus a diagonal."""

    def __init__(self, gram, signs, alpha, slack, lower, upper):
        self.signs, self.alpha, self.slack = signs, alpha, slack
        self.lower, self.upper = lower, upper
        matrix = gram.copy()
        matrix[np.diag_indices_from(matrix)] += lower / alpha + upper / slack
        try:
            self.factor = cho_factor(matrix, lower=True, overwrite_a=True)
            self.along = cho_solve(self.factor, signs)
        except (LinAlgError, ValueError):
            self.factor = None

    @property
    def regular(self):
        return self.factor is not None

    def solve(self, stationarity, balance, low, up):
        """Give the steps of alpha, the intercept, and both multipliers."""
        step = cho_solve(self.factor, stationarity + low / self.alpha - up / self.slack)
        move = (self.signs @ step - balance) / (self.signs @ self.along)
        step = step - move * self.along
        d_lower = (low - self.lower * step) / self.alpha
        d_upper = (up + self.upper * step) / self.slack
        return step, move, d_lower, d_upper


def _reach(first, d_first, second, d_second):
    """Give the largest step up to 1 that keeps both from falling below zero."""
    values = np.concatenate([first, second])
    steps = np.concatenate([d_first, d_second])
    falling = steps < 0
    ratios = -values[falling] / steps[falling]
    return min(1.0, float(ratios.min())) if ratios.size else 1.0
