"""Tables as files: tidy CSV, and for people CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from gramworks.report.cells import ASSUMED, INCOMPLETE, LATEX_MARKS, MARKS, Cell, Table
from gramworks.report.escaping import inert, latex, markdown, plain
from gramworks.report.verdicts import REASONS, VERDICTS
from gramworks.whole_files import write_text

READING = (
    "mean ± standard deviation over repeats [standard error] "
    "(published; smallest difference the test could see) verdict"
)
"""How a cell is read."""

MOST_LOST = 5
"""Reasons of rows without a value that the notes tell."""


def write_tidy(path: Path, table: pd.DataFrame) -> None:
    """Write a DataFrame as CSV: numbers with 10 significant digits, nothing where missing."""
    write_text(path, table.to_csv(index=False, float_format="%.10g", lineterminator="\n"))


def write_csv(path: Path, table: Table) -> None:
    """Write the table as CSV with one text a cell, for spreadsheets.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", "setting", *(inert(metric) for metric in table.metrics)])
    for method, setting, cells in table.rows:
        writer.writerow([inert(method), inert(setting), *(cell.text for cell in cells)])
    write_text(path, text.getvalue())


def write_markdown(path: Path, table: Table, *, title: str, version: str) -> None:
    """Write the table as Markdown."""
    lines = [f"## {markdown(title)}", "", f"{READING[0].upper()}{READING[1:]}.", ""]
    lines += _markdown_row(["method", "setting", *table.metrics], markdown)
    lines.append("|---|---|" + "---:|" * len(table.metrics))
    for method, setting, cells in table.rows:
        texts = [markdown(cell.text) for cell in cells]
        lines.append(f"| {markdown(method)} | {markdown(setting)} | {' | '.join(texts)} |")
    lines += ["", *(f"- {markdown(line)}" for line in legend(table)), ""]
    lines += [f"{markdown(line)}\n" for line in notes(table)]
    write_text(path, "\n".join([*lines, f"Gramworks {version}"]) + "\n")


def write_latex(path: Path, table: Table, *, title: str, version: str) -> None:
    r"""Write the table as LaTeX, for ``\usepackage{booktabs}``; two lines a row."""
    columns = "ll" + "r" * len(table.metrics)
    legends = " ".join(f"{_latex_mark(mark)} {latex(text)}." for mark, text in _legend(table))
    lines = [
        f"% Gramworks {version}; needs \\usepackage{{booktabs}}",
        r"\begin{table}",
        r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
        rf"\caption{{{latex(title)}. {latex(READING[0].upper() + READING[1:])}. {legends}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(latex(name) for name in ["method", "setting", *table.metrics]) + r" \\",
        r"\midrule",
    ]
    for method, setting, cells in table.rows:
        first = [f"{latex(cell.measured)} {_latex_mark(cell.mark)}".strip() for cell in cells]
        lines.append(" & ".join([latex(method), latex(setting), *first]) + r" \\")
        if any(cell.details for cell in cells):
            second = [_small(cell.details) for cell in cells]
            lines.append(" & ".join(["", "", *second]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par {latex(line)}" for line in notes(table)]
    write_text(path, "\n".join([*lines, r"\end{table}"]) + "\n")


def legend(table: Table) -> list[str]:
    """Explain the marks that the table uses, one line each."""
    return [f"{mark} {text}" for mark, text in _legend(table)]


def notes(table: Table) -> list[str]:
    """Say what holds for the whole table."""
    lines = [f"Note: {plain(table.note).rstrip('.')}."] if table.note else []
    reasons = {c.reason for _, _, row in table.rows for c in row if c.verdict == "not-comparable"}
    lines += [f"Not comparable: {REASONS.get(reason, reason)}." for reason in sorted(reasons)]
    if table.published_as != table.dataset:
        lines.append(f"The published numbers are those of {table.published_as}.")
    if table.left_out:
        lines.append(
            f"{table.left_out} published cells were not run; see comparison.csv for the reasons."
        )
    if table.unmeasured and not table.by_label:
        lines.append(f"No method measured here: {', '.join(map(plain, table.unmeasured))}.")
    lines += [f"No value: {plain(line).rstrip('.')}." for line in table.lost[:MOST_LOST]]
    if len(table.lost) > MOST_LOST:
        lines.append(
            f"{len(table.lost) - MOST_LOST} more reasons of rows without a value: problems.csv."
        )
    return lines


def _legend(table: Table) -> list[tuple[str, str]]:
    cells: Sequence[Cell] = [cell for _, _, row in table.rows for cell in row]
    used = {cell.verdict for cell in cells}
    found = [(MARKS[v], f"{v}: {text}") for v, text in VERDICTS.items() if v in used and MARKS[v]]
    if "C" in table.metrics:
        found.append(("C", "averaged by its inverse, the ridge; above 1e5 there is hardly one"))
    if any(cell.flag for cell in cells):
        found.append((INCOMPLETE, "some repeats failed, were skipped or did not converge"))
    if any(cell.published.endswith(ASSUMED) for cell in cells):
        found.append((ASSUMED, "no spread was published; the measured one was taken for it"))
    return found


def _latex_mark(mark: str) -> str:
    return LATEX_MARKS.get(mark) or {INCOMPLETE: r"\dag{}"}.get(mark, mark)


def _small(text: str) -> str:
    return rf"{{\scriptsize {latex(text)}}}" if text else ""


def _markdown_row(texts: Sequence[str], escape: Callable[[str], str]) -> list[str]:
    return ["| " + " | ".join(escape(text) for text in texts) + " |"]
