"""Which kept predictions the figures of single points show."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from gramworks.report.score_lines import higher_is_better, representatives, settled
from gramworks.settings import join_settings


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
