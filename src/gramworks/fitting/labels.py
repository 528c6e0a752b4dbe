"""Labels of any type, and which points carry one.

Unlabelled is a mask, or NaN / None in y; no value of a label is special.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError
from gramworks.masked_values import refuse_masked


@dataclass(frozen=True)
class Labels:
    """Encoded labels.

    Attributes
    ----------
    classes : ndarray of shape (q,)
        Distinct labels of the labelled points, sorted (by type first where types differ).
    labelled : ndarray of shape (n,), bool
    codes : ndarray of shape (n,), int
        Positions in `classes`; meaningless where not labelled.
    """

    classes: np.ndarray
    labelled: np.ndarray
    codes: np.ndarray

    def signs(self) -> np.ndarray:
        """Give the one-against-rest signs of the labelled points, one row a machine.

        Returns
        -------
        ndarray of shape (1, l) for two classes, (q, l) for more
            +1 for the class of the row (for two classes: the second), -1 for the others.
        """
        codes = self.codes[self.labelled]
        positive = [1] if self.classes.size == 2 else range(self.classes.size)
        return np.array([np.where(codes == code, 1.0, -1.0) for code in positive])


def encode_labels(y, n, labelled=None) -> Labels:
    """Turn labels and an optional mask into classes, codes and a mask.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of any type. NaN and None are unlabelled.
    n : int
        Number of points, the size of the Gram matrix.
    labelled : array-like of shape (n,), bool, optional
        Which points are labelled; what y holds elsewhere is not looked at. Default: all that
        are neither NaN nor None.

    Returns
    -------
    Labels

    Raises
    ------
    FitError
        Wrong shape; a mask that is not boolean; a labelled point without label; fewer than two
        classes.
    """
    values, labelled = _mask(y, n, labelled)
    known = values[labelled]
    different = _once_each(known)
    kinds = {_kind(value) for value in different}
    distinct = {}
    for value in different:  # of values that are equal, the first stands for all
        distinct.setdefault(_key(value, kinds), value)
    keys = sorted(distinct)
    if not keys:
        raise FitError(
            f"y has no label on any of the {n} points, or `labelled` allows none; two or more are "
            "needed: label points of two classes"
        )
    if len(keys) < 2:
        raise FitError(
            f"y has 1 class ({distinct[keys[0]]!r}) on the {known.size} labelled of {n} points; "
            "two or more are needed: label points of another class too"
        )
    position = {key: code for code, key in enumerate(keys)}
    codes = np.zeros(n, dtype=np.intp)
    code = {(type(value), value): position[_key(value, kinds)] for value in different}
    codes[labelled] = [code[type(value), value] for value in known]
    return Labels(_as_array([distinct[key] for key in keys], kinds), labelled, codes)


def refuse_numbers(labels: Labels, instead: str) -> None:
    """Refuse to take measured numbers for classes.

    Classifiers on kernels take labels of any type. What finds values for points from their
    neighbours would make a class of each number, without a word.

    Parameters
    ----------
    labels : Labels
    instead : str
        What to do with numbers.

    Raises
    ------
    FitError
        Labels are floats, some of them not whole, and there are more of them than half of the
        labelled points.
    """
    known, distinct = int(labels.labelled.sum()), len(labels.classes)
    values = labels.classes.tolist()
    broken = [v for v in values if isinstance(v, (float, np.floating)) and not v.is_integer()]
    if broken and 2 * distinct > known:
        raise FitError(
            f"y has {distinct} distinct values on {known} labelled points, among them "
            f"{broken[0]!r}, and each would be a class: {instead}; if they are classes, give them "
            "as text"
        )


def encode_targets(y, n, labelled=None) -> tuple[np.ndarray, np.ndarray]:
    """Turn real targets and an optional mask into floats and a mask.

    Parameters
    ----------
    y : array-like of shape (n,)
        Numbers. NaN and None are unlabelled.
    n : int
        Number of points.
    labelled : array-like of shape (n,), bool, optional
        As in `encode_labels`.

    Returns
    -------
    targets : ndarray of shape (n,), float64
        NaN where not labelled.
    labelled : ndarray of shape (n,), bool

    Raises
    ------
    FitError
        As in `encode_labels`; a target that is not a finite number; none labelled.
    """
    values, labelled = _mask(y, n, labelled)
    if not labelled.any():
        raise FitError(f"none of the {n} points is labelled; a fit needs targets")
    targets = np.full(n, np.nan)
    for i in np.flatnonzero(labelled):
        try:
            targets[i] = float(values[i])
        except (TypeError, ValueError):
            raise FitError(f"y[{i}] is {values[i]!r}; a regression needs numbers") from None
    if not np.isfinite(targets[labelled]).all():
        i = int(np.flatnonzero(labelled & ~np.isfinite(targets))[0])
        raise FitError(f"y[{i}] is {values[i]!r}; a regression needs finite numbers")
    return targets, labelled


def find_missing(y) -> tuple[np.ndarray, np.ndarray]:
    """Give the labels as an object array, and where they are NaN or None.

    Parameters
    ----------
    y : array-like of shape (n,)

    Returns
    -------
    values : ndarray of shape (n,), object
    missing : ndarray of shape (n,), bool
    """
    values = _as_objects(y)
    if values.ndim != 1:
        return values, np.zeros(values.shape, dtype=bool)
    return values, np.array([_is_missing(value) for value in values], dtype=bool)


def _mask(y, n, labelled):
    if y is None:
        raise FitError("y is None: it requires the labels, one a point, NaN or None where unknown")
    values, missing = find_missing(y)
    if values.shape != (n,):
        raise FitError(f"y has shape {values.shape}; the kernel has {n} points: give ({n},)")
    for i, value in enumerate(values):
        if isinstance(value, (complex, np.complexfloating)):
            raise FitError(f"y[{i}] is {value!r}; complex labels have no order: give real numbers")
    if labelled is None:
        return values, ~missing
    refuse_masked(labelled, "labelled", FitError)
    labelled = np.asarray(labelled)
    if labelled.dtype != bool or labelled.shape != (n,):
        raise FitError(
            f"labelled has shape {labelled.shape} and type {labelled.dtype}; it is a boolean mask "
            f"of shape ({n},), True where y holds a label"
        )
    if np.any(labelled & missing):
        i = int(np.flatnonzero(labelled & missing)[0])
        raise FitError(
            f"labelled[{i}] is True but y[{i}] is {values[i]!r}; give it a label, or set the mask "
            "to False there"
        )
    return values, labelled.copy()


def _as_objects(y):
    """Give an object array; a list of mixed types would otherwise become text."""
    refuse_masked(y, "y", FitError)
    if isinstance(y, (list, tuple)):
        shape = np.shape(y[0]) if len(y) else ()
        if shape:
            return np.asarray(y, dtype=object)
        values = np.empty(len(y), dtype=object)
        values[:] = y
    else:  # pandas turns integers with holes into floats unless asked for objects
        values = y.to_numpy(dtype=object) if hasattr(y, "to_numpy") else np.asarray(y)
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.dtype.kind in "mM" and values.ndim == 1:
            times, values = values, np.empty(values.shape, dtype=object)
            values[:] = list(times)  # as objects NumPy would make integers of nanoseconds
        values = values.astype(object)
    return values


def _is_missing(value):
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN and NaT
    except TypeError:  # pandas.NA has no truth value
        return True


def _kind(value):
    # False == 0 in Python: booleans among numbers are the numbers they equal
    if isinstance(value, (bool, int, float, np.bool_, np.number)):
        return "number"
    if isinstance(value, str):  # numpy's text is a type of its own
        return "str"
    return type(value).__name__


def _once_each(values):
    """Give each value of each type once: what follows costs microseconds a value."""
    try:
        return [value for _, value in dict.fromkeys((type(value), value) for value in values)]
    except TypeError:  # one is not hashable, which `_key` tells
        return list(values)


def _key(value, kinds):
    """Sort by value; by the name of the type first where there are several types."""
    kind = _kind(value)
    try:
        hash(value)
    except TypeError:
        raise FitError(f"label {value!r} is a {type(value).__name__}; give a scalar") from None
    return value if len(kinds) == 1 else (kind, value)


def _as_array(classes, kinds):
    if kinds <= {"datetime64", "timedelta64"} and len(kinds) == 1:
        return np.array(classes)
    if len(kinds) == 1:
        found = np.array(classes)
        # numpy shortens text ending in NUL, and rounds large integers beside floats
        if found.ndim == 1 and found.tolist() == classes:
            return found
    mixed = np.empty(len(classes), dtype=object)
    mixed[:] = classes
    return mixed
