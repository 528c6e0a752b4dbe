"""What a figure of this run rests on, in words for its caption."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from gramworks.report.confusion_figure import counted_rows
from gramworks.report.escaping import inert, plain
from gramworks.report.kept_rows import shown_rows
from gramworks.report.looks import Looks
from gramworks.report.roc_figure import roc
from gramworks.report.score_lines import of_numbers
from gramworks.report.tables import write_tidy
from gramworks.report.weight_figure import WEIGHT

COLUMNS = ("figure", "text")
NEARLY_THE_SAME = 0.98
"""Centred alignment above which two kernels say next to the same."""


def figure_remarks(comparison: pd.DataFrame, lines: pd.DataFrame, looks: Looks) -> pd.DataFrame:
    """Say how many kept draws figures of single points rest on, and where weights say little.

    Parameters
    ----------
    comparison : DataFrame
        From `gramworks.report.comparison.compare`.
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`.
    looks : Looks

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, a sentence a figure; figures without a remark have no row.
    """
    numbers = of_numbers(lines)
    shown = shown_rows(looks.predictions, lines)
    classes = {dataset: rows for dataset, rows in shown.items() if dataset not in numbers}
    weighted = set(comparison.loc[comparison["metric"].str.fullmatch(WEIGHT.pattern), "dataset"])
    pairs = {dataset: own for dataset, own in looks.alignments.items() if dataset in weighted}
    texts = {
        "ROC curves": _kept({dataset: _with_curve(rows) for dataset, rows in classes.items()}),
        "confusion matrices": _kept({d: counted_rows(rows) for d, rows in classes.items()}),
        "weights": _alike(pairs),
    }
    rows = [(figure, text) for figure, text in texts.items() if text]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def write_remarks(path: Path, rows: pd.DataFrame) -> None:
    """Write the rows; no text is a formula to a spreadsheet."""
    write_tidy(path, rows.assign(text=rows["text"].map(inert)))


def _with_curve(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep the draws of the first method that has ROC curves."""
    for _, own in rows.groupby(["method", "setting"], sort=False):
        found = [draw for _, draw in own.groupby("repeat") if roc(draw) is not None]
        if found:
            return pd.concat(found)
    return rows.iloc[:0]


def _kept(chosen: Mapping[str, pd.DataFrame]) -> str:
    """Say "3 kept draws of 20 test points", with the data sets where they differ."""
    told: dict[str, list[str]] = {}
    for dataset, rows in chosen.items():
        if len(rows):
            told.setdefault(_draws(rows), []).append(plain(dataset))
    if len(told) == 1:
        return f"They rest on {next(iter(told))}."
    parts = [f"{', '.join(datasets)} on {text}" for text, datasets in told.items()]
    return f"They rest on few draws: {'; '.join(parts)}." if parts else ""


def _draws(rows: pd.DataFrame) -> str:
    counts = rows.groupby("repeat").size()
    low, high = counts.min(), counts.max()
    points = f"{low}" if low == high else f"{low} to {high}"
    draws = "draw" if len(counts) == 1 else "draws"
    return f"{len(counts)} kept {draws} of {points} test {'point' if high == 1 else 'points'}"


def _alike(alignments: Mapping[str, pd.DataFrame]) -> str:
    """Say where base kernels are so alike that single weights say little."""
    same = list(_nearly_the_same(alignments))
    if not same:
        return ""
    where = "" if len(same) == len(alignments) else f" on {', '.join(same)}"
    return (
        f"The base kernels are nearly the same{where} (each two have a centred alignment above "
        f"{NEARLY_THE_SAME:g}), so that single weights say little there: weight moves from one to "
        "another at no cost."
    )


def _nearly_the_same(alignments: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for dataset, pairs in alignments.items():
        two = pairs.loc[pairs["kernel"] != pairs["other"], "alignment"]
        if len(two) and (two > NEARLY_THE_SAME).all():
            yield plain(dataset)
