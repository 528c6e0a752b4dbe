"""Panels of figures of single points, with what is drawn named below them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.escaping import plain
from gramworks.report.figures import STYLE

_COLUMNS = 3


def panel_rows(
    panels: Mapping, draw: Callable, *, height: float, columns: int = _COLUMNS
) -> Figure:
    """Lay out a panel for each entry, of a height in inches, and let `draw` fill it."""
    columns = min(len(panels), columns)
    rows = math.ceil(len(panels) / columns)
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        size = (max(3.9 * columns, 4.5), height * rows)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        for panel in axes.flat[len(panels) :]:
            panel.set_visible(False)
        for (key, found), panel in zip(panels.items(), axes.flat, strict=False):
            draw(panel, key, found)
            if isinstance(key, str):
                panel.set_title(plain(key), fontsize=9, fontweight="bold", loc="left")
    return figure


def legend_below(panel: Axes, handles: list[Artist], names: list[str], *, columns: int = 1) -> None:
    """Name what is drawn under the axes, where it covers nothing."""
    panel.legend(
        handles, names, loc="upper left", bbox_to_anchor=(0, -0.14), borderaxespad=0, ncols=columns,
        frameon=False, fontsize=8, handlelength=3, columnspacing=1.2,
    )  # fmt: skip


def short(name: str, most: int = 24) -> str:
    """Cut a name that is longer than a legend or an axis has room for."""
    text = plain(name) or "(empty)"
    return text if len(text) <= most else text[: most - 1] + "…"
