"""Table 1 of Angelini et al. (2007): honest and oracle lengths beside the published errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.figures import INK, MEASURED, PUBLISHED, STYLE
from gramworks.settings import parse_setting
from gramworks.studies._oracle_columns import oracle_column

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

METRICS = ("oracle-root-mean-square-error",)
FIGURES = {
    "table 1": (
        "Line plots",
        "means over partitions of the root mean square error, with two standard errors either way, "
        "against the size of the test set, a panel a kernel; diamonds and squares are what the "
        "paper prints as mean square errors.",
    )
}
_DATASET, _ERROR, _PRINTED = "boston", "root-mean-square-error", "mean-square-error"
_LINES = (
    ("optimal-target", _ERROR, MEASURED, "o-", "optimal target, expected length"),
    ("optimal-target", METRICS[0], MEASURED, "^--", "optimal target, oracle length"),
    ("kernel-ridge", _ERROR, INK, "o-", "kernel ridge regression"),
)
_MARKS = (
    ("optimal-target", "D", "published, optimal target"),
    ("kernel-ridge", "s", "published, kernel ridge regression"),
)


def derive(rows: list[dict]) -> list[dict]:
    """Put the errors with the length of the true targets beside those without."""
    return oracle_column(rows, _ERROR, "length")


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw the honest and the oracle errors against the published ones, by the test size."""
    cells = comparison[comparison["dataset"] == _DATASET]
    if not (cells["metric"].isin([_ERROR]) & (cells["n"] > 0)).any():
        return
    points = [row | {"of": parse_setting(row["setting"])} for row in cells.to_dict("records")]
    kernels = study.base_kernels(_DATASET)
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=(7.0, 3.8), layout="constrained")
        panels = figure.subplots(1, len(kernels), sharey=True, squeeze=False)[0]
        for (label, kernel), panel in zip(kernels.items(), panels, strict=True):
            panel.set_title(kernel_title(kernel), fontsize=9)
            _panel(panel, points, label, first=label == next(iter(kernels)))
        panels[0].set_ylim(bottom=0)
        panels[0].set_ylabel(_ERROR)
        figure.supxlabel("test points", fontsize=9)
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=2, frameon=False, fontsize=8)
    yield "table 1", figure


def kernel_title(kernel: str) -> str:
    """Say a Gaussian kernel's width in words, as a root where it is one."""
    stated = re.fullmatch(r"gaussian-w([\d.]+)", kernel)
    if not stated:
        return kernel
    square = float(stated[1]) ** 2
    whole = round(square)
    root = abs(square - whole) < 1e-9 and math.isqrt(whole) ** 2 != whole
    return f"Gaussian kernel, width {f'√{whole}' if root else stated[1]}"


def _panel(panel: Axes, points: list[dict], kernel: str, *, first: bool) -> None:
    """Draw the lines of one kernel, which settings leave out where it is the first."""
    own = [p for p in points if p["of"].get("kernel", kernel if first else "") == kernel]
    for method, metric, colour, style, name in _LINES:
        line = sorted(
            (p["of"]["n_test"], p["measured_mean"], 2 * p["measured_se"])
            for p in own
            if (p["method"], p["metric"]) == (method, metric) and p["n"] and "length" not in p["of"]
        )
        if line:
            sizes, means, errors = zip(*line, strict=True)
            panel.errorbar(
                sizes, means, yerr=errors, fmt=style, color=colour, markersize=4, linewidth=1.2,
                label=name,
            )  # fmt: skip
    for method, marker, name in _MARKS:
        printed = [
            (p["of"]["n_test"], p["published"])
            for p in points
            if (p["method"], p["metric"]) == (method, _PRINTED) and p["published"] == p["published"]
        ]
        if printed:
            panel.plot(
                *zip(*printed, strict=True), marker, color=PUBLISHED, mfc="none", markersize=5,
                label=name,
            )  # fmt: skip
    panel.set_xticks(sorted({p["of"]["n_test"] for p in points}))
