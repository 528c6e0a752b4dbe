"""Every published cell as one square: its verdict by colour, sign and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gramworks.report.cells import MARKS, number
from gramworks.report.results import StudyResults
from gramworks.report.verdicts import REASONS, VERDICTS


def verdict_grid(found: StudyResults, anchors: Mapping[tuple[str, str, str], str]) -> list[dict]:
    """Arrange the published cells of a study, a line a data set.

    Parameters
    ----------
    found : StudyResults
    anchors : mapping of (data set, method, setting) to str
        Where the page shows a row; cells that are shown nowhere lead to the reasons.

    Returns
    -------
    list of dict
        ``dataset`` and ``squares``: verdict, mark, method, title and anchor each.
    """
    cells = found.comparison[found.comparison["published"].notna()]
    lines = []
    for dataset, own in cells.groupby("dataset", sort=False):
        squares = [
            {
                "verdict": row["verdict"],
                "mark": MARKS.get(row["verdict"], ""),
                "method": row["method"],
                "title": _title(row),
                "anchor": anchors.get(
                    (dataset, row["method"], row["setting"]), f"idle-{found.study.name}"
                ),
            }
            for row in own.to_dict("records")
        ]
        lines.append({"dataset": dataset, "squares": squares})
    return lines


def count_verdicts(lines: list[dict]) -> dict[str, int]:
    """Count squares by verdict, in the order of `VERDICTS`, those that occur."""
    found = [square["verdict"] for line in lines for square in line["squares"]]
    return {verdict: found.count(verdict) for verdict in VERDICTS if verdict in found}


def _title(row: dict[str, Any]) -> str:
    decimals = row["decimals"]
    decimals = None if decimals is None or decimals != decimals else int(decimals)
    name = " ".join(part for part in (row["dataset"], row["method"], row["setting"]) if part)
    numbers = [f"published {number(row['published'], decimals)}"]
    if row["n"]:
        numbers.insert(0, f"measured {number(row['measured_mean'], decimals)}")
    reason = REASONS.get(row["reason"], row["reason"])
    told = f" ({reason})" if reason else ""
    return f"{name}, {row['metric']}: {row['verdict']}{told}; {', '.join(numbers)}"
