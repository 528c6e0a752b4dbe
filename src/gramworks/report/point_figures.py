"""Plots of single points: ROC curves, confusion matrices, and a map of the points."""

from __future__ import annotations

import math
from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gramworks.report.class_order import ordered_classes
from gramworks.report.escaping import plain
from gramworks.report.figures import GRID, INK, STYLE, line_label
from gramworks.report.marks import Mark, colour, marker, method_mark, places
from gramworks.report.score_lines import higher_is_better, representatives, settled
from gramworks.settings import join_settings

_COLUMNS = 3
MOST_CLASSES = 12
MOST_CURVES = 7


def shown_rows(predictions: Mapping[str, pd.DataFrame], lines: pd.DataFrame) -> dict:
    """Pick what the plots show: the largest size, each method by its best setting, best first.

    Parameters
    ----------
    predictions : mapping of str to DataFrame
        Data set to rows of `gramworks.report.point_predictions.read_predictions`.
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`; controls are passed over.

    Returns
    -------
    dict of str to DataFrame
    """
    honest = representatives(lines[~lines["control"].astype(bool)])
    chosen = {}
    for dataset, rows in predictions.items():
        own = honest[honest["dataset"] == dataset]
        if own.empty or rows.empty:
            continue
        own = own[own["size"] == own["size"].iloc[-1]]
        means = settled(own.groupby(["method", "setting", "size"], sort=False)["value"].mean())
        higher = higher_is_better(own["metric"].iloc[0])
        parts = []
        for method, setting, size in means.sort_values(ascending=not higher, kind="stable").index:
            whole = join_settings(size, setting)
            found = rows[(rows["method"] == method) & (rows["setting"] == whole)]
            parts.append(found.assign(setting=setting))
        table = pd.concat(parts)
        if len(table):
            chosen[dataset] = table
    return chosen


