"""Methods that predict one class for all test points, which an accuracy may hide.

Scores cannot tell: an accuracy equals the share of a class by chance as well. The kept predictions
can, so that nothing is known where a study keeps none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gramworks.report.escaping import inert, plain
from gramworks.report.score_lines import of_numbers, part_setting, sizes_of
from gramworks.report.tables import write_tidy

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study

COLUMNS = ("dataset", "size", "method", "setting", "label", "draws", "kept")
"""``draws`` of the ``kept`` ones have one class alone; ``label`` is it, "" if they differ."""
ALWAYS = ("majority",)
"""Methods that do so by design."""


def one_class_rows(
    study: Study, predictions: Mapping[str, pd.DataFrame], lines: pd.DataFrame
) -> pd.DataFrame:
    """Count kept draws in which a method predicts one class, though the test points have several.

    Parameters
    ----------
    study : Study
    predictions : mapping of str to DataFrame
        Data set to rows of `gramworks.report.point_predictions.read_predictions`.
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`; data sets whose target is a number are
        left out.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, a row a method and setting with draws that count, none found included.
    """
    numbers = of_numbers(lines)
    rows: list[tuple[int, tuple]] = []
    for dataset, table in predictions.items():
        if dataset in numbers:
            continue
        sizes = sizes_of(study, dataset)
        table = table[~table["method"].isin(ALWAYS)]
        for (method, whole), own in table.groupby(["method", "setting"], sort=False):
            draws = own.groupby("repeat")
            found = draws["prediction"].nunique()[draws["truth"].nunique() > 1]
            if found.empty:
                continue
            alone = own[own["repeat"].isin(found.index[found == 1])]["prediction"].unique()
            size, setting = part_setting(whole, sizes)
            label = alone[0] if len(alone) == 1 else ""
            count = int((found == 1).sum())
            at = sizes.index(size) if size in sizes else len(sizes)
            rows.append((at, (dataset, size, method, setting, label, count, len(found))))
    rows.sort(key=lambda row: (row[1][0], row[1][2], row[1][3], row[0]))
    return pd.DataFrame([row for _, row in rows], columns=list(COLUMNS))


def write_one_class(path: Path, rows: pd.DataFrame) -> None:
    """Write the rows; no class name is a formula to a spreadsheet."""
    write_tidy(path, rows.assign(label=rows["label"].map(inert)))


def one_class_notes(rows: pd.DataFrame, words: Callable[[str], str]) -> list[dict[str, str]]:
    """Say in words which methods do.

    Parameters
    ----------
    rows : DataFrame
        From `one_class_rows`.
    words : callable
        Writes a size for people.

    Returns
    -------
    list of dict
        Keys dataset, method, setting and told, one each where any draw has one class alone.
    """
    notes = []
    for (dataset, method, setting), own in rows.groupby(
        ["dataset", "method", "setting"], sort=False
    ):
        draws, kept = int(own["draws"].sum()), int(own["kept"].sum())
        if not draws:
            continue
        labels = own.loc[own["draws"] > 0, "label"].unique()
        which = f"'{plain(labels[0])}'" if len(labels) == 1 and labels[0] else "one class"
        told = f"{which} for every test point in {draws} of {kept} kept draws"
        if draws < kept and len(own) > 1:
            parts = [
                f"{words(size) or 'all'}: {count} of {of}"
                for size, count, of in zip(own["size"], own["draws"], own["kept"], strict=True)
                if count
            ]
            told += f" ({'; '.join(parts)})"
        notes.append({"dataset": dataset, "method": method, "setting": setting, "told": told})
    return notes
