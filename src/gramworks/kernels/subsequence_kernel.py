"""Common subsequences of strings, `subsequence-l3-d0.5`: the kernel of Lodhi et al. (2002)."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.identifiers import read_number, write_number
from gramworks.kernels.strings import (
    as_strings,
    check_length,
    distinct,
    expanded_blocks,
    joined_letters,
)
from gramworks.kernels.tiles import Blocks, blas_threads, fill

PREFIX = "subsequence"
GRAMMAR = "subsequence-l<length>-d<decay> (unit diagonal; -raw after it: not normalised)"
TAKES = "strings"
OF_PAIRS = True
BY_ROWS = True
_LARGEST = math.log(np.finfo(np.float64).max) + 1.0
_GAP = 140 * math.log(10)  # gaps of two strings below 1e-140 each may be taken for zero


def subsequence(
    S, T=None, *, length: int, decay: float, normalise: bool = True, log=None
) -> np.ndarray:
    """Subsequence kernel: common subsequences of a length, gaps weighted down.

    k(s, t) = sum over u of ``length`` letters, over its places i in s and j in t (ascending, not
    necessarily contiguous), of decay^(l(i) + l(j)) with l(i) = i_r - i_1 + 1.

    Parameters
    ----------
    S : sequence of n str
        Any characters; a letter is a code point (a combining accent is a letter of its own, so
        bring text to one form first: ``unicodedata.normalize("NFC", s)``).
    T : sequence of m str, optional
        None for the pairs of ``S``: exactly symmetric then.
    length : int
        r, at least 1.
    decay : float
        In (0, 1].
    normalise : bool, default True
        Divide by sqrt(k(s, s) k(t, t)). Done without the common factor decay^(2 r), so that a
        small decay loses nothing.
    log : function of a str, optional
        Gets progress lines of long computations.

    Returns
    -------
    ndarray of shape (n, m), float64
        Positive semidefinite. A string shorter than ``length`` has no subsequence, raw value 0
        with all strings; normalised it is given a direction of its own: value 1 with an equal
        string and 0 with all others. So the diagonal is 1 throughout, and as a loss two strings
        without a common subsequence are at the largest distance, short ones too. Equal strings
        have the same row to the bit.

    Raises
    ------
    KernelError
        Strings, length or decay that are not usable; values beyond float64, which long strings
        have for a large length and a decay near 1 (names the strings); or a raw decay^(2 r) below
        1e-300.

    Notes
    -----
    O(r |s| |t|) time and O(r min(|s|, |t|)) memory a pair; as many threads as BLAS has
    (``threadpoolctl`` sets that). Gaps of a weight below 1e-290 are taken for zero.

    References
    ----------
    Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins (2002), Text classification using
    string kernels, Journal of Machine Learning Research 2, definitions 1 and 2.
    """
    raw = not normalise
    return fill(prepare(S, T, length=length, decay=decay, raw=raw, log=log, threads=None), log)


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: ``["l3", "d0.01"]``, or with ``"raw"`` after them."""
    raw = words[2:] == ["raw"]
    if len(words) != 2 + raw:
        raise KernelError(f"'subsequence' wants a length and a decay, found {'-'.join(words)!r}.")
    length = read_number(words[0], "l", "length")
    length = int(length) if length.is_integer() else length
    return _checked(length, read_number(words[1], "d", "decay"), raw)


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    words = [f"l{parameters['length']}", f"d{write_number(parameters['decay'])}"]
    return [*words, "raw"] if parameters["raw"] else words


def prepare(
    S,
    T=None,
    *,
    length: int,
    decay: float,
    raw: bool = False,
    log: Callable[[str], None] | None = None,
    threads: int | None = 1,
) -> Blocks:
    """Validate strings and parameters and return the kernel in blocks.

    ``threads`` share the pairs of one block (None: as many as BLAS has); ``log`` gets a line
    every 20 seconds.
    """
    _checked(length, decay, raw)
    length, decay = int(length), float(decay)
    S = as_strings(S, "S")
    texts, rows, columns = distinct(S, None if T is None else as_strings(T, "T"))
    letters, starts = joined_letters(texts)
    options = {"threads": blas_threads() if threads is None else threads, "log": log}

    def refuse(first: str, second: str) -> None:
        raise KernelError(
            f"subsequence-l{length}-d{write_number(decay)}: {_shown(first)} and {_shown(second)} "
            "have a value beyond float64; take a smaller decay or a smaller length."
        )

    def values(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        from gramworks.solvers.subsequence_sums import pair_sums  # numba is slow to import

        sums = pair_sums(letters, starts, first, second, length, decay, equal=raw, **options)
        if raw:
            sums *= decay ** (2 * length)
        if not np.isfinite(sums).all():
            i, j = np.argwhere(~np.isfinite(sums))[0]
            refuse(texts[first[i]], texts[second[j]])
        return sums

    for (size, alphabet), text in {(len(text), len({*text})): text for text in texts}.items():
        if log_least_sum(size, alphabet, length, decay) > _LARGEST:  # the sums would take long
            refuse(text, text)
    if raw:
        return expanded_blocks(rows, columns, T is None, values, None)
    from gramworks.solvers.subsequence_sums import self_sums

    own = self_sums(letters, starts, length, decay, **options)
    if not np.isfinite(own).all():
        first = texts[np.flatnonzero(~np.isfinite(own))[0]]
        refuse(first, first)
    return expanded_blocks(rows, columns, T is None, values, own)


def log_least_sum(size: int, alphabet: int, length: int, decay: float) -> float:
    """Give a lower bound of ln k(s, s) / decay^(2 r), of a string by its number of letters alone.

    With c_u the sum of decay^gaps over the places of a subsequence u, k(s, s) / decay^(2 r) is the
    sum of c_u^2 over all u, which is at least (sum of c_u)^2 over the number of different u.

    Parameters
    ----------
    size : int
        Number of letters of s.
    alphabet : int
        Number of different ones among them.
    length : int
        r
    decay : float

    Returns
    -------
    float
        -inf where there is no subsequence; gaps that may be taken for zero are left out.
    """
    from scipy.special import gammaln, logsumexp

    def log_choices(n, k):
        return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)

    if size < length:
        return -math.inf
    different = min(length * math.log(alphabet), float(log_choices(size, length)))
    if length == 1:
        return 2.0 * math.log(size) - different
    most = size - length if decay == 1 else min(size - length, int(_GAP / -math.log(decay)))
    gaps = np.arange(most + 1)
    places = np.log(size - length - gaps + 1.0) + log_choices(length + gaps - 2, length - 2)
    return 2.0 * float(logsumexp(places + gaps * math.log(decay))) - different


def _checked(length, decay, raw) -> dict:
    length = check_length(length)
    if not isinstance(decay, Real) or isinstance(decay, bool) or not 0 < decay <= 1:
        raise KernelError(f"decay = {decay!r}: a number above 0 and up to 1 is needed.")
    decay = float(decay)
    if raw and decay < 1 and 2 * length * math.log10(decay) < -300:
        raise KernelError(
            f"length = {length}, decay = {decay!r}: decay^(2 length) is below 1e-300, so that "
            "values are lost; normalised ones are not."
        )
    return {"length": length, "decay": decay, "raw": raw}


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}... ({len(text)} letters)"
