"""Which method and setting a run found best, as its report says it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study


@dataclass(frozen=True)
class Best:
    """The best of a run."""

    column: str
    """Method and setting, parted by a blank."""
    score: float
    """Mean over the draws; NaN without scores."""
    metric: str
    size: str
    """What the splits call it, such as n_labelled=40; empty for folds."""


def column_of(method: str, setting: str) -> str:
    """Name a column of predictions."""
    return f"{method} {setting}".strip()


def control_columns(study: Study, columns: Collection[str]) -> set[str]:
    """Tell which columns are of controls: the commonest label, and what sees test labels."""
    from gramworks.report.one_class import ALWAYS
    from gramworks.report.score_lines import controls

    seen = {column_of(*pair) for pair in controls(study)}
    return {column for column in columns if column in seen or column.split(" ")[0] in ALWAYS}


def best_of_run(
    study: Study, dataset: str, score_files: Sequence[str | Path], columns: Collection[str]
) -> Best:
    """Find the best column at the largest labelled size, by the answer of the report.

    Parameters
    ----------
    study : Study
    dataset : str
    score_files : sequence of path
        Merged score files of the run; those not there are passed over.
    columns : collection of str
        Which may be chosen, see `column_of`.

    Returns
    -------
    Best
        By the report's metric (the study's first that has a better side), among those that lost
        no draws that others have. The first column where there are no scores.
    """
    from gramworks.report.answers import answers
    from gramworks.report.score_lines import score_lines, sizes_of
    from gramworks.report.scores import read_scores
    from gramworks.studies.derived import with_derived

    nothing = Best(next(iter(columns)), float("nan"), study.metrics[0], "")
    files = [path for path in score_files if Path(path).is_file()]
    if not files:
        return nothing
    lines = score_lines(study, with_derived(study.name, read_scores(files)))
    lines = lines[lines["dataset"] == dataset]
    pairs = zip(lines["method"], lines["setting"], strict=True)
    found = answers(lines[[column_of(*pair) in columns for pair in pairs]], {})
    if found.empty:
        return nothing
    order = sizes_of(study, dataset)
    rows = found.to_dict("records")
    row = max(rows, key=lambda r: order.index(r["size"]) if r["size"] in order else -1)
    column = column_of(row["method"], row["setting"])
    return Best(column, float(row["mean"]), row["metric"], row["size"])
