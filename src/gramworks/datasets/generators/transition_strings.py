"""Strings to strings: three kinds of letter sequences and their noisy answers.

J. Weston, O. Chapelle, A. Elisseeff, B. Schoelkopf and V. Vapnik, Kernel dependency estimation,
NIPS 15 (2002) 897-904, section 4.1.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.seeds import generator
from gramworks.errors import DataError
from gramworks.fields import Count, StrictModel

LETTERS = "abcd"
LENGTHS = (10, 15)
"""Shortest and longest input."""
KINDS = (("abcd", 0.25, "abad"), ("abcd", 0.7, "dbbd"), ("cd", 0.7, "aabc"))
"""Letters, probability that a letter repeats, and answer of each class; other letters are equally
likely."""
ONE, TWO = 0.3, 0.15
"""Probabilities of one and of two insertions, then of one and of two deletions."""


class Parameters(StrictModel):
    """Parameters of `generator: transition-strings`."""

    size: Annotated[Count, Field(ge=3)]
    """Number of pairs; each class is equally likely for each."""


def generate(entry: DatasetEntry, parameters: Parameters, seed: int) -> Dataset:
    """Draw pairs of strings.

    Parameters
    ----------
    entry : DatasetEntry
        Gives the names of the three classes.
    parameters : Parameters
    seed : int

    Returns
    -------
    Dataset
        X inputs, y noisy outputs, groups the classes.
    """
    if len(entry.target.classes) != len(KINDS) or entry.task != "structured":
        raise DataError(
            f"data set {entry.id!r}: transition-strings makes structured outputs of {len(KINDS)} "
            f"classes, the registry says {entry.task} and {len(entry.target.classes)}."
        )
    random = generator("transition-strings", seed)
    groups = random.integers(len(KINDS), size=parameters.size)
    X, y = [], []
    for code in groups:
        letters, repeat, answer = KINDS[code]
        X.append(_walk(random, letters, repeat))
        y.append(_disturbed(random, answer))
    return Dataset(entry.id, X, y, list(entry.target.classes), [], groups=groups.astype(np.int64))


def _walk(random: np.random.Generator, letters: str, repeat: float) -> str:
    text = letters[random.integers(len(letters))]
    for _ in range(random.integers(LENGTHS[0], LENGTHS[1] + 1) - 1):
        if random.random() < repeat:
            text += text[-1]
        else:
            others = letters.replace(text[-1], "")
            text += others[random.integers(len(others))]
    return text


def _disturbed(random: np.random.Generator, text: str) -> str:
    for _ in range(_number(random)):
        place = random.integers(len(text) + 1)
        text = text[:place] + LETTERS[random.integers(len(LETTERS))] + text[place:]
    for _ in range(_number(random)):
        place = random.integers(len(text))
        text = text[:place] + text[place + 1 :]
    return text


def _number(random: np.random.Generator) -> int:
    u = random.random()
    return 1 if u < ONE else 2 if u < ONE + TWO else 0
