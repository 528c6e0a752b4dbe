"""Figure 2 of Zhang et al. (2013): errors of single draws, one machine against the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from gramworks.datasets.splits import split_settings
from gramworks.report.figures import INK, MEASURED, STYLE

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

FIGURES = {
    "figure 2": (
        "Scatter plots",
        "a dot is a draw: its test error in percent by the invariance machine (across) and by the "
        "virtual-sample machine (up), a panel a pair of digits and a row a data set. Above the "
        "line the invariance machine is better; titles say in how many of the draws.",
    ),
}
METHODS = ("invariance", "virtual-sample-svm")
METRIC = "test-error-percent"


def paired_errors(scores: pd.DataFrame, dataset: str, setting: str) -> np.ndarray:
    """Give the errors of draws that both methods have, (draws, 2)."""
    own = scores[
        (scores["dataset"] == dataset)
        & (scores["setting"] == setting)
        & (scores["metric"] == METRIC)
        & scores["method"].isin(METHODS)
        & scores["value"].notna()
    ]
    table = own.pivot_table(index="repeat", columns="method", values="value")
    return table.reindex(columns=list(METHODS)).dropna().to_numpy(dtype=np.float64)


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path], scores=None
) -> Iterator[tuple[str, Figure]]:
    """Draw a panel for each pair and data set."""
    if scores is None:
        return
    settings = list(split_settings(study.splits))
    found = {
        dataset: [paired_errors(scores, dataset, setting) for setting in settings]
        for dataset in study.datasets
    }
    found = {name: pairs for name, pairs in found.items() if any(map(len, pairs))}
    if not found:
        return
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=(9.6, 2.9 * len(found)), layout="constrained")
        panels = figure.subplots(len(found), len(settings), squeeze=False)
        for row, (dataset, pairs) in zip(panels, found.items(), strict=True):
            for axes, setting, errors in zip(row, settings, pairs, strict=True):
                _scatter(axes, setting.partition("=")[2], errors)
            row[0].set_ylabel(f"{dataset}\nvirtual samples")
        for axes in panels[-1]:
            axes.set_xlabel("invariance")
    yield "figure 2", figure


def _scatter(axes, pair: str, errors: np.ndarray) -> None:
    if not len(errors):
        axes.set_title(f"{pair}: no draws", fontsize=9)
        return
    low, high = errors.min(), errors.max()
    room = 0.06 * (high - low) + 0.1
    ends = [max(low - room, 0.0), high + room]
    axes.plot(ends, ends, color=INK, linewidth=0.8)
    axes.plot(*errors.T, "o", color=MEASURED, markersize=4.5, alpha=0.75)
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_aspect("equal")
    better = int(np.sum(errors[:, 0] < errors[:, 1]))
    axes.set_title(f"{pair}: better in {better} of {len(errors)}", fontsize=9)
