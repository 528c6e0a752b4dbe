"""Rows of single labels beside the means over labels: apart in tables and figures."""

from __future__ import annotations

import pandas as pd

from gramworks.label_tasks import label_of, without_label
from gramworks.report.class_order import ordered_classes


def apart(cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split a comparison into rows without a label, and those of one label, by label."""
    labels = cells["setting"].map(label_of)
    single = cells[labels != ""]
    places = {label: i for i, label in enumerate(ordered_classes(labels))}
    order = labels[labels != ""].map(places).sort_values(kind="stable").index
    return cells[labels == ""], single.loc[order]


def label_panels(single: pd.DataFrame) -> pd.DataFrame:
    """Turn rows of single labels into those of one data set a label, for a panel each."""
    labels = single["setting"].map(label_of)
    return single.assign(
        dataset=single["dataset"] + ": " + labels, setting=single["setting"].map(without_label)
    )
