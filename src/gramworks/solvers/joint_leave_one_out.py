"""Unknown targets of the least leave-one-out error on known and unknown points together."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from gramworks.errors import FitError
from gramworks.solvers.target_error import ErrorSpectrum


def minimise_joint_leave_one_out(spectrum: ErrorSpectrum, known, u, near, closeness):
    """Minimise sum_i (((G y - y)_i / (1 - G_ii))^2 + closeness |t - near|^2 over t, y = (t, u).

    The first term is the leave-one-out error of kernel ridge regression over all n points; the
    second keeps t by the values that the known points alone give (Chapelle, Vapnik and Weston,
    NIPS 12, 1999, where it is a constraint).

    Parameters
    ----------
    spectrum : ErrorSpectrum
    known : ndarray of shape (n,), bool
    u : ndarray of shape (m, q)
        Known targets, a column each.
    near : ndarray of shape (n - m, q)
    closeness : float
        Not negative.

    Returns
    -------
    ndarray of shape (n - m, q)

    Raises
    ------
    FitError
        Ridge and closeness are so small that rounding is all that is left.
    """
    V, g = spectrum.vectors, spectrum.fits
    hidden = ~known
    weight = 1.0 / (1.0 - (V * V) @ g) ** 2
    # (I - G) W (I - G) times y with t = 0, on the unknown rows
    known_only = np.zeros((known.size, u.shape[1]))
    known_only[known] = u
    weighted = weight[:, None] * (known_only - _fit(V, g, known_only))
    cross = (weighted - _fit(V, g, weighted))[hidden]
    right = closeness * near - cross
    if 2 * g.size < hidden.sum():
        return _solve_low_rank(V, g, weight, hidden, closeness, right)
    error = -V @ (g[:, None] * V[hidden].T)  # columns of I - G
    error[np.flatnonzero(hidden), np.arange(hidden.sum())] += 1.0
    block = error.T @ (weight[:, None] * error)
    block[np.diag_indices_from(block)] += closeness
    try:
        return cho_solve(cho_factor(block), right)
    except LinAlgError:
        raise FitError(
            "rounding leaves nothing of the leave-one-out error at so small a ridge and closeness; "
            "raise them"
        ) from None


def _fit(V, g, y):
    return V @ (g[:, None] * (V.T @ y))


def _solve_low_rank(V, g, weight, hidden, closeness, right):
    """Solve by (I - G) W (I - G) = W + U S U' with U = [V, W V] (Woodbury)."""
    rank = g.size
    U = np.hstack([V, weight[:, None] * V])
    inner = g[:, None] * (V.T @ (weight[:, None] * V)) * g
    S = np.block([[inner, -np.diag(g)], [-np.diag(g), np.zeros((rank, rank))]])
    diagonal = weight[hidden] + closeness
    scaled = U[hidden] / diagonal[:, None]
    middle = np.eye(2 * rank) + S @ (U[hidden].T @ scaled)
    start = right / diagonal[:, None]
    return start - scaled @ np.linalg.solve(middle, S @ (U[hidden].T @ start))
