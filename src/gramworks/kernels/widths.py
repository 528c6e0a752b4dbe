"""The width of a Gaussian."""

from __future__ import annotations

import math
from numbers import Real

from gramworks.errors import KernelError


def check_width(width) -> float:
    """Check a width.

    Raises
    ------
    KernelError
        Not a number from 1e-150 to 1e150.
    """
    if not isinstance(width, Real) or isinstance(width, bool) or not width > 0:
        raise KernelError(f"width = {width!r}: a number above 0 is needed.")
    width = float(width)
    if not (math.isfinite(width) and 1e-150 <= width <= 1e150):
        raise KernelError(f"width = {width!r}: its square is beyond float64; rescale the data.")
    return width
