"""Validation of string data, and what the kernels that count parts of strings share."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.tiles import Blocks

_LONGEST = 1_000_000


def as_strings(S, name: str = "S") -> list[str]:
    """Check a list of strings.

    Parameters
    ----------
    S : sequence of n str
    name : str
        Its name in messages.

    Returns
    -------
    list of str
        Empty strings and any character included.

    Raises
    ------
    KernelError
        One text in place of a list, no strings, or one that is not text (with its number).
    """
    if isinstance(S, (str, bytes)):
        raise KernelError(f"{name} is one text; a list of strings is needed: [{name}].")
    if hasattr(S, "columns"):  # a table is iterated by the names of its columns
        raise KernelError(
            f"{name} is a {type(S).__name__} with {len(S.columns)} columns; a list of strings is "
            f'needed, such as one column of it: {name}["name of the column"].'
        )
    if isinstance(S, (set, frozenset, dict)) or not hasattr(S, "__iter__"):
        raise KernelError(f"{name} is a {type(S).__name__}; a list of strings is needed.")
    S = list(S)
    if not S:
        raise KernelError(f"{name} has no strings.")
    for number, string in enumerate(S):
        if not isinstance(string, str):
            hint = "; decode it: s.decode()" if isinstance(string, bytes) else ""
            raise KernelError(
                f"{name}: string {number} (counted from 0) is {str(string)[:40]!r} of type "
                f"{type(string).__name__}; text is needed{hint}."
            )
    return [str(string) for string in S]


def check_length(length) -> int:
    """Check the number of letters of the parts that are counted.

    Raises
    ------
    KernelError
        Not a whole number from 1 to a million.
    """
    if not isinstance(length, Integral) or isinstance(length, bool) or not 1 <= length <= _LONGEST:
        raise KernelError(f"length = {length!r}: a whole number from 1 to {_LONGEST} is needed.")
    return int(length)


def distinct(S: list[str], T: list[str] | None) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Give numbers to the distinct strings of both sides, the shortest first.

    Equal strings have the same number, so that whatever is computed by number is the same for
    them to the bit, and is computed once.

    Returns
    -------
    texts : list of str
        By length, and by code points within a length.
    rows, columns : ndarray of int64
        The numbers of S and of T (of S again if T is None).
    """
    texts = sorted({*S, *(T or [])}, key=lambda text: (len(text), text))
    number = {text: place for place, text in enumerate(texts)}
    rows = np.array([number[text] for text in S], dtype=np.int64)
    columns = rows if T is None else np.array([number[text] for text in T], dtype=np.int64)
    return texts, rows, columns


def joined_letters(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Write strings one after the other as code points.

    Returns
    -------
    letters : ndarray of int64
    starts : ndarray of shape (n + 1,), int64
        String i is ``letters[starts[i] : starts[i + 1]]``.
    """
    # lone surrogates are code points as well, which some file systems make of broken names
    codes = "".join(texts).encode("utf-32-le", "surrogatepass")
    letters = np.frombuffer(codes, dtype="<u4").astype(np.int64)
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return letters, starts


def expanded_blocks(
    rows: np.ndarray,
    columns: np.ndarray,
    symmetric: bool,
    values: Callable[[np.ndarray, np.ndarray], np.ndarray],
    self_values: np.ndarray | None,
) -> Blocks:
    """Make a kernel of strings in blocks out of values of distinct strings.

    Parameters
    ----------
    rows, columns : ndarray of int64
        Numbers of the distinct strings on both sides.
    symmetric : bool
        Both sides are the same points.
    values : function of two ascending arrays of numbers
        Their kernel values, of shape (first, second).
    self_values : ndarray, optional
        Of each distinct string with itself, to divide by their square roots; equal strings have
        the value 1 then, also where it would be 0 / 0. None leaves the values as they are.
    """

    def block(of_rows: slice, of_columns: slice) -> np.ndarray:
        first, row_places = np.unique(rows[of_rows], return_inverse=True)
        second, column_places = np.unique(columns[of_columns], return_inverse=True)
        K = values(first, second)
        if self_values is not None:
            lengths = np.sqrt(self_values)
            lengths[lengths == 0] = 1.0  # its values are all 0
            K /= lengths[first][:, None] * lengths[second]
            np.minimum(K, 1.0, out=K)
            K[first[:, None] == second] = 1.0
        return K[np.ix_(row_places, column_places)]

    return Blocks(rows.size, columns.size, symmetric, block)
