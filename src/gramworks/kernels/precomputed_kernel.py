"""A Gram matrix that somebody else computed, `precomputed`: a view of n points and n columns."""

from __future__ import annotations

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.checks import check_gram
from gramworks.kernels.tiles import Blocks, held

PREFIX = "precomputed"
GRAMMAR = "precomputed"


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: there are none."""
    if words:
        raise KernelError(f"{'-'.join(words)!r} after 'precomputed' is not known.")
    return {}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return []


def prepare(X, Z=None) -> Blocks:
    """Check that the view is a Gram matrix and return it in blocks.

    Parameters
    ----------
    X : (n, n) array
        All pairs of the points.
    Z : None
        New points would need similarities that are not there.

    Returns
    -------
    Blocks
        After the repairs of `gramworks.kernels.checks.check_gram`, if any.

    Raises
    ------
    KernelError
        Not square, not finite, not symmetric, or not positive semidefinite, with the number.
    """
    if Z is not None:
        raise KernelError("precomputed: similarities to other points are not known.")
    return held(check_gram(np.asarray(X), "the precomputed matrix").repair(X))
