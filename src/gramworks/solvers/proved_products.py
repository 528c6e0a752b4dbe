"""Products with a Gram matrix that come with a bound of their rounding error.

A quick way bounds what plain float64 products leave, which grows with the square of the
coefficients. Where that is too much, matrix and vector are cut into pieces of so few bits that the
products of pieces are exact in float64 (Ozaki, Ogita, Oishi and Rump, Numerical Algorithms 59,
2012); what the pieces leave out is bounded.
"""

from __future__ import annotations

import math

import numpy as np

EPS = np.finfo(np.float64).eps
_PIECES = 4  # of some 20 bits each: float64 has 53
_ROWS = 256  # of the matrix in pieces at a time


def multiply_quickly(K, v):
    """Multiply in float64.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Positive semidefinite, so that |K_ij| <= sqrt(K_ii K_jj).
    v : ndarray of shape (n,)

    Returns
    -------
    product : ndarray of shape (n,)
        K v.
    errors : ndarray of shape (n,)
        Bounds of its errors.
    square : float
        v'K v.
    error : float
        Bound of its error.
    """
    roots = np.sqrt(np.maximum(np.diagonal(K), 0.0))
    reach = float(roots @ np.abs(v))
    rounding = (v.size + 8) * EPS
    product = K @ v
    return product, rounding * reach * roots, float(v @ product), 2 * rounding * reach**2


def multiply_in_pieces(K, v):
    """Multiply as if in about 80 bits; parameters and results as in `multiply_quickly`."""
    n = v.size
    product, rest, errors = np.zeros(n), np.zeros(n), np.zeros(n)
    used = np.flatnonzero(v)
    if used.size == 0:
        return product, errors, 0.0, 0.0
    bits = (53 - math.ceil(math.log2(used.size + 1))) // 2
    pieces, left = _cut(v[used], bits)
    stacked = np.stack(pieces, axis=1)
    size, left = float(np.abs(v).sum()) * (1 + n * EPS), left * used.size
    for start in range(0, n, _ROWS):
        rows = slice(start, start + _ROWS)
        block = K[rows][:, used]
        high, low = np.zeros(len(block)), np.zeros(len(block))
        block_pieces, block_left = _cut(block, bits)
        for piece in block_pieces:
            for term in (piece @ stacked).T:  # exact
                high, lost = _add(high, term)
                low += lost
        product[rows], rest[rows] = _add(high, low)
        largest = float(np.abs(block).max())
        # left out of the matrix, of the vector, and by the sums of what was lost
        errors[rows] = block_left * size + largest * (left + 64 * EPS**2 * size)
    high, low = _multiply(v, product)
    square = math.fsum([*high, *low, *(v * rest)])
    error = float(np.abs(v) @ (errors + 4 * EPS**2 * np.abs(product))) * (1 + n * EPS)
    errors = errors + np.abs(rest)
    return product, errors, square, error + EPS * abs(square)


def multiply(K, v, allowed):
    """Multiply quickly where the error of v'K v is allowed, else in pieces.

    Parameters
    ----------
    K, v
        As in `multiply_quickly`.
    allowed : float
        Wanted bound of the error of v'K v.
    """
    quick = multiply_quickly(K, v)
    return quick if quick[3] <= allowed else multiply_in_pieces(K, v)


def _cut(array, bits):
    """Cut into pieces of `bits` bits over a common unit, and bound what is left of an entry."""
    largest = max(float(array.max()), -float(array.min()))
    if largest == 0:
        return [array], 0.0
    exponent = math.frexp(largest)[1]
    pieces, rest = [], array.copy()
    for number in range(1, _PIECES + 1):
        # sums with it round to a multiple of its last bit, 2^(exponent - bits * number)
        anchor = math.ldexp(0.75, exponent - bits * number + 53)
        piece = rest + anchor
        piece -= anchor
        pieces.append(piece)
        rest -= piece
    return pieces, max(float(rest.max()), -float(rest.min()))


def _add(a, b):
    """Add exactly: the rounded sum and what was lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _multiply(a, b):
    """Multiply exactly: the rounded product and what was lost (Dekker), by halves of 26 bits."""
    product = a * b
    a_high, b_high = _top(a), _top(b)
    a_low, b_low = a - a_high, b - b_high
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, lost


def _top(a):
    mantissa, exponent = np.frexp(a)
    return np.ldexp(np.rint(np.ldexp(mantissa, 26)), exponent - 26)
