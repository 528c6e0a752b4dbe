"""How a solver's bounds close: upper and lower bound of the objective against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from gramworks.report.figures import MEASURED, PUBLISHED, STYLE


def convergence_plot(runs: Mapping[str, Sequence[tuple[float, float, float]]]) -> Figure:
    """Draw one panel a run: the bounds, and below them their relative gap on a log scale.

    Parameters
    ----------
    runs : mapping of str to sequence of (seconds, lower, upper)
        For example ``{"free weights": MarginKernel(weights="free").fit(...).bounds_}``.

    Returns
    -------
    matplotlib Figure
        Lower bounds of 0 or less are not shown; a gap of 0 neither.

    Raises
    ------
    ValueError
        No run, or one without a bound.
    """
    if not isinstance(runs, Mapping):
        raise ValueError(
            f"runs maps names to bounds, {{'free': model.bounds_}}; found {type(runs)}"
        )
    for name, bounds in runs.items():
        if not all(np.shape(triple) == (3,) for triple in bounds) or len(bounds) == 0:
            raise ValueError(
                f"run {name!r}: bounds are a list of (seconds, lower, upper), one or more; a model "
                "with own weights has such a list a class: give them one by one"
            )
    if not runs:
        raise ValueError("a convergence plot needs a run, {'free': model.bounds_}")
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        figure = Figure(figsize=(1.0 + 3.2 * len(runs), 4.4), layout="constrained")
        axes = figure.subplots(2, len(runs), squeeze=False, sharex="col", height_ratios=(1.4, 1.0))
        for column, (name, bounds) in enumerate(runs.items()):
            seconds, lower, upper = np.array(bounds, dtype=float).T
            best = np.maximum.accumulate(lower)
            top, bottom = axes[:, column]
            top.set_title(name, fontsize=9, fontweight="bold", loc="left")
            _steps(top, 1e3 * seconds, upper, MEASURED, "o", "upper bound")
            known = best > 0
            _steps(top, 1e3 * seconds[known], best[known], PUBLISHED, "D", "lower bound")
            gap = (upper - best) / upper
            shown = gap > 0
            _steps(bottom, 1e3 * seconds[shown], gap[shown], MEASURED, "o", None)
            bottom.set_yscale("log")
            bottom.yaxis.set_major_formatter(lambda value, _: f"{value:.0e}")
            bottom.set_xlabel("milliseconds")
            for panel in (top, bottom):
                panel.grid(axis="y")
                panel.set_axisbelow(True)
                panel.set_xlim(left=0)
        axes[0, 0].set_ylabel("objective")
        axes[1, 0].set_ylabel("relative gap")
        handles, names = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=2, frameon=False, fontsize=9)
    return figure


def _steps(panel, x, y, colour, marker, label) -> None:
    """Draw steps, since what is known at a time holds until the next evaluation."""
    panel.step(x, y, where="post", color=colour, linewidth=1.0)
    panel.plot(x, y, marker, color=colour, markersize=4, label=label)
