"""Figure 1 of Lanckriet et al. (2004): on how many topics the combination beats each kernel."""

from __future__ import annotations

from collections import defaultdict

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
        A row a data set, setting and repeat of the combination, all with the one count over all
        repeats: it is a comparison of means, so that a single repeat has none of its own, and it
        is compared with the published count as it stands. None where a topic has repeats that
        lack an accuracy of one of the methods.
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
        count = _improved(labels)
        if count is None or cell not in first:
            continue
        repeats = sorted(next(iter(labels.values()))[COMBINED])
        row = first[cell] | {"metric": METRICS[0], "value": float(count), "status": "ok"}
        made += [row | {"repeat": repeat, "reason": ""} for repeat in repeats]
    return made


def _improved(labels: dict[str, dict[str, dict[int, float]]]) -> int | None:
    """Count labels with the largest mean for the combination; None unless all are complete."""
    methods = {method for by_method in labels.values() for method in by_method}
    repeats = {repeat for m in labels.values() for values in m.values() for repeat in values}
    if COMBINED not in methods or len(methods) < 2:
        return None
    count = 0
    for by_method in labels.values():
        if any(set(by_method[m]) != repeats or None in by_method[m].values() for m in methods):
            return None
        # Sums of the same number of repeats compare as means do.
        best = max(sum(by_method[m].values()) for m in methods - {COMBINED})
        count += sum(by_method[COMBINED].values()) > best
    return count
