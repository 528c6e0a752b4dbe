"""Critical-difference diagrams: average ranks, joined where no test tells them apart."""

from __future__ import annotations

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.escaping import plain
from gramworks.report.figures import INK, LETTER, MEASURED, STYLE, line_label
from gramworks.report.significance import cliques

_STEP = 0.24  # inches of a line of text
_BAR = 0.09


def rank_plot(ranks: pd.DataFrame) -> Figure | None:
    """Draw average ranks as in Demsar's figure 1: a panel a size.

    Parameters
    ----------
    ranks : DataFrame
        From `gramworks.report.ranks.rank_table`.

    Returns
    -------
    matplotlib Figure or None
        None where nothing was ranked.
    """
    if ranks.empty:
        return None
    panels = [part for _, part in ranks.groupby(["size", "metric"], sort=False)]
    depths = [_depth(part) for part in panels]
    letters = max(len(t) for p in panels for t in _labels(p))
    width = 4.4 + 2 * letters * LETTER
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, sum(depths)))
        top = sum(depths)
        for part, depth in zip(panels, depths, strict=True):
            top -= depth
            panel = figure.add_axes((0, top / sum(depths), 1, depth / sum(depths)))
            side = letters * LETTER / width
            _draw(panel, part, depth, side + 0.03)
    return figure


def _labels(part: pd.DataFrame) -> list[str]:
    """Name the methods, each in one line."""
    names = zip(part["method"], part["setting"], strict=True)
    return [line_label(m, s).replace("\n", " ") for m, s in names]


def _runs(part: pd.DataFrame) -> list[tuple[int, int]]:
    return cliques(part["average_rank"].tolist(), part["critical_distance"].iloc[0])


def _depth(part: pd.DataFrame) -> float:
    return 1.35 + _BAR * len(_runs(part)) + _STEP * ((len(part) + 1) // 2)


def _draw(panel: Axes, part: pd.DataFrame, depth: float, side: float) -> None:
    k = len(part)
    panel.set_xlim(0, 1)
    panel.set_ylim(depth, 0)
    panel.set_axis_off()
    left, right = side + 0.02, 1 - side - 0.02

    def at(rank: float) -> float:
        return left + (right - left) * (rank - 1) / max(k - 1, 1)

    first = part.iloc[0]
    size = plain(first["size"].removeprefix("n_labelled="))
    size += " labelled" if size != plain(first["size"]) else ""
    title = f"{plain(first['metric'])}{', ' + size if size else ''}: {first['datasets']} data sets"
    panel.text(0.01, 0.16, title, fontweight="bold", va="center")
    distance = first["critical_distance"]
    y = 0.48
    end = min(at(1 + distance), 0.99)
    panel.plot([at(1), end], [y, y], color=INK, linewidth=1.4, marker="|", markersize=7)
    panel.text(end + 0.01, y, f"critical difference {distance:.2f}", va="center", fontsize=8)
    y = 0.95
    panel.plot([left, right], [y, y], color=INK, linewidth=0.8)
    for rank in range(1, k + 1):
        panel.plot([at(rank)] * 2, [y - 0.06, y], color=INK, linewidth=0.8)
        panel.text(at(rank), y - 0.1, str(rank), ha="center", va="bottom", fontsize=8)
    ranks = part["average_rank"].tolist()
    for place, (a, b) in enumerate(_runs(part)):
        line = y + 0.08 + _BAR * place
        panel.plot(
            [at(ranks[a]) - 0.006, at(ranks[b]) + 0.006], [line, line],
            color=MEASURED, linewidth=3, solid_capstyle="butt",
        )  # fmt: skip
    base = y + 0.12 + _BAR * len(_runs(part))
    for place, (label, rank) in enumerate(zip(_labels(part), ranks, strict=True)):
        best = place < (k + 1) // 2
        line = base + _STEP * (0.5 + (place if best else k - 1 - place))
        edge = side if best else 1 - side
        panel.plot([at(rank), at(rank), edge], [y, line, line], color=INK, linewidth=0.7)
        panel.text(
            edge + (-0.006 if best else 0.006), line, label,
            ha="right" if best else "left", va="center", fontsize=9,
        )  # fmt: skip
