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
from gramworks.solvers.graded_error import graded_levels
from gramworks.solvers.sphere import minimise_on_sphere

_EPS = np.finfo(np.float64).eps
_NEGATIVE = 1e-8  # of the largest eigenvalue; below it the kernel is not semidefinite
_LARGEST = 1e150  # squares stay within float64
_GRADED = 1e-9  # smallest eigenvalue of H below which 1 less the shares has too few digits


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
    rests : ndarray of shape (r,)
        One less them, ridge / (mu_K + ridge), with all digits; their squares are the eigenvalues
        of H.
    shares : ndarray of shape (r,)
        fits (2 - fits), one less the eigenvalues of H.
    """

    vectors: np.ndarray
    fits: np.ndarray
    rests: np.ndarray

    @property
    def graded(self) -> bool:
        """Whether H has to be kept as a product, since the ridge is small beside the kernel."""
        return bool(self.rests.min(initial=1.0) ** 2 < _GRADED)

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
        K is not positive semidefinite once centred, or has entries beyond 1e150.
    """
    n = K.shape[0]
    size = float(np.abs(K).max(initial=0.0))
    if size > _LARGEST:
        raise KernelError(
            f"K has entries of {size:.3g}; allowed: up to {_LARGEST:g} in size; divide it, and the "
            "ridge with it"
        )
    values, vectors = np.linalg.eigh(centre(K))
    values, vectors = values[::-1], vectors[:, ::-1]
    if values[-1] < -max(_NEGATIVE * values[0], n * _EPS * size):
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
        return ErrorSpectrum(pairs.vectors, mu / (mu + ridge), ridge / (mu + ridge))


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
    if spectrum.graded:
        return _solve_graded(spectrum, known, unknown, u, np.broadcast_to(radius, draws))
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


def _solve_graded(spectrum, known, unknown, u, radius) -> Targets:
    found = []
    for draw in range(len(known)):
        levels = graded_levels(
            spectrum.vectors, spectrum.rests, known[draw], unknown[draw], u[draw]
        )
        sign = _signs_of_largest(levels.vectors[:, :1].T)[0]  # as for the others
        linear = levels.linear * np.where(np.arange(levels.linear.size) == 0, sign, 1.0)
        minimum = minimise_on_sphere(levels.values, linear, radius[draw], levels.rounding)
        xi = minimum.coordinates.copy()
        xi[0] *= sign
        found.append((levels.vectors @ xi, minimum.multiplier, minimum.energy, minimum.hard))
    return Targets(*(np.array(column) for column in zip(*found, strict=True)))


def target_levels(spectrum: ErrorSpectrum, known, u):
    """Give the eigenvalues of H0, ascending, and f = Psi'H1 u, of one draw.

    Returns
    -------
    levels, linear : ndarray of shape (k,)
        Up to the rank r of the kernel, and one more, 1, that stands for all others, where f is 0.
    rounding : tuple of two ndarrays of shape (k,), or None
        By how much they may be off; None: as numbers of the size of the largest.
    """
    unknown = np.setdiff1d(np.arange(spectrum.vectors.shape[0]), known)
    if spectrum.graded:
        found = graded_levels(spectrum.vectors, spectrum.rests, known, unknown, u)
        levels, linear, rounding = found.values, found.linear, found.rounding
    else:
        V = spectrum.vectors * np.sqrt(spectrum.shares)
        _, singular, right = np.linalg.svd(V[unknown], full_matrices=False)
        levels, linear = 1.0 - singular**2, -singular * (right @ (V[known].T @ u))
        rounding = None
    if len(unknown) > levels.size:
        levels, linear = np.append(levels, 1.0), np.append(linear, 0.0)
        if rounding is not None:
            rounding = tuple(np.append(part, len(unknown) * _EPS) for part in rounding)
    return levels, linear, rounding


def general_components(spectrum: ErrorSpectrum, y, most=None):
    """Give the lowest eigenvectors of H - PH - HP + PHP, P = yy', for unit vectors y.

    In the range of the kernel and the part of y beyond it, of coordinates a, the matrix is B B'
    with B = (I - aa') diag(rests, 1): its singular values have the digits that their squares lack.

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
        Ascending, 0 first; NaN beyond the components that a draw has.
    vectors : ndarray of shape (draws, n, k)
        y first; zeros beyond the components that a draw has.
    """
    V = spectrum.vectors
    draws, n = y.shape
    rank = V.shape[1]
    inside = y @ V
    beyond = y - inside @ V.T
    beyond -= (beyond @ V) @ V.T  # orthogonal to V in its last digits too
    length = np.sqrt((beyond**2).sum(axis=1))
    has_beyond = length > n * _EPS
    beyond = np.where(has_beyond, 1.0 / np.where(has_beyond, length, 1.0), 0.0)[:, None] * beyond
    a = np.column_stack([inside, np.where(has_beyond, length, 0.0)])
    a /= np.sqrt((a**2).sum(axis=1, keepdims=True))
    scale = np.append(spectrum.rests, 1.0)
    factor = scale * (np.eye(rank + 1) - a[:, :, None] * a[:, None, :])
    left, roots, _ = np.linalg.svd(factor)
    left, roots = left[:, :, ::-1], roots[:, ::-1]
    # the first is y, or beside it the coordinate beyond where y has none
    count = np.where(has_beyond, rank, rank - 1)
    k = int(count.max(initial=0)) if most is None else int(min(rank, most - 1))
    skip = 1
    values = np.concatenate([np.zeros((draws, 1)), roots[:, skip : skip + k] ** 2], axis=1)
    directions = left[:, :, skip : skip + k]
    vectors = np.matmul(V, directions[:, :rank]) + beyond[:, :, None] * directions[:, rank:]
    vectors = np.concatenate([y[:, :, None], vectors], axis=2)
    missing = np.arange(k + 1) > count[:, None]
    values[missing] = np.nan
    vectors[np.broadcast_to(missing[:, None, :], vectors.shape)] = 0.0
    return values, vectors


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
