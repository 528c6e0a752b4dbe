"""Which figures a study has, in the order of its metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gramworks.report.figures import dot_plot
from gramworks.report.label_figure import label_bars
from gramworks.report.label_rows import apart, label_panels
from gramworks.report.verdicts import direction
from gramworks.report.weight_figure import WEIGHT, weight_plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WEIGHTS = "weights"
BY_LABEL = " by label"


def figure_names(metrics: list[str]) -> list[str]:
    """Name the figures that may be there: a metric each, its labels one by one, the weights."""
    names: dict[str, None] = {}
    for metric in metrics:
        shown = [WEIGHTS] if WEIGHT.fullmatch(metric) else [metric, metric + BY_LABEL]
        names |= dict.fromkeys(shown)
    return list(names)


def figure_reading(name: str) -> tuple[str, str]:
    """Say what kind of plot a figure is, and how it is read."""
    if name == WEIGHTS:
        return "Dot plot", (
            "a mark a base kernel, its mean weight over the draws with one standard deviation "
            "either way; large open marks are published weights, where there are any."
        )
    if name.endswith(BY_LABEL) and direction(name.removesuffix(BY_LABEL)) != "two-sided":
        return "Bar chart", (
            "each label against the rest, bars are means over the draws with two standard errors "
            "either way."
        )
    return "Dot plot", (
        "dots are measured means with two standard errors either way, diamonds published numbers, "
        "where there are any."
    )


def study_figures(metrics: list[str], comparison: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of a study.

    Parameters
    ----------
    metrics : list of str
        Of the study.
    comparison : DataFrame
        From `gramworks.report.comparison.compare`.

    Yields
    ------
    name : str
        As of `figure_names`.
    figure : matplotlib Figure
        Figures of which nothing was measured are left out.
    """
    whole, single = apart(comparison)
    for name in figure_names(metrics):
        metric = name.removesuffix(BY_LABEL)
        if name == WEIGHTS:
            figure = weight_plot(whole)
        elif not name.endswith(BY_LABEL):
            figure = dot_plot(whole, metric)
        elif direction(metric) == "two-sided":
            figure = dot_plot(label_panels(single), metric)
        else:
            figure = label_bars(single, metric)
        if figure is not None:
            yield name, figure
