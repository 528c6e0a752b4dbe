"""Figure 1 of Lanckriet et al. (2004): on how many topics the combination beats each kernel."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from gramworks.datasets.seeds import generator
from gramworks.label_tasks import label_of, without_label

METRICS = ("topics-improved-of-5",)
COMBINED = "margin-nonnegative"
_SINGLE = "single-"


def derive(rows: list[dict]) -> list[dict]:
    """Count the topics on which the combination's mean accuracy is above that of each kernel.

    Parameters
    ----------
    rows : list of dict
        All rows of the study.

    Returns
    -------
    list of dict
        A row a data set, setting and repeat of the combination. The count is one number over all
        repeats; so that it is judged with the spread it has, the rows hold pseudo-values: the count
        plus sqrt(n) times the deviation of a bootstrap sample of the n repeats. Their mean is the
        count, and their standard deviation over sqrt(n) its bootstrap standard error. None where
        a topic has repeats that lack an accuracy of one of the methods.
    """
    found: dict[tuple, dict[str, dict[str, dict[int, float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(dict))
    )
    first: dict[tuple, dict] = {}
    for row in rows:
        label = label_of(row["setting"])
        method = row["method"]
        if method != COMBINED and not method.startswith(_SINGLE):
            continue
        cell = (row["dataset"], without_label(row["setting"]))
        if label:
            values = found[cell][label][method]
            if row["metric"] == "test-accuracy-percent" or not row["metric"]:
                values[row["repeat"]] = row["value"]
        elif method == COMBINED:
            first.setdefault(cell, row)
    made = []
    for cell, labels in found.items():
        if cell not in first or not _complete(labels):
            continue
        repeats = sorted(next(iter(labels.values()))[COMBINED])
        row = first[cell] | {"metric": METRICS[0], "status": "ok", "reason": ""}
        values = _pseudo_values(labels, repeats, generator(METRICS[0], *cell))
        made += [
            row | {"repeat": repeat, "value": float(value)}
            for repeat, value in zip(repeats, values, strict=True)
        ]
    return made


def _complete(labels: dict[str, dict[str, dict[int, float]]]) -> bool:
    methods = {method for by_method in labels.values() for method in by_method}
    repeats = {repeat for m in labels.values() for values in m.values() for repeat in values}
    return (
        COMBINED in methods
        and len(methods) > 1
        and all(
            set(by_method.get(m, ())) == repeats and None not in by_method[m].values()
            for by_method in labels.values()
            for m in methods
        )
    )


def _pseudo_values(labels: dict, repeats: list[int], random: np.random.Generator) -> np.ndarray:
    """Give a value a repeat whose mean is the count, with the count's standard error."""
    n = len(repeats)
    # The gain over the best single kernel is that of means, not the mean of gains.
    table = [
        {m: np.array([values[r] for r in repeats]) for m, values in by_method.items()}
        for by_method in labels.values()
    ]

    def count(rows: np.ndarray) -> int:
        return sum(
            accuracy[COMBINED][rows].sum()
            > max(values[rows].sum() for m, values in accuracy.items() if m != COMBINED)
            for accuracy in table
        )

    samples = np.array([count(random.integers(n, size=n)) for _ in repeats], dtype=float)
    return count(np.arange(n)) + np.sqrt(n) * (samples - samples.mean())
