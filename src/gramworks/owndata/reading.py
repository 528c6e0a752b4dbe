"""Read the files a user names, whatever their format."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from gramworks.datasets.texts import read_text
from gramworks.errors import ConfigError, DataError
from gramworks.owndata.array_files import ARRAY_FORMATS, tables_of_arrays
from gramworks.owndata.decimal_marks import other
from gramworks.owndata.delimited_text import decode, read_delimited, read_whitespace
from gramworks.owndata.findings import Findings
from gramworks.owndata.numerals import number_text
from gramworks.owndata.raw_table import RawTable, ReadOptions, named_columns

TEXT = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat")

SPARSE = (".libsvm", ".svm", ".svmlight")
FORMATS = (*TEXT, ".arff", *ARRAY_FORMATS, *SPARSE)
SPARSE_TARGET = "label"
"""What the first number of a line of LIBSVM's format is called."""
_SPARSE_LINE = re.compile(r"\s*[-+]?[\d.]+(?:[eE][-+]?\d+)?(?:\s+\d+:\S+)+\s*(?:#.*)?")


def read_own(path: Path, options: ReadOptions, findings: Findings) -> list[RawTable]:
    """Read one file: a table, or one a matrix for files of several.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    findings : Findings
        Receives what was found out.

    Raises
    ------
    DataError
        When it is not there, of a format that is not read, damaged or empty; says what to do.
    ConfigError
        One mark is stated for decimals and thousands.
    """
    thousands = options.thousands
    if thousands is not None and thousands == options.decimal:
        raise ConfigError(
            f"--thousands {thousands!r} and --decimal {thousands!r}: a mark cannot be both; leave "
            "out the wrong one."
        )
    if thousands in (".", ",") and options.decimal is None:
        options = replace(options, decimal=other(thousands))
    tables = _read(path, options, findings)
    for table in tables:
        table.thousands = thousands
    return tables


def _read(path: Path, options: ReadOptions, findings: Findings) -> list[RawTable]:
    kind = path.suffix.lower()
    if not path.is_file():
        raise DataError(f"{path}: there is no such file; look at its name and folder.")
    if not path.stat().st_size:
        raise DataError(f"{path}: the file is empty.")
    if kind in SPARSE:
        return [_sparse(path, findings)]
    if kind == ".arff":
        return [_arff(path, options, findings)]
    if kind in ARRAY_FORMATS:
        return tables_of_arrays(path, options, findings)
    if kind in (".xlsx", ".xls", ".ods", ".parquet", ".pkl", ".pickle", ".rds", ".sav"):
        raise DataError(f"{path}: {kind} is not read; export the table as CSV.")
    if kind not in TEXT:
        raise DataError(
            f"{path}: no format is known for {kind or 'a name without ending'}; rename it to one "
            f"of {', '.join(FORMATS)}."
        )
    if kind in (".txt", ".data", ".dat") and not options.delimiter:
        lines = [
            line
            for line in decode(path, options.encoding, Findings()).splitlines()[:50]
            if line.strip()
        ]
        if lines and all(_SPARSE_LINE.fullmatch(line) for line in lines):
            return [_sparse(path, findings)]
        if not any(mark in line for line in lines for mark in ",;\t|"):
            return [read_whitespace(path, options, findings)]
    return [read_delimited(path, options, findings)]


def _arff(path: Path, options: ReadOptions, findings: Findings) -> RawTable:
    from gramworks.datasets.arff_text import GAP, declared_rows, read_arff

    content = read_arff(path, encoding=options.encoding or "utf-8-sig")
    if not content.rows:
        raise DataError(f"{path}: there are no rows of data in it.")
    names = [attribute.name for attribute in content.attributes]
    cells = [list(column) for column in zip(*declared_rows(content), strict=True)]
    findings.say(f"{path.name}: {len(content.rows)} rows, {len(names)} attributes of an ARFF file")
    gaps = frozenset({"", GAP, "<null>", *options.missing_marks})
    return RawTable(
        path, path.stem, named_columns(path, names, cells), content.lines, "line", gaps=gaps
    )


def _without_comment(line: str) -> str:
    return line.partition("#")[0]


def _sparse(path: Path, findings: Findings) -> RawTable:
    import io

    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_file

    from gramworks.datasets.parsers.libsvm import check_lines

    text = read_text(path)
    zero = re.search(r"^\s*\S+\s+0:", text, re.MULTILINE) is not None
    check_lines(path, text, 0 if zero else 1, 10**9)
    X, _ = load_svmlight_file(io.BytesIO(text.encode()), zero_based=zero)
    lines = [i for i, line in enumerate(text.split("\n"), 1) if _without_comment(line).strip()]
    share = X.nnz / max(1, X.shape[0] * X.shape[1])
    findings.say(
        f"{path.name}: {X.shape[0]} rows, {X.shape[1]} features numbered from {0 if zero else 1}, "
        f"{share:.1%} of the values are not 0; the first number of a line is the target, "
        f"{SPARSE_TARGET!r}"
    )
    # the text, not the reader's float: a long whole number would lose digits
    first = [line.split()[0] for line in map(_without_comment, text.split("\n")) if line.strip()]
    names = [
        str(int(cell)) if re.fullmatch(r"[-+]?\d+", cell) else number_text(float(cell))
        for cell in first
    ]
    return RawTable(path, path.stem, {SPARSE_TARGET: names}, lines, "line", sparse=csr_array(X))
