"""Reuters SGML: the split, topics, parts and entities, and what is refused."""

import re
import time

import numpy as np
import pytest

from gramworks.datasets.parsers.reuters_sgml import Options, read
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.reuters_documents import read_documents
from gramworks.datasets.sources import fetch
from gramworks.errors import DataError

DOCTYPE = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'


def story(number, topics, body, *, split="TRAIN", has="YES", kind="", title="TITLE"):
    text = f"<TITLE>{title}</TITLE><DATELINE> ROME </DATELINE><BODY>{body}&#3;</BODY>"
    if "UNPROC" in kind:
        text = body
    marks = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f'<REUTERS TOPICS="{has}" LEWISSPLIT="{split}" CGISPLIT="X" OLDID="1" NEWID="{number}">\n'
        f"<DATE>26-FEB-1987</DATE><MKNOTE>a note</MKNOTE>\n<TOPICS>{marks}</TOPICS>\n"
        f"<PLACES><D>usa</D></PLACES><PEOPLE></PEOPLE><UNKNOWN>&#5;</UNKNOWN>\n"
        f"<TEXT{kind}>&#2;\n{text}</TEXT>\n</REUTERS>\n"
    )


GOOD = DOCTYPE + "".join(
    [
        story(1, ["grain", "corn", "corn"], "AT&amp;T &lt;IBM&gt; corn"),
        story(2, ["earn"], "net", split="TEST"),
        story(3, ["earn"], "left out", has="NO"),
        story(4, ["earn"], "left out", split="NOT-USED"),
        story(5, [], "caf\xe9&#233; &amp;lt; ok", kind=' TYPE="UNPROC"'),
        story(6, ["tea"], "", kind=' TYPE="BRIEF"', split="TEST"),
    ]
)


@pytest.fixture
def read_sgml(make_entry, tmp_path):
    def parse_text(text, classes=("corn", "earn", "grain"), **keys):
        path = tmp_path / "reut.sgm"
        path.write_bytes(text.encode("latin-1"))
        terms = {
            "weights": "counts", "lower_case": True, "token_pattern": r"\b\w+\b",
            "stop_words": "none", "min_documents": 1,
        }  # fmt: skip
        values = {"parts": ["title", "body"], "terms": terms, "other_topics": "ignore"} | keys
        entry = make_entry("reuters_sgml", {"terms": terms, "parts": ["body"]},
                           task="multilabel", labels=classes)  # fmt: skip
        return read([path], entry, entry.sources[0], Options(**values))

    return parse_text


def test_split_topics_and_terms(read_sgml):
    dataset = read_sgml(GOOD)
    assert dataset.row_ids == ["1", "2", "5", "6"]
    assert dataset.classes == ["corn", "earn", "grain"]
    assert dataset.y.dtype == np.int8
    assert dataset.y.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 0]]
    ((train, test),) = dataset.partitions
    assert (train.tolist(), test.tolist()) == ([0, 2], [1, 3])
    found = [
        {dataset.feature_names[j]: int(row[j]) for j in np.flatnonzero(row)}
        for row in dataset.X.toarray()
    ]
    assert found == [
        {"title": 1, "at": 1, "t": 1, "ibm": 1, "corn": 1},
        {"title": 1, "net": 1},
        {"caf\xe9\xe9": 1, "lt": 1, "ok": 1},
        {"title": 1},
    ]
    assert dataset.notes == [
        "2 documents without any of the topics",
        "1 mentions of other topics ignored",
        "1 topics that a document mentions again",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (DOCTYPE, "", "a Reuters file begins"),
        (DOCTYPE, '<!DOCTYPE lewis [<!ENTITY a "aaaa">]>\n', "a Reuters file begins"),
        ("net", '<!ENTITY a "b">', "'<!ENTITY a .* is not a tag of the collection"),
        ("net", "&a;", "line 8: entity &a; is not a character of Latin-1"),
        ("net", "&#99999;", "entity &#99999; is not"),
        ("net", "a < b", "line 8: '< b&#3;.*' is not a tag"),
        ("net", "<B>x</B>", "<B> does not belong into <BODY>"),
        ("net", "</BODY></BODY>", "</BODY> closes nothing"),
        ("net&#3;</BODY>", "net", "closes nothing that is open"),
        ("net", "<BODY>", "<BODY> does not belong into <BODY>"),
        ("net", "<REUTERS>", "<REUTERS> does not belong into <BODY>"),
        ("net", "</REUTERS>", "closes nothing that is open"),
        ('NEWID="2"', 'NEWID="1"', "NEWID is '1'; a number that no other"),
        ('NEWID="2"', "", "NEWID is ''"),
        ('SPLIT="TEST"', 'SPLIT="NONE"', "2 training and 0 test documents"),
    ],
)
def test_refused(read_sgml, old, new, message):
    text = GOOD.replace(old, new)
    assert text != GOOD
    with pytest.raises(DataError, match=message.replace("line 8", r"line \d+")):
        read_sgml(text)


