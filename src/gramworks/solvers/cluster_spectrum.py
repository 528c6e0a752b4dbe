"""Cluster kernels from one decomposition: any transfer function, cut and selection of rows.

L~ = V diag(head - tail) V' + L^tail over the leading eigenvectors V alone: the powers L^tail that
the transfer functions ask for are made once, by products, and each cut adds a matrix of low rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.tiles import ranges, upper_tiles
from gramworks.solvers.affinity import Affinity
from gramworks.solvers.leading_eigenpairs import Eigenpairs, is_semidefinite, leading_eigenpairs
from gramworks.solvers.transfer import Transfer

TIE = 1e-8
"""Eigenvalues that differ by less, relatively, count as equal."""
ZERO = 1e-10
"""Eigenvalues up to here count as 0: their eigenvectors are rounding, and no function of K."""
OUTSIDE = 1e-14
"""A point whose L~_ii is below this part of the mean has no part in the kept directions."""
_EPS = np.finfo(np.float64).eps
_SLACK = 8  # further pairs, to see whether the last one wanted has an equal


@dataclass(frozen=True)
class ClusterSpectrum:
    """What all cluster kernels on one affinity share.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Largest eigenvalues of L, descending.
    vectors : ndarray of shape (n, k)
    tails : dict of float to ndarray of shape (n, n)
        Powers of L, negative eigenvalues taken as 0, by their exponents.
    """

    values: np.ndarray
    vectors: np.ndarray
    tails: dict[float, np.ndarray] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of points."""
        return self.vectors.shape[0]

    def cut(self, rank: int) -> int:
        """Give how many eigenvalues the head has: `rank`, and all that equal the last of them.

        Eigenvalues of 0 (up to 1e-10) or below belong to no cluster, and are never among them.

        Raises
        ------
        KernelError
            More pairs are needed than are here.
        """
        rounding = self.n * _EPS
        positive = int(np.count_nonzero(self.values > ZERO))
        kept = min(rank, positive)
        while 0 < kept < positive:
            last, following = self.values[kept - 1], self.values[kept]
            if last - following > TIE * last + rounding:
                break
            kept += 1
        if kept == self.values.size < self.n:
            raise KernelError(
                f"a cut after {rank} eigenvalues needs more than the {kept} that were computed, to "
                "see which are equal to the last; compute more"
            )
        return kept

    def shares(self, transfer: Transfer) -> np.ndarray:
        """Give the coefficients (k,) of the leading eigenvectors beside the tail."""
        if not transfer.cuts:
            return np.zeros(0)
        values = self.values[: self.cut(transfer.rank)]
        head = transfer.head(values)
        return head if transfer.exponent is None else head - values**transfer.exponent

    def diagonal(self, transfer: Transfer, rows=slice(None)) -> np.ndarray:
        """Give L~_ii of some rows."""
        shares = self.shares(transfer)
        found = np.square(self.vectors[rows, : shares.size]) @ shares
        if transfer.exponent is not None:
            found += np.diagonal(self.tails[transfer.exponent])[rows]
        return found

    def lengths(self, transfer: Transfer, rows=slice(None)) -> np.ndarray:
        """Give sqrt(L~_ii) of some rows; infinite for points outside the kept directions."""
        total = self.shares(transfer).sum()
        if transfer.exponent is not None:
            total += np.trace(self.tails[transfer.exponent])
        diagonal = self.diagonal(transfer, rows)
        inside = diagonal > OUTSIDE * total / self.n
        return np.sqrt(np.where(inside, diagonal, np.inf))

    def block(self, transfer: Transfer, rows, columns=slice(None)) -> np.ndarray:
        """Give rows and columns of the learned kernel K~.

        Parameters
        ----------
        transfer : Transfer
        rows : ndarray of int
        columns : ndarray of int, optional
            Default: all.

        Returns
        -------
        ndarray of shape (len(rows), len(columns))
        """
        shares = self.shares(transfer)
        V = self.vectors
        found = (V[rows, : shares.size] * shares) @ V[columns, : shares.size].T
        if transfer.exponent is not None:
            tail = self.tails[transfer.exponent]
            found += tail[rows] if isinstance(columns, slice) else tail[np.ix_(rows, columns)]
        found /= self.lengths(transfer, rows)[:, None]
        found /= self.lengths(transfer, columns)
        places = np.arange(self.n)
        found[places[rows][:, None] == places[columns]] = 1.0
        return found

    def kernel(self, transfer: Transfer, overwrite=False) -> np.ndarray:
        """Give the learned kernel K~ (n, n), symmetric to the bit.

        Parameters
        ----------
        transfer : Transfer
        overwrite : bool
            Make it in the place of the tail, which is lost then.
        """
        n, shares, lengths = self.n, self.shares(transfer), self.lengths(transfer)
        V = self.vectors[:, : shares.size]
        tail = None if transfer.exponent is None else self.tails[transfer.exponent]
        if overwrite and tail is not None:
            del self.tails[transfer.exponent]
            K = tail
        else:
            K = np.zeros((n, n)) if tail is None else tail.copy()
        for rows, columns in upper_tiles(n):
            tile = (V[rows] * shares) @ V[columns].T
            tile += K[rows, columns]
            tile /= lengths[rows][:, None] * lengths[columns]
            if rows == columns:
                tile = 0.5 * (tile + tile.T)
            K[rows, columns] = tile
            K[columns, rows] = tile.T
        np.fill_diagonal(K, 1.0)
        return K


