"""Local alignment of protein sequences, `smith-waterman-o11-e1-mapped`: Smith-Waterman scores."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from gramworks.errors import KernelError
from gramworks.kernels.identifiers import read_number, write_number
from gramworks.kernels.tiles import Blocks, fill

PREFIX = "smith-waterman"
GRAMMAR = "smith-waterman-o<gap open>-e<gap extend>-mapped (o11-e1 if left out)"
TAKES = "strings"
SEMIDEFINITE = False
GAP_OPEN, GAP_EXTEND = 11, 1
LETTERS = "ARNDCQEGHILKMFPSTWYVBZX"
"""The amino acids that BLOSUM62 scores, ambiguous ones included."""
_LARGEST_GAP = 10_000


def smith_waterman(
    S, T=None, *, gap_open: int = GAP_OPEN, gap_extend: int = GAP_EXTEND
) -> np.ndarray:
    """Smith-Waterman scores of protein sequences: best local alignment under BLOSUM62.

    Parameters
    ----------
    S : sequence of n str
        Amino acids in capital letters.
    T : sequence of m str, optional
        None for the pairs of ``S``: exactly symmetric then.
    gap_open : int, default 11
        Cost of the first letter of a gap.
    gap_extend : int, default 1
        Cost of each further letter: a gap of k letters costs ``gap_open + (k - 1) gap_extend``.

    Returns
    -------
    ndarray of shape (n, m), float64
        Integers of at least 0. Not positive semidefinite: take ``empirical_map`` of it for a
        kernel.

    Raises
    ------
    KernelError
        No sequences, one that is empty or has a letter that BLOSUM62 does not score (the message
        has sequence and position), or gap costs that are not integers with
        0 <= gap_extend <= gap_open and 1 <= gap_open.

    References
    ----------
    Smith and Waterman (1981), Identification of common molecular subsequences, Journal of
    Molecular Biology 147, with the affine gaps of Gotoh (1982); computed by parasail (Daily 2016,
    BMC Bioinformatics 17).
    """
    return fill(prepare(S, T, gap_open=gap_open, gap_extend=gap_extend))


def parse(words: list[str]) -> dict:
    """Read the words after the prefix: none, or ``["o11", "e1"]``."""
    if not words:
        return _checked(GAP_OPEN, GAP_EXTEND)
    if len(words) != 2:
        raise KernelError(f"'smith-waterman' wants the costs of a gap, found {'-'.join(words)!r}.")
    found = [read_number(words[0], "o", "gap cost"), read_number(words[1], "e", "gap cost")]
    return _checked(*(int(cost) if cost.is_integer() else cost for cost in found))


def format(parameters: dict) -> list[str]:
    """Write the parameters as words."""
    return [
        f"o{write_number(parameters['gap_open'])}",
        f"e{write_number(parameters['gap_extend'])}",
    ]


def prepare(S, T=None, *, gap_open: int = GAP_OPEN, gap_extend: int = GAP_EXTEND) -> Blocks:
    """Validate sequences and gap costs and return the scores in blocks."""
    gaps = _checked(gap_open, gap_extend)
    S = _sequences(S, "S")
    other = S if T is None else _sequences(T, "T")

    def block(rows: slice, columns: slice) -> np.ndarray:
        values = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        on_diagonal = T is None and rows == columns
        for i, first in enumerate(S[rows]):
            start = i if on_diagonal else 0  # `Blocks.tile` mirrors the upper half
            values[i, start:] = _scores(first, other[columns][start:], **gaps)
        return values

    return Blocks(len(S), len(other), T is None, block)


def _scores(first: str, others: list[str], gap_open: int, gap_extend: int) -> list[int]:
    import parasail

    # The striped variant, twice as fast, misses gaps when opening one costs what extending does.
    striped = gap_open > gap_extend
    align = parasail.sw_striped_profile_sat if striped else parasail.sw_scan_profile_sat
    profile = parasail.profile_create_sat(first, parasail.blosum62)
    found = []
    for other in others:
        result = align(profile, other, gap_open, gap_extend)
        if result.saturated:  # beyond 16 bits: sequences of thousands of letters
            result = parasail.sw_scan_32(first, other, gap_open, gap_extend, parasail.blosum62)
        found.append(result.score)
    return found


def _sequences(S, name: str) -> list[str]:
    if isinstance(S, (str, bytes)):
        raise KernelError(f"{name} is one text; a list of sequences is needed: [{name}].")
    if hasattr(S, "columns") or isinstance(S, (set, frozenset, dict)):
        raise KernelError(
            f"{name} is a {type(S).__name__}; a list of sequences in the order of the points is "
            "needed, such as one column of a table."
        )
    S = list(S) if hasattr(S, "__iter__") else [None]
    if not S:
        raise KernelError(f"{name} has no sequences.")
    for number, sequence in enumerate(S):
        where = f"{name}: sequence {number} (counted from 0)"
        if not isinstance(sequence, str):
            raise KernelError(f"{where} is {str(sequence)[:40]!r}; a sequence is text.")
        if not sequence:
            raise KernelError(f"{where} is empty; leave it out.")
        # The aligner would take a letter that it does not know for another one, silently.
        stranger = sequence.translate(_WITHOUT_LETTERS)[:1]
        if stranger:
            raise KernelError(
                f"{where} has {stranger!r} at position {sequence.index(stranger)}; BLOSUM62 "
                f"scores {LETTERS}. {_advice(stranger)}"
            )
    return S


_NEAREST = {"U": "C", "O": "K", "J": "L"}
_WITHOUT_LETTERS = str.maketrans("", "", LETTERS)


def _advice(letter: str) -> str:
    if letter.upper() in LETTERS:
        return "Take capital letters: sequence.upper()."
    if letter in "*-. \t\n":
        return "Take stops, gaps and white space out of the sequences."
    if letter in _NEAREST:
        return f"Write X, or the nearest amino acid {_NEAREST[letter]}."
    return "Write X for an unknown amino acid."


def _checked(gap_open, gap_extend) -> dict:
    for name, cost in (("gap_open", gap_open), ("gap_extend", gap_extend)):
        if not isinstance(cost, Integral) or isinstance(cost, bool) or cost > _LARGEST_GAP:
            raise KernelError(f"{name} = {cost!r}: an integer up to {_LARGEST_GAP} is needed.")
    if not 0 <= gap_extend <= gap_open or gap_open < 1:
        raise KernelError(
            f"gap_open = {gap_open}, gap_extend = {gap_extend}: 0 <= gap_extend <= gap_open and "
            "1 <= gap_open are needed (a gap costs open for its first letter, extend for others)."
        )
    return {"gap_open": int(gap_open), "gap_extend": int(gap_extend)}
