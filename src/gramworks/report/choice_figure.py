"""What methods chose in each draw, such as a ridge: medians and ranges on a log scale."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.escaping import plain
from gramworks.report.figures import (
    MEASURED,
    STYLE,
    line_label,
    ordered_lines,
    panel_grid,
    value_axis,
)
from gramworks.report.size_panels import by_size

CHOSEN = "chosen-"
"""What metrics that are choices begin with."""
READING = (
    "Dot plot",
    "dots are medians of what was chosen in the draws, lines reach from the smallest to the "
    "largest; grids are even on the log scale.",
)


def choice_plot(scores: pd.DataFrame, comparison: pd.DataFrame, metric: str) -> Figure | None:
    """Draw what was chosen: a panel a data set and number of labels, a line a method and setting.

    Parameters
    ----------
    scores : DataFrame
        From `gramworks.report.scores.read_scores`.
    comparison : DataFrame
        From `gramworks.report.comparison.compare`; says which rows are shown, and their order.
    metric : str
        Such as chosen-ridge.

    Returns
    -------
    matplotlib Figure or None
        Dots are medians over the draws, with lines over the whole range: a mean with its error
        would lie between the values of a grid, or below zero. The axis is logarithmic where all
        values are positive. None when nothing was measured.
    """
    cells = comparison[(comparison["metric"] == metric) & (comparison["n"] > 0)]
    if cells.empty:
        return None
    cells = by_size(cells)
    lines = ordered_lines(cells, comparison)
    labels = [line_label(method, setting) for method, setting in lines]
    values = by_size(scores[(scores["metric"] == metric) & scores["value"].notna()])
    log = bool((values["value"] > 0).all())
    with matplotlib.rc_context(STYLE):
        figure, panels = panel_grid(list(dict.fromkeys(cells["panel"])), labels)
        for name, panel in panels.items():
            _panel(panel, values[values["panel"] == name], lines, log)
        figure.supxlabel(plain(metric), fontsize=9)
        figure.legend(
            figure.axes[0].containers[:1], ["median and range over the draws"],
            loc="outside upper left", frameon=False, fontsize=9,
        )  # fmt: skip
    return figure


def _panel(panel: Axes, values: pd.DataFrame, lines: list[tuple], log: bool) -> None:
    panel.grid(axis="y")
    panel.set_axisbelow(True)
    panel.tick_params(axis="y", length=0)
    groups = values.groupby(["method", "setting"])["value"]
    found = {line: groups.get_group(line) for line in lines if line in groups.groups}
    places = [place for place, line in enumerate(lines) if line in found]
    middle = np.array([own.median() for own in found.values()])
    ends = [[own.min() for own in found.values()], [own.max() for own in found.values()]]
    reach = np.maximum(np.array([middle - ends[0], ends[1] - middle]), 0.0)
    panel.errorbar(
        middle, places, xerr=reach, fmt="o", color=MEASURED, markersize=4.5, elinewidth=1.2,
        capsize=0,
    )  # fmt: skip
    value_axis(panel, log=log)