def test_refused_ends(read_sgml):
    with pytest.raises(DataError, match="a document without </REUTERS>; is it cut off"):
        read_sgml(GOOD[:-15])
    with pytest.raises(DataError, match="text behind the last"):
        read_sgml(GOOD + "more")
    with pytest.raises(DataError, match="text between documents"):
        read_sgml(GOOD.replace("</REUTERS>\n", "</REUTERS> more\n"))
    with pytest.raises(DataError, match="a document of .* characters; at most"):
        read_sgml(GOOD.replace("net", "net " * 300_000))
    with pytest.raises(DataError, match="topic 'tea' is not declared"):
        read_sgml(GOOD, other_topics="refuse")


@pytest.mark.parametrize(
    "text", ["<" * 200_000, "<A" + " " * 200_000, "&" * 200_000, '<A B="' * 40_000, "<D>" * 60_000]
)
def test_time_stays_linear(read_sgml, text):
    start = time.perf_counter()
    with pytest.raises(DataError):
        read_sgml(GOOD.replace("net", text + "<"))
    assert time.perf_counter() - start < 1


def test_an_entity_stands_for_one_character_and_is_not_looked_at_again(tmp_path):
    path = tmp_path / "a.sgm"
    path.write_text(DOCTYPE + story(1, [], "&amp;amp;lt; &#38;#60; &#127;."), encoding="latin-1")
    (document,) = read_documents(path)
    assert document.parts["body"].rstrip() == "&amp;lt; &#60;  ."
    assert document.parts["dateline"] == " ROME "


@pytest.mark.mirror
def test_the_real_files_have_the_published_counts(tmp_path, mirror):
    """Sizes and topics of the split as Lewis states them; a second reading of the files agrees."""
    entry = load_entry("reuters-modapte")
    fetch(entry, tmp_path, mirror=mirror, offline=True, log=lambda line: None)
    start = time.perf_counter()
    dataset = parse(entry, tmp_path)
    assert time.perf_counter() - start < 60
    ((train, test),) = dataset.partitions
    assert (len(train), len(test)) == (9603, 3299)
    largest = ["earn", "acq", "money-fx", "grain", "crude", "trade", "interest", "wheat", "ship",
               "corn"]  # fmt: skip
    counts = dict(zip(dataset.classes, dataset.y[train].sum(axis=0, dtype=int), strict=True))
    assert [counts[name] for name in largest] == [
        2877, 1650, 538, 433, 389, 369, 347, 212, 197, 181]  # fmt: skip
    # The file descriptions count mentions: one training document mentions corn twice, hence 182.
    assert "topics that a document mentions again" in " ".join(dataset.notes)
    assert sorted(counts, key=counts.get, reverse=True)[:10] == largest
    # An independent reading with one regular expression.
    pattern = re.compile(
        r'<REUTERS TOPICS="YES" LEWISSPLIT="(TRAIN|TEST)"[^>]*NEWID="(\d+)">.*?'
        r"<TOPICS>(.*?)</TOPICS>",
        re.S,
    )
    found = [
        match
        for path in sorted(tmp_path.glob("*.sgm"))
        for match in pattern.findall(path.read_text(encoding="latin-1"))
    ]
    assert [number for _, number, _ in found] == dataset.row_ids
    topics = [set(re.findall("<D>(.*?)</D>", marks)) for *_, marks in found]
    split = np.array([name for name, *_ in found])
    sides = [set().union(*(t for t, s in zip(topics, split, strict=True) if s == name))
             for name in ("TRAIN", "TEST")]  # fmt: skip
    assert sorted(sides[0] & sides[1]) == dataset.classes
    assert (len(sides[0]), len(sides[0] & sides[1])) == (115, 90)
    for name, code in (("TRAIN", 7775), ("TEST", 3019)):
        assert sum(bool(t) for t, s in zip(topics, split, strict=True) if s == name) == code
    expected = [[name in t for name in dataset.classes] for t in topics]
    np.testing.assert_array_equal(dataset.y, expected)
