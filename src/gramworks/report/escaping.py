"""Untrusted text in CSV, Markdown, LaTeX and SVG. HTML is escaped by the templates."""

from __future__ import annotations

import re

# What neither XML nor a terminal or TeX takes: control characters and lone surrogates.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile(r"[=+\-@\t\r']")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}",
    "±": r"\ensuremath{\pm}", "†": r"\dag{}", "−": r"\ensuremath{-}", "–": "--",
    "[": "{[}", "]": "{]}",
}  # fmt: skip


def printable(text: object) -> str:
    """Replace control characters, line ends kept, and lone surrogates by U+FFFD."""
    return _CONTROL.sub("\ufffd", str(text))


def plain(text: object) -> str:
    """Make one line of printable text."""
    return " ".join(printable(text).split())


def markdown(text: object) -> str:
    """Escape text for Markdown, table cells and headings included; it shows as written."""
    escaped = re.sub(r"([\\`*_{}\[\]()#+!|~$])", r"\\\1", plain(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def latex(text: object) -> str:
    """Escape text for LaTeX, in text mode; it shows as written."""
    return "".join(_LATEX.get(letter, letter) for letter in plain(text))


def inert(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula.

    Numbers stay as they are; a text that begins with an apostrophe gets another one, so that
    `original` gives back what was there.
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def original(text: str) -> str:
    """Undo `inert`."""
    return text[1:] if text.startswith("'") and inert(text[1:]) == text else text


def file_name(text: str) -> str:
    """Make a file name part of a name that need not be one: other characters become "_"."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text) or "_"
