"""Confusion matrices: which class is taken for which, by the best method."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramworks.report.class_order import ordered_classes
from gramworks.report.figures import line_label
from gramworks.report.marks import colour
from gramworks.report.point_panels import panel_rows, short

MOST_CLASSES = 12


def confusion_matrices(chosen: Mapping[str, pd.DataFrame]) -> Figure | None:
    """Draw a confusion matrix a data set, for the first of its rows: shares of each true class.

    Parameters
    ----------
    chosen : mapping of str to DataFrame
        As from `gramworks.report.kept_rows.shown_rows`.

    Returns
    -------
    matplotlib Figure or None
        None where no data set has between 3 and `MOST_CLASSES` classes.
    """
    panels = {}
    for dataset, rows in chosen.items():
        own = counted_rows(rows)
        if len(own):
            classes = ordered_classes([*rows["truth"], *rows["prediction"]])
            counts = pd.crosstab(own["truth"], own["prediction"])
            panels[dataset] = (
                line_label(own["method"].iloc[0], own["setting"].iloc[0]),
                counts.reindex(index=classes, columns=classes, fill_value=0),
            )
    return panel_rows(panels, _confusion_panel, height=3.9) if panels else None


def counted_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the rows that a data set's matrix counts: none with too few or too many classes."""
    if not 3 <= len({*rows["truth"], *rows["prediction"]}) <= MOST_CLASSES:
        return rows.iloc[:0]
    first = rows.iloc[0]
    return rows[(rows["method"] == first["method"]) & (rows["setting"] == first["setting"])]


def _confusion_panel(panel: Axes, dataset: str, found: tuple[str, pd.DataFrame]) -> None:
    label, counts = found
    numbers = counts.to_numpy()
    share = numbers / np.maximum(numbers.sum(axis=1, keepdims=True), 1)
    shades = matplotlib.colors.LinearSegmentedColormap.from_list("share", ["#f1f0ec", colour(0)])
    panel.imshow(share, vmin=0, vmax=1, cmap=shades)
    names = [short(name) for name in counts.index]
    panel.set_xticks(range(len(names)), [short(name, 12) for name in names], rotation=90)
    panel.set_yticks(range(len(names)), names)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    panel.set(xlabel=f"predicted by {label}", ylabel="true")
    for i, j in np.ndindex(numbers.shape):
        if numbers[i, j]:
            shade = "#ffffff" if share[i, j] > 0.55 else "#1b1b1c"
            panel.text(j, i, numbers[i, j], ha="center", va="center", fontsize=8, color=shade)
