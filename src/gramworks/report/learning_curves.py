"""Learning curves: the score of each method against the number of labelled points."""

from __future__ import annotations

import math

import matplotlib
import matplotlib.ticker
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.figure import Figure

from gramworks.report.escaping import plain
from gramworks.report.figures import STYLE, whiskers
from gramworks.report.marks import colour, marker, places
from gramworks.report.score_lines import labels_of, representatives
from gramworks.settings import parse_setting

_COLUMNS = 3
CHANCE = "majority"
"""The method that learns nothing but which class is the largest."""


def learning_curves(lines: pd.DataFrame) -> Figure | None:
    """Draw a panel a data set (and further word of the splits), a line a method.

    Parameters
    ----------
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`.

    Returns
    -------
    matplotlib Figure or None
        Means with two standard errors either way, for each method by its best setting at each
        size; controls are dashed and open, and may lie outside, as chance may, so that the rest
        can be told apart. None where no data set has two sizes.
    """
    cells = _sized(representatives(lines))
    if cells.empty:
        return None
    panels = [(key, part) for key, part in cells.groupby(["dataset", "more"], sort=False)]
    cells = cells.assign(label=labels_of(cells))
    number = places(cells["label"])
    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    deep = math.ceil(len(number) / max(1, columns))
    size = (max(3.9 * columns, 6.0), 3.1 * rows + 0.3 + 0.2 * deep)
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        handles: dict[str, Container] = {}
        for panel in axes.flat[len(panels) :]:
            panel.set_visible(False)
        for ((dataset, more), part), panel in zip(panels, axes.flat, strict=False):
            own = part.assign(label=cells.loc[part.index, "label"])
            handles |= _panel(panel, own, number)
            panel.set_title(plain(f"{dataset} {more}"), fontsize=9, fontweight="bold", loc="left")
            panel.set_xlabel(_X.get(part["key"].iloc[0], part["key"].iloc[0]))
            panel.set_ylabel(plain(part["metric"].iloc[0]))
        figure.legend(
            handles.values(), handles.keys(), loc="outside upper left", ncols=columns,
            frameon=False, fontsize=9,
        )  # fmt: skip
    return figure


_X = {"n_labelled": "labelled points", "n_test": "test points"}


def _sized(lines: pd.DataFrame) -> pd.DataFrame:
    """Keep what has sizes, with the number in columns of its own, where there are two or more."""
    parts = [_number(size) for size in lines["size"]]
    cells = lines.assign(
        key=[key for key, _, _ in parts], x=[x for _, x, _ in parts], more=[m for *_, m in parts]
    )
    cells = cells[cells["x"].notna()]
    counts = cells.groupby(["dataset", "more"])["x"].transform("nunique")
    return cells[counts > 1]


def _number(size: str) -> tuple[str, float, str]:
    found = parse_setting(size)
    key = next((k for k in _X if isinstance(found.get(k), (int, float))), "")
    rest = " ".join(f"{k}={v}" for k, v in found.items() if k != key)
    return key, float(found[key]) if key else math.nan, rest


def _panel(panel: Axes, part: pd.DataFrame, number: dict[str, int]) -> dict[str, Container]:
    """Draw the curves of a data set; give them by what the legend calls them."""
    # named one by one: matplotlib passes over names that begin with "_"
    named: dict[str, Container] = {}
    metric = part["metric"].iloc[0]
    panel.grid(axis="y")
    panel.set_axisbelow(True)
    for label, own in part.groupby("label", sort=False):
        values = own.groupby("x")["value"]
        means, counts = values.mean(), values.count()
        errors = 2 * values.std().fillna(0) / np.sqrt(counts)
        control = bool(own["control"].iloc[0])
        place = number[label]
        name = f"{label} (sees test labels)" if control else label
        named[name] = panel.errorbar(
            means.index, means, yerr=whiskers(metric, means.to_numpy(), errors.to_numpy()),
            color=colour(place), marker=marker(place), markersize=4.5, linewidth=1.1,
            elinewidth=0.9, linestyle="--" if control else "-",
            markerfacecolor="none" if control else colour(place),
        )  # fmt: skip
    _focus(panel, part)
    xs = sorted(set(part["x"]))
    if xs[-1] >= 8 * xs[0]:
        panel.set_xscale("log")
        panel.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    shown = xs if len(xs) <= 7 else xs[:: math.ceil(len(xs) / 7)]
    panel.set_xticks(shown, [f"{x:g}" for x in shown])
    return named


def _focus(panel: Axes, part: pd.DataFrame) -> None:
    """Let the scale follow the methods that learn: chance is far below, a control far above."""
    own = part[~part["control"].astype(bool) & (part["method"] != CHANCE)]
    if own["label"].nunique() < 2:
        return
    groups = own.groupby(["label", "x"])["value"]
    means, errors = groups.mean(), 2 * groups.std().fillna(0) / np.sqrt(groups.count())
    low, high = (means - errors).min(), (means + errors).max()
    room = 0.06 * (high - low) or 0.5
    panel.set_ylim(low - room, high + room)
