"""Comparison of a study's scores with the published numbers, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gramworks.errors import DataError
from gramworks.metric_means import BY_INVERSE, metric_mean
from gramworks.report.grid_edges import ON_EDGE
from gramworks.report.published import Published
from gramworks.report.verdicts import judge
from gramworks.settings import parse_setting, setting_order

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study

COLUMNS = (
    "study", "dataset", "published_as", "method", "setting", "metric",
    "measured_mean", "measured_sd", "measured_se", "n", "n_failed", "n_not_converged", "n_skipped",
    "published", "decimals", "published_se", "verdict", "reason", "difference", "resolution",
    "assumed_spread", "note",
)  # fmt: skip
_ROW = ["dataset", "method", "setting"]
_NOT_JUDGED = {
    "difference": math.nan, "resolution": math.nan, "published_se": math.nan, "assumed_spread": "",
}  # fmt: skip


def compare(
    study: Study,
    scores: pd.DataFrame,
    published: pd.DataFrame,
    absent: Mapping[str, tuple[str, str]],
) -> pd.DataFrame:
    """Put every measured and every published cell of a study side by side.

    Parameters
    ----------
    study : Study
        Its data sets say under which name their numbers were published.
    scores : DataFrame
        From `read_scores`; rows of this study only.
    published : DataFrame
        From `read_published`; rows of other studies are passed over.
    absent : mapping of str to (str, str)
        Data sets that the run could not include: a typed reason, and the reason in words.

    Returns
    -------
    DataFrame
        One row a cell, columns `COLUMNS`; what does not exist is NaN or "". ``decimals`` is
        missing for numbers printed without stated decimals. The mean is over all repeats that
        gave a value, those that did not converge included. A combination that gave no value at
        all and has no published cell is one row with metric "". Rows in the order of the study
        (data sets, methods), then setting, then metric; published cells not run included. Of a
        method, settings with the keys of published ones stand before others.

    Raises
    ------
    DataError
        Scores of another study.
    """
    others = sorted(set(scores["study"]) - {study.name})
    if others:
        raise DataError(f"study {study.name}: score files also hold rows of {', '.join(others)}.")
    cells = _Cells(study, scores, absent)
    rows = []
    for (dataset, method, setting), results in cells.measured.items():
        for metric, values in results.items():
            rows.append(cells.row(dataset, method, setting, metric, values))
    seen = {(row["dataset"], row["method"], row["setting"], row["metric"]) for row in rows}
    printed = {}
    for record in published[published["study"] == study.name].to_dict("records"):
        # a number that the paper prints for several data sets at once stands with each
        names = record["dataset"].split() or [""]
        for dataset in (found for name in names for found in cells.stands_for(name)):
            key = (dataset, record["method"], record["setting"], record["metric"])
            printed[key] = record
            if key not in seen:
                rows.append(cells.row(*key, values=None))
    empty = cells.without_values - {(r["dataset"], r["method"], r["setting"]) for r in rows}
    rows += [cells.row(*key, metric="", values=None) for key in sorted(empty)]
    for row in rows:
        key = (row["dataset"], row["method"], row["setting"], row["metric"])
        cells.judge(row, printed.get(key))
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"decimals": "Int64"})
    return _ordered(table, study)


class _Cells:
    """What was measured, and why the rest was not."""

    def __init__(
        self, study: Study, scores: pd.DataFrame, absent: Mapping[str, tuple[str, str]]
    ) -> None:
        self.study, self.absent = study, absent
        scores = scores[~scores["metric"].str.startswith(ON_EDGE)]
        self.run_datasets = list(dict.fromkeys(scores["dataset"]))
        self.run_methods = set(zip(scores["dataset"], scores["method"], strict=True))
        self.measured: dict[tuple, dict[str, pd.DataFrame]] = {}
        self.lost: dict[tuple, pd.DataFrame] = {}
        self.lost_repeats: dict[tuple, dict[str, list[int]]] = {}
        for key, rows in scores.groupby(_ROW, sort=False):
            valued = rows[rows["value"].notna()]
            if len(valued):
                self.measured[key] = dict(tuple(valued.groupby("metric", sort=True)))
            lost = self.lost[key] = rows[rows["value"].isna()]
            self.lost_repeats[key] = {
                status: list(own) for status, own in lost.groupby("status")["repeat"]
            }
        self.without_values = set(self.lost) - set(self.measured)

    def stands_for(self, published_as: str) -> list[str]:
        """List the study's data sets measured against a published name, or one that was not.

        Those left out of the run count only when no other one stands in for them, and then as one,
        of the published name where there is one, so that no published cell is counted twice
        without need.
        """
        names = [
            name
            for name, dataset in self.study.datasets.items()
            if (dataset.published_as or name) == published_as
        ]
        present = [n for n in names if n in self.run_datasets and n not in self.absent]
        return present or sorted(names, key=lambda name: name != published_as)[:1] or [published_as]

    def row(
        self, dataset: str, method: str, setting: str, metric: str, values: pd.DataFrame | None
    ) -> dict:
        known = self.study.datasets.get(dataset)
        lost = self.lost_repeats.get((dataset, method, setting), {})
        repeats = set() if values is None else set(values["repeat"])
        numbers = None if values is None else values["value"].to_numpy()
        n = 0 if numbers is None else len(numbers)
        mean, sd = (math.nan, math.nan) if not n else _summary(metric, numbers)
        n_hung = 0 if values is None else int((values["status"] == "not-converged").sum())
        return {
            "study": self.study.name, "dataset": dataset,
            "published_as": (known and known.published_as) or dataset,
            "method": method, "setting": setting, "metric": metric,
            "measured_mean": mean, "measured_sd": sd,
            "measured_se": sd / math.sqrt(n) if n else math.nan, "n": n,
            "n_failed": len(set(lost.get("failed", ())) - repeats),
            "n_not_converged": n_hung + len(lost.get("not-converged", ())),
            "n_skipped": len(set(lost.get("skipped", ())) - repeats),
            "published": math.nan, "decimals": None, "verdict": "", "reason": "",
            "note": known.note if known else "", **_NOT_JUDGED,
        }  # fmt: skip

    def judge(self, row: dict, record: dict | None) -> None:
        """Fill in the published number and the verdict."""
        known = self.study.datasets.get(row["dataset"])
        excuse = known.not_comparable if known else None
        if excuse is None and (method := self.study.methods.get(row["method"])):
            excuse = method.excuse(row["setting"])
        if record is not None:
            number: Published = record["number"]
            row |= {"published": number.value, "published_se": number.standard_error}
            row["decimals"] = int(record["decimals"]) if record["decimals"] else None
            row["note"] = _join(record["note"], row["note"])
        if row["n"] == 0:
            row["verdict"], (row["reason"], told) = "not-run", self._why_not(row)
            if excuse == "published-only":
                row["verdict"], row["reason"] = "not-comparable", excuse
            row["note"] = _join(row["note"], told)
        elif record is None:
            row["verdict"] = "measured-only"
        else:
            found = judge(
                row["metric"], row["measured_mean"], row["measured_sd"], row["n"], number,
                not_comparable=excuse,
            )  # fmt: skip
            row |= {
                "verdict": found.verdict, "reason": found.reason, "difference": found.difference,
                "resolution": found.resolution, "published_se": found.published_se,
                "assumed_spread": found.assumed_spread,
            }  # fmt: skip

    def _why_not(self, row: dict) -> tuple[str, str]:
        """Give the typed reason and words for a cell without values."""
        dataset, method, setting = (row[key] for key in _ROW)
        if dataset in self.absent:
            kind, told = self.absent[dataset]
            return kind, told
        # A job that fell before it knew its settings leaves rows with setting "".
        for key in ((dataset, method, setting), (dataset, method, "")):
            lost = self.lost.get(key)
            if key in self.without_values and lost is not None:
                failed = lost[lost["status"] == "failed"]
                if len(failed):
                    return "failed", failed["reason"].iloc[0]
                if (lost["status"] == "skipped").any():
                    return "skipped", lost["reason"].iloc[0]
                return "failed", _join("did not converge, no value", lost["reason"].iloc[0])
        if dataset not in self.run_datasets:
            return "dataset-not-in-run", ""
        if (dataset, method) not in self.run_methods:
            return "method-not-in-run", ""
        if (dataset, method, setting) not in self.measured:
            return "setting-not-in-run", ""
        lost = self.lost[dataset, method, setting]
        told = lost.loc[lost["reason"].str.startswith(f"{row['metric']} "), "reason"]
        if len(told):  # "omega-half is nan", beside metrics of the same draw that are numbers
            return "failed", told.iloc[0]
        return "metric-not-measured", ""


def _summary(metric: str, numbers: np.ndarray) -> tuple[float, float]:
    """Give mean and standard deviation; of `BY_INVERSE` those of the inverses, turned back."""
    inverse = metric in BY_INVERSE
    mean = metric_mean(metric, numbers)
    sd = math.nan
    if len(numbers) > 1:
        # to first order d(1/x) = dx / x^2
        sd = float((1.0 / numbers).std(ddof=1)) * mean**2 if inverse else numbers.std(ddof=1)
    # equal numbers, but for the rounding of their sum, have no spread
    return mean, 0.0 if sd < 1e-12 * abs(mean) else float(sd)


def _join(*texts: str) -> str:
    return "; ".join(dict.fromkeys(text for text in texts if text))


def _ordered(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Sort by the study's own order of data sets, methods and metrics; the rest after it."""

    def place(values: pd.Series, names: list[str]) -> pd.Series:
        order = list(dict.fromkeys([*names, *sorted(values)]))
        return values.map({name: i for i, name in enumerate(order)})

    # settings of the paper's kind before those that state something else besides
    kinds = pd.Series([frozenset(parse_setting(setting)) for setting in table["setting"]])
    known = table["published"].notna().tolist()
    printed = set(zip(table["method"][known], kinds[known], strict=True))
    rows = zip(table["method"], kinds, strict=True)
    keys = pd.DataFrame({
        "dataset": place(table["dataset"], list(study.datasets)),
        "method": place(table["method"], list(study.methods)),
        "beside": [row not in printed for row in rows],
        "setting": place(table["setting"], sorted(set(table["setting"]), key=setting_order)),
        "metric": place(table["metric"], list(study.metrics)),
    })  # fmt: skip
    order = keys.sort_values(list(keys), kind="stable").index
    return table.loc[order].reset_index(drop=True)
