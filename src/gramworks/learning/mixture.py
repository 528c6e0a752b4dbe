"""Kernels from a mixture of Gaussians that unlabelled points have taught."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.mixture import GaussianMixture
from sklearn.utils.validation import check_array, check_is_fitted

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_choice, check_positive, check_whole
from gramworks.kernels.mixtures import marginalised_mixture

COVARIANCES = ("full", "tied", "diag", "spherical")


class MixtureKernel(BaseEstimator):
    """Marginalised kernel of a Gaussian mixture, fitted by expectation maximisation.

    k(x, z) = sum_k P(k|x) P(k|z) x' Sigma_k^-1 z, equation (1) of Chapelle, Weston and Schölkopf,
    NIPS 15 (2002) 601-608.

    Parameters
    ----------
    components : int
        Gaussians of the mixture.
    covariance : {"full", "tied", "diag", "spherical"}
        As of scikit-learn's `GaussianMixture`.
    ridge : float
        Added to the variances, positive.
    random_state : int, optional
        Of the starts of expectation maximisation, of which there are `starts`.
    starts : int

    Attributes
    ----------
    kernel_ : ndarray of shape (n, n)
    shares_ : ndarray of shape (n, components)
        P(k|x).
    mixture_ : GaussianMixture
    converged_ : bool
    """

    def __init__(self, components=2, covariance="full", ridge=1e-6, random_state=0, starts=5):
        self.components = components
        self.covariance = covariance
        self.ridge = ridge
        self.random_state = random_state
        self.starts = starts

    def fit(self, X, y=None):
        """Fit the mixture to all points, labelled or not, and make their kernel.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            A sparse one is made dense.
        y : None

        Returns
        -------
        MixtureKernel

        Raises
        ------
        FitError
            Parameters are not usable, fewer points than components, or a singular covariance.
        """
        components = check_whole(self.components, "components")
        covariance = check_choice(self.covariance, "covariance", COVARIANCES)
        X = _dense(X)
        if len(X) < max(components, 2):
            raise FitError(
                f"components={components} with {len(X)} points; a mixture needs as many points as "
                "components at least, and two"
            )
        mixture = GaussianMixture(
            components, covariance_type=covariance, reg_covar=check_positive(self.ridge, "ridge"),
            n_init=check_whole(self.starts, "starts"), random_state=self.random_state,
            max_iter=500,
        )  # fmt: skip
        try:
            mixture.fit(X)
        except ValueError as error:
            raise FitError(f"the mixture cannot be fitted: {error}; raise ridge") from None
        self.mixture_ = mixture
        self.shares_ = self.mixture_.predict_proba(X)
        self.converged_ = bool(self.mixture_.converged_)
        self._own = X
        self.n_features_in_ = X.shape[1]
        self.kernel_ = marginalised_mixture(X, self.shares_, self._factors())
        return self

    def extend(self, X_new):
        """Give the kernel between new points (n_new, d) and those of the fit."""
        check_is_fitted(self)
        X_new = _dense(X_new)
        if X_new.shape[1] != self.n_features_in_:
            raise FitError(f"X_new has {X_new.shape[1]} columns, the fit had {self.n_features_in_}")
        shares = self.mixture_.predict_proba(X_new)
        return marginalised_mixture(X_new, shares, self._factors(), self._own, self.shares_)

    def _factors(self):
        found = self.mixture_.precisions_cholesky_
        tied = self.mixture_.covariance_type == "tied"
        return [found] * len(self.mixture_.weights_) if tied else list(found)


def _dense(X):
    X = X.toarray() if hasattr(X, "toarray") else X
    return check_array(X, dtype=np.float64)
