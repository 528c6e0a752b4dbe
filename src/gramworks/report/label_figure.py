"""Bars of one score for each label against the rest, methods beside each other."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from gramworks.label_tasks import label_of, without_label
from gramworks.report.escaping import plain
from gramworks.report.figures import INK, STYLE, line_label, ordered_lines, whiskers
from gramworks.report.marks import method_mark

FLOORS = {"test-auc": 0.5}
"""Where bars of a metric stand that is no amount: chance."""
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "oo", "++")


def label_bars(single: pd.DataFrame, metric: str) -> Figure | None:
    """Draw one metric of the labels: a panel a data set, a group of bars a label.

    Parameters
    ----------
    single : DataFrame
        Rows of single labels of a comparison (`gramworks.report.label_rows.apart`).
    metric : str

    Returns
    -------
    matplotlib Figure or None
        Bars are means over draws with two standard errors either way. Accuracies start at a
        stated value above 0, where differences could not be seen otherwise. None when nothing
        was measured.
    """
    cells = single[(single["metric"] == metric) & (single["n"] > 0)]
    if cells.empty:
        return None
    cells = cells.assign(
        label=cells["setting"].map(label_of), setting=cells["setting"].map(without_label)
    )
    lines = ordered_lines(cells, single)
    datasets = list(dict.fromkeys(cells["dataset"]))
    most = max(cells[cells["dataset"] == d]["label"].nunique() for d in datasets)
    width = min(max(2.2 + most * (0.35 + 0.16 * len(lines)), 6.0), 16.0)
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=(width, 2.5 * len(datasets) + 0.9), layout="constrained")
        axes = figure.subplots(len(datasets), 1, squeeze=False)[:, 0]
        for dataset, panel in zip(datasets, axes, strict=True):
            _panel(panel, cells[cells["dataset"] == dataset], lines, metric)
            panel.set_title(plain(dataset), fontsize=9, fontweight="bold", loc="left")
        # not by their labels: matplotlib passes over names that begin with "_"
        handles = [bars for bars in axes[0].containers if isinstance(bars, BarContainer)]
        figure.legend(
            handles, [line_label(*line) for line in lines], loc="outside upper left",
            ncols=min(len(lines), max(1, int(width / 2.6))), frameon=False, fontsize=9,
        )  # fmt: skip
    return figure


def _panel(panel: Axes, cells: pd.DataFrame, lines: list[tuple], metric: str) -> None:
    labels = list(dict.fromkeys(cells["label"]))
    floor = _floor(cells, metric)
    step = 0.84 / len(lines)
    colours = [method_mark(method).colour for method, _ in lines]
    # bars of one colour, such as settings of one method, are told apart by their hatches
    hatches = [_HATCHES[colours[:i].count(c) % len(_HATCHES)] for i, c in enumerate(colours)]
    panel.grid(axis="y")
    panel.set_axisbelow(True)
    for place, line in enumerate(lines):
        own = cells[(cells["method"] == line[0]) & (cells["setting"] == line[1])]
        x = np.array([labels.index(label) for label in own["label"]], dtype=float)
        means = own["measured_mean"].to_numpy()
        errors = whiskers(metric, means, 2 * own["measured_se"].fillna(0).to_numpy())
        panel.bar(
            x + (place - (len(lines) - 1) / 2) * step, means - floor, 0.92 * step,
            bottom=floor, yerr=errors, color=colours[place], hatch=hatches[place],
            edgecolor="white", linewidth=0.4, error_kw={"ecolor": INK, "elinewidth": 0.9},
            label=line_label(*line),
        )  # fmt: skip
    panel.set_xticks(range(len(labels)), [plain(label) for label in labels])
    panel.tick_params(axis="x", length=0)
    panel.set_xlim(-0.6, len(labels) - 0.4)
    panel.set_ylim(bottom=floor)
    start = f"\n(bars start at {floor:g})" if floor else ""
    panel.set_ylabel(f"{plain(metric)}{start}")


def _floor(cells: pd.DataFrame, metric: str) -> float:
    if metric in FLOORS:
        lowest = (cells["measured_mean"] - 2 * cells["measured_se"].fillna(0)).min()
        return FLOORS[metric] if lowest >= FLOORS[metric] else 0.0
    if not metric.endswith("accuracy-percent"):
        return 0.0
    lowest = (cells["measured_mean"] - 2 * cells["measured_se"].fillna(0)).min()
    return max(0.0, 10 * math.floor(lowest / 10 - 0.2))
