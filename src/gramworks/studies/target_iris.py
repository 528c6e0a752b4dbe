"""Figures 1 to 4 of Angelini et al. (2007): iris with four labelled points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import matplotlib.ticker
import numpy as np
from matplotlib.figure import Figure

from gramworks.datasets.seeds import generator
from gramworks.datasets.store import read_dataset
from gramworks.fitting.metrics import absolute_correlations
from gramworks.kernels.linear_kernel import linear
from gramworks.learning.target_draws import draw_correlations, draw_rows, targets_of
from gramworks.methods.optimal_target import QUANTILES, draw_seed
from gramworks.report.figures import INK, MEASURED, PUBLISHED, STYLE
from gramworks.solvers.secular_roots import stationary_points
from gramworks.solvers.target_error import (
    ErrorSpectrum,
    error_spectrum,
    general_components,
    kernel_eigenpairs,
    target_levels,
)

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

_PANELS = (
    "above the principal components, below the generalised ones of a draw near the quantile "
    "{} of |R|; stars are versicolor, crosses virginica, circles the labelled points."
)
FIGURES = {
    "figure 1": (
        "Line plot",
        "the secular function g of one draw of four labelled points. The horizontal line is the "
        "squared length 1 − |u|² of the unknown targets; where g meets it are the multipliers of "
        "all stationary points: the star is the global minimum, black dots are the others.",
    ),
    "figure 2": (
        "Histograms",
        "|R| of the first four generalised components with the labels, over all draws; bars "
        "beyond the line are draws that beat the plain component, which it marks.",
    ),
    "figure 3": ("Scatter plots", _PANELS.format(QUANTILES["unlucky"])),
    "figure 4": ("Scatter plots", _PANELS.format(QUANTILES["lucky"])),
}
DATASET, METHOD, N_LABELLED, SHOWN = "iris-two", "optimal-target", 4, 4
_GREY = "#a8a7a2"


@dataclass(frozen=True)
class _Draws:
    """All draws of the study on iris, made again from their seeds."""

    spectrum: ErrorSpectrum
    signs: np.ndarray
    found: np.ndarray
    """(draws, 4) |R| of the generalised components"""
    known: np.ndarray
    """(draws, 4) labelled rows"""
    plain: np.ndarray
    """(4,) |R| of the principal components"""


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw the secular function, the histograms, and an unlucky and a lucky draw."""
    cells = comparison[(comparison["dataset"] == DATASET) & (comparison["method"] == METHOD)]
    if DATASET not in tables or cells.empty or cells["n"].max() < 1:
        return
    body = study.methods[METHOD].parameters
    draws = _draw_again(tables[DATASET], study, body, int(cells["n"].max()))
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        yield "figure 1", _secular(draws)
        yield "figure 2", _histograms(draws)
        for name, which in (("figure 3", "unlucky"), ("figure 4", "lucky")):
            wanted = np.quantile(draws.found[:, 0], QUANTILES[which])
            yield name, _scatter(draws, int(np.abs(draws.found[:, 0] - wanted).argmin()), which)


def _draw_again(table: Path, study: Study, body: dict, repeats: int) -> _Draws:
    data = read_dataset(table)
    signs = np.where(data.y == 1, 1.0, -1.0)
    spectrum = error_spectrum(kernel_eigenpairs(linear(data.X)), body.get("ridge", 1.0))
    found, known = [], []
    for repeat in range(repeats):
        seed = draw_seed(study.name, DATASET, N_LABELLED, repeat)
        count = body["draws"]
        found.append(draw_correlations(spectrum, signs, N_LABELLED, count, generator(*seed), SHOWN))
        known.append(draw_rows(len(signs), N_LABELLED, count, generator(*seed)))
    plain = absolute_correlations(signs, spectrum.vectors[:, :SHOWN])
    return _Draws(spectrum, signs, np.concatenate(found), np.concatenate(known), plain)


