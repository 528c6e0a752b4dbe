"""What `tabulate_study` wrote for one study, read back for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gramworks.hdf5 import damaged, rebuild_command
from gramworks.report import answers, comparison, figure_remarks, grid_edges, one_class, ranks
from gramworks.report.csv_text import read_table
from gramworks.report.escaping import original
from gramworks.report.scores import DRAW
from gramworks.report.study_figures import figure_names, figure_stem

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study

FIGURES = "figures"
"""Folder of the figures of a study."""
_NUMBERS = (
    "measured_mean", "measured_sd", "measured_se", "published", "published_se", "difference",
    "resolution",
)  # fmt: skip


@dataclass(frozen=True)
class StudyResults:
    """Tables and figures of one study."""

    study: Study
    comparison: pd.DataFrame
    problems: pd.DataFrame
    """Draws that are not ok: data set, method, setting, repeat, status, reason (all text)."""
    status: dict[str, int]
    """Number of draws by status."""
    edges: pd.DataFrame
    absent: pd.DataFrame
    """Data sets left out of the run: dataset, reason, text."""
    answers: pd.DataFrame
    """Best methods, from `gramworks.report.answers.answers`."""
    ranks: pd.DataFrame
    """Methods over data sets, from `gramworks.report.ranks.rank_table`."""
    figures: dict[str, bytes]
    """SVG by name: figures of the study's own, then by metric, in the order of the study; that of
    single labels after each."""
    one_class: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(one_class.COLUMNS))
    )
    """Draws with one predicted class, from `gramworks.report.one_class.one_class_rows`."""
    remarks: dict[str, str] = field(default_factory=dict)
    """Sentence by figure, from `gramworks.report.figure_remarks.figure_remarks`."""


def read_results(study: Study, home: Path) -> StudyResults:
    """Read the files of a study.

    Parameters
    ----------
    study : Study
    home : Path
        Its folder in the report.

    Raises
    ------
    FileDamaged
        A file is missing or damaged; names it and the command that makes it.
    """
    status = _read(home / "status.csv", ("study", "status", "draws"), integers=("draws",))
    figures = {m: home / FIGURES / f"{figure_stem(m)}.svg" for m in figure_names(study)}
    return StudyResults(
        study=study,
        comparison=_read(
            home / "comparison.csv", comparison.COLUMNS, _NUMBERS,
            ("n", "n_failed", "n_not_converged", "n_skipped", "decimals"),
        ),
        problems=_read(home / "problems.csv", (*DRAW, "status", "reason")),
        status=dict(zip(status["status"], status["draws"].astype(int), strict=True)),
        edges=_read(home / "edges.csv", grid_edges.COLUMNS, integers=("on_edge", "n")),
        one_class=_read_one_class(home / "one-class.csv"),
        remarks=_read_remarks(home / "remarks.csv"),
        absent=_read(home / "absent.csv", ("dataset", "reason", "text")),
        answers=_read(
            home / "answers.csv", answers.COLUMNS, answers.NUMBERS,
            ("draws", "others", "rows", "left_out"),
        ),
        ranks=_read(home / "ranks.csv", ranks.COLUMNS, ranks.NUMBERS, ("datasets",)),
        figures={m: path.read_bytes() for m, path in figures.items() if path.is_file()},
    )  # fmt: skip


def _read_one_class(path: Path) -> pd.DataFrame:
    table = _read(path, one_class.COLUMNS, integers=("draws", "kept"))
    return table.assign(label=table["label"].map(original))


def _read_remarks(path: Path) -> dict[str, str]:
    table = _read(path, figure_remarks.COLUMNS)
    return dict(zip(table["figure"], table["text"].map(original), strict=True))


def _read(
    path: Path,
    columns: Sequence[str],
    numbers: Sequence[str] = (),
    integers: Sequence[str] = (),
) -> pd.DataFrame:
    table = read_table(path, columns, hint=f"Rebuild it with: {rebuild_command(path)}")
    try:
        for name in numbers:
            table[name] = pd.Series(
                [float(v) if v else float("nan") for v in table[name]], dtype=float
            )
        for name in integers:
            table[name] = pd.Series([int(v) if v else pd.NA for v in table[name]], dtype="Int64")
    except ValueError as error:
        raise damaged(path, f"column {name!r} holds no number ({error})") from None
    return table
