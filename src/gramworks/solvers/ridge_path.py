"""Kernel ridge regression for many ridges from one eigendecomposition of the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError


@dataclass(frozen=True)
class RidgePath:
    """K = V diag(values) V', so that (K + ridge I)^-1 costs two products for any ridge.

    Attributes
    ----------
    values : ndarray of shape (l,)
    vectors : ndarray of shape (l, l)
    """

    values: np.ndarray
    vectors: np.ndarray

    def coefficients(self, targets, ridge) -> np.ndarray:
        """Solve (K + ridge I) a = targets: (l, q) for targets (l, q).

        Raises
        ------
        FitError
            The ridge is too small for K + ridge I to be positive definite in float64.
        """
        return self.vectors @ ((self.vectors.T @ targets) / self._raised(ridge)[:, None])

    def left_out(self, targets, ridge) -> np.ndarray:
        """Give leave-one-out residuals y_i - f^(-i)(x_i), exact: (l, q)."""
        raised = self._raised(ridge)
        inverse = (self.vectors**2 / raised).sum(axis=1)
        return self.coefficients(targets, ridge) / inverse[:, None]

    def predictions(self, K_new, targets, ridges):
        """Yield the predictions (m, q) at new points, K_new (m, l), for each ridge."""
        outer, inner = K_new @ self.vectors, self.vectors.T @ targets
        for ridge in ridges:
            yield outer @ (inner / self._raised(ridge)[:, None])

    def _raised(self, ridge) -> np.ndarray:
        raised = self.values + ridge
        if not raised.min() > np.finfo(float).eps * np.abs(raised).max():
            raise FitError(
                f"K + ridge I is not positive definite in float64: ridge {ridge:g} with the "
                f"smallest eigenvalue {self.values.min():.3g} of K; take a larger ridge"
            )
        return raised


def ridge_path(K) -> RidgePath:
    """Decompose a symmetric kernel matrix of shape (l, l)."""
    values, vectors = np.linalg.eigh(K)
    return RidgePath(values, vectors)
