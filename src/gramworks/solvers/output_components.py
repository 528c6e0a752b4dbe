"""Kernel principal components of outputs, and pre-images among candidates.

Schoelkopf, Smola and Mueller (1998), Nonlinear component analysis as a kernel eigenvalue problem;
steps 1 and 3 of Weston et al., Kernel dependency estimation, NIPS 15 (2002).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError, KernelError
from gramworks.kernels.transforms import centre

_ZERO = 1e-13  # of n times the largest entry of the Gram: an eigenvalue that is rounding
_NEGATIVE = 1e-6  # of the largest eigenvalue; below it the Gram is of no points
_FLAT = 1e-12  # of the largest entry: a Gram whose entries differ by no more is constant
_LOST = 1e-3  # part of the variance that may be below what rounding leaves of the Gram
_SMALLEST = 1e-290  # largest entry of a Gram below which digits underflow
_TIE = 1e-12  # of the squared lengths: distances this near are ties, not rounding


@dataclass(frozen=True)
class OutputComponents:
    """The p leading principal components v_n = sum_i a_i^n Phi(y_i) of n centred outputs.

    Attributes
    ----------
    eigenvalues : ndarray of shape (p,)
        lambda, descending; of the centred Gram, not divided by the number of points.
    coefficients : ndarray of shape (n, p)
        a^n, with lambda_n (a^n . a^n) = 1 and sum_i a_i^n = 0.
    projections : ndarray of shape (n, p)
        Of the outputs themselves, less their mean: columns sum to zero.
    means : ndarray of shape (n,)
        Row means of the Gram.
    share : float
        Part of the variance of the outputs that the components have; 1 if there is none.
    """

    eigenvalues: np.ndarray
    coefficients: np.ndarray
    projections: np.ndarray
    means: np.ndarray
    share: float

    def project(self, L_new) -> np.ndarray:
        """Project outputs, less the mean of the training outputs.

        Parameters
        ----------
        L_new : ndarray of shape (m, n)
            Output kernel to the training outputs.

        Returns
        -------
        ndarray of shape (m, p)
            <v_n, Phi(y) - mean>. What is double-centred in a Gram and constant in a row falls
            away, since the coefficients sum to zero.
        """
        return (L_new - self.means) @ self.coefficients


def output_components(L, n_components=None) -> OutputComponents:
    """Decompose the centred Gram matrix of outputs.

    Parameters
    ----------
    L : ndarray of shape (n, n)
        Symmetric.
    n_components : None, int or float
        None for all of positive eigenvalue, a number of them (all if there are fewer), or a share
        of the variance in (0, 1), for the fewest that have it.

    Returns
    -------
    OutputComponents
        Without components where all outputs are the same.

    Raises
    ------
    KernelError
        An eigenvalue below -1e-6 of the largest: the outputs are of no feature space. Or what tells
        the outputs apart is lost to rounding, beside what they have in common or by underflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        centred = centre(L)
    if not np.isfinite(centred).all():
        raise KernelError("L is so large that its means overflow; rescale the output kernel")
    n, size = centred.shape[0], np.abs(L).max()
    if 0 < size < _SMALLEST:
        raise KernelError(
            f"L has entries up to {size:.3g}, so small that digits underflow; rescale the outputs "
            "or their kernel"
        )
    scale = size or 1.0  # so that products of small entries do not vanish
    values, vectors = np.linalg.eigh(centred / scale)
    values, vectors = values[::-1] * scale, vectors[:, ::-1]
    if -values[-1] > max(_NEGATIVE * values[0], _ZERO * n * size):
        raise KernelError(
            f"L is not positive semidefinite: its centred smallest eigenvalue is {values[-1]:.3g} "
            f"beside the largest {values[0]:.3g} (down to {-_NEGATIVE:g} of it is rounding). For a "
            "matrix of distances take from_distances(D, indefinite='clip')"
        )
    rank = int((values > _ZERO * n * size).sum())
    total, all_of_it = values[:rank].sum(), np.trace(centred)
    if all_of_it - total > _LOST * all_of_it and np.ptp(L) > _FLAT * size:
        raise KernelError(
            f"L has entries from {L.min():.9g} to {L.max():.9g}, and rounding takes what is left "
            "of them once centred; take what all outputs have in common away before the kernel is "
            "computed: for the linear one, their mean"
        )
    kept = rank
    if isinstance(n_components, (float, np.floating)):
        reached = np.cumsum(values[:rank]) >= n_components * total * (1 - 1e-12)
        kept = min(int(np.argmax(reached)) + 1, rank) if rank else 0
    elif n_components is not None:
        kept = min(int(n_components), rank)
    values, vectors = values[:kept], vectors[:, :kept]
    vectors = vectors - vectors.mean(axis=0)  # zero up to rounding; `project` relies on it
    lengths = np.sqrt(values)
    return OutputComponents(
        eigenvalues=values,
        coefficients=vectors / lengths,
        projections=vectors * lengths,
        means=L.mean(axis=0),
        share=float(values.sum() / total) if rank else 1.0,
    )


def nearest(targets, candidates) -> np.ndarray:
    """Find the nearest candidate of each target; of equally near ones the first.

    Parameters
    ----------
    targets : ndarray of shape (m, p)
    candidates : ndarray of shape (c, p)

    Returns
    -------
    ndarray of shape (m,), int

    Raises
    ------
    FitError
        There are no candidates.
    """
    if not len(candidates):
        raise FitError("candidates is empty; give at least one output to choose from")
    squares = np.einsum("ij,ij->i", candidates, candidates)
    distances = squares - 2.0 * (targets @ candidates.T)
    own = np.einsum("ij,ij->i", targets, targets)
    errors = _TIE * (own[:, None] + squares)  # of a pair: one candidate far away blurs no others
    best = distances.argmin(axis=1)[:, None]
    allowed = np.maximum(errors, np.take_along_axis(errors, best, axis=1))
    return (distances - np.take_along_axis(distances, best, axis=1) <= allowed).argmax(axis=1)
