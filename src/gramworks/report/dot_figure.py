"""Dot plots: measured means with error bars beside the published numbers, in one style."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.metric_means import BY_INVERSE
from gramworks.report.escaping import plain
from gramworks.report.figures import (
    MEASURED,
    PUBLISHED,
    STYLE,
    line_label,
    ordered_lines,
    panel_grid,
    value_axis,
    whiskers,
)
from gramworks.report.size_panels import by_size
from gramworks.report.verdicts import direction

_HIGH = "{0} (higher is better)"
_TITLES = {"higher": _HIGH, "lower": "{0} (lower is better)", "two-sided": "{0}"}


def dot_plot(comparison: pd.DataFrame, metric: str) -> Figure | None:
    """Draw one metric: a panel a data set and number of labels, a line a method and setting.

    Parameters
    ----------
    comparison : DataFrame
        From `compare`.
    metric : str
        Cells of other metrics are passed over.

    Returns
    -------
    matplotlib Figure or None
        Dots are measured means with two standard errors either way (cut at the range of shares,
        percentages and correlations), diamonds published numbers, with theirs where a spread was
        published. The best line is at the top where a metric has a better side and nothing was
        published; else lines are in the study's order. None when nothing was measured.
    """
    cells = comparison[(comparison["metric"] == metric) & (comparison["n"] > 0)]
    if cells.empty:
        return None
    cells = by_size(cells)
    lines = ordered_lines(cells, comparison)
    if _is_ranked(cells, metric):
        lines = _best_first(cells, lines, metric)
    labels = [line_label(method, setting) for method, setting in lines]
    with matplotlib.rc_context(STYLE):
        return _draw(cells, metric, lines, labels)


def _is_ranked(cells: pd.DataFrame, metric: str) -> bool:
    """Tell whether lines stand by their score: papers' tables have an order of their own."""
    return direction(metric) != "two-sided" and not cells["published"].notna().any()


def _best_first(cells: pd.DataFrame, lines: list[tuple], metric: str) -> list[tuple]:
    """Order lines by their mean rank over the data sets, at the most labels of each."""
    last = cells.groupby("dataset", sort=False)["panel"].transform("last")
    shown = cells[cells["panel"] == last]
    sign = -1.0 if direction(metric) == "higher" else 1.0
    ranks = (sign * shown["measured_mean"]).groupby(shown["panel"]).rank(pct=True)
    means = ranks.groupby([shown["method"], shown["setting"]]).mean()
    return sorted(lines, key=lambda line: means.get(line, np.inf))


def _draw(cells: pd.DataFrame, metric: str, lines: list[tuple], labels: list[str]) -> Figure:
    figure, panels = panel_grid(list(dict.fromkeys(cells["panel"])), labels)
    for name, panel in panels.items():
        _panel(panel, cells[cells["panel"] == name], lines, metric)
    figure.supxlabel(_TITLES[direction(metric)].format(plain(metric)), fontsize=9)
    _legend(figure, cells)
    return figure


def _panel(panel: Axes, cells: pd.DataFrame, lines: list[tuple], metric: str) -> None:
    log = metric in BY_INVERSE
    height = {line: i for i, line in enumerate(lines)}
    y = np.array([height[m, s] for m, s in zip(cells["method"], cells["setting"], strict=True)])
    panel.grid(axis="y")
    panel.set_axisbelow(True)
    panel.tick_params(axis="y", length=0)
    if not log:
        panel.locator_params(axis="x", nbins=4)
    means = cells["measured_mean"].to_numpy()
    errors = whiskers(metric, means, 2 * cells["measured_se"].fillna(0).to_numpy())
    if log:  # nothing reaches down to zero
        errors[0] = np.minimum(errors[0], 0.8 * means)
    printed = cells["published"].notna().to_numpy()
    panel.errorbar(
        means, y - 0.1 * printed, xerr=errors,
        fmt="o", color=MEASURED, markersize=4.5, elinewidth=1.2, capsize=0,
    )  # fmt: skip
    own = cells["published_se"].where(cells["assumed_spread"] != "published", 0.0).fillna(0)
    numbers = cells["published"][printed].to_numpy()
    panel.errorbar(
        numbers, y[printed] + 0.14, xerr=whiskers(metric, numbers, 2 * own[printed].to_numpy()),
        fmt="D", color=PUBLISHED, markerfacecolor="none", markersize=4.5, markeredgewidth=1.1,
        elinewidth=0.9, capsize=0,
    )  # fmt: skip
    value_axis(panel, log=log)


def _legend(figure: Figure, cells: pd.DataFrame) -> None:
    handles = figure.axes[0].containers
    names = ["measured, mean ± 2 standard errors", "published"]
    shown = 2 if cells["published"].notna().any() else 1
    figure.legend(
        handles[:shown], names[:shown], loc="outside upper left", ncols=2, frameon=False, fontsize=9
    )
