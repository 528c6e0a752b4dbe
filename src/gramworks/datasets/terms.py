"""Texts to term weights: counts of words, or tf-idf, the same bits on every machine."""

from __future__ import annotations

import math
import re
import warnings
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import AfterValidator, Field

from gramworks.errors import DataError
from gramworks.fields import Count, StrictModel

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_WORDS = Path(__file__).resolve().parent.parent / "resources" / "texts"


def _pattern(value: str) -> str:
    try:
        groups = re.compile(value).groups
    except re.error as error:
        raise ValueError(f"not a regular expression ({error})") from None
    if groups:
        raise ValueError("a pattern without groups is wanted; use (?:...)")
    return value


class Terms(StrictModel):
    """How texts become numbers; every choice is stated, none is inherited from a library."""

    weights: Literal["counts", "tf-idf"]
    lower_case: bool
    token_pattern: Annotated[str, AfterValidator(_pattern)]
    """Regular expression of one term."""
    stop_words: Literal["none", "english"]
    """Terms left out: english is the list resources/texts/stop-words-english.txt."""
    min_documents: Annotated[Count, Field(ge=1)]
    """Terms of fewer documents are left out."""
    sublinear: bool = False
    """tf-idf: 1 + ln(count) in place of the count."""
    smooth: bool = True
    """tf-idf: ln((1 + n) / (1 + n_t)) + 1 for a term of n_t of n texts; else ln(n / n_t) + 1."""
    unit_rows: bool = False
    """Rows of Euclidean length 1; a document without terms stays zero."""


@cache
def stop_words(name: str) -> tuple[str, ...]:
    """Return a list of stop words: none, or english (318 words, those of scikit-learn 1.9)."""
    if name == "none":
        return ()
    return tuple((_WORDS / f"stop-words-{name}.txt").read_text(encoding="utf-8").split())


def weigh(texts: list[str], terms: Terms, where: str) -> tuple[csr_array, list[str]]:
    """Weigh the terms of documents.

    Counts are scikit-learn's. Weights are made of them by operations that IEEE arithmetic or
    decimal arithmetic rounds in one way only (and sums that are rounded once), so that they, and
    the checksum of a data set, do not hang on a library's version or a processor's instructions.

    Parameters
    ----------
    texts : list of str
        n documents.
    terms : Terms
    where : str
        What is being read, for messages.

    Returns
    -------
    weights : (n, d) CSR of float64, indices sorted
    names : list of str
        d terms, in the order of their code points.

    Raises
    ------
    DataError
        When no term is left.

    References
    ----------
    G. Salton and C. Buckley, Term-weighting approaches in automatic text retrieval, Information
    Processing and Management 24 (1988) 513-523.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(
        lowercase=terms.lower_case,
        token_pattern=terms.token_pattern,
        stop_words=list(stop_words(terms.stop_words)) or None,
        min_df=terms.min_documents,
        dtype=np.int64,
    )
    try:
        with warnings.catch_warnings():
            # It would warn of stop words that the pattern splits, of which nothing follows here.
            warnings.simplefilter("ignore", UserWarning)
            counts = counter.fit_transform(texts)
    except ValueError as error:
        raise DataError(
            f"{where}: no term is left of {len(texts)} documents ({error}); look at "
            "`token_pattern` and `min_documents`."
        ) from None
    return _weighted(counts, terms), counter.get_feature_names_out().tolist()


def _weighted(counts, terms: Terms) -> csr_array:
    from scipy.sparse import csr_array

    counts = csr_array(counts)
    counts.sort_indices()
    weights = counts.data.astype(np.float64)
    if terms.weights == "tf-idf":
        if terms.sublinear:
            weights = _mapped(counts.data, lambda count: 1 + Decimal(count).ln())
        n, extra = counts.shape[0], int(terms.smooth)
        documents = np.bincount(counts.indices, minlength=counts.shape[1])
        rarity = _mapped(documents, lambda k: (Decimal(n + extra) / Decimal(k + extra)).ln() + 1)
        weights = weights * rarity[counts.indices]
    if terms.unit_rows:
        squares = (weights * weights).tolist()
        for start, stop in zip(
            counts.indptr[:-1].tolist(), counts.indptr[1:].tolist(), strict=True
        ):
            if stop > start:
                weights[start:stop] /= math.sqrt(math.fsum(squares[start:stop]))
    return csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)


def _mapped(values: np.ndarray, function) -> np.ndarray:
    """Apply a function of decimal arithmetic to whole numbers, once for each that occurs."""
    distinct, inverse = np.unique(values, return_inverse=True)
    found = [float(function(value)) for value in distinct.tolist()]
    return np.array(found, dtype=np.float64)[inverse]