def _secular(draws: _Draws) -> Figure:
    signs, n = draws.signs, len(draws.signs)
    at = next(i for i, rows in enumerate(draws.known) if abs(signs[rows].sum()) < N_LABELLED)
    rows = draws.known[at]
    levels, f, rounding = target_levels(draws.spectrum, rows, signs[rows] / np.sqrt(n))
    radius = np.sqrt((n - N_LABELLED) / n)
    points = stationary_points(levels, f, radius, rounding)
    poles = levels[f != 0]
    figure = Figure(figsize=(6.0, 3.6), layout="constrained")
    axes = figure.subplots()
    roots = points.multipliers[~points.degenerate]
    span = roots[-1] - roots[0]
    mu = np.linspace(roots[0] - 0.15 * span, roots[-1] + 0.3 * span, 20_000)
    with np.errstate(divide="ignore"):
        g = ((f / (mu[:, None] - levels)) ** 2).sum(axis=1)
    axes.semilogy(mu, g, color=MEASURED, linewidth=1.0)
    axes.axhline(radius**2, color=INK, linewidth=0.8)
    for pole in poles:
        axes.axvline(pole, color=_GREY, linewidth=0.6, linestyle=":")
    axes.plot(roots[1:], np.full(len(roots) - 1, radius**2), "o", color=INK, markersize=4)
    axes.plot([roots[0]], [radius**2], "*", color=PUBLISHED, markersize=11)
    low, high = g.min(), g[(mu > roots[0]) & (mu < roots[-1])].min()
    axes.set_ylim(0.5 * min(low, radius**2), 1e3 * max(high, radius**2))  # poles have no height
    axes.text(mu[-1], radius**2, "1 − |u|²", ha="right", va="bottom", fontsize=8)
    axes.set_xlabel("μ (dotted: eigenvalues of H₀; star: the root of least energy)")
    axes.set_ylabel("g(μ)")
    # the page's fonts show no formulas
    axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    return figure


def _histograms(draws: _Draws) -> Figure:
    figure = Figure(figsize=(6.6, 4.6), layout="constrained")
    bins = np.linspace(0, 1, 101)
    for k, axes in enumerate(figure.subplots(2, 2).ravel()):
        values, plain = draws.found[:, k], draws.plain[k]
        better = values > plain
        axes.hist(values[~better], bins, color=_GREY)
        axes.hist(values[better], bins, color=INK)
        axes.axvline(plain, color=PUBLISHED, linewidth=1.0)
        name = "y*" if k == 0 else f"component {k + 1}"
        axes.set_title(f"{name}: better in {100 * better.mean():.1f} % of draws", fontsize=9)
    figure.supxlabel("|R| (grey: no better than the plain component, the line)", fontsize=9)
    figure.supylabel("draws", fontsize=9)
    return figure


def _scatter(draws: _Draws, at: int, which: str) -> Figure:
    rows = draws.known[at]
    y = targets_of(draws.spectrum, draws.signs, rows[None])
    general = general_components(draws.spectrum, y, 2)[1][0]
    panels = (
        ("principal components", draws.spectrum.vectors[:, :2], draws.plain[0]),
        (f"generalised, {which} draw", general, draws.found[at, 0]),
    )
    figure = Figure(figsize=(4.8, 6.4), layout="constrained")
    kinds = ((-1, "*", MEASURED, "versicolor"), (1, "+", PUBLISHED, "virginica"))
    for axes, (title, points, correlation) in zip(figure.subplots(2, 1), panels, strict=True):
        for sign, marker, colour, name in kinds:
            own = draws.signs == sign
            axes.plot(*points[own].T, marker, color=colour, markersize=5, label=name)
        axes.plot(*points[rows].T, "o", mfc="none", mec=INK, markersize=11, label="labelled")
        axes.set_title(f"{title}: |R| = {correlation:.3f}", fontsize=9)
        axes.set_xlabel("first")
        axes.set_ylabel("second")
    figure.legend(
        *figure.axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3,
        frameon=False, fontsize=8,
    )  # fmt: skip
    return figure
