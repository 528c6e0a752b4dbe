"""Pre-images under a Gaussian kernel by fixed-point iteration.

Schoelkopf, Mika, Burges, Knirsch, Mueller, Raetsch and Smola (1999), Input space versus feature
space in kernel-based methods, IEEE Transactions on Neural Networks 10, section IV.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.kernels.gaussian_kernel import gaussian

_ROUNDING = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class PreImages:
    """Vectors whose images are near given points of the feature space.

    Attributes
    ----------
    vectors : ndarray of shape (m, d)
    converged : ndarray of shape (m,), bool
    fell_back : ndarray of shape (m,), bool
        The start was kept, because the iteration had no next point, did not converge, or ended
        farther away.
    n_iter : int
        Steps of the slowest.
    """

    vectors: np.ndarray
    converged: np.ndarray
    fell_back: np.ndarray
    n_iter: int


def gaussian_preimages(weights, outputs, width, starts, *, max_iter=500, tol=1e-8) -> PreImages:
    """Minimise |Phi(z) - sum_i weights_i Phi(y_i)|^2 over vectors z.

    For l(z, y) = exp(-|z - y|^2 / (2 width^2)) a stationary z is the mean of the y_i, each with
    the factor weights_i l(z, y_i); that equation is iterated.

    Parameters
    ----------
    weights : ndarray of shape (m, n)
        One row a point of the feature space; of any sign.
    outputs : ndarray of shape (n, d)
    width : float
    starts : ndarray of shape (m, d)
    max_iter : int
    tol : float
        Largest step, in units of the width, at which a point counts as converged; or what rounding
        leaves of a larger distance from the mean output.

    Returns
    -------
    PreImages
    """
    given = starts
    middle = outputs.mean(axis=0)  # a common offset would take the digits of the steps
    outputs, starts = outputs - middle, starts - middle
    z = np.array(starts, dtype=np.float64)
    converged, lost = np.zeros(len(z), bool), np.zeros(len(z), bool)
    moving, step = np.arange(len(z)), 0
    while moving.size and step < max_iter:
        step += 1
        factors = weights[moving] * gaussian(z[moving], outputs, width=width)
        sums = factors.sum(axis=1)
        # nothing pulls at z where all factors cancel or vanish
        usable = sums > 1e-12 * np.abs(factors).sum(axis=1)
        lost[moving[~usable]] = True
        moving, factors, sums = moving[usable], factors[usable], sums[usable]
        if not moving.size:
            break
        new = factors @ outputs / sums[:, None]
        steps = np.linalg.norm(new - z[moving], axis=1)
        z[moving] = new
        small = steps <= tol * width + _ROUNDING * np.linalg.norm(new, axis=1)
        converged[moving[small]] = True
        moving = moving[~small]
    worse = _agreement(weights, z, outputs, width) < _agreement(weights, starts, outputs, width)
    fell_back = lost | worse | ~converged
    z += middle
    z[fell_back] = given[fell_back]
    return PreImages(z, converged, fell_back, step)


def _agreement(weights, z, outputs, width) -> np.ndarray:
    """Give <Phi(z), sum_i weights_i Phi(y_i)>, the larger the nearer, since |Phi(z)| = 1."""
    return (weights * gaussian(z, outputs, width=width)).sum(axis=1)
