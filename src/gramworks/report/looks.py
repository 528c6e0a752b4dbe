"""What a study's report looks at beside the scores: sizes, times, kernels and single points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from gramworks.absent import read_absent
from gramworks.datasets.splits import read_splits
from gramworks.hdf5 import damaged, rebuild_command
from gramworks.report import view_columns
from gramworks.report.csv_text import read_table
from gramworks.report.escaping import original
from gramworks.report.point_predictions import read_predictions
from gramworks.report.scores import read_timings


@dataclass(frozen=True)
class Looks:
    """Each by data set; what is not there is not shown."""

    sizes: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    """Mean numbers of labelled and test points, by what the splits distinguish."""
    timings: pd.DataFrame | None = None
    alignments: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    maps: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    predictions: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def read_looks(splits: list[str], timings: list[str], views: list[str]) -> Looks:
    """Read the files of a run.

    Parameters
    ----------
    splits, timings : list of path
        ``results/splits/{study}/{dataset}.h5`` and ``results/timings/{study}/{dataset}/*.csv``.
    views : list of path
        From `gramworks.plan_views.views`.

    Raises
    ------
    FileDamaged
        Names the file and the command that makes it.
    """
    sizes = {
        Path(path).stem: {
            setting: (float((d.labelled >= 0).sum(1).mean()), float((d.test >= 0).sum(1).mean()))
            for setting, d in read_splits(path).items()
        }
        for path in splits
        if not read_absent(path)
    }
    kinds: dict[str, list[Path]] = {"alignments": [], "maps": [], "predictions": []}
    for path in map(Path, views):
        # results/{kind}/{study}/{dataset}.csv, or predictions with a folder for each data set
        kind = "predictions" if path.parts[-4] == "predictions" else path.parts[-3]
        kinds[kind].append(path)
    methods: dict[str, dict[str, Path]] = {}
    for path in kinds["predictions"]:
        methods.setdefault(path.parent.name, {})[path.stem] = path
    return Looks(
        sizes=sizes,
        timings=read_timings(timings),
        alignments={path.stem: _pairs(path) for path in kinds["alignments"]},
        maps={path.stem: _points(path) for path in kinds["maps"]},
        predictions={dataset: read_predictions(files) for dataset, files in methods.items()},
    )


def _pairs(path: Path) -> pd.DataFrame:
    table = read_table(path, view_columns.ALIGNMENT, hint=_hint(path))
    return table.astype({"alignment": float})


def _points(path: Path) -> pd.DataFrame:
    table = read_table(path, view_columns.MAP, hint=_hint(path))
    table = table.assign(label=table["label"].map(original))
    if not pd.to_numeric(table["target"], errors="coerce")[table["target"] != ""].notna().all():
        raise damaged(path, "holds a target that is no number")
    return table.astype({"point": int, "first": float, "second": float})


def _hint(path: Path) -> str:
    return f"Rebuild it with: {rebuild_command(path)}"
