"""Figures that every study may have, whatever its metrics: they answer what a reader asks first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gramworks.report.alignment_figure import alignment_matrix
from gramworks.report.confusion_figure import confusion_matrices
from gramworks.report.kept_rows import shown_rows
from gramworks.report.learning_curves import BEST as MOST_BEST
from gramworks.report.learning_curves import MOST_NAMED, learning_curves
from gramworks.report.map_figure import point_maps
from gramworks.report.marks import marks_of
from gramworks.report.rank_figure import rank_plot
from gramworks.report.roc_figure import MOST_CURVES, roc_curves
from gramworks.report.score_lines import labels_of, of_numbers
from gramworks.report.time_figure import time_plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from gramworks.report.looks import Looks

BEST = "each method by its best setting"
READINGS = {
    "ranks over data sets": (
        "Critical-difference diagram",
        "average ranks of the methods over the data sets, 1 is best, each method by the setting "
        "of its best rank; a bar joins methods that Nemenyi's test does not tell apart.",
    ),
    "learning curves": (
        "Line plot",
        f"means over the draws with two standard errors either way, {BEST} at each "
        "number of labels, as in the answer. Open marks see test labels. They, chance and what is "
        "never better than chance may lie outside of the picture. "
        f"Of more than {MOST_NAMED} methods the best {MOST_BEST} at the largest size, the controls "
        "and, in a single panel, the best one at each size are named; the others are grey.",
    ),
    "run time against score": (
        "Scatter plot",
        "median seconds over the draws (the first draw of a job also loads the program) against "
        f"the mean score at the largest size, {BEST}; without the Gram matrices and what all "
        "draws share.",
    ),
    "kernel alignment": (
        "Heat map",
        "centred alignment of each two base kernels over all points: 1 where they say the same, 0 "
        "where they say nothing of each other.",
    ),
    "ROC curves": (
        "Line plot",
        f"means of the kept draws at the largest size, {BEST}, the best {MOST_CURVES} that have "
        "decision values.",
    ),
    "confusion matrices": (
        "Heat map",
        "points of the kept draws at the largest size, by the best method; shades are shares of a "
        "row.",
    ),
    "map of the points": (
        "Scatter plot",
        "first two principal components of the mean of the base kernels (each centred, of equal "
        "trace), by true label and by what the best method predicts in the first draw at the "
        "largest size. Grey: without a target; among the predictions all that are not tested, as "
        "labelled points are not.",
    ),
}
"""Name to the kind of plot and how it is read, in the order of the page."""
FIRST = ("ranks over data sets", "learning curves")
"""Those that belong to the answer itself."""


def answer_figures(
    lines: pd.DataFrame, ranks: pd.DataFrame, looks: Looks
) -> Iterator[tuple[str, Figure]]:
    """Draw the figures that there is something for, by the names of `READINGS`.

    Parameters
    ----------
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`.
    ranks : DataFrame
        From `gramworks.report.ranks.rank_table`.
    looks : Looks
    """
    shown = shown_rows(looks.predictions, lines)
    numbers = of_numbers(lines)
    classes = {dataset: rows for dataset, rows in shown.items() if dataset not in numbers}
    drawn: dict[str, Callable[[], Figure | None]] = {
        "ranks over data sets": lambda: rank_plot(ranks),
        "learning curves": lambda: learning_curves(lines),
        "run time against score": lambda: (
            None if looks.timings is None else time_plot(lines, looks.timings)
        ),
        "kernel alignment": lambda: alignment_matrix(looks.alignments),
        "ROC curves": lambda: roc_curves(classes, marks_of(lines, labels_of(lines))),
        "confusion matrices": lambda: confusion_matrices(classes),
        "map of the points": lambda: point_maps(looks.maps, shown),
    }
    for name in READINGS:
        figure = drawn[name]()
        if figure is not None:
            yield name, figure