def cluster_spectrum(
    affinity: Affinity, transfers: Iterable[Transfer], rank: int = 0
) -> ClusterSpectrum:
    """Decompose an affinity as far as some transfer functions need it.

    Negative eigenvalues, which affinities of near points or with a zero diagonal have, are taken as
    0, so that every learned kernel is positive semidefinite. Step functions look at the largest
    eigenvalues alone, and whole powers of a semidefinite L are products: all eigenvalues are
    computed only for powers that are not whole, or of an L with negative eigenvalues.

    Parameters
    ----------
    affinity : Affinity
    transfers : iterable of Transfer
    rank : int
        Cuts up to this one are to be possible as well.

    Returns
    -------
    ClusterSpectrum
    """
    transfers = list(transfers)
    exponents = sorted({t.exponent for t in transfers if t.exponent is not None})
    rank = max([rank, *(t.rank for t in transfers if t.cuts)])
    products = all(e.is_integer() for e in exponents) and (
        not exponents or is_semidefinite(affinity)
    )
    pairs = _leading(affinity, rank if products else affinity.n)
    if products:
        tails = {exponent: affinity.power(int(exponent)) for exponent in exponents}
    else:
        clipped = pairs.values.clip(0.0)
        tails = {e: (pairs.vectors * clipped**e) @ pairs.vectors.T for e in exponents}
    return ClusterSpectrum(pairs.values, pairs.vectors, tails)


def _leading(affinity, rank) -> Eigenpairs:
    """Find the pairs up to a cut, and all that are equal to the last."""
    if rank == 0:
        return Eigenpairs(np.zeros(0), np.zeros((affinity.n, 0)))
    count = min(rank + _SLACK, affinity.n)
    while True:
        pairs = leading_eigenpairs(affinity, count)
        try:
            ClusterSpectrum(pairs.values, pairs.vectors).cut(rank)
        except KernelError:  # all pairs found are equal: look at many more
            count = min(4 * count, affinity.n)
            continue
        return pairs


def unit_rows(vectors) -> np.ndarray:
    """Scale each row to length 1; a row without part in the directions stays zero."""
    lengths = np.sqrt(np.square(vectors).sum(axis=1))
    inside = np.square(lengths) > OUTSIDE * np.square(lengths).max(initial=0.0)
    found = np.zeros_like(vectors)
    for rows in ranges(len(vectors)):
        np.divide(
            vectors[rows], lengths[rows][:, None], out=found[rows], where=inside[rows][:, None]
        )
    return found


def spectral_representation(affinity: Affinity, components: int) -> np.ndarray:
    """Give the rows of the first eigenvectors at unit length (section 2.3).

    Parameters
    ----------
    affinity : Affinity
        With a zero diagonal for the representation of Ng, Jordan and Weiss (2001).
    components : int
        How many eigenvectors; all that are equal to the last are taken with it.

    Returns
    -------
    ndarray of shape (n, k)
        Rows of points without part in them are zero.
    """
    spectrum = cluster_spectrum(affinity, [Transfer("step", components)])
    return unit_rows(spectrum.vectors[:, : spectrum.cut(components)])
