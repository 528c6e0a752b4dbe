"""The error of the known and unknown parts where a small ridge makes its eigenvalues tiny.

The eigenvalues of H = (I - G)^2 are (ridge / (mu_K + ridge))^2 on the kernel's range and 1 beyond.
As one less what the kernel takes off they have no digits below 1e-16, and their order is lost. Here
H is kept as B B' with B = [V diag(ridge / (mu_K + ridge)), N], N a basis of the rest: eigenvalues
are squares of the singular values of B's rows, which have digits down to 1e-16 themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_EPS = np.finfo(np.float64).eps
_UNREACHED = 1e-7  # of a unit vector: less of it on the unknown points is rounding


@dataclass(frozen=True)
class Levels:
    """Eigenpairs of H0 and the linear term of one draw.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Eigenvalues of H0, ascending; those beyond are 1, with no linear term.
    vectors : ndarray of shape (l, k)
        Psi.
    linear : ndarray of shape (k,)
        f = Psi'H1 u.
    rounding : tuple of two ndarrays of shape (k,)
        By how much values and linear terms may be off.
    """

    values: np.ndarray
    vectors: np.ndarray
    linear: np.ndarray
    rounding: tuple[np.ndarray, np.ndarray]


def graded_levels(vectors, rests, known, unknown, u) -> Levels:
    """Decompose H0 from its factor.

    Parameters
    ----------
    vectors : ndarray of shape (n, r)
        V, orthonormal.
    rests : ndarray of shape (r,)
        ridge / (mu_K + ridge).
    known, unknown : ndarray of int
    u : ndarray of shape (m,)

    Returns
    -------
    Levels
    """
    on_known, on_unknown = vectors[known], vectors[unknown]
    direct = rests * (on_known.T @ u)
    n, rank = vectors.shape
    if unknown.size <= rank:
        beyond = np.linalg.qr(vectors, mode="complete")[0][:, rank:]
        basis, factor = None, np.hstack([on_unknown * rests, beyond[unknown]])
        known_part = np.concatenate([direct, beyond[known].T @ u])
    else:
        # principal angles: V on the unknown points is P C G', and 1 - C^2 = S^2 what is left of N
        left, sines, right = np.linalg.svd(on_known)
        sines = np.pad(sines, (0, rank - sines.size))
        turned = on_unknown @ right.T
        cosines = np.sqrt((turned**2).sum(axis=0))
        reached = cosines > _UNREACHED
        basis, cosines, sines = (
            turned[:, reached] / cosines[reached],
            cosines[reached],
            sines[reached],
        )
        along = np.zeros(rank)
        along[: left.shape[1]] = (left.T @ u)[:rank]
        factor = np.hstack([np.diag(sines), cosines[:, None] * right[reached] * rests])
        known_part = np.concatenate([-cosines * along[reached], direct])
    psi, roots, rows = np.linalg.svd(factor, full_matrices=False)
    psi, roots, rows = psi[:, ::-1], roots[::-1], rows[::-1]
    off = n * _EPS
    rounding = off * (2 * roots + off), off * (roots + off) * np.linalg.norm(known_part)
    vectors = psi if basis is None else basis @ psi
    return Levels(roots**2, vectors, roots * (rows @ known_part), rounding)
