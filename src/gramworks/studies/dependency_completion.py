"""Section 4.3 of Weston et al. (2002): class figures, and the pictures of figure 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import make_splits
from gramworks.datasets.store import read_dataset
from gramworks.draws import draw_outcome
from gramworks.kernels.linear_kernel import linear
from gramworks.methods.kernel_dependency import NAME as DEPENDENCY
from gramworks.methods.knn import NAME as NEIGHBOURS
from gramworks.methods.registry import load_method
from gramworks.output_kernel import output_kernel_of
from gramworks.report.figures import PUBLISHED as LINE
from gramworks.studies._class_losses import LOSS, class_losses

if TYPE_CHECKING:
    import pandas as pd

    from gramworks.studies.study_file import Study

METRICS = (LOSS,)
CONTROL = "majority"
COMPARED = (DEPENDENCY, NEIGHBOURS)
KERNEL = "linear"
SIDE, GAP = 16, 3
"""Pixels of an image, and between two."""
SAME = 1e-12
"""Losses as near as this are equal."""
SHOWN = 24
"""Images a row of the picture."""
FIGURES = {
    "figure 2": (
        "Images",
        f"the first fold: the {SHOWN} test images whose loss is lowest beside that of the other "
        "method, above where kernel dependency estimation is nearer, below where k nearest "
        "neighbours are. Each image true, then its lower half by KDE and by k-NN; "
        "a line ends the half that is given.",
    )
}


def derive(rows: list[dict]) -> list[dict]:
    """Give the losses of classifiers, and those of pre-images once more under the paper's name."""
    own = [
        row
        for row in rows
        if row["metric"] == LOSS and not row["setting"] and row["method"] != CONTROL
    ]
    return [*class_losses(rows), *(row | {"setting": "label-of=pre-image"} for row in own)]


def draw_figures(
    study: Study, comparison: pd.DataFrame, tables: Mapping[str, Path]
) -> Iterator[tuple[str, Figure]]:
    """Draw images that one of the two methods completes better, of one data set."""
    present = [name for name in study.datasets if name in tables]
    # the paper's own data before those that stand in for them
    present.sort(key=lambda name: study.datasets[name].published_as is not None)
    fits = [name for name in present if set(study.base_kernels(name).values()) == {KERNEL}]
    if not fits or not set(COMPARED) <= set(study.methods):
        return
    data = read_dataset(tables[fits[0]])
    if data.task == "vectors" and data.X.shape[1] + data.y.shape[1] == SIDE**2:
        yield "figure 2", _picture(study, fits[0], data)


def _picture(study: Study, name: str, data: Dataset) -> Figure:
    between = output_kernel_of(data, study.datasets[name].output_kernel)
    splits = make_splits(
        study.splits_of(name), data.strata, study=study.name, dataset=name, behind=True
    )
    chosen, losses = [], []
    for method in COMPARED:
        outcome, test = draw_outcome(
            load_method(method), study.methods[method].parameters, data, splits[""], 0,
            {"K1": linear(data.X)}, study=study.name, output_kernel=between,
        )  # fmt: skip
        chosen.append(data.y[outcome.preimages])
        losses.append(between.losses(data.y[test], chosen[-1]))
    ahead = losses[1] - losses[0]
    order = np.argsort(-ahead, kind="stable")
    groups = {
        f"KDE nearer in {np.sum(ahead > SAME)} of {len(test)}": order[:SHOWN],
        f"k-NN nearer in {np.sum(ahead < -SAME)} of {len(test)}": order[::-1][:SHOWN],
    }
    figure = Figure(figsize=(7.2, 2.6), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.01, hspace=0.0)
    left = np.arange(SHOWN) * (SIDE + GAP) - 0.5
    for axes, (title, places) in zip(figure.subplots(2, 1), groups.items(), strict=True):
        upper = data.X[test[places]]
        lines = [data.y[test[places]], *(own[places] for own in chosen)]
        axes.imshow(
            np.vstack([_strip(np.hstack([upper, lower])) for lower in lines]),
            cmap="gray_r", vmin=-1, vmax=1, interpolation="nearest",
        )  # fmt: skip
        for strip in range(len(lines)):  # where the given part ends
            end = strip * (SIDE + GAP) + SIDE / 2 - 0.5
            axes.hlines(np.full(SHOWN, end), left, left + SIDE, colors=LINE, linewidth=0.6)
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_yticks((np.arange(3) + 0.5) * (SIDE + GAP), ["true", "KDE", "k-NN"], fontsize=8)
        axes.set_xticks([])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    return figure


def _strip(images: np.ndarray) -> np.ndarray:
    """Lay images side by side, with white between them and below."""
    squares = images.reshape(-1, SIDE, SIDE)
    return np.hstack(list(np.pad(squares, ((0, 0), (0, GAP), (0, GAP)), constant_values=-1.0)))
