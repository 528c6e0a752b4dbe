"""The scores that methods are compared by: one metric a data set, a line a method and setting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from gramworks.datasets.splits import split_settings
from gramworks.errors import GramworksError
from gramworks.fitting.task_metrics import METRICS_OF_TASK
from gramworks.label_tasks import label_of
from gramworks.methods.registry import load_method
from gramworks.report.escaping import plain
from gramworks.report.verdicts import direction
from gramworks.settings import format_setting

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study

COLUMNS = ("dataset", "size", "method", "setting", "repeat", "metric", "value", "control")


def score_lines(study: Study, scores: pd.DataFrame) -> pd.DataFrame:
    """Pick what methods of a study are compared by.

    Parameters
    ----------
    study : Study
    scores : DataFrame
        From `gramworks.report.scores.read_scores`.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, a row a draw with a value. ``metric`` is, on each data set, the study's
        first one that has a better side and that two methods give (or the first that one does);
        ``size`` is the part of the setting that the splits make, ``setting`` the method's own
        part, and ``control`` tells rows that see test labels. Rows of single labels are left
        out, since their means are there.
    """
    rows = scores[scores["value"].notna() & scores["repeat"].notna()]
    rows = rows[rows["setting"].map(label_of) == ""]
    seen = controls(study)
    parts = []
    for dataset, own in rows.groupby("dataset", sort=False):
        metric = _main_metric(study, own)
        if metric is None:
            continue
        own = own[own["metric"] == metric]
        sizes = sizes_of(study, dataset)
        cut = [part_setting(setting, sizes) for setting in own["setting"]]
        own = own.assign(size=[size for size, _ in cut], setting=[inner for _, inner in cut])
        lines = zip(own["method"], own["setting"], strict=True)
        own = own.assign(control=[line in seen for line in lines])
        place = own["size"].map(sizes.index if set(own["size"]) <= set(sizes) else {})
        parts.append(own.loc[place.sort_values(kind="stable").index, list(COLUMNS)])
    if not parts:
        return pd.DataFrame(columns=list(COLUMNS)).astype({"value": float, "control": bool})
    return pd.concat(parts, ignore_index=True).astype({"repeat": int})


def sizes_of(study: Study, dataset: str) -> list[str]:
    """List what the splits of a data set distinguish, such as n_labelled=16, in their order."""
    known = study.datasets.get(dataset)
    return list(split_settings(study.splits_of(dataset) if known else study.splits))


def part_setting(setting: str, sizes: list[str]) -> tuple[str, str]:
    """Part a setting into that of the splits and the method's own."""
    found = setting.split(";") if setting else []
    size = max((s for s in sizes if not s or set(s.split(";")) <= set(found)), key=len, default="")
    taken = set(size.split(";"))
    return size, ";".join(part for part in found if part not in taken)


def controls(study: Study) -> set[tuple[str, str]]:
    """List the methods and own settings that see test labels, which can win nothing."""
    seen = set()
    for name, spec in study.methods.items():
        try:
            method = load_method(name)
            for row in spec.combinations():
                params = method.parameters({**spec.parameters, **row}, study.name)
                if method.sees_test_labels(params):
                    seen.add((name, format_setting(row)))
        except GramworksError:
            continue  # a method that is not there has no rows either
    return seen


def higher_is_better(metric: str) -> bool:
    """Tell the better side of a metric that has one."""
    return direction(metric) == "higher"


def contender(methods: Iterable[str], method: str, setting: str) -> tuple[str, ...]:
    """Say as what a row competes: as its method, or as itself where there is one method alone."""
    return (method,) if len(set(methods)) > 1 else (method, setting)


def of_numbers(lines: pd.DataFrame) -> set[str]:
    """List the data sets whose target is a number, however few different ones there are."""
    return set(lines.loc[lines["metric"].isin(METRICS_OF_TASK["regression"]), "dataset"])


def settled(means: pd.Series) -> pd.Series:
    """Round means to the digits that score files hold, so that no rounding error breaks a tie."""
    return means.map(lambda value: float(f"{value:.9g}"))


def representatives(lines: pd.DataFrame) -> pd.DataFrame:
    """Keep one setting of each method on each data set and size: the best, as an answer has it.

    Settings that lost draws others have come after all whole ones. Where there is one method alone
    all its settings are kept.
    """
    kept = []
    draws = lines.groupby(["dataset", "size"])["repeat"].nunique()
    for (dataset, size, _), own in lines.groupby(["dataset", "size", "method"], sort=False):
        if lines.loc[lines["dataset"] == dataset, "method"].nunique() == 1:
            kept.append(own)
            continue
        values = own.groupby("setting", sort=False)["value"]
        means = settled(values.mean())
        whole = means[values.count() == draws[dataset, size]]
        means = whole if len(whole) else means
        higher = higher_is_better(own["metric"].iloc[0])
        chosen = means.idxmax() if higher else means.idxmin()
        kept.append(own[own["setting"] == chosen])
    return pd.concat(kept).sort_index() if kept else lines


def labels_of(lines: pd.DataFrame) -> list[str]:
    """Name representatives: by their method, with the setting where a data set has one alone."""
    alone = lines.groupby("dataset")["method"].transform("nunique") == 1
    names = zip(lines["method"], lines["setting"], alone, strict=True)
    return [plain(f"{method} {setting if lone else ''}") for method, setting, lone in names]


def _main_metric(study: Study, rows: pd.DataFrame) -> str | None:
    sided = [metric for metric in study.metrics if direction(metric) != "two-sided"]
    counts = {m: rows.loc[rows["metric"] == m, "method"].nunique() for m in sided}
    return next((m for m in sided if counts[m] > 1), None) or next(
        (m for m in sided if counts[m]), None
    )
