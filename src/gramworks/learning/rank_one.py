"""Families of rank-one kernels v_i v_i', from the eigenvectors of one kernel."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_new, check_square

ORTHOGONAL = 1e-8  # cosine of two vectors that are taken for orthogonal


class RankOneFamily:
    """Base kernels v_i v_i' that are kept as their vectors.

    A `MarginKernel` or `AlignmentKernel` takes the family in place of a list of kernels:
    Lanckriet et al., JMLR 5 (2004), (32), (37), (42), (46) and (54). The vectors of an
    eigendecomposition are orthogonal, so that free weights are nonnegative ones.

    Parameters
    ----------
    vectors : ndarray of shape (n, p)
        Orthogonal columns over all points.
    eigenvalues : ndarray of shape (p,), optional
        Of the kernel they come from; needed to extend them to new points.

    Raises
    ------
    FitError
        A column is zero or not finite, or two are not orthogonal.

    Attributes
    ----------
    vectors : ndarray of shape (n, p)
    sizes : ndarray of shape (p,)
        Traces of the v_i v_i'.
    """

    def __init__(self, vectors, eigenvalues=None):
        self.vectors = np.asarray(vectors, dtype=np.float64)
        if self.vectors.ndim != 2 or 0 in self.vectors.shape:
            raise FitError(
                f"vectors has shape {self.vectors.shape}; it wants (n, p), a column a kernel"
            )
        if not np.isfinite(self.vectors).all():
            raise FitError("vectors has entries that are not finite")
        self.sizes = (self.vectors**2).sum(axis=0)
        if not np.all(self.sizes > 0):
            raise FitError(f"column {int(self.sizes.argmin())} of vectors is zero; leave it out")
        lengths = np.sqrt(self.sizes)
        cosines = self.vectors.T @ self.vectors / np.outer(lengths, lengths)
        np.fill_diagonal(cosines, 0.0)
        i, j = np.unravel_index(np.abs(cosines).argmax(), cosines.shape)
        if abs(cosines[i, j]) > ORTHOGONAL:
            raise FitError(
                f"columns {i} and {j} of vectors have the cosine {cosines[i, j]:.2g}; the vectors "
                f"of a family are orthogonal (up to {ORTHOGONAL:g}), as eigenvectors are: use "
                "RankOneFamily.from_kernel, or give the kernels v v' themselves as a list"
            )
        self.eigenvalues = eigenvalues

    @classmethod
    def from_kernel(cls, K, rank=None):
        """Take the eigenvectors of the largest eigenvalues.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Only read.
        rank : int, optional
            How many; default: all with an eigenvalue above 1e-10 of the largest.

        Returns
        -------
        RankOneFamily

        Raises
        ------
        FitError
            `rank` is out of range, or the kernel has no positive eigenvalue.
        """
        K = check_square(K)
        n = K.shape[0]
        if rank is not None and not 1 <= rank <= n:
            raise FitError(f"rank={rank!r}; allowed: 1 to the {n} points")
        lowest = 0 if rank is None else n - rank
        values, vectors = eigh(K, subset_by_index=[lowest, n - 1])
        kept = values > 1e-10 * values[-1]
        if not values[-1] > 0:
            raise FitError("K has no positive eigenvalue; give a kernel that is not zero")
        return cls(vectors[:, kept][:, ::-1], values[kept][::-1])

    def __len__(self):
        return self.vectors.shape[1]

    def combine(self, weights, rows=None):
        """Give sum_i mu_i v_i v_i', (n, n), or its rows for new points.

        Parameters
        ----------
        weights : ndarray of shape (p,)
        rows : ndarray of shape (n_new, p), optional
            The vectors on new points.
        """
        rows = self.vectors if rows is None else rows
        return (rows * weights) @ self.vectors.T

    def extend(self, K_new):
        """Give the vectors on new points, from their kernel to the old ones.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n)

        Returns
        -------
        ndarray of shape (n_new, p)
            Nystrom's extension, K_new v_i / lambda_i.
        """
        if self.eigenvalues is None:
            raise FitError("a family without eigenvalues has no extension: use from_kernel")
        return check_new(K_new, self.vectors.shape[0]) @ self.vectors / self.eigenvalues
