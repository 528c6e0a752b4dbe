"""The training error of kernel ridge regression as a function of unknown targets.

H = (I - G)^2 = I - V diag(d) V' with the eigenvectors V of the centred kernel and shares
d = 1 - (ridge / (mu_K + ridge))^2: a kernel of rank r needs eigenproblems of size r only, and
targets without part in it cost |t|^2 whatever they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError, KernelError
from gramworks.kernels.transforms import centre
from gramworks.solvers.sphere import minimise_on_sphere

_EPS = np.finfo(np.float64).eps
_NEGATIVE = 1e-8  # of the largest eigenvalue; below it the kernel is not semidefinite


@dataclass(frozen=True)
class KernelEigenpairs:
    """Positive eigenvalues (r,), descending, and eigenvectors (n, r) of a centred kernel."""

    values: np.ndarray
    vectors: np.ndarray


@dataclass(frozen=True)
class ErrorSpectrum:
    """H = I - V diag(shares) V'.

    Attributes
    ----------
    vectors : ndarray of shape (n, r)
    fits : ndarray of shape (r,)
        Eigenvalues mu_K / (mu_K + ridge) of G, in 0..1, descending.
    shares : ndarray of shape (r,)
        fits (2 - fits); the eigenvalues of H are one less them.
    """

    vectors: np.ndarray
    fits: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """What each eigenvector takes off the error."""
        return self.fits * (2.0 - self.fits)


@dataclass(frozen=True)
class Targets:
    """Optimal targets of draws, one a row.

    Attributes
    ----------
    targets : ndarray of shape (draws, l)
        t on the unknown points, ascending.
    multiplier, energy : ndarray of shape (draws,)
        Energy t'H0 t + 2 t'H1 u, (6).
    hard : ndarray of shape (draws,), bool
    """

    targets: np.ndarray
    multiplier: np.ndarray
    energy: np.ndarray
    hard: np.ndarray


def kernel_eigenpairs(K) -> KernelEigenpairs:
    """Centre a kernel over all its points and decompose it.

    Raises
    ------
    KernelError
        K is not positive semidefinite once centred.
    """
    n = K.shape[0]
    size = float(np.abs(K).max(initial=0.0))
    values, vectors = np.linalg.eigh(centre(K))
    values, vectors = values[::-1], vectors[:, ::-1]
    if values[-1] < -_NEGATIVE * max(values[0], n * _EPS * size):
        raise KernelError(
            f"K is not positive semidefinite: centred, its smallest eigenvalue is "
            f"{values[-1]:.3g}, the largest {values[0]:.3g}; clip the eigenvalues, or take another "
            "kernel"
        )
    kept = values > n * _EPS * max(values[0], size)
    # a fixed sign: the entry of largest size is positive
    vectors = vectors[:, kept]
    return KernelEigenpairs(values[kept], vectors * _signs_of_largest(vectors.T))


def error_spectrum(pairs: KernelEigenpairs, ridge: float) -> ErrorSpectrum:
    """Give H for one ridge; its eigenvalues are (ridge / (mu_K + ridge))^2."""
    mu = pairs.values
    with np.errstate(over="ignore"):
        return ErrorSpectrum(pairs.vectors, mu / (mu + ridge))


def solve_targets(spectrum: ErrorSpectrum, known, u, radius) -> Targets:
    """Minimise t'H0 t + 2 t'H1 u subject to |t| = radius, for several draws of known points.

    Parameters
    ----------
    spectrum : ErrorSpectrum
    known : ndarray of shape (draws, m), int
        Rows whose target is known, distinct in a draw.
    u : ndarray of shape (draws, m)
    radius : float, or ndarray of shape (draws,)

    Returns
    -------
    Targets

    Raises
    ------
    FitError
        The kernel is constant on the unknown points once centred: all targets are equally good.
    """
    V = spectrum.vectors * np.sqrt(spectrum.shares)
    draws, m = known.shape
    n, rank = V.shape
    unknown = _others(known, n)
    count = n - m
    if count == 0:
        nothing = np.full(draws, np.nan)
        return Targets(np.zeros((draws, 0)), nothing, np.zeros(draws), np.zeros(draws, bool))
    W = V[unknown]
    pull = np.matmul(V[known].transpose(0, 2, 1), u[:, :, None])[:, :, 0]
    small = count < rank
    product = np.matmul(W, W.transpose(0, 2, 1)) if small else np.matmul(W.transpose(0, 2, 1), W)
    shares, Z = _descending(product)
    if rank == 0 or (shares[:, 0] <= n * _EPS * spectrum.shares[0]).any():
        raise FitError(
            "the centred kernel is zero on the unknown points, so that all targets fit equally "
            "well: look for constant features, or take a narrower kernel"
        )
    # the hard case goes along the first eigenvector: its coordinate of largest size is positive
    Z[:, :, 0] *= _signs_of_largest(Z[:, :, 0])[:, None]
    if small:
        linear = -np.matmul(Z.transpose(0, 2, 1), np.matmul(W, pull[:, :, None]))[:, :, 0]
    else:
        along = np.matmul(Z.transpose(0, 2, 1), pull[:, :, None])[:, :, 0]
        linear = -np.sqrt(shares) * along
    # H0 has the eigenvalues 1 - shares; on the sphere a shift by 1 changes the multiplier alone
    found = minimise_on_sphere(-shares, linear, radius)
    xi = found.coordinates
    if not small:
        # Psi = W Z / sqrt(shares) has no digits where a share is small beside the largest one,
        # but xi / sqrt(shares) has: xi = sqrt(shares) along / (mu_a - mu)
        lesser = shares <= 1e-3 * shares[:, :1]
        apart = shares[:, :1] - shares + found.gap[:, None]
        xi = np.where(
            lesser,
            along / np.where(lesser, apart, 1.0),
            xi / np.sqrt(np.where(lesser, 1.0, shares)),
        )
        Z = np.matmul(W, Z)
    t = np.matmul(Z, xi[:, :, None])[:, :, 0]
    return Targets(t, 1.0 + found.multiplier, np.square(radius) + found.energy, found.hard)


def target_levels(spectrum: ErrorSpectrum, known, u):
    """Give the eigenvalues of H0 less 1, ascending, and f = Psi'H1 u, of one draw.

    Returns
    -------
    levels, linear : ndarray of shape (k,)
        Up to the rank r of the kernel, and one more, 0, that stands for all others, where f is 0.
    """
    V = spectrum.vectors * np.sqrt(spectrum.shares)
    unknown = np.setdiff1d(np.arange(V.shape[0]), known)
    _, singular, right = np.linalg.svd(V[unknown], full_matrices=False)
    levels, linear = -(singular**2), -singular * (right @ (V[known].T @ u))
    if len(unknown) > levels.size:
        levels, linear = np.append(levels, 0.0), np.append(linear, 0.0)
    return levels, linear


def general_components(spectrum: ErrorSpectrum, y, most=None):
    """Give the lowest eigenvectors of H - PH - HP + PHP, P = yy', for unit vectors y.

    Parameters
    ----------
    spectrum : ErrorSpectrum
    y : ndarray of shape (draws, n)
        Optimal target vectors.
    most : int, optional
        How many, y itself included; default: all with an eigenvalue below 1.

    Returns
    -------
    values : ndarray of shape (draws, k)
        Ascending, 0 first.
    vectors : ndarray of shape (draws, n, k)
        y first.
    """
    V = spectrum.vectors * np.sqrt(spectrum.shares)
    rest = V - y[:, :, None] * np.matmul(y[:, None, :], V)
    shares, Z = _descending(np.matmul(rest.transpose(0, 2, 1), rest))
    clear = (
        (shares > V.shape[0] * _EPS * spectrum.shares.max(initial=0.0))
        .sum(axis=1)
        .min(initial=shares.shape[1])
    )
    k = int(clear if most is None else min(clear, most - 1))
    shares, vectors = shares[:, :k], np.matmul(rest, Z[:, :, :k])
    vectors = vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    values = np.concatenate([np.zeros((len(y), 1)), 1.0 - shares], axis=1)
    return values, np.concatenate([y[:, :, None], vectors], axis=2)


def _signs_of_largest(rows):
    at = np.abs(rows).argmax(axis=1, keepdims=True)
    return np.where(np.take_along_axis(rows, at, axis=1)[:, 0] < 0, -1.0, 1.0)


def _descending(product):
    shares, Z = np.linalg.eigh(product)
    return np.maximum(shares[:, ::-1], 0.0), Z[:, :, ::-1]


def _others(known, n):
    """Give the rows that are not known, ascending, a draw a row."""
    mask = np.ones((len(known), n), dtype=bool)
    np.put_along_axis(mask, known, False, axis=1)
    return np.nonzero(mask)[1].reshape(len(known), n - known.shape[1])
