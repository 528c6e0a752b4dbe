"""Kernels that stand for a loss: |Phi(y) - Phi(y')|^2 = l(y, y) + l(y', y') - 2 l(y, y').

Vectors have the linear and the Gaussian kernel and strings those of their own modules; here are
labels, sets of labels, and losses that are given as a matrix.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gramworks.errors import KernelError, suggest
from gramworks.kernels.checks import FINE_NEGATIVE, LARGEST_ASYMMETRY, REPAIRED_NEGATIVE
from gramworks.kernels.transforms import as_square
from gramworks.kernels.vectors import as_vectors, products
from gramworks.masked_values import refuse_masked


def zero_one(y, z=None) -> np.ndarray:
    """Kernel of the zero-one loss: [y = y'] / 2, so that different labels are at distance 1.

    Parameters
    ----------
    y : sequence of n labels
        Of any hashable types, mixed too: 1 and "1" are different labels; what Python finds equal
        (1, 1.0 and True) is one.
    z : sequence of m labels, optional
        None for the pairs of ``y``.

    Returns
    -------
    ndarray of shape (n, m), float64

    Raises
    ------
    KernelError
        No labels, or one that is NaN or not hashable.

    References
    ----------
    Weston et al., NIPS 15 (2002), equation (2).
    """
    numbers: dict = {}
    rows = _numbered(y, "y", numbers)
    columns = rows if z is None else _numbered(z, "z", numbers)
    return 0.5 * (rows[:, None] == columns)


def shared_labels(Y, Z=None) -> np.ndarray:
    """Kernel of sets of labels: half the number that two points share.

    The squared distance is half the number of labels that only one of the two has, which is the
    zero-one loss where each has one label.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n, k)
        Zeros and ones, one column a label.
    Z : array-like or sparse matrix of shape (m, k), optional
        None for the pairs of ``Y``.

    Returns
    -------
    ndarray of shape (n, m), float64

    Raises
    ------
    KernelError
        Unusable data, or values that are neither 0 nor 1.
    """
    for name, side in (("Y", Y), ("Z", Z)):
        _refuse_sets(side, name)
    Y = as_vectors(Y, "Y")
    Z = None if Z is None else as_vectors(Z, "Z")
    if Z is not None and Z.shape[1] != Y.shape[1]:
        raise KernelError(
            f"Y has {Y.shape[1]} labels and Z has {Z.shape[1]}; both have the same columns."
        )
    for name, side in (("Y", Y), ("Z", Z)):
        values = np.empty(0) if side is None else side.data if sp.issparse(side) else side
        if not np.isin(values, (0.0, 1.0)).all():
            bad = values[~np.isin(values, (0.0, 1.0))].flat[0]
            raise KernelError(f"{name} has the value {bad:g}; sets of labels are zeros and ones.")
    return 0.5 * products(Y, Y if Z is None else Z)


def from_distances(D, weights=None, *, indefinite: str = "refuse") -> np.ndarray:
    """Kernel of a loss that is given as a matrix of distances, with a weighted mean as origin.

    l_ij = -(D_ij^2 - sum_p c_p D_ip^2 - sum_q c_q D_qj^2 + sum_pq c_p c_q D_pq^2) / 2

    Parameters
    ----------
    D : array-like of shape (n, n)
        Distances L(y_i, y_j): symmetric, not negative, zero on the diagonal.
    weights : array-like of shape (n,), optional
        c, summing to 1. Default: 1 / n each.
    indefinite : {"refuse", "clip"}
        What to do with distances that no points of a Euclidean space have: refuse them, or keep
        the part of positive eigenvalues, which changes the distances.

    Returns
    -------
    ndarray of shape (n, n), float64
        Exactly symmetric; l_ii + l_jj - 2 l_ij = D_ij^2 unless it was clipped.

    Raises
    ------
    KernelError
        D or weights that are not usable, or not Euclidean: the message has the smallest
        eigenvalue beside the largest.

    References
    ----------
    Weston et al., NIPS 15 (2002), equation (5) (without its sign, which is a misprint), after
    Schoelkopf and Smola (2002), Learning with kernels, proposition 2.27.
    """
    if indefinite not in ("refuse", "clip"):
        raise KernelError(f"indefinite={indefinite!r}; {suggest(indefinite, ['refuse', 'clip'])}")
    D = as_square(D, "D")
    n, largest = D.shape[0], np.abs(D).max()
    if largest > 1e150:
        raise KernelError(f"D has entries up to {largest:g}, whose squares overflow; rescale it.")
    if D.min() < 0:
        i, j = np.unravel_index(D.argmin(), D.shape)
        raise KernelError(f"D has {D[i, j]:g} at ({i}, {j}); distances are not negative.")
    if (own := np.abs(np.diagonal(D))).any():
        i = own.argmax()
        raise KernelError(f"D has {D[i, i]:g} at ({i}, {i}); a point is at distance 0 from itself.")
    if np.abs(D - D.T).max() > LARGEST_ASYMMETRY * largest:
        i, j = np.unravel_index(np.abs(D - D.T).argmax(), D.shape)
        raise KernelError(f"D is not symmetric: {D[i, j]:g} at ({i}, {j}), {D[j, i]:g} back.")
    if 0 < largest < 1e-140:
        raise KernelError(
            f"D has entries up to {largest:.3g}, whose squares underflow; rescale it."
        )
    c = _weights(weights, n)
    squares = 0.5 * (D**2 + D.T**2)
    means = squares @ c
    L = -0.5 * (squares - (means[:, None] + means) + means @ c)
    L = 0.5 * (L + L.T) + 0.0  # no negative zeros
    values, vectors = np.linalg.eigh(L)
    top = np.abs(values).max()
    negative = max(-values[0], 0.0)
    if indefinite == "clip" and negative > FINE_NEGATIVE * top:
        L = (vectors * values.clip(0)) @ vectors.T
        return 0.5 * (L + L.T)
    if negative > REPAIRED_NEGATIVE * top:
        share = -values[values < 0].sum() / np.abs(values).sum()
        raise KernelError(
            f"D is not Euclidean: its kernel has {(values < -FINE_NEGATIVE * top).sum()} negative "
            f"eigenvalues, the smallest {values[0]:.3g} beside the largest {values[-1]:.3g} "
            f"({100 * share:.2g} % of all in size). indefinite='clip' keeps the positive part, or "
            "try the square roots of the distances."
        )
    return L


def _refuse_sets(side, name: str) -> None:
    """Refuse one set or list of labels a point, which would be an array of objects."""
    if isinstance(side, (list, tuple)) and any(
        isinstance(own, (str, set, frozenset, dict))
        or (isinstance(own, (list, tuple)) and any(isinstance(label, str) for label in own))
        for own in side
    ):
        raise KernelError(
            f"{name} holds labels by name; zeros and ones are needed, a column a label: "
            f"sklearn.preprocessing.MultiLabelBinarizer().fit_transform({name})."
        )


def _numbered(labels, name: str, numbers: dict) -> np.ndarray:
    refuse_masked(labels, name, KernelError)
    if hasattr(labels, "columns") or isinstance(labels, (set, frozenset, dict)):
        raise KernelError(
            f"{name} is a {type(labels).__name__}; a list of labels in the order of the points is "
            "needed, such as one column of a table."
        )
    if isinstance(labels, (str, bytes)) or not hasattr(labels, "__iter__"):
        raise KernelError(f"{name} is {str(labels)[:40]!r}; a list of labels is needed.")
    found = []
    for place, label in enumerate(labels):
        try:
            hash(label)
            missing = bool(label != label)
        except TypeError:
            raise KernelError(
                f"{name}: label {place} is a {type(label).__name__}; for several labels a point "
                "take shared_labels, or make tuples of them."
            ) from None
        if missing:
            raise KernelError(f"{name}: label {place} is {label}; drop points without a label.")
        found.append(numbers.setdefault(label, len(numbers)))
    if not found:
        raise KernelError(f"{name} has no labels.")
    return np.array(found)


def _weights(weights, n: int) -> np.ndarray:
    if weights is None:
        return np.full(n, 1.0 / n)
    refuse_masked(weights, "weights", KernelError)
    try:
        c = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise KernelError("weights are not made of numbers.") from None
    if c.shape != (n,) or not np.isfinite(c).all() or abs(c.sum() - 1) > 1e-9:
        total = f" with the sum {c.sum():g}" if c.shape == (n,) else ""
        raise KernelError(f"weights of shape {c.shape}{total}; {n} that sum to 1 are needed.")
    return c
