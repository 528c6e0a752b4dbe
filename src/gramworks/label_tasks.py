"""Labels one against the rest: a binary task for each, and the means over the labels.

A draw of a data set with several classes, or several labels a point, is then fitted once a label.
Rows of one label have ``label=`` in their setting; means over all labels have not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gramworks.datasets.dataset import OUTPUT_TASKS, Dataset
from gramworks.errors import DataError, suggest
from gramworks.metric_means import metric_mean
from gramworks.score_files import WORST_FIRST, cell
from gramworks.settings import join_settings, plain_scalar

KEY = "label"
TASKS = ("multiclass", "multilabel")
"""Tasks of data sets whose labels can be told one against the rest."""
MEAN_AUC = "mean-roc"
"""The name papers have for the mean of test-auc over labels."""
_ON_EDGE = "on-edge"
_LABEL = re.compile(rf"(?:^|;){KEY}=([^;]*)")


def label_word(label: str) -> str:
    """Write a label as the value of a setting: "01" is 1, a space, '=' or ';' becomes '-'."""
    return str(plain_scalar(re.sub(r"[;=\s]+", "-", label) or "-"))


def with_label(setting: str, label: str) -> str:
    """Join a setting with a label: ``criterion=l1;label=earn``."""
    return join_settings(setting, f"{KEY}={label_word(label)}")


def label_of(setting: str) -> str:
    """Read the label in a setting, "" where there is none."""
    found = _LABEL.search(setting)
    return found[1] if found else ""


def without_label(setting: str) -> str:
    """Take the label out of a setting."""
    return ";".join(part for part in setting.split(";") if not part.startswith(f"{KEY}="))


def all_settings(settings: Iterable[str], labels: Iterable[str]) -> list[str]:
    """List settings with each label, and those of the means; without labels, as they are."""
    labels, settings = list(labels), list(settings)
    return sorted([*settings, *(with_label(s, label) for s in settings for label in labels)])


def one_against_rest(dataset: Dataset, label: str) -> Dataset:
    """Make the binary task of one label.

    Parameters
    ----------
    dataset : Dataset
        Multiclass (class codes) or multilabel (a column a label).
    label : str
        A class, or a label.

    Returns
    -------
    Dataset
        The same points; ``y`` is 1 where a point has the label and 0 elsewhere.

    Raises
    ------
    DataError
        When the data have no such label, or no labels to tell apart.
    """
    if dataset.task not in TASKS:
        raise DataError(
            f"data set {dataset.id!r} is {dataset.task}; labels one against the rest need "
            f"{' or '.join(TASKS)} data."
        )
    if label not in dataset.classes:
        raise DataError(
            f"data set {dataset.id!r} has no label {label!r}; {suggest(label, dataset.classes)}."
        )
    column = dataset.classes.index(label)
    has = dataset.y[:, column] if dataset.y.ndim == 2 else dataset.y == column
    return replace(dataset, y=has.astype(np.int64), classes=[f"not {label}", label])


def classes_behind(dataset: Dataset) -> Dataset:
    """Make the classes behind strings or vectors the targets.

    Raises
    ------
    DataError
        They are not known.
    """
    if dataset.task not in OUTPUT_TASKS or dataset.groups is None:
        raise DataError(
            f"data set {dataset.id!r} is {dataset.task}, and no classes stand behind its outputs; "
            "predict the outputs themselves."
        )
    return replace(dataset, y=dataset.groups, groups=None)


def group_against_rest(dataset: Dataset, positive: Iterable[str]) -> Dataset:
    """Make the binary task of several classes against all others.

    Returns
    -------
    Dataset
        The same points; ``y`` is 1 for the classes in `positive`.
    """
    codes = [dataset.classes.index(label) for label in positive]
    has = np.isin(dataset.y, codes).astype(np.int64)
    rest = [label for code, label in enumerate(dataset.classes) if code not in codes]
    sides = [" or ".join(rest), " or ".join(dataset.classes[code] for code in codes)]
    return replace(dataset, y=has, classes=sides)


def mean_rows(key: dict, by_label: dict[str, list[dict]]) -> list[dict]:
    """Average the rows of one draw over its labels.

    Parameters
    ----------
    key : dict
        Study, data set, method, setting (without label) and repeat.
    by_label : dict of str to list of dict
        The rows of each label, as `gramworks.score_files.cell` makes them.

    Returns
    -------
    list of dict
        One row a metric: the mean, with the worst status of the labels. A metric that a label
        gives no value for has no mean over the others: its row has no value, and a reason. A
        label whose fit gave nothing leaves one row without metric. The mean of ``test-auc``
        stands as ``mean-roc`` as well.
    """
    lost = [(la, row) for la, found in by_label.items() for row in found if not row["metric"]]
    if lost:
        status, reason = _worst(lost)
        return [key | cell("", None, status, reason)]
    of_label = {la: {row["metric"]: row for row in found} for la, found in by_label.items()}
    # Whether a choice sat on the edge of its grid is counted by label, not averaged.
    metrics = {m for found in of_label.values() for m in found if not m.startswith(_ON_EDGE)}
    made = {metric: _mean(metric, of_label) for metric in metrics}
    if "test-auc" in made and MEAN_AUC not in made:
        made[MEAN_AUC] = made["test-auc"] | {"metric": MEAN_AUC}
    return [key | made[metric] for metric in sorted(made)]


def _mean(metric: str, of_label: dict[str, dict[str, dict]]) -> dict:
    found = [(label, rows[metric]) for label, rows in of_label.items() if metric in rows]
    missing = [label for label, rows in of_label.items() if not rows.get(metric, {}).get("value")]
    if missing:
        empty = [(label, row) for label, row in found if not row["value"]]
        status, told = _worst(empty) if empty else ("skipped", "it is not defined there")
        reason = f"{metric} has no value for {', '.join(missing)}: {told}"
        return cell(metric, None, status, reason)
    mean = metric_mean(metric, [float(row["value"]) for _, row in found])
    return cell(metric, mean, *_worst(found))


def _worst(rows: list[tuple[str, dict]]) -> tuple[str, str]:
    """Give the worst status and what the first row that has it says."""
    label, row = min(rows, key=lambda pair: WORST_FIRST.index(pair[1]["status"]))
    return row["status"], f"{label}: {row['reason']}" if row["status"] != "ok" else ""
