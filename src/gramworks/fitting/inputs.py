"""What is given to an estimator: parameters, and Gram matrices, which are not changed in place."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse

from gramworks.errors import FitError, KernelError, suggest
from gramworks.fitting.kernel_stack import KernelStack
from gramworks.masked_values import refuse_masked

_ASYMMETRY = 1e-8  # of the largest entry; what rounding leaves is orders below


LARGEST = 1e100  # of a parameter: products of two stay within float64


def check_positive(value, name) -> float:
    """Check a parameter that is a positive number.

    Raises
    ------
    FitError
        Names parameter, value, and what is allowed; so do the other checks of parameters.
    """
    number = _number(value)
    if not (number is not None and 0 < number <= LARGEST):
        raise FitError(f"{name}={value!r}; allowed: a positive finite number up to {LARGEST:g}")
    return float(number)


def check_weight(value, name) -> float:
    """Check a parameter that is 0 or a positive number."""
    if _number(value) == 0:
        return 0.0
    try:
        return check_positive(value, name)
    except FitError:
        raise FitError(
            f"{name}={value!r}; allowed: a finite number from 0 to {LARGEST:g}"
        ) from None


def check_number(value, name) -> float:
    """Check a parameter that is any finite number."""
    number = _number(value)
    if number is None or abs(number) > LARGEST:
        raise FitError(f"{name}={value!r}; allowed: a finite number up to {LARGEST:g} in size")
    return float(number)


def check_whole(value, name, least=1, most=2**31 - 1, of="") -> int:
    """Check a parameter that is a whole number from `least` to `most`, called `of`."""
    number = _number(value)
    if not (number is not None and least <= number <= most and number == int(number)):
        raise FitError(f"{name}={value!r}; allowed: a whole number from {least} to {of or most}")
    return int(number)


def check_choice(value, name, choices) -> str:
    """Check a parameter that is one of a few words."""
    if not (isinstance(value, str) and value in choices):
        raise FitError(f"{name}={value!r}; {suggest(value, choices)}")
    return value


def check_switch(value, name) -> bool:
    """Check a parameter that is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise FitError(f"{name}={value!r}; allowed: True or False")
    return bool(value)


def _number(value):
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return None
    try:
        number = int(value) if isinstance(value, Integral) else float(value)
        return number if math.isfinite(number) else None
    except OverflowError:  # of integers beyond float64
        return None


def check_square(K, name="K") -> np.ndarray:
    """Check one Gram matrix over all n points.

    Parameters
    ----------
    K : array-like of shape (n, n)
    name : str
        What to call it in messages.

    Returns
    -------
    ndarray of shape (n, n), float64
        K itself where it is float64 already.

    Raises
    ------
    FitError
        Not a square matrix of real numbers.
    KernelError
        NaN, inf, or not symmetric.
    """
    K = _as_matrix(K, name)
    if K.shape[0] != K.shape[1]:
        raise FitError(
            f"{name} has shape {K.shape}; a fit wants the square kernel matrix of all its points"
        )
    size = np.abs(K).max(initial=0.0)
    for rows in _row_blocks(K):
        rest = slice(rows.start, None)  # what is left of it was compared with earlier rows
        difference = np.abs(K[rows, rest] - K[rest, rows].T)
        if difference.max(initial=0.0) > _ASYMMETRY * size:
            i, j = np.unravel_index(difference.argmax(), difference.shape)
            i, j = i + rows.start, j + rows.start
            raise KernelError(
                f"{name} is not symmetric: entry ({i}, {j}) is {K[i, j]:g} and ({j}, {i}) is "
                f"{K[j, i]:g}, {abs(K[i, j] - K[j, i]):.3g} apart; allowed: {_ASYMMETRY:g} of the "
                f"largest entry, {_ASYMMETRY * size:.3g}"
            )
    return K


def check_kernels(kernels, checked=False) -> list[np.ndarray]:
    """Check base kernels over all n points.

    Parameters
    ----------
    kernels : sequence of m array-likes of shape (n, n), array (m, n, n), or KernelStack
    checked : bool
        Their entries are known to be finite and symmetric: only shapes are looked at.

    Returns
    -------
    list of m ndarrays of shape (n, n), float64

    Raises
    ------
    FitError
        No kernel, or shapes that differ: position and shape are named.
    KernelError
        NaN, inf, or not symmetric.
    """
    matrices = _as_list(kernels)
    shapes = [np.shape(K) for K in matrices]
    if len(set(shapes)) > 1:
        # name the odd ones out: those unlike the commonest shape, the first among equals
        usual = max(shapes, key=shapes.count)
        odd = ", ".join(f"kernels[{i}] is {s}" for i, s in enumerate(shapes) if s != usual)
        raise FitError(
            f"{odd}, the others are {usual}; all base kernels are over the same points, (n, n)"
        )
    if checked and len(shapes[0]) == 2 and shapes[0][0] == shapes[0][1]:
        return [np.asarray(K, dtype=np.float64) for K in matrices]
    return [check_square(K, f"kernels[{i}]") for i, K in enumerate(matrices)]


