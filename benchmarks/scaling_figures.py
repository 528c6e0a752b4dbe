"""Figures of measured costs: small multiples by family, each curve named at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks import __version__
from gramworks.report.direct_labels import End, label_ends
from gramworks.report.figures import GRID, INK, STYLE, save_figure
from gramworks.report.marks import method_mark

FAMILIES = {
    "Combinations of kernels": (
        "single-1", "uniform", "alignment-nonnegative", "alignment-free", "centred-alignment",
        "margin-nonnegative", "margin-free",
    ),
    "From labelled points alone": (
        "svm", "kernel-ridge", "knn", "svm-gaussian-cv", "svm-one-vs-rest", "kernel-dependency",
    ),
    "Graphs and clusters": (
        "label-propagation", "label-spreading", "random-walk", "cluster-kernel",
        "spectral-representation", "laplacian-svm", "mixture-kernel",
    ),
    "Targets of unlabelled points": (
        "optimal-target", "transductive-linear-discrimination", "kernel-pca", "transductive-svm",
        "self-training",
    ),
    "Images and derivatives": ("invariance", "virtual-sample-svm", "hopfield"),
    "No Gram matrix": ("majority", "oracle", "nystroem-ridge"),
}  # fmt: skip
FURTHER, STAGES = "Further methods", "Stages before the methods"
WIDE, HIGH, NAMES, LEFT, GAP = 2.7, 2.1, 3.0, 0.8, 0.72
"""Inches: a panel, the names beside it, the room at its left and below it."""

Curves = Mapping[str, list[list[float]]]


def by_family(curves: Curves) -> dict[str, Curves]:
    """Sort curves of methods into panels; those of no family have one of their own."""
    known = {name: family for family, names in FAMILIES.items() for name in names}
    found: dict[str, dict] = {family: {} for family in (*FAMILIES, FURTHER)}
    for name, points in curves.items():
        if points:
            found[known.get(name, FURTHER)][name] = points
    return {family: panel for family, panel in found.items() if panel}


def draw(panels: Mapping[str, Curves], stem: Path, xlabel: str, slopes: tuple[str, ...]) -> None:
    """Draw panels in two columns and write SVG and PNG."""
    rows = -(-len(panels) // 2)
    columns = min(len(panels), 2)
    width = columns * (LEFT + WIDE + NAMES)
    height = rows * (HIGH + GAP) + 0.1
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        values = [y for curves in panels.values() for points in curves.values() for _, y in points]
        limits = 0.6 * min(values), 2.0 * max(values)
        spans = [[x for points in curves.values() for x, _ in points] for curves in panels.values()]
        least, usual = min(map(min, spans)), sorted(map(max, spans))[len(spans) // 2]
        for place, (title, curves) in enumerate(panels.items()):
            left = (place % 2) * (LEFT + WIDE + NAMES) + LEFT
            bottom = height - (place // 2 + 1) * (HIGH + GAP) + GAP - 0.3
            at = (left / width, bottom / height, WIDE / width, HIGH / height)
            panel = figure.add_axes(at)
            sizes = least, max(usual, *spans[place])
            _panel(panel, title, curves, sizes, limits, slopes)
            panel.set_xlabel(xlabel)
            if place % 2 == 0:
                panel.set_ylabel("CPU time")
        save_figure(figure, stem, version=__version__)


def _panel(panel: Axes, title: str, curves: Curves, sizes, limits, slopes) -> None:
    low, high = sizes
    panel.set(xscale="log", yscale="log", xlim=(0.85 * low, 1.18 * high), ylim=limits)
    panel.set_title(title, loc="left", fontsize=9.5, fontweight="bold")
    panel.grid(visible=True, which="major")
    panel.tick_params(length=0, which="both")
    _guides(panel, low, high, limits, slopes)
    ends = []
    for name, points in curves.items():
        look = method_mark(name)
        x, y = zip(*points, strict=True)
        panel.plot(
            x, y, color=look.colour, linestyle=look.line, marker=look.marker, markersize=3.6,
            linewidth=1.2,
        )  # fmt: skip
        ends.append(End(name, x[-1], y[-1], look))
    ticks = [low * 2**k for k in range(round(math.log2(high / low)) + 1)]
    step = -(-len(ticks) // 6)
    panel.set_xticks(ticks[::step], [f"{tick:,}".replace(",", " ") for tick in ticks[::step]])
    panel.set_xticks([], minor=True)
    tens = [10.0**k for k in range(-6, 6) if limits[0] <= 10.0**k <= limits[1]]
    panel.set_yticks(tens, [_time(ten) for ten in tens])
    panel.set_yticks([], minor=True)
    label_ends(panel, ends, HIGH, WIDE)


def _guides(panel: Axes, low: float, high: float, limits, slopes: tuple[str, ...]) -> None:
    """Draw what grows with a whole power, from the lower left corner."""
    base = 1.6 * limits[0]
    for power, name in enumerate(slopes, 1):
        end = min(high, low * (limits[1] / 1.5 / base) ** (1 / power))
        top = base * (end / low) ** power
        panel.plot([low, end], [base, top], color=GRID, linewidth=2.2, zorder=0.5)
        panel.text(
            end, top, name, fontsize=8, color=INK, alpha=0.65,
            ha="right", va="bottom", zorder=0.6,
        )  # fmt: skip


def _time(seconds: float) -> str:
    """Write a power of ten."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0e} s"
