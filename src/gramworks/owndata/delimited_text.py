"""CSV and its relatives as people have them: encoding, delimiter, names and quotes found out."""

from __future__ import annotations

import codecs
import csv
import io
import re
from pathlib import Path

from gramworks.datasets.bounded import read_bounded
from gramworks.errors import DataError
from gramworks.owndata.decimal_marks import decimal_of_table
from gramworks.owndata.findings import Findings, counted, listed, quoted
from gramworks.owndata.numerals import is_number, looks_decimal
from gramworks.owndata.raw_table import RawTable, ReadOptions, find_column, named_columns

LARGEST = 1 << 30
"""Bytes of text beyond which a file is refused."""
LARGEST_CELL = 1 << 24
"""Letters of one cell, which may be a long sequence."""
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
_SAMPLE = 200
_BINARY = {b"PK\x03\x04": "a zip archive or a spreadsheet", b"%PDF": "a PDF", b"\x89HDF": "HDF5"}


def read_delimited(path: Path, options: ReadOptions, findings: Findings) -> RawTable:
    """Read a table of text, one line a row.

    Raises
    ------
    DataError
        Empty, binary, a web page, no names above the columns, equal names, rows of another number
        of cells; with file, line and what to do.
    """
    text = decode(path, options.encoding, findings)
    text, stated = _without_sep(text)
    delimiter = find_delimiter(path, text, options.delimiter or stated)
    rows, lines = split_cells(path, text, delimiter)
    if not rows:
        raise DataError(f"{path}: the file is empty; a row of names and rows of data are expected.")
    names = _names(path, rows, options, findings)
    if options.header:
        rows, lines = rows[1:], lines[1:]
    if not rows:
        raise DataError(f"{path}: there is a row of names ({listed(names)}) and no row of data.")
    for cells, line in zip(rows, lines, strict=True):
        if len(cells) != len(names):
            raise DataError(
                f"{path}, line {line}: {len(cells)} cells, the first line has {len(names)}. Is a "
                f"cell with {DELIMITERS.get(delimiter, quoted(delimiter))} in it not in quotes? "
                "Mend that line, or state the --delimiter."
            )
    columns = [list(cells) for cells in zip(*rows, strict=True)]
    decimal = options.decimal or decimal_of_table(columns)
    if decimal == "," and options.decimal is None and _only_thousands(columns):
        findings.warn(
            f"{path.name}: every number with a comma has three digits behind it; they are read as "
            "decimals. If the commas part thousands, state --thousands ','"
        )
    words = DELIMITERS.get(delimiter, quoted(delimiter))
    marks = "decimal commas" if decimal == "," else "decimal points"
    quotes = ", quoted cells" if '"' in text else ""
    parted = f"cells parted by {words}, {marks}{quotes}" if len(names) > 1 else "one column"
    size = f"{counted(len(rows), 'row')}, {counted(len(names), 'column')}"
    findings.say(f"{path.name}: {size}; {parted}")
    gaps = frozenset({"", "?", "<null>", *options.missing_marks})
    return RawTable(
        path, path.stem, named_columns(path, names, columns), lines, "line", decimal,
        options.decimal is not None, gaps=gaps,
    )  # fmt: skip


def _without_sep(text: str) -> tuple[str, str | None]:
    """Take away a first line ``sep=;``, by which spreadsheets state the delimiter."""
    match = re.match(r'"?sep=(.)"?[ \t]*(?=\r?\n)', text, re.IGNORECASE)
    return (text[match.end() :], match[1]) if match else (text, None)


