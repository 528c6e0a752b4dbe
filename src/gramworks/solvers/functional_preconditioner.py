"""Approximate inverses of I / (2 nu) + N, one family of functionals after another."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from gramworks.solvers.functional_families import AxisDerivatives, DirectionDerivatives


class Preconditioner:
    """What is shared by all nu: the eigenvalues of the Kronecker factor, and diagonal blocks.

    For derivatives along all axes N is near G x I with a t x t matrix G (K / sigma^2 for the
    Gaussian kernel), whose eigenvalues serve every nu. For derivatives along stated directions the
    block of each point is inverted, for values the block of all of them.

    Parameters
    ----------
    system : FunctionalSystem
        In float64.
    """

    def __init__(self, system):
        self.ends = system.ends
        self._parts = [_decompose(system, i) for i in range(len(system.families))]

    def at(self, nu, kind=np.float64):
        """Give the approximate inverse for one nu, a function of a block (r, count)."""
        parts = [part(nu, kind) for part in self._parts]
        if len(parts) == 1:
            return parts[0]
        ends = self.ends

        def apply(R):
            pieces = zip(parts, ends, ends[1:], strict=False)
            return np.concatenate([part(R[:, a:b]) for part, a, b in pieces], axis=1)

        return apply


class _Swapping:
    """Inverse of A -> H A + Y A' Y for t x n matrices A, given that of H.

    With C = A'Y and G = Y' H^-1 Y it is C' + G C = Y' H^-1 R, which the eigenvectors of G part into
    equations for C_de and C_ed.
    """

    def __init__(self, inverse, Y, kind):
        moved = inverse @ Y
        g, V = np.linalg.eigh(Y.T @ moved)
        g = g.clip(0.0, 1.0 - 8.0 * np.finfo(kind).eps)  # 1 at infinite nu; rounding goes beyond
        self.shape = Y.shape
        self._inverse = inverse.astype(kind)
        self._right = (Y @ V).astype(kind)
        self._left = (moved @ V).astype(kind)
        self._back = V.astype(kind)
        self._own = (1.0 / (1.0 - np.outer(g, g))).astype(kind)
        self._other = (-g[None, :] / (1.0 - np.outer(g, g))).astype(kind)

    def __call__(self, R):
        A = np.matmul(self._inverse, R.reshape(len(R), *self.shape))
        for fields in A:
            F = (self._right.T @ fields) @ self._back
            C = self._own * F.T + self._other * F
            fields -= self._left @ (C @ self._back.T)
        return A.reshape(R.shape)


def _decompose(system, index):
    family, expansion = system.families[index], system.expansion
    if isinstance(family, AxisDerivatives):
        values, vectors = np.linalg.eigh(expansion.axis_factor())
        values = values.clip(0.0)
        Y = expansion.swap_factor()

        def at(nu, kind):
            inverse = (vectors / (values + 0.5 / nu)) @ vectors.T
            return _Swapping(inverse, Y, kind)

    elif isinstance(family, DirectionDerivatives):
        blocks = expansion.own_blocks(family.directions)

        def at(nu, kind):
            inverse = np.linalg.inv(blocks + np.eye(blocks.shape[1]) / (2 * nu)).astype(kind)

            def apply(R):
                parts = R.reshape(len(R), *inverse.shape[:2])
                return np.einsum("rim,iml->ril", parts, inverse, optimize=True).reshape(R.shape)

            return apply

    else:
        N = type(system)(expansion, [family]).dense()

        def at(nu, kind):
            shifted = N.copy()
            shifted.flat[:: len(N) + 1] += 0.5 / nu
            factor = scipy.linalg.cho_factor(shifted, overwrite_a=True)

            def apply(R):
                return scipy.linalg.cho_solve(factor, R.T).T.astype(kind)

            return apply

    return at
