"""Which figures a study has: its own module's, and one a metric, in their order."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gramworks.errors import DataError
from gramworks.report.answer_figures import READINGS
from gramworks.report.choice_figure import CHOSEN, READING, choice_plot
from gramworks.report.dot_figure import dot_plot
from gramworks.report.escaping import file_name
from gramworks.report.label_figure import label_bars
from gramworks.report.label_rows import apart, label_panels
from gramworks.report.verdicts import direction
from gramworks.report.weight_figure import WEIGHT, weight_plot
from gramworks.studies.derived import own_module

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from gramworks.studies.study_file import Study

WEIGHTS = "weights"
BY_LABEL = " by label"


def own_figures(study: Study) -> dict[str, tuple[str, str]]:
    """Give the figures that the study's own module states, each with its kind and reading."""
    return getattr(own_module(study.name), "FIGURES", {})


def figure_names(study: Study) -> list[str]:
    """Name the figures that may be there: own ones, a metric each, labels, weights, answers."""
    names: dict[str, None] = dict.fromkeys(own_figures(study))
    for metric in study.metrics:
        shown = [WEIGHTS] if WEIGHT.fullmatch(metric) else [metric, metric + BY_LABEL]
        names |= dict.fromkeys(shown)
    return list(names | dict.fromkeys(READINGS))


def figure_stem(name: str) -> str:
    """Name the files of a figure: "figure 1" is figure-1, "test-auc" figure-test-auc."""
    return f"figure-{file_name(name.removeprefix('figure ').replace(' ', '-'))}"


def figure_reading(study: Study, name: str, printed: Iterable[str] = ()) -> tuple[str, str]:
    """Say what kind of plot a figure is, and how it is read.

    Parameters
    ----------
    study : Study
    name : str
        As of `figure_names`.
    printed : iterable of str
        Metrics that have published numbers.
    """
    own = own_figures(study)
    if name in own:
        return own[name]
    if name in READINGS:
        return READINGS[name]
    metric = name.removesuffix(BY_LABEL)
    if name == WEIGHTS:
        weights = any(WEIGHT.fullmatch(own) for own in printed)
        open_marks = "; large open marks are published weights" if weights else ""
        return "Dot plot", (
            "a mark a base kernel, its mean weight over the draws with one standard deviation "
            f"either way{open_marks}."
        )
    if name.endswith(BY_LABEL) and direction(metric) != "two-sided":
        return "Bar chart", (
            "each label against the rest, bars are means over the draws with two standard errors "
            "either way."
        )
    if name.startswith(CHOSEN) and not name.endswith(BY_LABEL):
        return READING
    if metric in printed:
        told = ", diamonds published numbers."
    else:
        ranked = ", the best at the top (at the largest size, by mean rank over data sets)."
        told = "." if direction(metric) == "two-sided" else ranked
    return "Dot plot", f"dots are measured means with two standard errors either way{told}"


def study_figures(
    study: Study,
    comparison: pd.DataFrame,
    tables: Mapping[str, Path],
    scores: pd.DataFrame | None = None,
) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of a study but for those of `gramworks.report.answer_figures`.

    Parameters
    ----------
    study : Study
    comparison : DataFrame
        From `gramworks.report.comparison.compare`.
    tables : mapping of str to Path
        Normalised data sets by name, for figures that the study's own module draws.
    scores : DataFrame, optional
        From `gramworks.report.scores.read_scores`, for figures of single draws: a module whose
        `draw_figures` takes `scores` gets them.

    Yields
    ------
    name : str
        As of `figure_names`.
    figure : matplotlib Figure
        Figures of which nothing was measured are left out.

    Raises
    ------
    DataError
        The study's own module draws a figure that it does not state.
    """
    yield from _drawn_by_module(study, comparison, tables, scores)
    whole, single = apart(comparison)
    own = own_figures(study)
    for name in figure_names(study):
        metric = name.removesuffix(BY_LABEL)
        if name in own or name in READINGS:
            continue
        if name == WEIGHTS:
            figure = weight_plot(whole)
        elif name == metric and metric.startswith(CHOSEN) and scores is not None:
            figure = choice_plot(scores, whole, metric)
        elif not name.endswith(BY_LABEL):
            figure = dot_plot(whole, metric)
        elif direction(metric) == "two-sided":
            figure = dot_plot(label_panels(single), metric)
        else:
            figure = label_bars(single, metric)
        if figure is not None:
            yield name, figure


def _drawn_by_module(
    study: Study,
    comparison: pd.DataFrame,
    tables: Mapping[str, Path],
    scores: pd.DataFrame | None,
) -> Iterator[tuple[str, Figure]]:
    stated = own_figures(study)
    if not stated:
        return
    module = own_module(study.name)
    wanted = "scores" in inspect.signature(module.draw_figures).parameters
    further = {"scores": scores} if wanted else {}
    for name, figure in module.draw_figures(study, comparison, tables, **further):
        if name not in stated:
            raise DataError(
                f"{module.__name__}.draw_figures gave {name!r}; allowed are its FIGURES, "
                f"{', '.join(stated)}."
            )
        yield name, figure
