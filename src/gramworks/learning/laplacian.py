"""Laplacian kernels: a kernel whose functions are smooth on the graph of nearest neighbours."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from gramworks.errors import FitError, KernelError
from gramworks.fitting.graph_weights import graph_weights
from gramworks.fitting.inputs import LARGEST, check_new, check_positive, check_square
from gramworks.solvers.laplacian import kernel_root, laplacian_spectrum


class LaplacianKernel(BaseEstimator):
    """Kernel of the norm |f|^2 + gamma f'Lf, L the Laplacian of the neighbour graph.

    A machine on this kernel is the Laplacian machine of Belkin, Niyogi and Sindhwani, JMLR 7 (2006)
    2399-2434, on the base kernel (Sindhwani, Niyogi and Belkin, ICML 2005, equation (6)):
    K~ = K - K (I/gamma + L K)^-1 L K = K (I + gamma L K)^-1.

    Parameters
    ----------
    gamma : float
        Weight of the penalty f'Lf = sum over pairs of W_ij (f_i - f_j)^2, 0 or more.
    neighbours : int or None
        W_ij = K_ij where one of i and j is among so many nearest neighbours of the other, by the
        distance that K induces, else 0; None: W = K.

    Attributes
    ----------
    kernel_ : ndarray of shape (n, n)
        K itself (a copy) for gamma = 0.
    weights_ : ndarray of shape (n, n)
        W; its diagonal has no effect.

    Notes
    -----
    Two eigendecompositions of order n; `laplacian_spectrum` of `gramworks.solvers.laplacian` has
    the kernels of all gammas from them. Functions that are constant on each connected part of the
    graph are not penalised. Rows and columns are the points of K in their order: a machine is
    fitted on ``kernel_[labelled][:, labelled]`` and predicts from ``extend(K_new)[:, labelled]``.
    The diagonal shrinks as gamma grows; see `InvarianceKernel` on what that does to C.
    """

    def __init__(self, gamma, neighbours=5):
        self.gamma = gamma
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
            Positive semidefinite kernel without negative entries, such as a Gaussian one; only
            read.
        y : None
            Labels have no part in it.

        Returns
        -------
        LaplacianKernel

        Raises
        ------
        FitError
            Parameters or K are not usable.
        KernelError
            K is not symmetric, finite and positive semidefinite, or has negative entries, which
            are no weights.
        """
        gamma = self._checked_gamma()
        K = check_square(K)
        if K.size and (largest := float(np.abs(K).max())) > LARGEST:
            raise KernelError(f"K has entries up to {largest:.3g}; allowed: up to {LARGEST:g}")
        self.weights_ = graph_weights(K, self.neighbours)
        root = kernel_root(K)
        if gamma == 0:
            self.kernel_ = K.copy()
        else:
            spectrum = laplacian_spectrum(root, self.weights_)
            self.kernel_ = spectrum.block(gamma)
            self._lift, self._learned = spectrum.extension(root, gamma)
        self.n_features_in_ = len(K)
        self._gamma = gamma
        return self

    def extend(self, K_new):
        """Give the learned kernel between new points and those of the fit.

        The graph stays that of the fit: k~(x, .) = k(x)' (I - gamma L K~), worked out without
        that difference, which would be rounding alone for large gamma.

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
        if self._gamma == 0:
            return K_new.copy()
        return (K_new @ self._lift) @ self._learned

    def _checked_gamma(self) -> float:
        if isinstance(self.gamma, (int, float, np.number)) and self.gamma == 0:
            return 0.0
        try:
            return check_positive(self.gamma, "gamma")
        except FitError as error:
            raise FitError(f"{error}, or 0 for K itself") from None
