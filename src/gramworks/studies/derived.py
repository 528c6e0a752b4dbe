"""Numbers that belong to one study and are made from its scores, such as counts over methods.

A study ``some-study`` may have a module ``some_study.py`` beside this one, found by its file name:

- ``METRICS``: the names of the metrics it makes;
- ``derive(rows)``: takes all rows of the study, dicts with the keys
  `gramworks.score_files.COLUMNS` (``repeat`` an int or None, ``value`` a float or None), and
  returns further rows;
- ``FIGURES``: figures of its own, each name with what kind of plot it is and how it is read;
- ``draw_figures(study, comparison, tables)``: takes the study, its comparison
  (`gramworks.report.comparison.compare`) and the normalised data sets by name, and yields
  ``(name, figure)``. With a further parameter ``scores`` it gets the scores of all draws too.

It has the first two, the last two, or all four.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from gramworks.errors import DataError
from gramworks.score_files import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

_NOT_OF_A_STUDY = ("derived", "study_checks", "study_file")


def derived_module(study: str) -> str | None:
    """Name the module that derives further numbers of a study, None where there is none."""
    stem = study.replace("-", "_")
    known = stem.isidentifier() and stem not in _NOT_OF_A_STUDY and not stem.startswith("_")
    if not known or not Path(__file__).with_name(f"{stem}.py").is_file():
        return None
    return f"gramworks.studies.{stem}"


def own_module(study: str) -> ModuleType | None:
    """Import the module of `derived_module`."""
    name = derived_module(study)
    return importlib.import_module(name) if name else None


def derives(study: str) -> set[str]:
    """Name the metrics that are derived in a study."""
    return set(getattr(own_module(study), "METRICS", ()))


def with_derived(study: str, scores: pd.DataFrame) -> pd.DataFrame:
    """Add the derived rows of a study to its scores.

    Parameters
    ----------
    study : str
    scores : DataFrame
        From `gramworks.report.scores.read_scores`.

    Returns
    -------
    DataFrame
        The scores, and below them the derived rows; as it was for a study without a module.

    Raises
    ------
    DataError
        The module returns rows of other columns, or a metric that it does not state.
    """
    import pandas as pd  # the plan reads this module too, and needs no tables

    module = own_module(study)
    if not hasattr(module, "derive"):
        return scores
    plain = scores.astype(object).where(scores.notna(), None)
    rows = module.derive(plain.to_dict("records"))
    for row in rows:
        if set(row) != set(COLUMNS) or row["metric"] not in module.METRICS:
            raise DataError(
                f"{derived_module(study)}.derive returned the row {row}; allowed are the columns "
                f"{', '.join(COLUMNS)} and the metrics {', '.join(module.METRICS)}."
            )
    if not rows:
        return scores
    further = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"repeat": "Int64", "value": float})
    return pd.concat([scores, further], ignore_index=True)
