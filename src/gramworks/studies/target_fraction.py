"""Figure 5 of Angelini et al. (2007): how often y* beats the first principal component."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
from matplotlib.figure import Figure

from gramworks.report.figures import GRID, INK, STYLE
from gramworks.settings import parse_setting

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

FIGURES = {
    "figure 5": (
        "Line plot",
        "share of draws in which y* is better than the first principal component, with two "
        "standard errors either way, against the share of labelled points; dashed lines have a "
        "ridge of the size of the kernel's largest eigenvalue.",
    )
}
_METRIC = "fraction-better-than-kpca"
_COLOURS = ("#0072b2", "#d55e00", "#009e73")
_MARKERS = "os^"


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw f against m/N: a line a data set, dashed where the ridge is relative."""
    cells = comparison[(comparison["metric"] == _METRIC) & (comparison["n"] > 0)]
    if cells.empty:
        return
    lines: dict[tuple[str, bool], list[tuple[float, float, float]]] = {}
    for row in cells.to_dict("records"):
        setting = parse_setting(row["setting"])
        key = (row["dataset"], "relative_ridge" in setting)
        point = (setting["labelled_fraction"], row["measured_mean"], row["measured_se"])
        lines.setdefault(key, []).append(point)
    datasets = list(dict.fromkeys(cells["dataset"]))
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=(6.0, 3.8), layout="constrained")
        axes = figure.subplots()
        for (dataset, relative), points in lines.items():
            shares, means, errors = zip(*sorted(points), strict=True)
            at = datasets.index(dataset) % len(_COLOURS)
            axes.errorbar(
                shares, means, yerr=[2 * e for e in errors], color=_COLOURS[at],
                marker=_MARKERS[at], markersize=4, linewidth=1.2,
                linestyle="--" if relative else "-",
                label=f"{dataset}, λ = largest eigenvalue" if relative else f"{dataset}, λ = 1",
            )  # fmt: skip
        axes.axvline(0.16, color=INK, linewidth=0.6, linestyle=":")
        axes.axhline(1.0, color=GRID, linewidth=0.6)
        axes.set_ylim(-0.02, 1.04)
        axes.set_xlabel("labelled fraction m/N (dotted: the paper's 0.16, “nearly one”)")
        axes.set_ylabel("share of draws in which y* is better")
        figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=8)
    yield "figure 5", figure
