"""Learning curves: the score of each method against the number of labelled points."""

from __future__ import annotations

import math

import matplotlib
import matplotlib.ticker
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import Container
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from gramworks.report.direct_labels import STEP, End, label_ends
from gramworks.report.escaping import plain
from gramworks.report.figures import LETTER, STYLE, whiskers
from gramworks.report.marks import Mark, marks_of
from gramworks.report.score_lines import higher_is_better, labels_of, representatives
from gramworks.settings import parse_setting

_COLUMNS = 3
_LEFT, _WIDE, _TOP, _BOTTOM = 0.75, 4.6, 0.3, 0.55
SEEN = " (sees test labels)"
MOST_NAMED, BEST = 12, 8
"""Of more methods than the first number, so many are named, and the controls."""
OTHERS = "#b9b8b2"
CHANCE = "majority"
"""The method that learns nothing but which class is the largest."""


def learning_curves(lines: pd.DataFrame) -> Figure | None:
    """Draw a panel a data set (and further word of the splits), a line a method.

    Parameters
    ----------
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`.

    Returns
    -------
    matplotlib Figure or None
        Means with two standard errors either way, for each method by its best setting at each
        size; marks of controls are open. Controls, chance and what is never better than chance may
        lie outside, so that the rest can be told apart. Of more than `MOST_NAMED` methods the best
        `BEST` at the last size and the controls are named, the others are grey. One panel has the
        first one at each size named, too, and names at the ends of its curves; several have a
        legend. None where no data set has two sizes.
    """
    cells = _sized(representatives(lines))
    if cells.empty:
        return None
    cells = cells.assign(label=labels_of(cells))
    marks = marks_of(cells, cells["label"].tolist())
    named = _named(cells)
    marks = {label: mark for label, mark in marks.items() if label in named}
    panels = [(key, part) for key, part in cells.groupby(["dataset", "more"], sort=False)]
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        if len(panels) == 1:
            return _alone(panels[0], marks)
        return _several(panels, marks)


def _named(cells: pd.DataFrame) -> set[str]:
    """List what is named: all, or of many the best at the last size (by mean rank) and controls.

    In a single panel also the first one at each size.
    """
    labels = set(cells["label"])
    controls = set(cells.loc[cells["control"].astype(bool) | (cells["method"] == CHANCE), "label"])
    if len(labels) <= MOST_NAMED:
        return labels
    own = cells[~cells["label"].isin(controls)]
    signs = [-1.0 if higher_is_better(metric) else 1.0 for metric in own["metric"]]
    panel = ["dataset", "more"]
    means = own.assign(value=own["value"] * signs).groupby([*panel, "x", "label"])["value"].mean()
    ranks = means.groupby([*panel, "x"]).rank(pct=True).reset_index()
    if len(ranks[panel].drop_duplicates()) == 1:  # the answer names who wins at each size
        controls |= set(ranks.loc[ranks.groupby("x")["value"].idxmin(), "label"])
    last = ranks[ranks["x"] == ranks.groupby(panel)["x"].transform("max")]
    best = last.groupby("label")["value"].mean().sort_values(kind="stable").index[:BEST]
    return controls | set(best)


_X = {"n_labelled": "labelled points", "n_test": "test points"}


def _alone(found: tuple, marks: dict[str, Mark]) -> Figure:
    """Draw one panel, its curves named at their ends."""
    height = max(2.8, STEP * (len(marks) + 1))
    figure = Figure(figsize=(_LEFT + _WIDE, _BOTTOM + height + _TOP))
    panel = figure.add_axes((0, 0, 1, 1))
    curves = _panel(panel, *found, marks)
    ends = [_end(name, *curve) for name, curve in curves.items()]
    letters = max(len(name) for name in label_ends(panel, ends, height, _WIDE))
    # the names are known only now: they tell what lies outside
    figure.set_figwidth(_LEFT + _WIDE + 0.85 + letters * LETTER)
    size = figure.get_size_inches()
    place = (_LEFT, _BOTTOM, _WIDE, height)
    panel.set_position([inches / size[i % 2] for i, inches in enumerate(place)])
    return figure


def _several(panels: list[tuple], marks: dict[str, Mark]) -> Figure:
    """Draw a panel a data set, with one legend above them."""
    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    deep = math.ceil(len(marks) / columns)
    figure = Figure(figsize=(3.9 * columns, 3.1 * rows + 0.3 + 0.2 * deep), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    handles: dict[str, Container] = {}
    for panel in axes.flat[len(panels) :]:
        panel.set_visible(False)
    for found, panel in zip(panels, axes.flat, strict=False):
        handles |= {name: curve for name, (curve, _) in _panel(panel, *found, marks).items()}
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper left", ncols=columns, frameon=False,
        fontsize=9, handlelength=3,
    )  # fmt: skip
    return figure


