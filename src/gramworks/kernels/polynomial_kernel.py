"""The polynomial kernel, `poly-d2-o1`: (<x, z> + offset) to the power of the degree."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.identifiers import read_number, write_number
from gramworks.kernels.tiles import Blocks, fill
from gramworks.kernels.vectors import as_pair, products

PREFIX = "poly"
GRAMMAR = "poly-d<degree>-o<offset>"
OF_PAIRS = True
BY_ROWS = True


def polynomial(X, Z=None, *, degree: int, offset: float = 1.0) -> np.ndarray:
    """Polynomial kernel (<x, z> + offset)^degree.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    Z : array-like or sparse matrix of shape (m, d), optional
        None for the pairs of ``X``, exactly symmetric then.
    degree : int
        At least 1.
    offset : float, default 1
        At least 0: with a negative one this is not a kernel.

    Returns
    -------
    ndarray of shape (n, m), float64

    Raises
    ------
    KernelError
        Parameters out of range, unusable data, or values beyond float64.
    """
    return fill(prepare(X, Z, degree=degree, offset=offset))


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["d2", "o1"]``."""
    if len(words) != 2:
        raise KernelError(f"'poly' wants a degree and an offset, found {'-'.join(words)!r}.")
    degree = read_number(words[0], "d", "degree")
    offset = read_number(words[1], "o", "offset")
    return _checked(int(degree) if degree.is_integer() else degree, offset)


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return [f"d{parameters['degree']}", f"o{write_number(parameters['offset'])}"]


def prepare(X, Z=None, *, degree: int, offset: float = 1.0) -> Blocks:
    """Validate data and parameters and return the kernel in blocks."""
    parameters = _checked(degree, offset)
    X, Z = as_pair(X, Z)
    other = X if Z is None else Z

    def block(rows: slice, columns: slice) -> np.ndarray:
        values = products(X[rows], other[columns])
        values += parameters["offset"]
        with np.errstate(over="ignore"):
            values = _power(values, parameters["degree"])
        if not np.isfinite(values).all():
            raise KernelError(
                f"the polynomial kernel of degree {degree} overflows float64; rescale the "
                "features (unit rows, for example) or lower the degree."
            )
        return values

    return Blocks(X.shape[0], other.shape[0], Z is None, block)


def _checked(degree, offset) -> dict:
    if not isinstance(degree, Integral) or isinstance(degree, bool) or degree < 1:
        raise KernelError(f"degree = {degree!r}: an integer of at least 1 is needed.")
    if not isinstance(offset, Real) or not math.isfinite(offset) or offset < 0:
        raise KernelError(
            f"offset = {offset!r}: a finite number of at least 0 is needed (with a negative one "
            "the polynomial is not positive semidefinite)."
        )
    return {"degree": int(degree), "offset": float(offset)}


def _power(values: np.ndarray, degree: int) -> np.ndarray:
    """Raise to an integer power by squaring, several times faster than `numpy.power`."""
    result = None
    while True:
        if degree & 1:
            result = values.copy() if result is None else result * values
        degree >>= 1
        if not degree:
            return result
        values = values * values
