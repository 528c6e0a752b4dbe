"""Learned weights of the base kernels, all kernels of a row beside each other."""

from __future__ import annotations

import math
import re

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.figures import INK, LETTER, STYLE, line_label, ordered_lines, panel_grid
from gramworks.report.marks import colour, marker
from gramworks.report.size_panels import by_size

WEIGHT = re.compile(r"weight-(\d+)")
NOT_LEARNED = re.compile(r"single-\d+|uniform")
"""Methods whose weights are given."""


def weight_plot(comparison: pd.DataFrame) -> Figure | None:
    """Draw learned weights: a panel a data set and size, a line a method, a mark a kernel.

    Parameters
    ----------
    comparison : DataFrame
        From `gramworks.report.comparison.compare`.

    Returns
    -------
    matplotlib Figure or None
        Marks are means over draws with one standard deviation either way, large open ones the
        published weights. Methods whose weights are given (`NOT_LEARNED`) are left out; None
        where no other one has two weights.
    """
    number = comparison["metric"].str.fullmatch(WEIGHT.pattern)
    learned = ~comparison["method"].str.fullmatch(NOT_LEARNED.pattern)
    cells = comparison[number & learned & (comparison["n"] > 0)]
    cells = cells.assign(kernel=cells["metric"].str.extract(WEIGHT)[0].astype(int))
    if cells.empty or cells["kernel"].nunique() < 2:
        return None
    cells = by_size(cells)
    lines = ordered_lines(cells, comparison)
    with matplotlib.rc_context(STYLE):
        return _draw(cells, lines)


def _draw(cells: pd.DataFrame, lines: list[tuple]) -> Figure:
    labels = [line_label(method, setting) for method, setting in lines]
    kernels = sorted(cells["kernel"].unique())
    figure, panels = panel_grid(list(dict.fromkeys(cells["panel"])), labels, 0.6 * len(kernels))
    for name, panel in panels.items():
        _panel(panel, cells[cells["panel"] == name], lines, kernels)
    figure.supxlabel("weight", fontsize=9)
    handles = [
        matplotlib.lines.Line2D([], [], linestyle="", marker=marker(k - 1), color=colour(k - 1))
        for k in kernels
    ]
    figure.legend(
        handles,
        [f"K{kernel}" for kernel in kernels],
        title="mean ± standard deviation over draws"
        + ("; open: published" if cells["published"].notna().any() else ""),
        loc="outside upper left",
        alignment="left",
        ncols=min(len(kernels), math.ceil(figure.get_figwidth() / (12 * LETTER))),
        frameon=False,
        fontsize=9,
        title_fontsize=9,
    )
    return figure


def _panel(panel: Axes, cells: pd.DataFrame, lines: list[tuple], kernels: list[int]) -> None:
    height = {line: i for i, line in enumerate(lines)}
    panel.grid(axis="y")
    panel.axvline(0, color=INK, linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(axis="y", length=0)
    offsets = np.linspace(-0.3, 0.3, len(kernels)) if len(kernels) > 1 else [0.0]
    for kernel, offset in zip(kernels, offsets, strict=True):
        own = cells[cells["kernel"] == kernel]
        y = np.array([height[m, s] for m, s in zip(own["method"], own["setting"], strict=True)])
        panel.errorbar(
            own["measured_mean"], y + offset, xerr=own["measured_sd"].fillna(0).to_numpy(),
            fmt=marker(kernel - 1), color=colour(kernel - 1), markersize=4.5, elinewidth=1.1,
        )  # fmt: skip
        printed = own["published"].notna().to_numpy()
        panel.plot(
            own["published"][printed], y[printed] + offset, marker(kernel - 1),
            color=colour(kernel - 1), markerfacecolor="none", markersize=8, markeredgewidth=0.9,
        )  # fmt: skip
    panel.margins(x=0.1)
