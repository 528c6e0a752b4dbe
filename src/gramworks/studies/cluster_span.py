"""Figure 3 of Chapelle et al. (2002): the span estimate and the test error by the cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from gramworks.report.dot_figure import dot_plot
from gramworks.report.figures import GRID, INK, MEASURED, PUBLISHED, STYLE
from gramworks.settings import format_setting, parse_setting

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

METRICS = ("best-cutoff", "local-minimum-cutoff")
_ESTIMATE, _ERROR, _METHOD = "span-error-percent", "test-error-percent", "cluster-kernel"
_DOTS = "dots are measured means with two standard errors either way; rows of fixed r are left out."
FIGURES = {
    "figure 3": (
        "Line plots",
        "means over the draws of the span estimate and of the test error, with two standard errors "
        "either way, against the cut r; the dotted line is the paper's 10.",
    ),
    _ERROR: ("Dot plot", _DOTS),
    _ESTIMATE: ("Dot plot", _DOTS),
}
PRINTED = 10
"""The cut that the paper prints, for text the lowest estimate, for digits a local minimum."""


def derive(rows: list[dict]) -> list[dict]:
    """Give the cuts of the lowest mean estimate, and of its local minimum nearest to the paper's.

    Returns
    -------
    list of dict
        One row a data set and split, since the cut of a mean has no spread over the draws: it
        stands beside the printed one without a verdict. None where an estimate is missing.
    """
    found: dict[tuple[str, str], dict[int, dict[int, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    first: dict[tuple[str, str], dict] = {}
    for row in rows:
        setting = parse_setting(row["setting"])
        rank = setting.pop("rank", None)
        if row["metric"] == _ESTIMATE and isinstance(rank, int) and "transfer" not in setting:
            key = (row["dataset"], format_setting(setting | {"p": 2, "q": 2}))
            found[key][rank][row["repeat"]] = row["value"]
            first.setdefault(key, row)
    made = []
    for key, by_rank in found.items():
        repeats = sorted(set().union(*by_rank.values()))
        if any(set(v) != set(repeats) or None in v.values() for v in by_rank.values()):
            continue
        ranks = sorted(by_rank)
        means = np.array([np.mean([by_rank[r][repeat] for repeat in repeats]) for r in ranks])
        cuts = dict(zip(METRICS, (ranks[int(means.argmin())], _dip(ranks, means)), strict=True))
        row = first[key] | {"method": "", "setting": key[1], "status": "ok", "reason": ""}
        made += [
            row | {"metric": metric, "value": float(cut), "repeat": repeats[0]}
            for metric, cut in cuts.items()
            if cut is not None
        ]
    return made


def _dip(ranks: list[int], means: np.ndarray) -> int | None:
    """Find the local minimum nearest to the printed cut; the ends of the range are none."""
    inside = range(1, len(ranks) - 1)
    dips = [ranks[i] for i in inside if means[i] < means[i - 1] and means[i] < means[i + 1]]
    return min(dips, key=lambda rank: (abs(rank - PRINTED), rank), default=None)


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw estimate and error by the cut, and dot plots of the rows without a fixed cut."""
    cells = comparison[comparison["n"] > 0]
    rows = [row | {"of": parse_setting(row["setting"])} for row in cells.to_dict("records")]
    fixed = [isinstance(row["of"].get("rank"), int) for row in rows]
    own = [
        row
        for row, is_fixed in zip(rows, fixed, strict=True)
        if is_fixed and row["method"] == _METHOD
    ]
    if own:
        with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
            yield "figure 3", _curves(own)
    curve = np.zeros(len(comparison), dtype=bool)
    curve[np.flatnonzero(comparison["n"] > 0)] = np.array(fixed, dtype=bool)
    curve &= (comparison["method"] == _METHOD).to_numpy()
    for metric in (_ERROR, _ESTIMATE):
        figure = dot_plot(comparison[~curve], metric)
        if figure is not None:
            yield metric, figure


def _curves(rows: list[dict]) -> Figure:
    groups: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        split = {k: v for k, v in row["of"].items() if k in ("n_labelled", "test")}
        groups.setdefault((row["dataset"], format_setting(split)), []).append(row)
    across = min(len(groups), 2)
    down = -(-len(groups) // across)
    figure = Figure(figsize=(3.5 * across + 0.4, 2.6 * down + 0.6), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    lines = ((_ESTIMATE, PUBLISHED, "o-", "span estimate"), (_ERROR, MEASURED, "s--", "test error"))
    for panel, ((dataset, split), own) in zip(panels, groups.items(), strict=False):
        for metric, colour, style, label in lines:
            line = sorted(
                (row["of"]["rank"], row["measured_mean"], 2 * row["measured_se"])
                for row in own
                if row["metric"] == metric
            )
            if line:
                ranks, means, errors = zip(*line, strict=True)
                panel.errorbar(
                    ranks, means, yerr=errors, fmt=style, color=colour, markersize=3,
                    linewidth=1.0, elinewidth=0.6, label=label,
                )  # fmt: skip
        panel.axvline(PRINTED, color=INK, linewidth=0.6, linestyle=":")
        panel.grid(axis="y", color=GRID, linewidth=0.6)
        panel.set_title(f"{dataset}, {split.replace(';', ', ')}", fontsize=9)
    for panel in panels[len(groups) :]:
        panel.set_axis_off()
    figure.supxlabel("cut r", fontsize=9)
    figure.supylabel("error, %", fontsize=9)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=2, frameon=False,
        fontsize=8,
    )  # fmt: skip
    return figure