def decode(path: Path, encoding: str | None, findings: Findings) -> str:
    """Read a text file in the encoding stated, or the one that it shows.

    Raises
    ------
    DataError
        Not text, or not in that encoding.
    """
    data = read_bounded(path, LARGEST)
    if not data.strip():
        raise DataError(f"{path}: the file is empty; a row of names and rows of data are expected.")
    for begin, what in _BINARY.items():
        if data.startswith(begin):
            raise DataError(f"{path}: is {what}, not text; export the table as CSV (UTF-8).")
    if encoding and "utf8" not in _plain_name(encoding) and _plain_name(encoding).startswith("utf"):
        _refuse_wrong_utf(path, data, encoding)
    found = encoding or _encoding(data)
    try:
        text = data.decode(found)
    except (UnicodeDecodeError, LookupError) as error:
        raise DataError(f"{path}: not text in {found} ({error}); state the --encoding.") from None
    if "\0" in text:
        hint = _zeros_hint(data) if encoding is None else ""
        raise DataError(f"{path}: holds zero bytes, so it is not a text file{hint}.")
    if text[:200].lstrip().lower().startswith(("<!doctype html", "<html")):
        raise DataError(f"{path}: is an HTML page, not data; fetch the file itself.")
    if encoding is None and found not in ("utf-8", "utf-8-sig"):
        findings.warn(
            f"{path.name}: not UTF-8, read as {found}; see that letters such as ä and é are right, "
            "or state the --encoding"
        )
    if found == "utf-8-sig":
        findings.say(f"{path.name}: begins with a byte-order mark, which is no part of a name")
    return text


def _plain_name(encoding: str) -> str:
    return re.sub(r"[-_ ]", "", encoding.lower())


def _refuse_wrong_utf(path: Path, data: bytes, encoding: str) -> None:
    """Refuse UTF-16 or UTF-32 for bytes that are plainly UTF-8, which would read as any letters."""
    if b"\0" not in data and _encoding(data).startswith("utf-8"):
        raise DataError(
            f"{path}: is UTF-8 and not {encoding}; leave --encoding out, or state utf-8."
        )


def _zeros_hint(data: bytes) -> str:
    """Say that every other byte is zero, as in UTF-16 without a byte-order mark."""
    for start, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        half = data[start:2000:2]
        if half and half.count(0) > 0.8 * len(half):
            return f"; it looks like UTF-16 without a byte-order mark: state --encoding {name}"
    return ""


