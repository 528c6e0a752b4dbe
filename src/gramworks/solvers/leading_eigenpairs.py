"""The largest eigenvalues of a normalised affinity, by the method that suits size and number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from gramworks.kernels.eigenvalue_ends import lanczos_ends
from gramworks.solvers.affinity import Affinity

FULL_POINTS = 1000  # up to here all pairs cost less than a second
SUBSET_POINTS = 2500  # up to here LAPACK's subset costs less than Lanczos' products
SUBSET_SHARE = 4  # from a quarter of all pairs on Lanczos has no advantage
NEGATIVE = 1e-8  # of the largest; an affinity below it is not semidefinite
_ROUGH, _CLOSE = 1e-4, 1e-8  # how well the largest eigenvalue beside the found ones is known


@dataclass(frozen=True)
class Eigenpairs:
    """Largest eigenvalues and their eigenvectors.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Descending.
    vectors : ndarray of shape (n, k)
    """

    values: np.ndarray
    vectors: np.ndarray

    @property
    def complete(self) -> bool:
        """Whether these are all pairs."""
        return self.vectors.shape[0] == self.values.size


def leading_eigenpairs(affinity: Affinity, count: int) -> Eigenpairs:
    """Find the `count` largest eigenvalues of L, more where that costs nothing.

    All pairs come from LAPACK up to 1000 points, or where more than a quarter are wanted; its
    subset is taken up to 2500 points, and Lanczos beyond, which needs no copy of the matrix. A
    further Lanczos run with the found pairs taken out tells whether a copy of a multiple eigenvalue
    was missed; LAPACK's subset is taken then, and where Lanczos takes longer than it would.

    Parameters
    ----------
    affinity : Affinity
    count : int

    Returns
    -------
    Eigenpairs
    """
    n = affinity.n
    if n <= FULL_POINTS or count * SUBSET_SHARE >= n:
        return _lapack(affinity, None)
    if n > SUBSET_POINTS:
        found = _lanczos(affinity, count)
        if found is not None:
            return found
    return _lapack(affinity, [n - count, n - 1])


def is_semidefinite(affinity: Affinity) -> bool:
    """Tell whether L has no eigenvalue below -1e-8; its largest is 1."""
    ends = lanczos_ends(
        affinity.multiply, affinity.n, tolerance=NEGATIVE, least_steps=30, most_steps=300
    )
    return ends.smallest >= -NEGATIVE


def _lapack(affinity, part) -> Eigenpairs:
    values, vectors = scipy.linalg.eigh(
        affinity.dense(), subset_by_index=part, overwrite_a=True, check_finite=False,
        driver="evd" if part is None else "evr",
    )  # fmt: skip
    return Eigenpairs(values[::-1].copy(), np.ascontiguousarray(vectors[:, ::-1]))


def _lanczos(affinity, count) -> Eigenpairs | None:
    """Give the pairs, or None where they cost more than LAPACK's or a copy may be missed."""
    n = affinity.n
    start = np.random.default_rng(0).standard_normal((2, n))
    operator = LinearOperator((n, n), matvec=affinity.multiply, dtype=np.float64)
    basis = min(n, 2 * count + 20)
    # LAPACK takes the time of some 2 n products; a restart takes basis - count of them
    most = max(10, 2 * n // (basis - count))
    try:
        values, vectors = eigsh(
            operator, k=count, which="LA", v0=start[0], ncv=basis, tol=0, maxiter=most
        )
        vectors = np.ascontiguousarray(vectors[:, ::-1])
        values = values[::-1].copy()

        def deflated(vector):
            # moved to -1, the found pairs are out of the way whatever is left
            inside = vectors.T @ vector
            return affinity.multiply(vector) - vectors @ ((values + 1.0) * inside)

        left = LinearOperator((n, n), matvec=deflated, dtype=np.float64)
        # roughly at first; what comes near the last value is looked at more closely
        for tolerance in (_ROUGH, _CLOSE):
            [rest] = eigsh(
                left, k=1, which="LA", v0=start[1], tol=tolerance, maxiter=most,
                return_eigenvectors=False,
            )  # fmt: skip
            if rest + tolerance < values[-1]:
                break
    except ArpackError:
        return None
    return None if rest > values[-1] + _CLOSE else Eigenpairs(values, vectors)
