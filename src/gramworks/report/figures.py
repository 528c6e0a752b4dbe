"""The style of all figures, their files, and panels with labelled lines."""

from __future__ import annotations

import io
import math
import textwrap
from pathlib import Path

import matplotlib
import matplotlib.ticker
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.escaping import plain
from gramworks.report.verdicts import largest_value
from gramworks.settings import setting_order
from gramworks.whole_files import write_bytes

INK, GRID = "#1b1b1a", "#d9d8d3"
MEASURED, PUBLISHED = "#0072b2", "#d55e00"
"""Blue and vermillion of Okabe and Ito, told apart by shape as well."""

STYLE = {
    "font.family": "sans-serif", "font.size": 9, "text.color": INK, "axes.labelcolor": INK,
    "text.parse_math": False, "axes.unicode_minus": True, "xtick.color": INK, "ytick.color": INK,
    "axes.edgecolor": INK, "axes.linewidth": 0.6, "axes.spines.top": False,
    "axes.spines.right": False, "axes.spines.left": False, "grid.color": GRID,
    "grid.linewidth": 0.6, "svg.fonttype": "none", "svg.hashsalt": "gramworks",
    "svg.image_inline": True, "figure.facecolor": "none", "axes.facecolor": "none",
    "savefig.dpi": 150, "axes.formatter.useoffset": False,
}  # fmt: skip
"""The look of all figures of the report."""

# The page's SVG follows the reader's light or dark scheme; the PNG is for paper and slides.
_DARK = (
    "<style>@media (prefers-color-scheme: dark) {"
    f'[style*="fill: {INK}"] {{fill: #ece9e2 !important}}'
    f'[style*="stroke: {INK}"] {{stroke: #ece9e2 !important}}'
    f'[style*="stroke: {GRID}"] {{stroke: #4a4944 !important}}'
    f'[style*="fill: {MEASURED}"] {{fill: #3391d6 !important}}'  # the dark blue is dim there
    f'[style*="stroke: {MEASURED}"] {{stroke: #3391d6 !important}}'
    "}</style>"
)
_COLUMNS = 4
_FEW = 24
LETTER = 0.068  # inches of one letter at 9 points, on the safe side
_BOLD = 0.088  # of a bold one, likewise


def whiskers(metric: str, means: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Give the lengths of error bars below and above means, cut where a metric can go no further.

    Parameters
    ----------
    metric : str
    means, errors : ndarray of shape (k,)

    Returns
    -------
    ndarray of shape (2, k)
    """
    most = largest_value(metric)
    if most is None:
        return np.stack([errors, errors])
    room = np.maximum(np.stack([means, most - means]), 0.0)
    return np.minimum(np.stack([errors, errors]), room)


def save_figure(figure: Figure, stem: Path, *, version: str) -> None:
    """Write `stem`.svg and `stem`.png; equal figures give equal bytes."""
    creator = f"Gramworks {version}"
    with matplotlib.rc_context(STYLE):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": creator})
        figure.set_layout_engine("none")  # it is laid out, and that takes half of the time
        svg = buffer.getvalue().decode("utf-8").replace("<defs>", f"{_DARK}<defs>", 1)
        write_bytes(stem.with_name(f"{stem.name}.svg"), svg.encode("utf-8"))
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", facecolor="white", metadata={"Software": creator})
        write_bytes(stem.with_name(f"{stem.name}.png"), buffer.getvalue())


def ordered_lines(cells: pd.DataFrame, comparison: pd.DataFrame) -> list[tuple[str, str]]:
    """List methods and settings of some cells in the order that methods have in all of them."""
    order = {method: i for i, method in enumerate(dict.fromkeys(comparison["method"]))}
    lines = set(zip(cells["method"], cells["setting"], strict=True))
    return sorted(lines, key=lambda line: (order[line[0]], setting_order(line[1])))


def line_label(method: str, setting: str) -> str:
    """Name a line of a plot, in lines of its own where that is long."""
    text = f"{plain(method)}  {plain(setting)}".strip()
    return "\n".join(textwrap.wrap(text, 52, break_on_hyphens=False)) or "(no name)"


def panel_grid(
    names: list[str], labels: list[str], deep: float = 1.0
) -> tuple[Figure, dict[str, Axes]]:
    """Lay out panels with the same labelled lines in all of them.

    Parameters
    ----------
    names : list of str
        Of the panels.
    labels : list of str
        Of the lines, from the top.
    deep : float
        Least height of a line, in lines of text.

    Returns
    -------
    Figure
    dict of str to Axes
        By name.
    """
    rows = math.ceil(len(names) / _COLUMNS)
    columns = math.ceil(len(names) / rows)  # 3 and 3 rather than 4 and 2
    letters = max(len(part) for label in labels for part in label.split("\n"))
    each = max(1.9, 6.4 / columns)
    width = max(letters * LETTER + 0.3 + columns * each, 6.0)
    deep = max(deep, *(label.count("\n") + 1 for label in labels))
    line = max(0.24 if len(labels) <= _FEW else 0.19, 0.17 * deep)
    figure = Figure(
        figsize=(width, rows * (len(labels) * line + 0.75) + 0.55), layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.06)
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    panels = {}
    for place, panel in enumerate(axes.flat):
        if place >= len(names):
            panel.set_visible(False)
            continue
        panels[names[place]] = panel
        title = textwrap.wrap(plain(names[place]), int(each / _BOLD)) or ["(no name)"]
        panel.set_title("\n".join(title), fontsize=9, fontweight="bold", loc="left")
    for row in axes:
        row[0].set_yticks(range(len(labels)), labels)
        row[0].set_ylim(len(labels) - 0.5, -0.5)
    return figure, panels


def value_axis(panel: Axes, *, log: bool) -> None:
    """Finish the x axis of a panel of values: with room at the ends, on a log scale or not."""
    panel.margins(x=0.12)
    if log:
        _log_axis(panel)
    else:
        _widen(panel)


def _log_axis(panel: Axes) -> None:
    """Make the x axis logarithmic, with marks that are there in less than a decade as well."""
    panel.set_xscale("log")
    low, high = panel.get_xlim()
    ticks = matplotlib.ticker
    steps = (1.0,) if high > 300 * low else (1.0, 2.0, 5.0)
    locator = ticks.LogLocator(subs=steps, numticks=4)
    # within a decade the marks of a log scale may all lie outside
    panel.xaxis.set_major_locator(locator if high > 12 * low else ticks.MaxNLocator(3))
    panel.xaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("e+0", "e"))
    panel.xaxis.set_minor_locator(ticks.NullLocator())


def _widen(panel: Axes) -> None:
    """Keep a panel of equal values from a scale that is all rounding error."""
    low, high = panel.get_xlim()
    least = max(abs(low), abs(high)) * 1e-3 or 1e-3
    if high - low < least:
        middle = (low + high) / 2
        panel.set_xlim(middle - least, middle + least)
