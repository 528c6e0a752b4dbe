"""The kernel of latent concepts, `concepts-r50`: linear on the memberships P(z|d) of documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.kernels import linear_kernel
from gramworks.kernels.latent_concepts import latent_concepts
from gramworks.kernels.tiles import Blocks
from gramworks.kernels.vectors import as_vectors

PREFIX = "concepts"
GRAMMAR = "concepts-r<rank>"


def concepts(X, *, rank: int, log: Callable[[str], None] | None = None) -> np.ndarray:
    """Kernel of latent concepts: the inner product of the memberships P(z|d) of two documents.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Counts of d words in n documents. All points whose kernel is wanted belong in it, since
        the memberships are those of documents that were there when the concepts were fitted.
    rank : int
        Number of concepts, at most n and d.
    log : function of a str, optional
        Gets progress lines.

    Returns
    -------
    ndarray of shape (n, n), float64

    Raises
    ------
    KernelError
        Negative or unusable counts, a document or all documents without words, or a rank out of
        range.
    """
    memberships = _memberships(X, rank, log)
    return linear_kernel.linear(memberships)


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["r50"]``."""
    digits = words[0][1:] if len(words) == 1 and words[0][:1] == "r" else ""
    if not (digits.isascii() and digits.isdigit() and int(digits) > 0):
        raise KernelError(
            f"'concepts' wants the number of concepts, such as r50, found {'-'.join(words)!r}."
        )
    return {"rank": int(digits)}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return [f"r{parameters['rank']}"]


def prepare(X, Z=None, *, rank: int, log: Callable[[str], None] | None = None) -> Blocks:
    """Fit the concepts and return the kernel of the documents in blocks."""
    if Z is not None:
        raise KernelError(
            "the kernel of latent concepts is between the documents that they were fitted on; put "
            "all documents into X and take the rows and columns that are wanted."
        )
    return linear_kernel.prepare(_memberships(X, rank, log))


def _memberships(X, rank: int, log: Callable[[str], None] | None) -> np.ndarray:
    counts = sp.csr_array(as_vectors(X))
    return latent_concepts(counts, rank, log=log or (lambda line: None)).memberships
