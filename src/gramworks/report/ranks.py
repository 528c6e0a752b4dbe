"""Methods ranked over the data sets of a study."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from gramworks.report.score_lines import contender, higher_is_better, settled
from gramworks.report.significance import average_ranks, critical_distance, friedman

COLUMNS = (
    "size", "metric", "method", "setting", "average_rank", "datasets", "f", "p",
    "critical_distance",
)  # fmt: skip
NUMBERS = ("average_rank", "f", "p", "critical_distance")
FEWEST = 3
"""Data sets that a comparison of ranks takes at least."""


def rank_table(lines: pd.DataFrame, same_data: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Rank the methods that share data sets, for each size that three of them share.

    Parameters
    ----------
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`; controls are passed over.
    same_data : mapping of str to str, optional
        Data set to the one that it stands in for: of several that are the same data one counts.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, best first within a size; empty where there is nothing to rank. A method
        stands there by its setting of the best average rank. ``f`` and ``p`` are those of
        Friedman's test in Iman and Davenport's form.
    """
    honest = lines[~lines["control"].astype(bool)]
    parts = []
    for (size, metric), own in honest.groupby(["size", "metric"], sort=False):
        means = own.groupby(["dataset", "method", "setting"], sort=False)["value"].mean()
        means = settled(means)
        table = means.unstack([1, 2])
        table = _independent(table, same_data or {})
        table = _shared(table)
        if table is not None:
            parts.append(_ranked(table, size, metric))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))


def _independent(table: pd.DataFrame, same_data: Mapping[str, str]) -> pd.DataFrame:
    origin = pd.Series([same_data.get(name, name) for name in table.index], index=table.index)
    fullest = table.notna().sum(axis=1).sort_values(ascending=False, kind="stable").index
    kept = origin.loc[fullest].drop_duplicates().index
    return table.loc[[name for name in table.index if name in set(kept)]]


def _shared(table: pd.DataFrame) -> pd.DataFrame | None:
    """Drop data sets with few methods until two methods or more are on all that are left."""
    n_methods = table.columns.get_level_values(0).nunique()
    while len(table) >= FEWEST:
        whole = table.loc[:, table.notna().all()]
        if whole.columns.get_level_values(0).nunique() >= min(2, n_methods) and whole.shape[1] > 1:
            return whole
        table = table.drop(index=table.notna().sum(axis=1).idxmin())
    return None


def _ranked(table: pd.DataFrame, size: str, metric: str) -> pd.DataFrame:
    higher = higher_is_better(metric)
    among_all = average_ranks(table.to_numpy(), higher_is_better=higher)
    methods = table.columns.get_level_values(0)
    chosen: dict[tuple, int] = {}
    for at in np.argsort(among_all, kind="stable"):
        chosen.setdefault(contender(methods, *table.columns[at]), int(at))
    scores = table.iloc[:, sorted(chosen.values())]
    ranks = average_ranks(scores.to_numpy(), higher_is_better=higher)
    f, p = friedman(scores.to_numpy())
    found = pd.DataFrame(
        {
            "size": size, "metric": metric,
            "method": scores.columns.get_level_values(0),
            "setting": scores.columns.get_level_values(1),
            "average_rank": ranks, "datasets": len(scores),
            "f": f if math.isfinite(f) else math.nan, "p": p,
            "critical_distance": critical_distance(scores.shape[1], len(scores)),
        }
    )  # fmt: skip
    return found.sort_values("average_rank", kind="stable")[list(COLUMNS)]
