"""What the first draws of a method predict for single points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.methods.registry import TASKS
from gramworks.problem import Outcome, Problem


def point_keeper(
    dataset: Dataset, repeats: int, rows: list[tuple[str, ...]]
) -> Callable[[dict, Problem, Outcome, np.ndarray], None]:
    """Make what `gramworks.draws.run_draws` hands each draw to: it keeps what is said of points.

    Parameters
    ----------
    dataset : Dataset
    repeats : int
        Of the first so many draws of each setting.
    rows : list of tuple of str
        Grows by rows of `gramworks.report.view_columns.PREDICTIONS`: class names or numbers as
        text; ``decision`` is that of the second class, which is ``positive``, against the first
        one; both are "" where a method has none. Draws that failed give no rows.
    """

    def keep(key: dict, problem: Problem, outcome: Outcome, points: np.ndarray) -> None:
        # of structured or several outputs there is no one label a point
        if key["repeat"] >= repeats or outcome.predictions is None or dataset.task not in TASKS:
            return
        truth = dataset.y[points]
        decision = outcome.decision
        shown = decision is not None and np.ndim(decision) == 1
        positive = dataset.classes[1] if shown and len(dataset.classes) == 2 else ""
        for place, point in enumerate(points):
            rows.append((
                key["setting"], str(key["repeat"]), str(point), _name(dataset, truth[place]),
                _name(dataset, outcome.predictions[place]),
                f"{decision[place]:.10g}" if shown else "", positive,
            ))  # fmt: skip

    return keep


def _name(dataset: Dataset, value: Any) -> str:
    return dataset.classes[int(value)] if dataset.classes else f"{float(value):.10g}"
