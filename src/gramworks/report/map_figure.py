"""The points on two kernel principal components, by label and by prediction."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gramworks.report.class_order import ordered_classes
from gramworks.report.escaping import plain
from gramworks.report.figures import GRID, INK, line_label
from gramworks.report.marks import colour, marker, places
from gramworks.report.point_panels import legend_below, panel_rows, short

MOST_CLASSES = 12
"""Classes that a legend names."""


def point_maps(
    maps: Mapping[str, pd.DataFrame], chosen: Mapping[str, pd.DataFrame]
) -> Figure | None:
    """Draw points on the first two kernel principal components, by label and by prediction.

    Parameters
    ----------
    maps : mapping of str to DataFrame
        Data set to points from `gramworks.report.kernel_views.map_points`.
    chosen : mapping of str to DataFrame
        As from `gramworks.report.kept_rows.shown_rows`; predictions are those of the first row's
        first draw.

    Returns
    -------
    matplotlib Figure or None
        Two panels a data set: true labels, with points without a target in grey; predicted ones,
        with all that were not tested in grey, labelled ones too, and wrong ones ringed. Numbers
        are shades.
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
    return panel_rows(panels, _map_panel, height=3.9, columns=2) if panels else None


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
        # labelled points have no prediction either, nor have those that a draw leaves out
        grey = "no target" if predicted is None else "not tested"
        [named[grey]] = panel.plot(
            rest["first"], rest["second"], ".", color=GRID, markersize=4, label=grey
        )
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
        legend_below(panel, list(named.values()), list(named), columns=3)
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
            linestyle="", alpha=0.8, label=short(name),
        )  # fmt: skip
        if place < MOST_CLASSES:
            named[short(name)] = dots
    if (more := len(classes) - MOST_CLASSES) > 0:
        named[f"and {more} more"] = Line2D([], [], linestyle="")
    return named
