"""Combinations of kernels, of any sign, that are positive semidefinite and of given trace.

The set {mu : K(mu) psd, trace K(mu) = c}, K(mu) = sum_i mu_i K_i over all n points, is known by
its lowest eigenvectors: at every point tried these span a few more directions U, and
U'K(mu)U psd holds for every mu of the set (a subspace method, as in Kangal, Meerbergen, Mengi and
Michiels, SIAM J. Matrix Anal. Appl. 39, 2018). All is done on the span of the kernels: a pivoted
Cholesky factor of their sum names the points that carry it, and makes the sum the identity there.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.linalg.lapack import dpotrf, dpstrf, dsygst

from gramworks.solvers.domains import Constraints
from gramworks.solvers.kernel_sums import combine

DEPENDENT = 1e-7  # size of a combination of kernels of norm 1 that counts as zero
ROUNDING = 1e-13  # the same, of kernels that are dependent but for their own rounding
INDEFINITE = 1e-9  # negative eigenvalue of the learned kernel, of the largest
SINGULAR = 1e-10  # squared distance to the span of other points, of the largest diagonal entry
FAR = 0.05  # share of the way to the middle
INSIDE = 1e-9  # smallest eigenvalue of admitted points, relative to that of the middle


class PsdSlice:
    """The set of weights, in coordinates in which |z| <= 1.

    Parameters
    ----------
    kernels : sequence of m ndarrays of shape (n, n)
        Positive semidefinite, over all points, not zero; read only.
    total : float
        c.
    functional : ndarray of shape (m,), optional
        Nonnegative numbers q instead of the traces: mu'q = c, and of these K(mu) only those
        that are no longer in Frobenius norm than the middle.
    ridge : bool
        Whether one more coordinate stands for the share of the trace that a nonnegative
        multiple of the identity has; it is not part of the semidefinite kernel.

    Attributes
    ----------
    size : int
        Coordinates.
    transform : ndarray of shape (m, size)
        mu = transform z; the weight of the identity is not in it.
    n_decompositions : int
    left_out : float
        Largest size of the combinations that count as zero, of the largest combination of
        kernels of norm 1 with coefficients of length 1.
    """

    def __init__(self, kernels, total, *, functional=None, ridge=False):
        m, n = len(kernels), kernels[0].shape[0]
        traces = np.array([np.trace(K) for K in kernels])
        fixed = traces if functional is None else functional
        inner = frobenius_products(kernels)
        sizes = np.sqrt(inner.diagonal())
        values, vectors = np.linalg.eigh(inner / np.outer(sizes, sizes))
        # their own products lose half of the digits: small ones are computed once more
        for j in np.flatnonzero(values < 1e-6 * values[-1]):
            values[j] = np.linalg.norm(combine(kernels, vectors[:, j] / sizes)) ** 2
        kept = values > DEPENDENT**2 * values[-1]
        self.left_out = float(np.sqrt(values[~kept].max(initial=0.0) / values[-1]))
        values, vectors = values[kept], vectors[:, kept]
        # the middle: every kernel at the same trace
        parts = m + 1 if ridge else m
        weights = 1.0 / traces
        weights *= total * m / (parts * (fixed @ weights))
        middle_coordinates = np.sqrt(values) * (vectors.T @ (weights * sizes))
        # of a semidefinite matrix the Frobenius norm is no more than the trace
        longest = total if functional is None else float(np.linalg.norm(middle_coordinates))
        self.longest = longest
        self.transform = longest * (vectors / np.sqrt(values)) / sizes[:, None]
        self.normal = fixed @ self.transform / total
        self._middle = middle_coordinates / longest
        self.radius = 1.0
        if ridge:
            self.transform = np.hstack([self.transform, np.zeros((m, 1))])
            self.normal = np.append(self.normal, 1.0)
            self._middle = np.append(self._middle, 1.0 / parts)
            self.radius = np.sqrt(2.0)
        self.size = self.normal.size
        self.ridge = ridge

        middle = combine(kernels, weights)
        factor, order, rank, _ = dpstrf(
            middle, tol=SINGULAR * middle.diagonal().max(), lower=1, overwrite_a=0
        )
        self._points = np.sort(order[:rank] - 1)
        whole = self._points.size == n
        self._kernels = [K if whole else K[self._points][:, self._points] for K in kernels]
        # in the order of the points, for one factor that fits the blocks as they are
        self._factor = np.linalg.cholesky(middle[self._points][:, self._points])
        # at the optimum no more than sqrt(2 size) directions are needed (Pataki, Math. Oper. Res.
        # 23, 1998); the time of the master problem grows with the sixth power of those kept
        needed = int(np.ceil(np.sqrt(2 * self.size)))
        self._new, self._kept = max(3, needed // 2), max(8, 2 * needed)
        rank = self._points.size
        self._directions = self._carrying = np.zeros((rank, 0))
        self._block = None
        self._noise = None
        self.n_decompositions = 0

    def start(self):
        """Give the middle: every kernel at the same trace."""
        return self._middle.copy()

    def steepest(self):
        """Give the shortest vector with the wanted value of the functional."""
        return self.normal / (self.normal @ self.normal)

    def constraints(self):
        """Give what is known of the set: |z_j| <= 1, and the directions met so far."""
        unit = np.eye(self.size)
        rows, limits = [unit, -unit], [np.full(2 * self.size, -1.0)]
        if self.ridge:
            rows.append(unit[-1:])
            limits.append(np.zeros(1))
        blocks = [] if self._block is None else [self._block]
        return Constraints(self.normal, np.vstack(rows), np.concatenate(limits), blocks)

    def lowest(self, point, count):
        """Give the lowest eigenvalues and eigenvectors of K(mu) where the middle is the identity.

        Returns
        -------
        values : ndarray of shape (count,)
        directions : ndarray of shape (r, count)
            In the coordinates of the span.
        """
        matrix = combine(self._kernels, self.transform @ point)
        matrix, _ = dsygst(matrix, self._factor, lower=1, overwrite_a=1)
        self.n_decompositions += 1
        last = min(count, matrix.shape[0]) - 1
        return eigh(
            matrix, lower=True, overwrite_a=True, check_finite=False, subset_by_index=[0, last]
        )

    def admit(self, point):
        """Pull a point towards the middle until its kernel is positive semidefinite."""
        point = point + self.normal * (1.0 - self.normal @ point) / (self.normal @ self.normal)
        if self.ridge:
            point = self._clear_ridge(point)
        values, directions = self.lowest(point, self._new)
        if values[0] < 1.0 - 1e-9:
            self._take(directions[:, values < max(0.3, 2 * values[0])], point)
        if values[0] < INSIDE:
            share = (INSIDE - values[0]) / (1.0 - values[0])
            if share > FAR and self._directions.shape[1] >= self._kept:
                self._kept += self._new  # what is known of the set is not enough
            point = (1.0 - share) * point + share * self._middle
        return point

    def _clear_ridge(self, point):
        if point[-1] > 1e-13:
            return point
        share = -point[-1] / (self._middle[-1] - point[-1]) if point[-1] < 0 else 0.0
        point = (1.0 - share) * point + share * self._middle
        point[-1] = 0.0
        return point

    def _take(self, directions, point):
        # first what the last lower bound rests on, then what is new, then the rest
        found = np.hstack([self._carrying, directions, self._directions])
        basis, triangle = np.linalg.qr(found)
        self._directions = basis[:, np.abs(triangle.diagonal()) > 1e-6][:, : self._kept]
        vectors = solve_triangular(self._factor, self._directions, lower=True, trans="T")
        products = np.array([vectors.T @ (K @ vectors) for K in self._kernels])
        self._block = np.einsum("ij,ikl->jkl", self.transform, products)
        self._block = 0.5 * (self._block + self._block.transpose(0, 2, 1))
        # rounding of u'K(mu)u at weights of the size met
        lengths = np.einsum("ij,ij->j", vectors, vectors)
        heights = np.array([K.diagonal().max() for K in self._kernels])
        size = np.abs(self.transform @ point) @ heights
        self._noise = 4 * np.finfo(float).eps * lengths * size

    def indefiniteness(self, kernel):
        """Give the most negative eigenvalue of a kernel over all points, of the largest.

        0 where it is above -`INDEFINITE`: a Cholesky factor tells that at a tenth of the cost.
        """
        vector = kernel @ np.ones(kernel.shape[0])
        for _ in range(3):  # power iteration: a lower bound of the largest eigenvalue
            vector = kernel @ (vector / max(np.linalg.norm(vector), np.finfo(float).tiny))
        shifted = kernel.copy(order="F")
        shifted.flat[:: kernel.shape[0] + 1] += INDEFINITE * float(np.linalg.norm(vector))
        if dpotrf(shifted, lower=1, overwrite_a=1)[1] == 0:
            return 0.0
        values = np.linalg.eigvalsh(kernel)
        share = max(-values[0], 0.0) / values[-1]
        return float(share) if share > INDEFINITE else 0.0

    def largest(self, functionals):
        """Bound the |functional z| of each row."""
        return self.radius * np.linalg.norm(functionals, axis=1)

    def bound_below(self, constant, slope, multipliers):
        """Bound constant + slope z over the set, from multipliers of its constraints."""
        limits = self.constraints()
        constant = constant + float(multipliers.rows @ limits.limits)
        slope = slope - multipliers.rows @ limits.rows
        for block, raw in zip(limits.blocks, multipliers.blocks, strict=True):
            values, vectors = np.linalg.eigh(raw)
            dual = (vectors * np.maximum(values, 0.0)) @ vectors.T
            self._carrying = self._directions @ vectors[:, values > 1e-6 * values[-1]]
            slope = slope - np.einsum("jkl,kl->j", block, dual)
            roots = np.sqrt(self._noise)
            constant -= float(roots @ np.abs(dual) @ roots)
        along = float(slope @ self.normal / (self.normal @ self.normal))
        return constant + along - self.radius * float(np.linalg.norm(slope - along * self.normal))


def frobenius_products(kernels):
    """Give the matrix of the <K_i, K_j>_F.

    Parameters
    ----------
    kernels : sequence of m ndarrays of shape (n, n)

    Returns
    -------
    ndarray of shape (m, m)
    """
    m = len(kernels)
    products = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1):
            products[i, j] = products[j, i] = np.vdot(kernels[i], kernels[j])
    return products
