"""Unknown targets of the least leave-one-out error on known and unknown points together."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

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
    """
    V, g = spectrum.vectors, spectrum.fits
    rank, hidden = g.size, ~known
    weight = 1.0 / (1.0 - (V * V) @ g) ** 2
    # (I - G) W (I - G) = W + U S U' with U = [V, W V]
    U = np.hstack([V, weight[:, None] * V])
    inner = g[:, None] * (V.T @ (weight[:, None] * V)) * g
    S = np.block([[inner, -np.diag(g)], [-np.diag(g), np.zeros((rank, rank))]])
    cross = U[hidden] @ (S @ (U[known].T @ u))
    right = closeness * near - cross
    diagonal = weight[hidden] + closeness
    if 2 * rank < hidden.sum():
        scaled = U[hidden] / diagonal[:, None]
        middle = np.eye(2 * rank) + S @ (U[hidden].T @ scaled)
        start = right / diagonal[:, None]
        return start - scaled @ np.linalg.solve(middle, S @ (U[hidden].T @ start))
    block = U[hidden] @ S @ U[hidden].T
    block[np.diag_indices_from(block)] += diagonal
    return cho_solve(cho_factor(0.5 * (block + block.T)), right)
