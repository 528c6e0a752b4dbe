"""Files of predictions point by point, of the first draws of a method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from gramworks.hdf5 import damaged, rebuild_command
from gramworks.report.csv_text import read_table
from gramworks.report.escaping import original
from gramworks.report.view_columns import PREDICTIONS


def read_predictions(paths: Mapping[str, str | Path]) -> pd.DataFrame:
    """Read files of predictions, by method.

    Returns
    -------
    DataFrame
        ``method`` and `PREDICTIONS`; text but for repeat, point (integers) and decision (NaN where
        there is none).

    Raises
    ------
    FileDamaged
    """
    parts = []
    for method, path in paths.items():
        table = read_table(path, PREDICTIONS, hint=f"Rebuild it with: {rebuild_command(path)}")
        try:
            decision = pd.Series(
                [float(v) if v else math.nan for v in table["decision"]], dtype=float
            )
            table = table.assign(decision=decision).astype({"repeat": int, "point": int})
        except ValueError as error:
            raise damaged(path, f"holds something that is no number ({error})") from None
        text = ("truth", "prediction", "positive")
        names = {key: table[key].map(original) for key in text}
        parts.append(table.assign(method=method, **names))
    if not parts:
        return pd.DataFrame(columns=["method", *PREDICTIONS])
    return pd.concat(parts, ignore_index=True)[["method", *PREDICTIONS]]
