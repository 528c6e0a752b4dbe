"""Masked arrays: NumPy hands out what is under the mask, so they are refused where they enter."""

from __future__ import annotations

import numpy as np

from gramworks.errors import GramworksError


def refuse_masked(array, name: str, error: type[GramworksError]) -> None:
    """Raise an error for an array with masked values, or a list or tuple of such.

    Parameters
    ----------
    array : object
    name : str
        What to call it in the message.
    error : type
        What to raise.
    """
    parts = array if isinstance(array, (list, tuple)) else [array]
    for part in parts:
        if np.ma.isMaskedArray(part) and np.ma.getmaskarray(part).any():
            raise error(
                f"{name} has masked values; allowed: plain arrays. Fill them in, drop their rows, "
                "or leave their labels out by NaN and the `labelled` mask"
            )
