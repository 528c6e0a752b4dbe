"""Documents of Reuters-21578 from its SGML files, which are not trusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gramworks.datasets.texts import read_text
from gramworks.errors import DataError

LARGEST_DOCUMENT = 1 << 20
"""Characters of one document beyond which it is refused; the longest real one has some 14000."""

_LISTS = ("TOPICS", "PLACES", "PEOPLE", "ORGS", "EXCHANGES", "COMPANIES")
_INSIDE = {
    "REUTERS": ("DATE", "MKNOTE", *_LISTS, "UNKNOWN", "TEXT"),
    "TEXT": ("TITLE", "AUTHOR", "DATELINE", "BODY"),
    **dict.fromkeys(_LISTS, ("D",)),
}
"""Elements that an element may hold. Nothing else nests, so three levels are the most."""
_TAG = re.compile(r'<(/?)([A-Z]+)((?: [A-Z]{1,20}="[^"<>]{0,200}")*) ?>')
_ATTRIBUTE = re.compile(r' ([A-Z]+)="([^"]*)"')
_ENTITY = re.compile(r"&(?:#([0-9]{1,9})|([A-Za-z][A-Za-z0-9.-]{0,30}));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


@dataclass
class Document:
    """One story."""

    line: int
    attributes: dict[str, str]
    """TOPICS, LEWISSPLIT, CGISPLIT, OLDID, NEWID as they stand there"""
    topics: list[str] = field(default_factory=list)
    kind: str = "NORM"
    """TYPE of the text: NORM, BRIEF (a title only) or UNPROC (not divided into parts)"""
    parts: dict[str, str] = field(default_factory=dict)
    """title, author, dateline, body, and rest: what stands in none of them"""


def read_documents(path: Path) -> Iterator[Document]:
    """Yield the documents of one file, decoded as Latin-1.

    The collection's own DTD is all that is understood: no other declaration, no other element,
    no element left open, and no entity but characters. An entity stands for one character and is
    never looked at again, so that nothing expands.

    Raises
    ------
    DataError
        With file and line.
    """
    text = read_text(path, encoding="latin-1")
    start = _after_doctype(path, text)
    line = 1 + text.count("\n", 0, start)
    while (found := text.find("<", start)) >= 0:
        line += text.count("\n", start, found)
        end = text.find("</REUTERS>", found)
        if end < 0:
            raise DataError(f"{path}, line {line}: a document without </REUTERS>; is it cut off?")
        end += len("</REUTERS>")
        if end - found > LARGEST_DOCUMENT:
            raise DataError(
                f"{path}, line {line}: a document of {end - found} characters; at most "
                f"{LARGEST_DOCUMENT} are allowed."
            )
        if text[start:found].strip():
            raise DataError(f"{path}, line {line}: text between documents.")
        yield _document(path, line, text[found:end])
        line += text.count("\n", found, end)
        start = end
    if text[start:].strip():
        raise DataError(f"{path}: text behind the last document.")


def _after_doctype(path: Path, text: str) -> int:
    opening = '<!DOCTYPE lewis SYSTEM "lewis.dtd">'
    if not text.startswith(opening):
        raise DataError(f"{path}: begins {text[:60]!r}, a Reuters file begins {opening!r}.")
    return len(opening)


def _document(path: Path, line: int, text: str) -> Document:
    """Read one document; `text` begins with its tag and ends behind its end tag."""

    def refuse(at: int, fault: str) -> DataError:
        return DataError(f"{path}, line {line + text.count(chr(10), 0, at)}: {fault}.")

    document = Document(line, {})
    inside: list[str] = []
    pieces: dict[str, list[str]] = {}
    at = 0
    while (tag := text.find("<", at)) >= 0:
        match = _TAG.match(text, tag)
        if not match:
            raise refuse(tag, f"{text[tag : tag + 30]!r} is not a tag of the collection")
        _collect(document, pieces, inside, _decoded(text[at:tag], at, refuse))
        closing, name, attributes = match.groups()
        if closing:
            if attributes or not inside or inside.pop() != name:
                raise refuse(tag, f"</{name}> closes nothing that is open")
        elif name not in (_INSIDE.get(inside[-1], ()) if inside else ("REUTERS",)):
            where = f"<{inside[-1]}>" if inside else "a document"
            raise refuse(tag, f"<{name}> does not belong into {where}")
        else:
            inside.append(name)
            values = dict(_ATTRIBUTE.findall(attributes))
            if name == "REUTERS":
                document.attributes = values
            elif name == "TEXT":
                document.kind = values.get("TYPE", "NORM")
            elif name == "D" and inside[-2] == "TOPICS":
                document.topics.append("")
        at = match.end()
        if closing and not inside and at < len(text):
            raise refuse(at, "text behind </REUTERS>")
    if inside:
        raise refuse(at, f"<{inside[-1]}> is not closed")
    document.parts = {name: "".join(found) for name, found in pieces.items()}
    return document


def _collect(
    document: Document, pieces: dict[str, list[str]], inside: list[str], text: str
) -> None:
    if inside[1:] == ["TOPICS", "D"]:
        document.topics[-1] += text.strip()
    elif inside[1:2] == ["TEXT"]:
        pieces.setdefault(inside[2].lower() if inside[2:] else "rest", []).append(text)


def _decoded(text: str, at: int, refuse) -> str:
    if "&" not in text:
        return text

    def character(match: re.Match) -> str:
        number, name = match.groups()
        if name in _NAMED:
            return _NAMED[name]
        code = int(number) if number else 256
        if code > 255:
            raise refuse(at + match.start(), f"entity {match[0]} is not a character of Latin-1")
        # Control characters are the teletype's: they part words.
        return " " if code < 32 or 127 <= code < 160 else chr(code)

    return _ENTITY.sub(character, text)
