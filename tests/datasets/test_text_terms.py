"""Counts and tf-idf against scikit-learn and by hand; tables of texts."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer

from gramworks.datasets.terms import Terms, stop_words, weigh
from gramworks.errors import DataError

WORDS = r"\b[a-z]{2,}\b"
BASE = {
    "weights": "tf-idf",
    "lower_case": True,
    "token_pattern": WORDS,
    "stop_words": "none",
    "min_documents": 1,
}


def _texts(n=60, seed=0):
    random = np.random.default_rng(seed)
    words = [f"{a}{b}" for a in "abcdefgh" for b in "xyz"]
    weights = 1 / np.arange(1, len(words) + 1)
    return [
        " ".join(random.choice(words, size=random.integers(1, 40), p=weights / weights.sum()))
        for _ in range(n)
    ]


@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("sublinear", [True, False])
@pytest.mark.parametrize("unit_rows", [True, False])
def test_tf_idf_is_scikit_learns(smooth, sublinear, unit_rows):
    texts = _texts()
    terms = Terms(**BASE, smooth=smooth, sublinear=sublinear, unit_rows=unit_rows)
    X, names = weigh(texts, terms, "test")
    counter = CountVectorizer(token_pattern=WORDS)
    counts = counter.fit_transform(texts)
    reference = TfidfTransformer(
        norm="l2" if unit_rows else None, smooth_idf=smooth, sublinear_tf=sublinear
    ).fit_transform(counts)
    assert names == counter.get_feature_names_out().tolist() == sorted(names)
    np.testing.assert_allclose(X.toarray(), reference.toarray(), rtol=1e-14)
    assert X.format == "csr"
    assert X.dtype == np.float64
    assert X.has_sorted_indices


def test_by_hand():
    texts = ["Mac mac 4th the THE", "windows the", "mac 99", "  "]
    X, names = weigh(texts, Terms(**BASE, unit_rows=True), "test")
    assert names == ["mac", "the", "windows"]
    mac, the, windows = math.log(5 / 3) + 1, math.log(5 / 3) + 1, math.log(5 / 2) + 1
    first, second = math.hypot(2 * mac, 2 * the), math.hypot(windows, the)
    expected = [[2 * mac / first, 2 * the / first, 0], [0, the / second, windows / second],
                [1, 0, 0], [0, 0, 0]]  # fmt: skip
    np.testing.assert_allclose(X.toarray(), expected, rtol=1e-15)
    counts = Terms(**BASE | {"weights": "counts", "stop_words": "english", "min_documents": 2})
    X, names = weigh(texts, counts, "test")
    assert names == ["mac"]
    np.testing.assert_array_equal(X.toarray(), [[2], [0], [1], [0]])
    kept = Terms(**BASE | {"weights": "counts", "lower_case": False})
    assert weigh(texts, kept, "test")[1] == ["mac", "the", "windows"]


def test_lengths_are_rounded_once():
    """The order in which squares are summed does not matter, whatever a processor prefers."""
    random = np.random.default_rng(1)
    texts = _texts(40, 2)
    shuffled = [" ".join(random.permutation(text.split())) for text in texts]
    order = random.permutation(len(texts))
    terms = Terms(**BASE, unit_rows=True)
    X, Y = weigh(texts, terms, "test")[0], weigh([shuffled[i] for i in order], terms, "test")[0]
    np.testing.assert_array_equal(X[order].toarray(), Y.toarray())


def test_stop_words_are_fixed():
    """318 words that are scikit-learn's at present; ours stay when theirs change."""
    words = stop_words("english")
    assert len(words) == len(set(words)) == 318
    assert {"the", "and", "would", "hasnt"} <= set(words)
    assert len(set(words) ^ ENGLISH_STOP_WORDS) < 30


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"token_pattern": "("}, "not a regular expression"),
        ({"token_pattern": "(a)b"}, "without groups"),
        ({"min_documents": 0}, "greater than or equal to 1"),
        ({"weights": "tfidf"}, "'counts' or 'tf-idf'"),
    ],
)
def test_options(change, message):
    with pytest.raises(ValidationError, match=message):
        Terms(**BASE | change)
    missing = {k: v for k, v in BASE.items() if k != next(iter(change))}
    with pytest.raises(ValidationError, match="Field required"):
        Terms(**missing)


@pytest.mark.parametrize(("texts", "least"), [(["a", "1"], 1), (["ab", "cd"], 2), ([], 1)])
def test_no_terms(texts, least):
    with pytest.raises(DataError, match=f"here: no term is left of {len(texts)} documents"):
        weigh(texts, Terms(**BASE | {"min_documents": least}), "here")


TABLE = "Category\tText\nd\tstring\nclass\t\n\na\tone two\nb\ttwo \x1c two\nc\tthree\n\t\nb\t"


def _read(read_table, text, **keys):
    options = {"terms": BASE | {"weights": "counts"}}
    target = {"name": "Category", "classes": ["a", "b"], "others": "drop-rows"}
    return read_table(text, "orange_text", options=options, target=target | keys)


def test_table_of_texts(read_table):
    dataset = _read(read_table, TABLE)
    assert dataset.feature_names == ["one", "two"]
    np.testing.assert_array_equal(dataset.X.toarray(), [[1, 1], [0, 2], [0, 0]])
    assert dataset.y.tolist() == [0, 1, 1]
    assert dataset.notes == [
        "1 rows of other classes left out",
        "1 documents without any term are zero rows",
    ]
    np.testing.assert_array_equal(
        _read(read_table, TABLE.replace("\n", "\r\n")).X.toarray(), dataset.X.toarray()
    )
    other_way = "\n".join("\t".join(reversed(line.split("\t"))) for line in TABLE.split("\n"))
    np.testing.assert_array_equal(_read(read_table, other_way).X.toarray(), dataset.X.toarray())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Category", "Kind", "the header says .* expected are the columns 'Category'"),
        ("class\t", "\tclass", "the header says"),
        ("d\tstring", "d\tstring\tx", "the header says"),
        ("one two", "one\ttwo", "line 5: 3 cells, expected 2"),
        ("a\tone two", "a one two", "line 5: 1 cells, expected 2"),
    ],
)
def test_refused_tables(read_table, old, new, message):
    with pytest.raises(DataError, match=message):
        _read(read_table, TABLE.replace(old, new))


def test_undeclared_class(read_table):
    with pytest.raises(DataError, match="line 7: label 'c' is not declared"):
        _read(read_table, TABLE, others="refuse")
