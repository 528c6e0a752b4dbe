"""A panel for each number of labels, so that a line is a method and not a method at one size."""

from __future__ import annotations

import pandas as pd

from gramworks.settings import format_setting, parse_setting

SIZE = "n_labelled"


def by_size(cells: pd.DataFrame) -> pd.DataFrame:
    """Move numbers of labels out of the settings, where a data set has several.

    Parameters
    ----------
    cells : DataFrame
        Rows of a comparison.

    Returns
    -------
    DataFrame
        With a column ``panel``: the data set, and the number of labels where it was moved; rows
        in the order of data sets, then of numbers.
    """
    found = [parse_setting(setting) for setting in cells["setting"]]
    sizes = pd.Series([own.get(SIZE) for own in found], index=cells.index, dtype=object)
    several = sizes.groupby(cells["dataset"]).transform("nunique") > 1
    moved = several & sizes.notna()
    cells = cells.assign(
        setting=[
            format_setting({k: v for k, v in own.items() if k != SIZE}) if out else setting
            for own, out, setting in zip(found, moved, cells["setting"], strict=True)
        ],
        panel=[
            f"{dataset}: {size} labelled" if out else dataset
            for dataset, size, out in zip(cells["dataset"], sizes, moved, strict=True)
        ],
    )
    places = {name: i for i, name in enumerate(dict.fromkeys(cells["dataset"]))}
    order = pd.DataFrame({
        "dataset": cells["dataset"].map(places),
        "size": pd.to_numeric(sizes.where(moved), errors="coerce").fillna(-1.0),
    })  # fmt: skip
    return cells.loc[order.sort_values(["dataset", "size"], kind="stable").index]
