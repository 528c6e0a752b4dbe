"""Common substrings of a length, `spectrum-l3`: the p-gram (spectrum) kernel."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gramworks.errors import KernelError
from gramworks.kernels.identifiers import read_number
from gramworks.kernels.strings import (
    as_strings,
    check_length,
    distinct,
    expanded_blocks,
    joined_letters,
)
from gramworks.kernels.tiles import Blocks, fill

PREFIX = "spectrum"
GRAMMAR = "spectrum-l<length> (unit diagonal; -raw after it: not normalised)"
TAKES = "strings"
OF_PAIRS = True
BY_ROWS = True


def spectrum(S, T=None, *, length: int, normalise: bool = True) -> np.ndarray:
    """Spectrum kernel: the inner product of the counts of all substrings of a length.

    Parameters
    ----------
    S : sequence of n str
        Any characters; a letter is a code point.
    T : sequence of m str, optional
        None for the pairs of ``S``: exactly symmetric then.
    length : int
        p, at least 1.
    normalise : bool, default True
        Divide by sqrt(k(s, s) k(t, t)).

    Returns
    -------
    ndarray of shape (n, m), float64
        Raw values are exact integers. A string shorter than ``length`` has raw value 0 with all;
        normalised, value 1 with an equal string and 0 with all others, as in `subsequence`.

    Raises
    ------
    KernelError
        Strings or length that are not usable.

    References
    ----------
    Leslie, Eskin and Noble (2002), The spectrum kernel: a string kernel for SVM protein
    classification, Pacific Symposium on Biocomputing 7.
    """
    return fill(prepare(S, T, length=length, raw=not normalise))


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["l3"]``, or ``["l3", "raw"]``."""
    raw = words[1:] == ["raw"]
    if len(words) != 1 + raw:
        raise KernelError(f"'spectrum' wants a length, found {'-'.join(words)!r}.")
    length = read_number(words[0], "l", "length")
    length = int(length) if length.is_integer() else length
    return {"length": check_length(length), "raw": raw}


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    words = [f"l{parameters['length']}"]
    return [*words, "raw"] if parameters["raw"] else words


def prepare(S, T=None, *, length: int, raw: bool = False) -> Blocks:
    """Validate strings and length, count, and return the kernel in blocks."""
    length = check_length(length)
    S = as_strings(S, "S")
    texts, rows, columns = distinct(S, None if T is None else as_strings(T, "T"))
    counts = _counts(texts, length)
    own = np.asarray(counts.multiply(counts).sum(axis=1), dtype=float).ravel()

    def values(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return (counts[first] @ counts[second].T).toarray()

    return expanded_blocks(rows, columns, T is None, values, None if raw else own)


def _counts(texts: list[str], length: int) -> sp.csr_array:
    """Count the substrings of a length, one row a string and one column a substring."""
    letters, starts = joined_letters(texts)
    places = np.concatenate(
        [np.arange(a, b - length + 1) for a, b in zip(starts[:-1], starts[1:], strict=True)]
    ).astype(np.int64)
    if not places.size:
        return sp.csr_array((len(texts), 1), dtype=np.float64)
    # Substrings of w letters are numbered; two of them that overlap make one of up to 2 w. Those
    # that reach from one string into the next are numbered too, and not looked at.
    names, width = np.unique(letters, return_inverse=True)[1].astype(np.int64), 1
    while width < length:
        step = min(width, length - width)
        paired = names[:-step] * (names.max() + 1) + names[step:]
        names, width = np.unique(paired, return_inverse=True)[1].astype(np.int64), width + step
    columns = np.unique(names[places], return_inverse=True)[1]
    owners = np.searchsorted(starts, places, side="right") - 1
    shape = (len(texts), int(columns.max()) + 1)
    counts = sp.csr_array((np.ones(places.size), (owners, columns)), shape=shape)
    counts.sum_duplicates()
    return counts
