"""Cluster kernels: the spectrum of a kernel changed with unlabelled points."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gramworks.fitting.inputs import (
    check_choice,
    check_new,
    check_positive,
    check_square,
    check_whole,
)
from gramworks.solvers.affinity import normalised_affinity
from gramworks.solvers.cluster_spectrum import cluster_spectrum
from gramworks.solvers.kernel_inverse import solve_from_nearest
from gramworks.solvers.transfer import TRANSFERS, Transfer


class ClusterKernel(BaseEstimator):
    """Kernel in which points of one cluster are near, from labelled and unlabelled points alike.

    With D = diag(row sums of K) and L = D^-1/2 K D^-1/2 = U diag(lambda) U', a transfer function
    phi gives L~ = U phi(lambda) U', and the learned kernel is L~ scaled to unit diagonal. Chapelle,
    Weston and Schölkopf, NIPS 15 (2002) 601-608, section 3.

    Parameters
    ----------
    transfer : {"poly-step", "step", "linear-step", "polynomial", "linear"}
        phi(lambda_i), lambda descending: lambda^(1/p) for i <= r and lambda^q beyond; 1 and 0;
        lambda and 0; lambda^steps; lambda, which gives K scaled to unit diagonal.
    rank : int
        r. Eigenvalues equal to the r-th (to 1e-8) are taken with it, so that the learned kernel
        is a function of K alone; `rank_` says how many are. Any number from 1; from n on there is
        nothing beyond the cut. The paper takes ten more than there are labelled points, or the r of
        the lowest span estimate: `gramworks.solvers.span_estimate.span_estimate` on the labelled
        block of `kernel_`, for r = 2 to 30, as `rank: span` of the method cluster-kernel does.
    p, q : float
        Of "poly-step", positive.
    steps : int
        t of "polynomial", the length of a random walk.
    neighbours : int, optional
        Take the affinity between so many nearest neighbours alone (either of the other) instead of
        K. Default: all points.

    Attributes
    ----------
    kernel_ : ndarray of shape (n, n)
        Unit diagonal, positive semidefinite.
    eigenvalues_ : ndarray of shape (k,)
        Largest eigenvalues of L, descending: all of them for up to 1000 points, `rank` and some
        more beyond.
    rank_ : int
        How many eigenvalues are before the cut.
    outside_ : ndarray of shape (n,), bool
        Points without part in the kept directions (L~_ii = 0), such as those of a cluster that the
        step function drops: they are similar to themselves alone.

    Notes
    -----
    Negative eigenvalues of L are taken as 0, and eigenvalues of 0 (up to 1e-10) never count as
    before the cut. K is kept for `extend`, not copied. Memory beside K, in n^2 numbers: 1 for the
    step functions, 2 for "poly-step", 3 for "polynomial"; time of order n^2 rank for the step
    functions.
    """

    def __init__(self, transfer="poly-step", rank=10, p=2, q=2, steps=5, neighbours=None):
        self.transfer = transfer
        self.rank = rank
        self.p = p
        self.q = q
        self.steps = steps
        self.neighbours = neighbours

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags

    def fit(self, K, y=None):
        """Learn the kernel over all points, labelled, unlabelled and test.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Positive semidefinite kernel with positive row sums; only read.
        y : None
            Labels have no part in it.

        Returns
        -------
        ClusterKernel

        Raises
        ------
        FitError
            Parameters or K are not usable.
        KernelError
            K is not finite and symmetric, or a row sum is not positive; the row is named.
        """
        transfer = Transfer(
            check_choice(self.transfer, "transfer", TRANSFERS),
            check_whole(self.rank, "rank"),
            check_positive(self.p, "p"),
            check_positive(self.q, "q"),
            check_whole(self.steps, "steps"),
        )
        neighbours = self.neighbours
        if neighbours is not None:
            neighbours = check_whole(neighbours, "neighbours")
        K = check_square(K)
        affinity = normalised_affinity(K, neighbours)
        spectrum = cluster_spectrum(affinity, [transfer], min(transfer.rank, len(K)))
        self.eigenvalues_ = spectrum.values
        self.rank_ = spectrum.cut(transfer.rank) if transfer.cuts else len(K)
        self.outside_ = np.isinf(spectrum.lengths(transfer))
        self.kernel_ = spectrum.kernel(transfer, overwrite=True)
        self.n_features_in_ = len(K)
        self._own = K
        return self

    def extend(self, K_new):
        """Give the learned kernel between new points and those of the fit, K~ K^-1 v.

        A new point is taken as the combination of the points of the fit that is nearest to it in
        the feature space of K (section 3, "How to handle test points"). Where K is singular, so
        that there are many, it is the one closest to the nearest point of the fit alone;
        eigenvalues of K below n eps of the largest count as 0.

        Parameters
        ----------
        K_new : array-like of shape (n_new, n)
            K between the new points and those of the fit.

        Returns
        -------
        ndarray of shape (n_new, n)
        """
        check_is_fitted(self)
        K_new = check_new(K_new, self.n_features_in_)
        return solve_from_nearest(self._own, K_new.T).T @ self.kernel_
