"""Figure 2 of Chapelle et al. (2002): errors by the number of labelled documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import matplotlib.ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.figures import GRID, STYLE
from gramworks.settings import parse_setting

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

METRICS = ("second-eigenvalue",)
_READING = (
    "means over the draws with two standard errors either way, a panel a data set; “hard margin” "
    "is a support vector machine of C = 10000000 instead of 1000, “sparse” the affinity between "
    "ten nearest neighbours."
)
FIGURES = {
    "figure 2": ("Line plots", f"errors by the number of labelled documents: {_READING}"),
    "test-auc": ("Line plots", f"areas under the curve, which no threshold matters to: {_READING}"),
    # figure 2 shows it
    "test-error-percent": ("Line plots", ""),
}
_EIGENVALUE = "affinity-eigenvalue-2"
_LINES = (
    ({"transfer": "linear"}, "#5b5a57", "o-", "linear (plain SVM)"),
    ({"transfer": "polynomial"}, "#d55e00", "s:", "polynomial"),
    ({"transfer": "polynomial", "C": 1e7}, "#d55e00", "s-", "polynomial, hard margin"),
    (
        {"transfer": "polynomial", "C": 1e7, "neighbours": 10}, "#cc79a7", "v--",
        "polynomial, hard margin, sparse",
    ),
    ({"transfer": "step"}, "#009e73", "^-", "step"),
    ({"transfer": "poly-step"}, "#0072b2", "D-", "poly-step"),
)  # fmt: skip


def derive(rows: list[dict]) -> list[dict]:
    """State the second eigenvalue once a data set, as the paper does, and not a row of methods."""
    found = {(row["dataset"], row["repeat"]): row for row in rows if row["metric"] == _EIGENVALUE}
    return [row | {"method": "", "setting": "", "metric": METRICS[0]} for row in found.values()]


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw errors, and areas under the curve, against the number of labelled documents."""
    for name, metric, label in (
        ("figure 2", "test-error-percent", "test error, %"),
        ("test-auc", "test-auc", "area under the curve"),
    ):
        cells = comparison[(comparison["metric"] == metric) & (comparison["n"] > 0)]
        if cells.empty:
            continue
        points = [row | {"of": parse_setting(row["setting"])} for row in cells.to_dict("records")]
        datasets = list(dict.fromkeys(cells["dataset"]))
        with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
            figure = Figure(figsize=(1.2 + 3.2 * len(datasets), 4.2), layout="constrained")
            panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
            for dataset, panel in zip(datasets, panels, strict=True):
                _panel(panel, [p for p in points if p["dataset"] == dataset])
                panel.set_title(dataset, fontsize=9)
            panels[0].set_ylabel(label)
            figure.supxlabel("labelled documents", fontsize=9)
            figure.legend(
                *panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=3,
                frameon=False, fontsize=8,
            )  # fmt: skip
        yield name, figure


def _panel(panel: Axes, points: list[dict]) -> None:
    for setting, colour, style, label in _LINES:
        own = sorted(
            (p["of"]["n_labelled"], p["measured_mean"], 2 * p["measured_se"])
            for p in points
            if {key: v for key, v in p["of"].items() if key != "n_labelled"} == setting
        )
        if own:
            sizes, means, errors = zip(*own, strict=True)
            panel.errorbar(
                sizes, means, yerr=errors, fmt=style, color=colour, markersize=4, linewidth=1.2,
                elinewidth=0.8, label=label,
            )  # fmt: skip
    panel.set_xscale("log", base=2)
    panel.set_xticks(sorted({p["of"]["n_labelled"] for p in points}))
    panel.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda x, _: f"{x:g}"))
    panel.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    panel.grid(axis="y", color=GRID, linewidth=0.6)