def _encoding(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252" if not set(data) & {0x81, 0x8D, 0x8F, 0x90, 0x9D} else "latin-1"
    return "utf-8"


def find_delimiter(path: Path, text: str, stated: str | None) -> str:
    """Find what parts cells: what the standard library's sniffer says, if the rows agree."""
    if stated:
        return "\t" if stated in ("\\t", "tab") else stated
    if path.suffix.lower() == ".tsv":
        return "\t"
    sample = "".join(text.splitlines(keepends=True)[:_SAMPLE])
    widths = {mark: _widths(sample, mark) for mark in DELIMITERS}
    even = [mark for mark, found in widths.items() if len(found) == 1 and max(found) > 1]
    try:
        sniffed = csv.Sniffer().sniff(sample, delimiters="".join(DELIMITERS)).delimiter
    except csv.Error:
        sniffed = ""
    if sniffed in even and sniffed not in (",", " "):
        return sniffed
    # decimal commas part rows evenly too, so that semicolons and tabs go first
    for mark in (";", "\t", "|", ",", " "):
        if mark in even:
            return mark
    often = max(widths, key=lambda mark: (min(widths[mark], default=0), mark == sniffed))
    return often if min(widths[often], default=0) > 1 else ","


def _widths(sample: str, delimiter: str) -> set[int]:
    reader = csv.reader(
        io.StringIO(sample, newline=""), delimiter=delimiter, skipinitialspace=delimiter == " "
    )
    try:
        return {len(cells) for cells in reader if cells}
    except csv.Error:
        return set()


def split_cells(path: Path, text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Split text into rows of cells, with the number of each row's line.

    Raises
    ------
    DataError
        A quotation mark that is not closed.
    """
    if len(delimiter) != 1:
        raise DataError(f"--delimiter is one character, found {quoted(delimiter)}.")
    rows, lines, last = [], [], 0
    blank: list[int] = []
    text_lines = text.split("\n") if '""' in text else []
    csv.field_size_limit(LARGEST_CELL)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True,
        skipinitialspace=delimiter == " ",
    )  # fmt: skip
    try:
        for cells in reader:
            # a cell in quotes is one, even if it is empty
            if cells and (len(cells) > 1 or cells[0].strip() or _is_quoted(text_lines, last)):
                rows.append(cells)
                lines.append(last + 1)
            else:
                blank.append(last + 1)
            last = reader.line_num
    except csv.Error as error:
        raise DataError(
            f"{path}, line {reader.line_num}: {error}; is a quotation mark not closed?"
        ) from None
    if rows and all(len(cells) == 1 for cells in rows):
        # of one column, a blank line between others is an empty cell
        inner = [line for line in blank if lines[0] < line < lines[-1]]
        pairs = sorted([*zip(lines, rows, strict=True), *((line, [""]) for line in inner)])
        lines, rows = [line for line, _ in pairs], [cells for _, cells in pairs]
    return rows, lines


def _is_quoted(lines: list[str], number: int) -> bool:
    return number < len(lines) and lines[number].strip() == '""'


def _names(
    path: Path, rows: list[list[str]], options: ReadOptions, findings: Findings
) -> list[str]:
    first = [cell.strip() for cell in rows[0]]
    if rows[0][0].lstrip().startswith("#") and (
        len(rows[0]) != len(rows[-1])
        or (options.target is not None and options.target.strip() not in first)
    ):
        raise DataError(
            f"{path}: the first line begins with '#' ({listed(first, 4)}): remove the lines of "
            "comments above the names, or the '#' if these are the names of the columns."
        )
    if not options.header:
        return [f"column-{i}" for i in range(1, len(first) + 1)]
    numeric = [cell for cell in first if is_number(cell) or looks_decimal(cell, ",")]
    if numeric and options.target is not None and options.target.strip() not in first:
        raise DataError(
            f"{path}: the first row ({listed(first, 6)}) looks like data, and there is no column "
            f"{quoted(options.target)}. Put a row of names above it, or state --no-header; the "
            f"columns are then called column-1 to column-{len(first)}."
        )
    nameless = [i for i, cell in enumerate(first, 1) if not cell]
    names = [name or f"column-{i}" for i, name in enumerate(first, 1)]
    if nameless:
        given = listed(names[i - 1] for i in nameless)
        findings.say(f"{path.name}: columns without a name are called {given}")
    return names


def _only_thousands(columns: list[list[str]]) -> bool:
    """Whether no number with a comma shows that it is a decimal mark, as 0,125 and 1.103,50 do."""
    found = [c.strip() for cells in columns for c in cells[:1000] if "," in c]
    return all(
        re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", cell)
        for cell in found
        if looks_decimal(cell, ",") or re.fullmatch(r"[-+]?\d{1,3}(?:\.\d{3})+,\d+", cell)
    )


def read_whitespace(path: Path, options: ReadOptions, findings: Findings) -> RawTable:
    """Read a table whose columns stand between white space."""
    text = decode(path, options.encoding, findings)
    joined = "\n".join(re.sub(r"[ \t]+", "\t", line.strip()) for line in text.splitlines())
    rows, lines = split_cells(path, joined, "\t")
    names = _names(path, rows, options, findings)
    if options.header:
        rows, lines = rows[1:], lines[1:]
    bad = next((i for i, cells in enumerate(rows) if len(cells) != len(names)), None)
    if bad is not None or not rows:
        where = f", line {lines[bad]}: {len(rows[bad])} cells, " if rows else ": no row of data, "
        raise DataError(f"{path}{where}the first line has {len(names)}; state the --delimiter.")
    columns = [list(cells) for cells in zip(*rows, strict=True)]
    decimal = options.decimal or decimal_of_table(columns)
    findings.say(f"{path.name}: {len(rows)} rows, {len(names)} columns between white space")
    gaps = frozenset({"", "?", "<null>", *options.missing_marks})
    table = named_columns(path, names, columns)
    if options.target is not None:
        find_column([RawTable(path, path.stem, table, lines)], options.target, "the target")
    return RawTable(
        path, path.stem, table, lines, "line", decimal, options.decimal is not None, gaps=gaps
    )
