"""Digests of what a computation depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np


def content_digest(parts: Iterable[object]) -> str:
    """Hash values by their content.

    Parameters
    ----------
    parts : iterable
        Arrays (dense, or sparse ones in CSR form), tuples and lists of such, and what has a repr
        that tells its value.

    Returns
    -------
    str
        128 hexadecimal digits.
    """
    digest = hashlib.blake2b()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(repr((part.shape, part.dtype.str)).encode())
            digest.update(np.ascontiguousarray(part))
        elif isinstance(part, (tuple, list)):  # whose repr would shorten arrays
            digest.update(f"{type(part).__name__} {content_digest(part)}".encode())
        elif hasattr(part, "tocsr"):
            csr = part.tocsr()
            digest.update(repr(csr.shape).encode())
            digest.update(content_digest((csr.data, csr.indices, csr.indptr)).encode())
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()
