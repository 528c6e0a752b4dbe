"""ARFF files: header and rows as text, read with liac-arff."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gramworks.datasets.texts import read_text, without_comment
from gramworks.errors import DataError, suggest

GAP = "?"
"""How a missing value stands in ARFF."""
_ATTRIBUTE = re.compile(
    r"""@attribute\s++(?:"((?:\\.|[^"\\])*+)"|'((?:\\.|[^'\\])*+)'|([^\s{]++))\s*+(.*)""",
    re.IGNORECASE | re.DOTALL,
)
# Possessive, so that no line makes it slow.
_VALUE = re.compile(
    r"""\s*+(?:'((?:\\.|[^'\\])*+)'\s*+|"((?:\\.|[^"\\])*+)"\s*+|([^,'"]++))(?:,|$)""", re.S
)
_SPARSE_INDEX = re.compile(r"[{,]\s*+(\d{1,9})\s")
_QUOTED = re.compile(r"""'(?:\\.|[^'\\])*+'|"(?:\\.|[^"\\])*+\"""", re.S)
_NUMBERS = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Attribute:
    """One declared column."""

    name: str
    type: str
    """numeric, nominal, string, date or hierarchical"""
    values: tuple[str, ...] = ()
    """Of a nominal or hierarchical one."""


@dataclass(frozen=True)
class ArffText:
    """Cells of one ARFF file, quotes removed."""

    path: Path
    attributes: list[Attribute]
    rows: list[list[str]]
    """A missing value is `GAP`."""
    lines: list[int]
    """Line number of each row."""
    left_out: list[frozenset[int]]
    """Columns that a sparse row leaves out, whose cells then are "0"; a set a row."""


def read_arff(path: Path, *, encoding: str = "utf-8-sig") -> ArffText:
    """Read one file.

    The dialect is liac-arff's, with two additions: comments behind a declaration, and the type
    ``hierarchical`` of hierarchical multi-label files, whose cells are label paths such as
    ``01/02@10/03``. Numbers stay text: what they mean is decided with the registry's columns.

    Raises
    ------
    DataError
        With file and line.
    """
    import arff

    text = read_text(path, encoding=encoding)
    header, attributes, lines, start = _split_header(path, text)
    try:
        # Sparse rows would need values for what they leave out, and nothing here has them.
        content = arff.loads("\n".join([*header, *lines]), encode_nominal=False)
    except arff.ArffException as error:
        line = getattr(error, "line", -1)
        where = "" if line <= len(header) else f", line {line - len(header) + start - 1}"
        reason = " ".join(str(error).split()).replace(f" in line {line}", "")
        raise DataError(f"{path}{where}: cannot be read as ARFF ({reason}).") from None
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, AttributeError) as error:
        raise DataError(f"{path}: cannot be read as ARFF ({error!r}).") from None
    rows = [[GAP if cell is None else cell for cell in row] for row in content["data"]]
    numbers = [
        start + i
        for i, line in enumerate(lines)
        if line.strip() and not line.lstrip().startswith("%")
    ]
    if len(numbers) != len(rows):
        raise DataError(f"{path}: {len(numbers)} lines of data gave {len(rows)} rows.")
    left_out = [_left_out(lines[number - start], len(attributes)) for number in numbers]
    return ArffText(path, attributes, rows, numbers, left_out)


def declared_rows(content: ArffText) -> list[list[str]]:
    """Return the rows with nominal cells as their attributes declare them.

    What a sparse row leaves out is 0 in a column of numbers, and the value declared first in a
    nominal one.

    Raises
    ------
    DataError
        A value that is not declared, with its line.
    """
    rows = [list(row) for row in content.rows]
    for place, attribute in enumerate(content.attributes):
        if attribute.type != "nominal":
            continue
        known = {*attribute.values, GAP}
        for row, gone, line in zip(rows, content.left_out, content.lines, strict=True):
            if place in gone:
                row[place] = attribute.values[0]
            elif row[place] not in known:
                raise DataError(
                    f"{content.path}, line {line}: attribute {attribute.name!r} has the value "
                    f"{row[place]!r}, which is not declared; "
                    f"{suggest(row[place], list(attribute.values))}."
                )
    return rows


def _left_out(line: str, columns: int) -> frozenset[int]:
    """List what a sparse row, such as ``{0 1.5, 3 red}``, does not state; none of a whole row."""
    text = line.strip()
    if not text.startswith("{"):
        return frozenset()
    stated = {int(index) for index in _SPARSE_INDEX.findall(_QUOTED.sub("q", text))}
    return frozenset(range(columns)) - stated


def _split_header(path: Path, text: str) -> tuple[list[str], list[Attribute], list[str], int]:
    """Check the declarations; return a header that declares text only, and the lines of data."""
    attributes: list[Attribute] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        word = line.strip().lower()
        if word.startswith("@attribute"):
            attributes.append(_attribute(path, number, without_comment(line).strip()))
        elif word.startswith("@data"):
            break
        elif word and not word.startswith(("%", "@relation")):
            raise DataError(
                f"{path}, line {number}: {line.strip()[:60]!r} in the header; allowed are "
                "@relation, @attribute, @data and comments (%)."
            )
    else:
        raise DataError(f"{path}: no @data line, so this is not a whole ARFF file.")
    if not attributes:
        raise DataError(f"{path}: no @attribute before @data.")
    declared = (f"@ATTRIBUTE a{i} STRING" for i in range(len(attributes)))
    header = ["@RELATION r", *declared, "@DATA"]
    return header, attributes, lines[number:], number + 1


def _attribute(path: Path, number: int, line: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    rest = match[4].strip() if match else ""
    if not rest:
        raise DataError(f"{path}, line {number}: {line[:60]!r} is not `@attribute name type`.")
    name = next(part for part in match.groups()[:3] if part is not None)
    name = re.sub(r"\\(.)", r"\1", name)
    word = rest.split()[0].lower()
    if rest.startswith("{"):
        if not rest.endswith("}"):
            raise DataError(f"{path}, line {number}: the values of {name!r} have no closing brace.")
        return Attribute(name, "nominal", _values(path, number, rest[1:-1]))
    if word == "hierarchical":
        return Attribute(name, "hierarchical", _values(path, number, rest[len(word) :]))
    if word in _NUMBERS:
        return Attribute(name, "numeric")
    if word in ("string", "date"):
        return Attribute(name, word)
    raise DataError(
        f"{path}, line {number}: {name!r} has type {rest[:40]!r}; allowed are numeric, real, "
        "integer, string, date, {values} and hierarchical."
    )


def _values(path: Path, number: int, text: str) -> tuple[str, ...]:
    found: list[str] = []
    place = 0
    while place < len(text):
        match = _VALUE.match(text, place)
        if not match:
            raise DataError(
                f"{path}, line {number}: the values of the attribute cannot be read at "
                f"{text[place : place + 40]!r}; quotes or commas are missing."
            )
        quoted = match[1] if match[1] is not None else match[2]
        found.append(match[3].strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        place = match.end()
    return tuple(found)