def _sized(lines: pd.DataFrame) -> pd.DataFrame:
    """Keep what has sizes, with the number in columns of its own, where there are two or more."""
    parts = [_number(size) for size in lines["size"]]
    cells = lines.assign(
        key=[key for key, _, _ in parts], x=[x for _, x, _ in parts], more=[m for *_, m in parts]
    )
    cells = cells[cells["x"].notna()]
    counts = cells.groupby(["dataset", "more"])["x"].transform("nunique")
    return cells[counts > 1]


def _number(size: str) -> tuple[str, float, str]:
    found = parse_setting(size)
    key = next((k for k in _X if isinstance(found.get(k), (int, float))), "")
    rest = " ".join(f"{k}={v}" for k, v in found.items() if k != key)
    return key, float(found[key]) if key else math.nan, rest


def _panel(
    panel: Axes, key: tuple[str, str], part: pd.DataFrame, marks: dict[str, Mark]
) -> dict[str, tuple[Container, Mark]]:
    """Draw the curves of a data set; give them by what they are called."""
    # named one by one: matplotlib passes over names that begin with "_"
    named: dict[str, tuple[Container, Mark]] = {}
    metric = part["metric"].iloc[0]
    panel.grid(axis="y")
    panel.set_axisbelow(True)
    aside = _asides(part.loc[part["label"].isin(marks), "label"].nunique())
    for label, own in part.groupby("label", sort=False):
        if label not in marks:
            grey = own.groupby("x")["value"].mean()
            panel.plot(grey.index, grey, color=OTHERS, linewidth=0.7, zorder=1)
            continue
        values = own.groupby("x")["value"]
        means, counts = values.mean(), values.count()
        errors = 2 * values.std().fillna(0) / np.sqrt(counts)
        control = bool(own["control"].iloc[0])
        mark = marks[label]
        moved = panel.transData + ScaledTranslation(
            aside[len(named)], 0, panel.figure.dpi_scale_trans
        )
        curve = panel.errorbar(
            means.index, means, yerr=whiskers(metric, means.to_numpy(), errors.to_numpy()),
            color=mark.colour, marker=mark.marker, markersize=4.5, linewidth=1.1, elinewidth=0.7,
            linestyle=mark.line, markerfacecolor="none" if control else mark.colour,
            transform=moved,
        )  # fmt: skip
        named[f"{label}{SEEN}" if control else label] = (curve, mark)
    _focus(panel, part)
    xs = sorted(set(part["x"]))
    if xs[-1] >= 8 * xs[0] > 0:
        panel.set_xscale("log")
        panel.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        room = (xs[-1] / xs[0]) ** 0.05
        panel.set_xlim(xs[0] / room, xs[-1] * room)
    else:
        room = 0.05 * (xs[-1] - xs[0])
        panel.set_xlim(xs[0] - room, xs[-1] + room)
    shown = xs if len(xs) <= 7 else xs[:: math.ceil(len(xs) / 7)]
    panel.set_xticks(shown, [f"{x:g}" for x in shown])
    panel.set_title(plain(" ".join(key)), fontsize=9, fontweight="bold", loc="left")
    panel.set_xlabel(_X.get(part["key"].iloc[0], part["key"].iloc[0]))
    panel.set_ylabel(plain(metric))
    return named


def _asides(count: int) -> np.ndarray:
    """Give inches by which curves stand aside, so that error bars at one size can be told apart."""
    most = min(0.12, 0.012 * (count - 1))
    return np.linspace(-most, most, count)


def _end(name: str, curve: Container, mark: Mark) -> End:
    x, y = curve.lines[0].get_xydata()[-1]
    return End(name, float(x), float(y), mark, open=name.endswith(SEEN))


def _no_better(part: pd.DataFrame) -> set[str]:
    """List chance, and the curves that are better than it at no size."""
    sign = 1.0 if higher_is_better(part["metric"].iloc[0]) else -1.0
    means = (sign * part["value"]).groupby([part["label"], part["x"]]).mean().unstack("x")
    chance = set(part.loc[part["method"] == CHANCE, "label"])
    if not chance:
        return chance
    ahead = (means > means.loc[sorted(chance)[0]]).any(axis=1)
    return chance | set(ahead.index[~ahead])


def _focus(panel: Axes, part: pd.DataFrame) -> None:
    """Let the scale follow the methods that learn: chance is far below, a control far above."""
    own = part[~part["control"].astype(bool) & ~part["label"].isin(_no_better(part))]
    if own["label"].nunique() < 2:
        own = part
    groups = own.groupby(["label", "x"])["value"]
    means, errors = groups.mean(), 2 * groups.std().fillna(0) / np.sqrt(groups.count())
    low, high = (means - errors).min(), (means + errors).max()
    room = 0.06 * (high - low) or 0.5
    panel.set_ylim(low - room, high + room)
