"""How alike base kernels are: a matrix of centred alignments a data set."""

from __future__ import annotations

import math
from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from gramworks.report.escaping import plain
from gramworks.report.figures import LETTER, MEASURED, PUBLISHED, STYLE

# White in the middle would vanish on a white page: a light grey stands for 0.
SHADES = LinearSegmentedColormap.from_list("alignment", [PUBLISHED, "#f1f0ec", MEASURED])
_MOST_NUMBERS = 12


def alignment_matrix(tables: Mapping[str, pd.DataFrame]) -> Figure | None:
    """Draw a matrix a data set, with the numbers in it where they are legible.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Data set to pairs from `gramworks.report.kernel_views.alignment_pairs`.

    Returns
    -------
    matplotlib Figure or None
        None where no data set has two kernels.
    """
    found = {}
    for dataset, pairs in tables.items():
        names = list(dict.fromkeys([*pairs["kernel"], *pairs["other"]]))
        if len(names) > 1:
            found[dataset] = (names, _matrix(names, pairs))
    if not found:
        return None
    most = max(len(names) for names, _ in found.values())
    letters = max(len(plain(name)) for names, _ in found.values() for name in names)
    cell = 0.46 if most <= _MOST_NUMBERS else 0.3
    columns = max(1, min(len(found), int(11 / (most * cell + letters * LETTER + 0.3))))
    rows = math.ceil(len(found) / columns)
    side = most * cell + letters * LETTER + 0.3
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(max(side * columns, 4.0), side * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        for panel in axes.flat[len(found) :]:
            panel.set_visible(False)
        for (dataset, (names, matrix)), panel in zip(found.items(), axes.flat, strict=False):
            _panel(panel, names, matrix)
            panel.set_title(plain(dataset), fontsize=9, fontweight="bold", loc="left")
    return figure


def _matrix(names: list[str], pairs: pd.DataFrame) -> np.ndarray:
    at = {name: i for i, name in enumerate(names)}
    matrix = np.eye(len(names))
    for a, b, value in pairs.itertuples(index=False):
        matrix[at[a], at[b]] = matrix[at[b], at[a]] = value
    return matrix


def _panel(panel: Axes, names: list[str], matrix: np.ndarray) -> None:
    panel.imshow(matrix, vmin=-1, vmax=1, cmap=SHADES)
    ticks = range(len(names))
    labels = [plain(name) for name in names]
    panel.set_xticks(ticks, labels, rotation=90)
    panel.set_yticks(ticks, labels)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    if len(names) > _MOST_NUMBERS:
        return
    for i, j in np.ndindex(matrix.shape):
        text = f"{matrix[i, j]:.2f}".replace("0.", ".").replace("-", "\u2212")
        # a dark ink of its own, which the dark scheme leaves alone: cells keep their colours
        shade = "#ffffff" if abs(matrix[i, j]) > 0.55 else "#1b1b1c"
        panel.text(j, i, text, ha="center", va="center", fontsize=8, color=shade)
