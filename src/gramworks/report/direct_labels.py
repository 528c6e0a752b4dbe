"""Names of curves beside their ends, and names of marks beside a plot: nothing covers the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from gramworks.report.marks import Mark

STEP = 0.165
"""Inches from one name to the next."""


@dataclass(frozen=True)
class End:
    """Where a curve ends, in the data's units, and what it is called."""

    name: str
    x: float
    y: float
    mark: Mark
    open: bool = False


def spread(wanted: np.ndarray, step: float) -> np.ndarray:
    """Move places between 0 and 1 apart to at least a step, with the least sum of squares.

    Parameters
    ----------
    wanted : ndarray of shape (k,)
        In rising order.
    step : float
        Half of it is kept free at either end.

    Returns
    -------
    ndarray of shape (k,)
        In the same order; from 1 - step / 2 downwards where there is no room for all.

    Notes
    -----
    Less a step each, places must not fall: the nearest such places are means of neighbours (pool
    adjacent violators), and within bounds they are those, cut there.
    """
    blocks: list[list[float]] = []
    for value in wanted - step * np.arange(len(wanted)):
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, m), (b, n) = blocks[-2:]
            blocks[-2:] = [[(a * m + b * n) / (m + n), m + n]]
    flat = np.repeat([value for value, _ in blocks], [int(n) for _, n in blocks])
    top = 1 - step / 2 - step * (len(wanted) - 1)
    return np.clip(flat, min(step / 2, top), top) + step * np.arange(len(wanted))


def label_ends(panel: Axes, ends: list[End], height: float, width: float) -> list[str]:
    """Write the names of curves at the right, each beside its end where there is room.

    Parameters
    ----------
    panel : Axes
        Its limits are final.
    ends : list of End
        Those outside of the limits get the value into their name.
    height, width : float
        Of the panel, in inches.

    Returns
    -------
    list of str
        The names as they are written, from below.
    """
    low, high = panel.get_ylim()
    place = panel.transScale + panel.transLimits
    found = []
    for end in ends:
        x, y = place.transform((end.x, end.y))
        name = end.name
        if not low <= end.y <= high:
            name += f" ({end.y:.3g}, {'below' if end.y < low else 'above'})"
        found.append((min(max(y, 0.0), 1.0), x, name, end))
    found.sort(key=lambda item: item[0])
    step = STEP / height
    ys = spread(np.array([item[0] for item in found]), step)
    inch = 1 / width
    for at, (y, x, name, end) in zip(ys, found, strict=True):
        style = {"color": end.mark.colour, "transform": panel.transAxes, "clip_on": False}
        panel.plot([x, 1 + 0.28 * inch], [y, at], linewidth=0.6, alpha=0.6, **style)
        panel.plot(
            1 + np.array([0.28, 0.48, 0.68]) * inch, [at] * 3, linestyle=end.mark.line,
            linewidth=1.2, marker=end.mark.marker, markevery=[1], markersize=4.5,
            markerfacecolor="none" if end.open else end.mark.colour, **style,
        )  # fmt: skip
        panel.text(1 + 0.76 * inch, at, name, transform=panel.transAxes, va="center", fontsize=8.5)
    return [item[2] for item in found]
