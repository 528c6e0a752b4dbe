"""Draws run again, so that what they predict for single points can be kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits
from gramworks.draws import run_draws
from gramworks.methods.registry import TASKS, Method
from gramworks.problem import Outcome, Problem


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
        Rows of `gramworks.report.view_columns.PREDICTIONS`: class names or numbers as text;
        ``decision`` is that of the second class, which is ``positive``, against the first one;
        both are "" where a method has none.
        Draws that failed have no rows.
    """
    rows: list[tuple] = []

    def keep(key: dict, problem: Problem, outcome: Outcome, points: np.ndarray) -> None:
        # of structured or several outputs there is no one label a point
        if outcome.predictions is None or dataset.task not in TASKS:
            return
        truth = dataset.y[points]
        decision = outcome.decision
        shown = decision is not None and np.ndim(decision) == 1
        positive = dataset.classes[1] if shown and len(dataset.classes) == 2 else ""
        for place, point in enumerate(points):
            rows.append((
                key["setting"], key["repeat"], int(point), _name(dataset, truth[place]),
                _name(dataset, outcome.predictions[place]),
                f"{decision[place]:.10g}" if shown else "", positive,
            ))  # fmt: skip

    run_draws(
        method, settings, parameters, dataset, splits, kernels,
        study=study, repeats=range(repeats), keep=keep, **more,
    )  # fmt: skip
    return rows


def _name(dataset: Dataset, value: Any) -> str:
    return dataset.classes[int(value)] if dataset.classes else f"{float(value):.10g}"
