"""Gram matrices that are read as the weights of a graph."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.fitting.inputs import check_square, check_whole
from gramworks.solvers.affinity import normalised_affinity


def graph_weights(K, neighbours=None, name="K") -> np.ndarray:
    """Check a Gram matrix whose entries are weights between points, and keep those of near ones.

    Parameters
    ----------
    K : array-like of shape (n, n)
    neighbours : int, optional
        Keep K_ij where i is among so many nearest points of j, or j among those of i, by the
        distance that K induces, and the diagonal. Default: all.
    name : str
        What to call it in messages.

    Returns
    -------
    ndarray of shape (n, n), float64
        K itself where it is float64 already and all is kept.

    Raises
    ------
    FitError
        Not a square matrix of real numbers, or a number of neighbours that there are not.
    KernelError
        Not symmetric or finite; a negative entry; a row of zeros, from which nothing leads on.
    """
    K = check_square(K, name)
    if K.size and K.min() < 0:
        i, j = np.unravel_index(K.argmin(), K.shape)
        raise KernelError(
            f"{name} has negative entries, the least {K[i, j]:g} at ({i}, {j}); the weights of a "
            "graph are 0 or more: take a kernel without negative values, such as a Gaussian one"
        )
    sums = K.sum(axis=1)
    if not np.all(sums > 0):
        i = int(np.flatnonzero(~(sums > 0))[0])
        raise KernelError(
            f"row {i} of {name} is all zeros: the point has no weight to any, itself included; "
            "leave it out, or give it a positive diagonal entry"
        )
    if neighbours is None:
        return K
    most = K.shape[0] - 1
    count = check_whole(neighbours, "neighbours", most=most, of=f"{most}, the other points")
    return normalised_affinity(K, count).weights


def fill_unreached(shares, codes, n_classes):
    """Give points that no labelled point reaches the class shares of the labelled points.

    Parameters
    ----------
    shares : ndarray of shape (n, q)
        Rows of zeros are points that were not reached; changed in place.
    codes : ndarray of shape (l,), int
        Class codes of the labelled points.
    n_classes : int
        q.

    Returns
    -------
    ndarray of shape (n,), bool
        Which rows were filled.
    """
    unreached = ~(shares > 0).any(axis=1)
    shares[unreached] = np.bincount(codes, minlength=n_classes) / codes.size
    return unreached
