"""Predictions point by point, of the first draws of a method: files for plots."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gramworks.atomic_text import write_text
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits
from gramworks.draws import run_draws
from gramworks.hdf5 import rebuild_command
from gramworks.methods.registry import TASKS, Method
from gramworks.problem import Outcome, Problem
from gramworks.report.csv_text import read_table

COLUMNS = ("setting", "repeat", "point", "truth", "prediction", "decision")


def predict_points(
    method: Method,
    settings: list[dict[str, Any]],
    parameters: dict[str, Any],
    dataset: Dataset,
    splits: dict[str, Splits],
    kernels: dict[str, np.ndarray],
    *,
    study: str,
    repeats: int,
    **more: Any,
) -> list[tuple]:
    """Run the first draws again, and keep what is predicted for each test point.

    Draws are seeded by their identity, so that these are the predictions that were scored.

    Parameters
    ----------
    repeats : int
        How many draws of each setting.
    method, settings, parameters, dataset, splits, kernels, study, more
        See `gramworks.draws.run_draws`.

    Returns
    -------
    list of tuple
        Rows of `COLUMNS`: class names or numbers as text; ``decision`` is that of the second class
        against the first one, "" where a method has none. Draws that failed have no rows.
    """
    rows: list[tuple] = []

    def keep(key: dict, problem: Problem, outcome: Outcome, points: np.ndarray) -> None:
        if outcome.predictions is None or problem.task not in TASKS:
            return
        truth = dataset.y[points]
        decision = outcome.decision
        shown = decision is not None and np.ndim(decision) == 1
        for place, point in enumerate(points):
            rows.append((
                key["setting"], key["repeat"], int(point), _name(dataset, truth[place]),
                _name(dataset, outcome.predictions[place]),
                f"{decision[place]:.10g}" if shown else "",
            ))  # fmt: skip

    run_draws(
        method, settings, parameters, dataset, splits, kernels,
        study=study, repeats=range(repeats), keep=keep, **more,
    )  # fmt: skip
    return rows


def write_predictions(path: str | Path, rows: list[tuple]) -> None:
    """Write a file of predictions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    write_text(path, text.getvalue())


def read_predictions(paths: Mapping[str, str | Path]) -> pd.DataFrame:
    """Read files of predictions, by method.

    Returns
    -------
    DataFrame
        ``method`` and `COLUMNS`; text but for repeat, point (integers) and decision (NaN where
        there is none).

    Raises
    ------
    FileDamaged
    """
    parts = []
    for method, path in paths.items():
        table = read_table(path, COLUMNS, hint=f"Rebuild it with: {rebuild_command(path)}")
        parts.append(table.assign(method=method))
    if not parts:
        return pd.DataFrame(columns=["method", *COLUMNS])
    table = pd.concat(parts, ignore_index=True)
    table["decision"] = pd.to_numeric(table["decision"].replace("", "nan"))
    return table.astype({"repeat": int, "point": int})[["method", *COLUMNS]]


def _name(dataset: Dataset, value: Any) -> str:
    return dataset.classes[int(value)] if dataset.classes else f"{float(value):.10g}"
