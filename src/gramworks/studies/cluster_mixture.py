"""Figure 1 of Chapelle et al. (2002): the decision function of three labelled points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from gramworks.datasets.store import read_dataset
from gramworks.fitting.svm import KernelSVM
from gramworks.learning.mixture import MixtureKernel
from gramworks.report.figures import INK, MEASURED, PUBLISHED, STYLE

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

FIGURES = {
    "figure 1": (
        "Contour plot",
        "dots are the 200 points that the mixture was fitted to, large marks the three labelled "
        "ones; the line is where the decision function is zero, dashed lines where it is -1 and 1. "
        "It cuts the left cluster, in which both labels are, and leaves the right one whole.",
    ),
}
_DATASET = "two-gaussians"
_GREY = "#8f8e8a"


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw the decision function, with the points and the three labels."""
    if _DATASET not in tables:
        return
    data = read_dataset(tables[_DATASET])
    labelled, signs = three_labels(data.X, data.y)
    mixture = MixtureKernel().fit(data.X)
    mask = np.isin(np.arange(len(data.X)), labelled)
    known = np.full(len(data.X), np.nan)
    known[labelled] = signs
    machine = KernelSVM(C=1000.0).fit(mixture.kernel_, known, labelled=mask)
    low, high = data.X.min(axis=0) - 0.4, data.X.max(axis=0) + 0.4
    across, up = np.meshgrid(np.linspace(low[0], high[0], 240), np.linspace(low[1], high[1], 200))
    grid = np.column_stack([across.ravel(), up.ravel()])
    values = machine.decision_function(mixture.extend(grid)).reshape(across.shape)
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=(5.6, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.contourf(
            across, up, values, levels=[-np.inf, 0, np.inf], colors=[PUBLISHED, MEASURED],
            alpha=0.14,
        )  # fmt: skip
        axes.contour(across, up, values, levels=[0], colors=INK, linewidths=1.4)
        axes.contour(
            across, up, values, levels=[-1, 1], colors=INK, linewidths=0.7, linestyles="dashed"
        )
        axes.plot(*data.X.T, ".", color=_GREY, markersize=3, label="unlabelled")
        for sign, marker, colour in ((1, "P", MEASURED), (-1, "X", PUBLISHED)):
            own = data.X[labelled[signs == sign]]
            axes.plot(
                *own.T,
                marker,
                color=colour,
                markersize=11,
                mec="white",
                label=f"labelled {sign:+d}",
            )
        axes.set_xlabel("first coordinate")
        axes.set_ylabel("second coordinate")
        axes.set_aspect("equal")
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper left", ncols=3, frameon=False,
            fontsize=8,
        )  # fmt: skip
    yield "figure 1", figure


def three_labels(X, clusters) -> tuple[np.ndarray, np.ndarray]:
    """Choose the points: one high and one low in cluster 0, of both labels, one amid cluster 1."""
    left, right = X[clusters == 0], X[clusters == 1]
    deviation = left.std(axis=0) * [0.0, 1.2]
    wanted = (left.mean(axis=0) + deviation, left.mean(axis=0) - deviation, right.mean(axis=0))
    inside = (clusters == 0, clusters == 0, clusters == 1)
    rows = [
        int(np.where(own, np.square(X - place).sum(axis=1), np.inf).argmin())
        for place, own in zip(wanted, inside, strict=True)
    ]
    return np.array(rows), np.array([1, -1, -1])
