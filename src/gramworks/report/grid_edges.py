"""How often the choice of a hyperparameter sat on the edge of its grid."""

from __future__ import annotations

import pandas as pd

COLUMNS = ("study", "dataset", "method", "setting", "choice", "on_edge", "n")
ON_EDGE = "on-edge"
"""Metrics that begin so say, 0 or 1 a repeat, whether a choice sat on its grid's edge."""


def edge_counts(study: str, scores: pd.DataFrame) -> pd.DataFrame:
    """Count how often a choice sat on its grid's edge.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: ``on_edge`` of ``n`` repeats chose a value on the edge of the
        grid of ``choice`` ("C" for the metric ``on-edge-C``).
    """
    edges = scores[scores["metric"].str.startswith(ON_EDGE) & scores["value"].notna()]
    choice = edges["metric"].str.removeprefix(ON_EDGE).str.removeprefix("-")
    groups = edges.assign(choice=choice).groupby(
        ["dataset", "method", "setting", "choice"], sort=True
    )["value"]
    table = groups.agg(on_edge="sum", n="size").reset_index()
    table = table.astype({"on_edge": int, "n": int}).assign(study=study)
    return table[list(COLUMNS)]