def check_new(
    K_new, n, name="K_new", *, count="n_new", rows="new rows", known="training rows"
) -> np.ndarray:
    """Check the kernel between new rows, or what else `rows` names, and the n points of the fit.

    Returns
    -------
    ndarray of shape (n_new, n), float64

    Raises
    ------
    FitError
        Another number of columns.
    KernelError
        NaN or inf.
    """
    K_new = _as_array(K_new, name)
    if K_new.ndim != 2 or K_new.shape[1] != n:
        raise FitError(
            f"{name} has shape {K_new.shape}; it wants ({count}, {n}), the kernel between the "
            f"{rows} and the {n} {known}"
        )
    return _as_matrix(K_new, name)


def check_new_kernels(kernels, m, n) -> list[np.ndarray]:
    """Check the m base kernels between new rows and the n points of the fit.

    Returns
    -------
    list of m ndarrays of shape (n_new, n), float64

    Raises
    ------
    FitError
        Another number of kernels, of columns, or rows that differ.
    """
    matrices = _as_list(kernels)
    shapes = [np.shape(K) for K in matrices]
    if len(matrices) != m or len(set(shapes)) > 1:
        raise FitError(
            f"kernels holds {len(matrices)} of shapes {shapes}; it wants ({m}, n_new, {n}), the "
            f"{m} base kernels between the new rows and the {n} training rows"
        )
    wanted = f"kernels (m, n_new, {n}) at position"
    return [check_new(K, n, f"{wanted} {i}") for i, K in enumerate(matrices)]


def _as_list(kernels):
    if isinstance(kernels, KernelStack):
        return list(kernels.kernels)
    refuse_masked(kernels, "kernels", FitError)
    if isinstance(kernels, (list, tuple)):
        matrices = list(kernels)
    else:
        matrices = np.asarray(kernels)
        if matrices.ndim != 3:
            raise FitError(
                f"kernels has shape {matrices.shape}; it is a list of matrices or an array "
                "(m, n, n): for one kernel K give [K]"
            )
        matrices = list(matrices)
    if not matrices:
        raise FitError("kernels is empty; give at least one kernel matrix")
    for i, K in enumerate(matrices):
        if len(np.shape(K)) != 2:
            raise FitError(
                f"kernels[{i}] has shape {np.shape(K)}; each base kernel is a matrix (n, n): for "
                "one kernel K give [K]"
            )
    return matrices


def _as_array(K, name):
    refuse_masked(K, name, FitError)
    if issparse(K):
        raise FitError(f"{name} is sparse; kernels are dense: give {name}.toarray()")
    return np.asarray(K)


def _as_matrix(K, name):
    several = len(K.kernels) if hasattr(K, "kernels") else 0
    K = np.empty((several, 1, 1)) if several else _as_array(K, name)
    if K.ndim == 3:
        raise FitError(
            f"{name} is {len(K)} kernels; what takes them one at a time wants a matrix: give one "
            "of them, or a combination"
        )
    if K.ndim != 2 or 0 in K.shape:
        raise FitError(f"{name} has shape {K.shape}; it is a matrix with at least one row")
    if K.dtype.kind == "O":
        try:
            K = K.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise FitError(f"{name} has entries that are not numbers: {error}") from None
    if K.dtype.kind not in "fiub":
        raise FitError(f"{name} has entries of type {K.dtype}; allowed: real numbers")
    K = K.astype(np.float64, copy=False)
    if not np.isfinite(K).all():
        i, j = (int(at[0]) for at in np.nonzero(~np.isfinite(K)))
        raise KernelError(
            f"{name} has {K[i, j]} at row {i}, column {j} (counted from 0); all entries are "
            "finite: look for missing or overflowing values in the data of that row"
        )
    return K


def _row_blocks(K, size=256):
    return [slice(start, start + size) for start in range(0, K.shape[0], size)]
