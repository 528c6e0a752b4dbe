"""Random generators seeded from the identity of a draw."""

from __future__ import annotations

import hashlib
import json
import numbers

import numpy as np


def generator(*identity: str | int) -> np.random.Generator:
    """Make the random generator that belongs to one identity.

    Results then do not depend on the order of draws, on how they are cut into jobs, on the number
    of cores, nor on Python's hash seed.

    Parameters
    ----------
    *identity : str or int
        What the draw is, for example ``"split", study, dataset, setting, repeat``. Text and
        numbers differ: ``generator("1")`` is not ``generator(1)``.

    Returns
    -------
    numpy.random.Generator
        PCG64, seeded with the SHA-256 of the identity.

    Raises
    ------
    TypeError
        When there is no identity, or a part is neither text nor an integer.
    """
    if not identity:
        raise TypeError("a generator needs an identity, for example generator('split', 3)")
    parts: list[str | int] = []
    for part in identity:
        if isinstance(part, bool) or not isinstance(part, str | numbers.Integral):
            raise TypeError(f"an identity is made of text and integers, found {part!r}")
        parts.append(part if isinstance(part, str) else int(part))
    digest = hashlib.sha256(json.dumps(parts).encode("ascii")).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
