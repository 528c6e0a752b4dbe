"""ROC curves: a panel a data set of two classes, a curve a method."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.escaping import plain
from gramworks.report.figures import GRID, line_label
from gramworks.report.marks import Mark, method_mark
from gramworks.report.point_panels import legend_below, panel_rows

MOST_CURVES = 7


def roc_curves(
    chosen: Mapping[str, pd.DataFrame], marks: Mapping[str, Mark] | None = None
) -> Figure | None:
    """Draw ROC curves: a panel a data set of two classes, a curve a method.

    Parameters
    ----------
    chosen : mapping of str to DataFrame
        Data set to predictions of the rows to show, from `gramworks.report.kept_rows.shown_rows`.
    marks : mapping of str to Mark, optional
        By method, or method and setting, as from `gramworks.report.marks.marks_of`.

    Returns
    -------
    matplotlib Figure or None
        Each curve is the mean of the kept draws at equal false positive rates, of the first
        `MOST_CURVES` rows that have decision values. None where no method gives any.
    """
    panels = {}
    for dataset, rows in chosen.items():
        curves = {}
        for (method, setting), own in rows.groupby(["method", "setting"], sort=False):
            found = [c for _, draw in own.groupby("repeat") if (c := roc(draw)) is not None]
            if found and len(curves) < MOST_CURVES:
                mark = (marks or {}).get(plain(f"{method} {setting}")) or method_mark(method)
                curves[line_label(method, setting)] = (mark, found)
        if curves:
            panels[dataset] = curves
    if not panels:
        return None
    most = max(map(len, panels.values()))
    return panel_rows(panels, _roc_panel, height=3.6 + 0.17 * most)


def roc(draw: pd.DataFrame) -> tuple[np.ndarray, np.ndarray] | None:
    """Compute the ROC curve of one draw: false and true positive rates, None without any.

    The positive class is the one that the predictions state: whatever a method predicts, its
    decision values are of that class against the other one. Equal values are one step.
    """
    decision = draw["decision"].to_numpy()
    classes = sorted(set(draw["truth"]))
    if np.isnan(decision).any() or len(classes) != 2:
        return None
    truth = (draw["truth"] == draw["positive"]).to_numpy()
    if truth.all() or not truth.any():
        return None
    order = np.argsort(-decision, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(decision[order])), len(order) - 1)
    hits = np.cumsum(truth[order])[ends] / truth.sum()
    false = np.cumsum(~truth[order])[ends] / (~truth).sum()
    return np.append(0.0, false), np.append(0.0, hits)


def _roc_panel(panel: Axes, dataset: str, curves: dict[str, tuple[Mark, list]]) -> None:
    grid = np.linspace(0, 1, 201)
    for place, (mark, found) in enumerate(curves.values()):
        mean = np.mean([np.interp(grid, false, hits) for false, hits in found], axis=0)
        panel.plot(
            np.append(0, grid), np.append(0, mean), color=mark.colour, linewidth=1.3,
            linestyle=mark.line, marker=mark.marker, markevery=(10 + 7 * place, 50), markersize=4,
        )  # fmt: skip
    panel.plot([0, 1], [0, 1], color=GRID, linewidth=1)
    panel.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    # named one by one: matplotlib passes over names that begin with "_"
    legend_below(panel, panel.lines[:-1], list(curves))
