"""Run time against score: what the better method costs."""

from __future__ import annotations

import math
import textwrap

import matplotlib
import matplotlib.ticker
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gramworks.report.escaping import plain
from gramworks.report.figures import LETTER, STYLE
from gramworks.report.marks import Mark, marks_of
from gramworks.report.score_lines import higher_is_better, labels_of, representatives
from gramworks.settings import join_settings

_COLUMNS = 4
_LETTERS = 26


def time_plot(lines: pd.DataFrame, timings: pd.DataFrame) -> Figure | None:
    """Draw a panel a data set, a mark a method at its best setting and the largest size.

    Parameters
    ----------
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`.
    timings : DataFrame
        Rows of the same shape as scores, metric ``seconds``.

    Returns
    -------
    matplotlib Figure or None
        Median seconds of a draw on a log scale (the first draw of a job pays for imports), without
        the Gram matrices and what all draws share.
        None where nothing has two methods with times.
    """
    cells = _cells(lines, timings)
    if cells.empty:
        return None
    datasets = list(dict.fromkeys(cells["dataset"]))
    marks = marks_of(cells, cells["label"].tolist())
    rows = math.ceil(len(datasets) / _COLUMNS)
    columns = math.ceil(len(datasets) / rows)
    names = 0.45 + LETTER * max(map(len, marks))
    if len(datasets) == 1:  # names beside the panel, else above all of them
        across, size = 1, (5.2 + names, max(3.2, 0.2 * len(marks) + 0.5))
    else:
        width = max(3.0 * columns, 6.0)
        across = max(1, int(width / names))
        size = (width, 2.5 * rows + 0.5 + 0.2 * math.ceil(len(marks) / across))
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        for panel in axes.flat[len(datasets) :]:
            panel.set_visible(False)
        for dataset, panel in zip(datasets, axes.flat, strict=False):
            _panel(panel, cells[cells["dataset"] == dataset], marks)
            panel.set_title(plain(dataset), fontsize=9, fontweight="bold", loc="left")
        figure.supxlabel("median seconds of a draw", fontsize=9)
        order = _best_first(cells)
        handles = [
            Line2D([], [], linestyle="", marker=marks[name].marker, color=marks[name].colour)
            for name in order
        ]
        figure.legend(
            handles, order, ncols=across, frameon=False, fontsize=9,
            loc="outside right upper" if len(datasets) == 1 else "outside upper left",
        )  # fmt: skip
    return figure


def _cells(lines: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    chosen = representatives(lines[~lines["control"].astype(bool)])
    last = chosen.groupby("dataset")["size"].transform("last")
    chosen = chosen[chosen["size"] == last]
    keys = ["dataset", "method", "setting", "size", "metric"]
    means = chosen.groupby(keys, sort=False)["value"].mean().reset_index(name="score")
    seconds = timings[timings["metric"] == "seconds"]
    seconds = seconds.groupby(["dataset", "method", "setting"])["value"].median()
    whole = [join_settings(a, b) for a, b in zip(means["size"], means["setting"], strict=True)]
    found = zip(means["dataset"], means["method"], whole, strict=True)
    means["seconds"] = [seconds.get(key, math.nan) for key in found]
    means = means[means["seconds"] > 0]
    means["label"] = labels_of(means)
    return means[means.groupby("dataset")["label"].transform("nunique") > 1]


def _best_first(cells: pd.DataFrame) -> list[str]:
    """Order names by their mean rank over the data sets."""
    signs = [-1.0 if higher_is_better(metric) else 1.0 for metric in cells["metric"]]
    ranks = (cells["score"] * signs).groupby(cells["dataset"]).rank(pct=True)
    return ranks.groupby(cells["label"]).mean().sort_values(kind="stable").index.tolist()


def _panel(panel: Axes, cells: pd.DataFrame, marks: dict[str, Mark]) -> None:
    panel.grid()
    panel.set_axisbelow(True)
    for row in cells.to_dict("records"):
        mark = marks[row["label"]]
        panel.plot(row["seconds"], row["score"], mark.marker, color=mark.colour, markersize=6.5)
    panel.set_ylabel("\n".join(textwrap.wrap(plain(cells["metric"].iloc[0]), _LETTERS)))
    panel.set_xscale("log")
    low, high = cells["seconds"].min(), cells["seconds"].max()
    panel.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    panel.xaxis.set_major_locator(matplotlib.ticker.LogLocator(numticks=4))
    panel.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    panel.set_xlim(10 ** math.floor(math.log10(low / 1.2)), 10 ** math.ceil(math.log10(high * 1.2)))
    panel.margins(y=0.12)
