"""Figure 1 of Zhang et al. (2013): decision boundaries on two moons with two labelled points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from gramworks.datasets.splits import make_splits
from gramworks.datasets.store import read_dataset
from gramworks.fitting.invariance_machine import InvarianceMachine
from gramworks.learning.joint_gram import JointGram
from gramworks.report.figures import INK, MEASURED, PUBLISHED, STYLE

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

FIGURES = {
    "figure 1": (
        "Contour plots",
        "small dots are the points, coloured by their true moon, the large marks the two labelled "
        "ones; the line is the decision boundary, for the losses of each row and nu of 0, 0.01, "
        "0.1 and 1 from left to right. Titles say how many points are on the wrong side.",
    ),
}
DATASET = "two-moons"
NUS = (0.0, 0.01, 0.1, 1.0)
LOSSES = (("logistic", "squared"), ("hinge", "epsilon-insensitive"))
WIDTH, LAMBDA, EPSILON = 0.25, 1.0, 0.01


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw the boundaries of the first draw."""
    if DATASET not in tables:
        return
    data = read_dataset(tables[DATASET])
    draws = make_splits(study.splits_of(DATASET), data.strata, study=study.name, dataset=DATASET)
    labelled = next(iter(draws.values())).draw(0)[0]
    with matplotlib.rc_context(STYLE | {"axes.spines.left": True}):
        yield "figure 1", _boundaries(data.X, data.y, labelled)


def _boundaries(X, moons, labelled) -> Figure:
    joint = JointGram(X, "gradient", width=WIDTH)
    used = np.concatenate([labelled, np.arange(len(X), len(joint.matrix))])
    gram = joint.matrix[np.ix_(used, used)]
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    across, up = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 90))
    places = np.column_stack([across.ravel(), up.ravel()])
    at_places, at_points = joint.rows(places)[:, used], joint.rows(X)[:, used]
    figure = Figure(figsize=(9.6, 3.9), layout="constrained")
    for axes_of_row, (loss, penalty) in zip(figure.subplots(2, 4), LOSSES, strict=True):
        for axes, nu in zip(axes_of_row, NUS, strict=True):
            machine = InvarianceMachine(loss, penalty, LAMBDA, nu, EPSILON, bias=False, tol=1e-7)
            machine.fit(gram, moons[labelled])
            values = machine.decision_function(at_places).reshape(across.shape)
            wrong = int(np.sum(machine.predict(at_points) != moons))
            axes.contourf(
                across, up, values, levels=[-np.inf, 0, np.inf], colors=[PUBLISHED, MEASURED],
                alpha=0.14,
            )  # fmt: skip
            axes.contour(across, up, values, levels=[0], colors=INK, linewidths=1.2)
            for moon, marker, colour in ((0, "X", PUBLISHED), (1, "P", MEASURED)):
                axes.plot(*X[moons == moon].T, ".", color=colour, markersize=2.5)
                own = labelled[moons[labelled] == moon]
                axes.plot(*X[own].T, marker, color=colour, markersize=9, mec="white")
            axes.set_title(f"nu = {nu:g}: {wrong} wrong", fontsize=8)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_aspect("equal")
        axes_of_row[0].set_ylabel(f"{loss}, {penalty}", fontsize=8)
    return figure