def roc_curves(
    chosen: Mapping[str, pd.DataFrame], marks: Mapping[str, Mark] | None = None
) -> Figure | None:
    """Draw ROC curves: a panel a data set of two classes, a curve a method.

    Parameters
    ----------
    chosen : mapping of str to DataFrame
        Data set to predictions of the rows to show, as `shown_rows` picks them.
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
    return _grid(panels, _roc_panel, height=3.6 + 0.17 * most)


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
    _legend_below(panel, panel.lines[:-1], list(curves))


def confusion_matrices(chosen: Mapping[str, pd.DataFrame]) -> Figure | None:
    """Draw a confusion matrix a data set, for the first of its rows: shares of each true class.

    Parameters
    ----------
    chosen : mapping of str to DataFrame
        As for `roc_curves`.

    Returns
    -------
    matplotlib Figure or None
        None where no data set has between 3 and `MOST_CLASSES` classes.
    """
    panels = {}
    for dataset, rows in chosen.items():
        classes = ordered_classes([*rows["truth"], *rows["prediction"]])
        if 3 <= len(classes) <= MOST_CLASSES:
            first = rows.iloc[0]
            own = rows[(rows["method"] == first["method"]) & (rows["setting"] == first["setting"])]
            counts = pd.crosstab(own["truth"], own["prediction"])
            panels[dataset] = (
                line_label(first["method"], first["setting"]),
                counts.reindex(index=classes, columns=classes, fill_value=0),
            )
    return _grid(panels, _confusion_panel, height=3.9) if panels else None


def _confusion_panel(panel: Axes, dataset: str, found: tuple[str, pd.DataFrame]) -> None:
    label, counts = found
    numbers = counts.to_numpy()
    share = numbers / np.maximum(numbers.sum(axis=1, keepdims=True), 1)
    shades = matplotlib.colors.LinearSegmentedColormap.from_list("share", ["#f1f0ec", colour(0)])
    panel.imshow(share, vmin=0, vmax=1, cmap=shades)
    names = [_short(name) for name in counts.index]
    panel.set_xticks(range(len(names)), [_short(name, 12) for name in names], rotation=90)
    panel.set_yticks(range(len(names)), names)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    panel.set(xlabel=f"predicted by {label}", ylabel="true")
    for i, j in np.ndindex(numbers.shape):
        if numbers[i, j]:
            shade = "#ffffff" if share[i, j] > 0.55 else "#1b1b1c"
            panel.text(j, i, numbers[i, j], ha="center", va="center", fontsize=8, color=shade)


def point_maps(
    maps: Mapping[str, pd.DataFrame], chosen: Mapping[str, pd.DataFrame]
) -> Figure | None:
    """Draw points on the first two kernel principal components, by label and by prediction.

    Parameters
    ----------
    maps : mapping of str to DataFrame
        Data set to points from `gramworks.report.kernel_views.map_points`.
    chosen : mapping of str to DataFrame
        As for `roc_curves`; predictions are those of the first row's first draw.

    Returns
    -------
    matplotlib Figure or None
        Two panels a data set: true labels, with points without a target in grey; predicted ones,
        with points that were labelled in grey as well and wrong ones ringed. Numbers are shades.
        None where there is no map, or no label on it.
    """
    panels = {}
    for dataset, points in maps.items():
        if points.empty or not (points["label"] != points["target"]).any():
            continue
        kind = "true values" if (points["target"] != "").any() else "true labels"
        panels[dataset, kind] = (points, None, "")
        rows = chosen.get(dataset)
        if rows is not None and len(rows):
            first = rows.iloc[0]
            same = ["method", "setting", "repeat"]
            own = rows[(rows[same] == first[same]).all(axis=1)]
            label = line_label(first["method"], first["setting"]).replace("\n", " ")
            panels[dataset, "predicted"] = (points, own, label)
    return _grid(panels, _map_panel, height=3.9, columns=2) if panels else None


def _map_panel(panel: Axes, key: tuple[str, str], found: tuple) -> None:
    points, predicted, method = found
    numbers = (points["target"] != "").any()
    truth = points["target" if numbers else "label"]
    by_point = None if predicted is None else predicted.set_index("point")["prediction"]
    shown = points.assign(
        truth=truth, shown=truth.mask(truth == "") if by_point is None
        else points["point"].map(by_point),
    )  # fmt: skip
    rest = shown[shown["shown"].isna()]
    shown = shown[shown["shown"].notna()]
    named = {}
    if len(rest):
        [dots] = panel.plot(
            rest["first"], rest["second"], ".", color=GRID, markersize=4, label="no target"
        )
        named |= {"no target": dots} if predicted is None else {}
    if numbers:
        known = pd.to_numeric(truth[truth != ""])
        dots = panel.scatter(
            shown["first"], shown["second"], c=pd.to_numeric(shown["shown"]), s=12,
            cmap="cividis", vmin=known.min(), vmax=known.max(),
        )  # fmt: skip
        panel.figure.colorbar(dots, ax=panel, shrink=0.8)
    elif predicted is None:
        named = _classes(panel, shown, truth) | named
    else:
        _classes(panel, shown, truth)
        wrong = shown[shown["shown"] != shown["truth"]]
        if len(wrong):
            [named["wrong"]] = panel.plot(
                wrong["first"], wrong["second"], "o", color=INK, markerfacecolor="none",
                markersize=7, markeredgewidth=0.8, label="wrong",
            )  # fmt: skip
    if named:
        # named one by one: matplotlib passes over names that begin with "_"
        _legend_below(panel, list(named.values()), list(named), columns=2 + (len(named) > 6))
    panel.set_title(
        f"{plain(key[0])}: {key[1]}" + (f"\n{method}" if method else ""), fontsize=9,
        fontweight="bold", loc="left",
    )  # fmt: skip
    panel.set(xlabel="first component", ylabel="second component")
    panel.locator_params(axis="x", nbins=6)


def _classes(panel: Axes, shown: pd.DataFrame, truth: pd.Series) -> dict[str, Artist]:
    """Draw points by class; give what a legend names, the first of many classes and the rest."""
    named: dict[str, Artist] = {}
    classes = places(ordered_classes(truth[truth != ""]))
    for name, place in classes.items():
        own = shown[shown["shown"] == name]
        [dots] = panel.plot(
            own["first"], own["second"], marker(place), color=colour(place), markersize=3.5,
            linestyle="", alpha=0.8, label=_short(name),
        )  # fmt: skip
        if place < MOST_CLASSES:
            named[_short(name)] = dots
    if (more := len(classes) - MOST_CLASSES) > 0:
        named[f"and {more} more"] = Line2D([], [], linestyle="")
    return named


def _grid(panels: Mapping, draw, *, height: float, columns: int = _COLUMNS) -> Figure:
    columns = min(len(panels), columns)
    rows = math.ceil(len(panels) / columns)
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        size = (max(3.9 * columns, 4.5), height * rows)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        for panel in axes.flat[len(panels) :]:
            panel.set_visible(False)
        for (key, found), panel in zip(panels.items(), axes.flat, strict=False):
            draw(panel, key, found)
            if isinstance(key, str):
                panel.set_title(plain(key), fontsize=9, fontweight="bold", loc="left")
    return figure


def _legend_below(
    panel: Axes, handles: list[Artist], names: list[str], *, columns: int = 1
) -> None:
    """Name what is drawn under the axes, where it covers nothing."""
    panel.legend(
        handles, names, loc="upper left", bbox_to_anchor=(0, -0.14), borderaxespad=0, ncols=columns,
        frameon=False, fontsize=8, handlelength=3, columnspacing=1.2,
    )  # fmt: skip


def _short(name: str, most: int = 24) -> str:
    text = plain(name) or "(empty)"
    return text if len(text) <= most else text[: most - 1] + "…"
