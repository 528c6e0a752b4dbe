"""The combination of kernels that is most aligned with a matrix.

Lanckriet et al., JMLR 5 (2004), (52)-(55): maximise <K(mu), Y>_F over <K(mu), K(mu)>_F <= 1,
K(mu) = sum_i mu_i K_i, mu nonnegative, or of any sign with K(mu) positive semidefinite. With the
products S_ij = <K_i, K_j>_F and q_i = <K_i, Y>_F that is: maximise mu'q over mu'S mu <= 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from gramworks.errors import FitError
from gramworks.solvers.bundle import Cut, minimise_over
from gramworks.solvers.kernel_sums import combine
from gramworks.solvers.psd_slice import PsdSlice

DEPENDENT = 1e-12  # eigenvalue of the products of kernels of norm 1, of the largest


@dataclass(frozen=True)
class AlignmentSolution:
    """Weights with mu'S mu = 1.

    Attributes
    ----------
    weights : ndarray of shape (m,)
    value : float
        mu'q, a lower bound of the maximum.
    gap : float
        (upper - value) / upper, certified.
    n_iter : int
        Points tried; 0 where a linear or least squares problem was enough.
    left_out : float
        Of free weights: size of the combinations of kernels that were taken for zero.
    """

    weights: np.ndarray
    value: float
    gap: float
    n_iter: int
    left_out: float = 0.0


def align_nonnegative(products, targets):
    """Maximise mu'q over mu'S mu <= 1, mu >= 0, (55).

    Up to its length mu solves the nonnegative least squares problem min mu'S mu - 2 mu'q, which
    is also the one of Cortes, Mohri and Rostamizadeh, JMLR 13 (2012), proposition 9, when S and
    q are of centred kernels.

    Parameters
    ----------
    products : ndarray of shape (m, m)
        S, positive semidefinite.
    targets : ndarray of shape (m,)
        q.

    Returns
    -------
    AlignmentSolution

    Raises
    ------
    FitError
        No kernel has a positive product with Y.
    """
    sizes, used, scaled, aims = _scale(products, targets)
    if not np.any(aims > 0):
        raise FitError(
            "no kernel has a positive alignment with the labels, so that no nonnegative "
            "combination has: take other kernels, or weights='free'"
        )
    values, vectors = np.linalg.eigh(scaled)
    kept = values > DEPENDENT * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    root = (vectors * np.sqrt(values)).T
    found, _ = nnls(root, (vectors.T @ aims) / np.sqrt(values))
    found /= np.sqrt(found @ scaled @ found)
    value = float(found @ aims)
    # for any s >= 0 the maximum is at most |q + s| in the norm of the inverse of S
    slack = np.maximum(value * (scaled @ found) - aims, 0.0)
    bound = float(np.linalg.norm((vectors.T @ (aims + slack)) / np.sqrt(values)))
    weights = np.zeros(targets.size)
    weights[used] = found / sizes
    return AlignmentSolution(weights, value, max(bound - value, 0.0) / bound, 0)


def align_free(kernels, products, targets, *, gap=1e-6, max_iter=100):
    """Maximise mu'q over mu'S mu <= 1 with K(mu) positive semidefinite, (53).

    The same up to its length: minimise mu'S mu over mu'q = 1 and K(mu) positive semidefinite.

    Parameters
    ----------
    kernels : sequence of m ndarrays of shape (n, n)
        Positive semidefinite; read only.
    products : ndarray of shape (m, m)
    targets : ndarray of shape (m,)
        q, not negative.
    gap : float
        Wanted relative gap of the value.
    max_iter : int

    Returns
    -------
    AlignmentSolution

    Raises
    ------
    FitError
        All of q are zero.
    """
    _, used, _, aims = _scale(products, targets)
    if not np.any(aims > 0):
        raise FitError("no kernel has a positive alignment with the labels; take other kernels")
    chosen = [kernels[i] for i in used]
    norms = np.sqrt(products.diagonal()[used])
    # products of about 1 whatever the scale of a kernel
    domain = PsdSlice(chosen, float(aims.max()), functional=aims * norms)
    size = domain.size

    def evaluate(point, _accuracy):
        square = float(point @ point)  # of the length, in an orthonormal basis
        return Cut(square, -square, 2.0 * point, 2.0 * np.eye(size))

    found = minimise_over(domain, evaluate, gap=gap, max_iter=max_iter, start=domain.steepest())
    weights = np.zeros(targets.size)
    mu = domain.transform @ found.point
    kernel = combine(chosen, mu)
    weights[used] = mu / np.linalg.norm(kernel)
    # the value is 1 / length: a gap of the square is twice as large
    gap = 1.0 - np.sqrt(max(1.0 - found.gap, 0.0))
    if domain.indefiniteness(kernel):
        gap = 1.0  # what is no kernel has no value
    value = float(weights @ targets)
    return AlignmentSolution(weights, value, gap, found.n_iter, domain.left_out)


def _scale(products, targets):
    """Divide by the norms of the kernels, without those that are zero."""
    norms = np.sqrt(products.diagonal())
    used = np.flatnonzero(norms > 0)
    if used.size == 0:
        raise FitError("all kernels are zero; give at least one that is not")
    sizes = norms[used]
    return (
        sizes,
        used,
        products[np.ix_(used, used)] / np.outer(sizes, sizes),
        targets[used] / sizes,
    )
