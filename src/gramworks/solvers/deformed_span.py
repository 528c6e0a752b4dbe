"""The deformed kernel with functions restricted to the span of k(x_i, .): an approximation."""

from __future__ import annotations

import numpy as np

from gramworks.solvers.functional_families import AxisDerivatives

_CUT = 1e-12  # eigenvalues of K below this part of the largest are rounding


class SpanApproximation:
    """K~ = K (K + 2 nu P)^-1 K with P_ab = sum_j L_j(k(x_a, .)) L_j(k(x_b, .)), for every nu.

    With K = U D U' and D^-1/2 U' P U D^-1/2 = Q diag(g) Q' it is W diag(1 / (1 + 2 nu g)) W' with
    W = U D^1/2 Q, so that one decomposition serves all nu. It is never above the deformed
    kernel (in the order of semidefinite matrices), near it for small nu, and exact where the
    representers lie in the span, as differences of values do.

    Parameters
    ----------
    system : FunctionalSystem
    """

    def __init__(self, system):
        K = system.expansion.gram
        P = np.zeros_like(K)
        for family in system.families:
            if isinstance(family, AxisDerivatives):
                P += system.expansion.gradient_products()
            else:
                Z = type(system)(system.expansion, [family]).columns(slice(None))
                P += Z @ Z.T
        values, vectors = np.linalg.eigh(K)
        kept = values > _CUT * values[-1]
        roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
        scaled = (vectors.T @ P @ vectors) / np.outer(roots, roots)
        self._weights, Q = np.linalg.eigh(0.5 * (scaled + scaled.T))
        self._weights = self._weights.clip(0.0)
        self._basis = (vectors * roots) @ Q
        self._dual = (vectors / roots) @ Q

    def deform(self, nu) -> np.ndarray:
        """Give K~ for one nu, (t, t), exactly symmetric."""
        half = self._basis / np.sqrt(1.0 + 2.0 * nu * self._weights)
        return half @ half.T

    def extend(self, nu, K_new) -> np.ndarray:
        """Give K~ between new points and those of the fit, from K between them."""
        return ((K_new @ self._dual) / (1.0 + 2.0 * nu * self._weights)) @ self._basis.T
