"""Probabilistic latent semantic analysis of counts of words in documents."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np
import scipy.sparse as sp

from gramworks.datasets.seeds import generator
from gramworks.errors import KernelError

MOST_ITERATIONS = 200
TOLERANCE = 1e-4
"""Relative gain of the log likelihood in one iteration below which the fit ends."""
# Smaller probabilities are raised to this. It is far below rounding, since one concept explains
# 1 / rank or more of an observed word. At zero they could not grow again; denormals are slow.
_LEAST = 1e-30


@dataclass(frozen=True)
class LatentConcepts:
    """A fitted model P(w|d) = sum over z of P(w|z) P(z|d)."""

    memberships: np.ndarray
    """(n, rank): P(z|d), rows sum to 1."""
    words: np.ndarray
    """(d, rank): P(w|z), columns sum to 1."""
    likelihoods: list[float]
    """Log likelihood before the first iteration and after each one; never falls."""
    converged: bool
    """False when the cap on iterations came first."""


def latent_concepts(
    counts: sp.csr_array,
    rank: int,
    *,
    iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
    log: Callable[[str], None] = lambda line: None,
) -> LatentConcepts:
    """Fit latent concepts by expectation maximisation over the nonzero counts.

    Parameters
    ----------
    counts : CSR array of shape (n, d)
        Counts of d words in n documents, not negative, without explicit duplicates.
    rank : int
        Number of concepts.
    iterations : int
        Cap on the iterations.
    tolerance : float
        The fit ends when an iteration raises the log likelihood by less than this part of it.
    log : function of a str
        Gets a progress line at most every ten seconds, and one at the end.

    Returns
    -------
    LatentConcepts

    Raises
    ------
    KernelError
        A negative count, a document without words, or a rank that is no integer from 1 to
        min(n, d).

    Notes
    -----
    The likelihood is that of nonnegative factorisation with Kullback-Leibler loss (Gaussier and
    Goutte, 2005), and the iteration costs three products over the nonzeros. It starts from
    random numbers whose seed is made of n, d and rank, so that equal data give an equal fit.

    References
    ----------
    Hofmann (1999), Probabilistic latent semantic analysis, equations (3) to (5).
    """
    n, d = counts.shape
    sizes = _checked(counts, rank)
    random = generator("latent-concepts", n, d, rank)
    memberships = _shares(random.uniform(0.5, 1.5, (n, rank)), axis=1)
    words = _shares(random.uniform(0.5, 1.5, (d, rank)), axis=0)
    likelihoods: list[float] = []
    ratios = sp.csr_array((np.empty(counts.nnz), counts.indices, counts.indptr), shape=(n, d))
    last = time.monotonic()
    converged = False
    for done in range(iterations + 1):
        update, likelihood = _expectation(counts, memberships, words, ratios.data)
        likelihoods.append(likelihood)
        gain = np.inf
        if done:  # a likelihood of 1, whose logarithm is 0, has nothing to gain
            gain = (likelihood - likelihoods[-2]) / abs(likelihood) if likelihood else 0.0
        converged = bool(gain < tolerance)
        if converged or done == iterations:
            break
        words *= ratios.T @ memberships
        memberships *= update / sizes[:, None]
        words, memberships = _shares(words, axis=0), _shares(memberships, axis=1)
        if time.monotonic() - last > 10:
            last = time.monotonic()
            log(f"latent concepts: iteration {done + 1}, last gain {gain:.1e}")
    how = "converged" if converged else "stopped by the cap"
    log(f"latent concepts: {how} after {done} iterations, log likelihood {likelihood:.8g}")
    return LatentConcepts(memberships, words, likelihoods, converged)


def _expectation(
    counts: sp.csr_array, memberships: np.ndarray, words: np.ndarray, ratios: np.ndarray
) -> tuple[np.ndarray, float]:
    """Fill in n(d,w) / P(w|d) and give its product with the words, and the log likelihood.

    A document at a time: the rows of its words stay in the cache for both products.
    """
    update = np.empty_like(memberships)
    ends = counts.indptr
    for row in range(counts.shape[0]):
        part = slice(ends[row], ends[row + 1])
        own = words[counts.indices[part]]
        ratios[part] = own @ memberships[row]
        update[row] = (counts.data[part] / ratios[part]) @ own
    likelihood = float(counts.data @ np.log(ratios))
    np.divide(counts.data, ratios, out=ratios)
    return update, likelihood


def _shares(values: np.ndarray, axis: int) -> np.ndarray:
    np.maximum(values, _LEAST, out=values)
    values /= values.sum(axis=axis, keepdims=True)
    return values


def _checked(counts: sp.csr_array, rank: int) -> np.ndarray:
    """Check counts and rank; give the number of words of each document."""
    n, d = counts.shape
    if not isinstance(rank, Integral) or isinstance(rank, bool) or not 1 <= rank <= min(n, d):
        raise KernelError(
            f"rank = {rank!r}: the number of latent concepts is an integer from 1 to {min(n, d)}, "
            f"the least of {n} documents and {d} words."
        )
    if counts.nnz and counts.data.min() < 0:
        place = int(counts.data.argmin())
        row = int(np.searchsorted(counts.indptr, place, side="right")) - 1
        raise KernelError(
            f"latent concepts are of counts, which are not negative; row {row}, column "
            f"{counts.indices[place]} has {counts.data[place]:g}. Take data before standardising."
        )
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    empty = np.flatnonzero(sizes == 0)
    if empty.size:
        raise KernelError(
            f"{empty.size} documents have no word, the first in row {empty[0]}, so that they "
            "belong to no latent concept; leave them out, or keep rarer words."
        )
    return sizes
