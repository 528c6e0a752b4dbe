"""Which method is best at each labelled size, by how much, and whether that is real."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from gramworks.report.score_lines import contender, higher_is_better, settled
from gramworks.report.significance import corrected_t_test, holm

COLUMNS = (
    "dataset", "size", "metric", "method", "setting", "mean", "runner_up", "runner_up_setting",
    "runner_up_mean", "advantage", "standard_error", "p", "p_same_points", "draws", "n_train",
    "n_test", "finding", "alike", "alike_same_points", "over_majority", "others", "rows",
    "left_out",
)  # fmt: skip
NUMBERS = (
    "mean", "runner_up_mean", "advantage", "standard_error", "p", "p_same_points", "n_train",
    "n_test", "over_majority",
)  # fmt: skip
MAJORITY = "majority"
"""The method that learns nothing but which class is the commonest."""
ALPHA = 0.05
FINDINGS = {
    "real": "ahead of the next method on new data of this kind, too",
    "on these points": "ahead on more draws of these points; new data may turn it",
    "not told apart": "the draws cannot tell it from the next method",
    "equal": "the next method scores the same",
    "not tested": "no test: too few paired draws, or splits that were not kept",
    "alone": "no other method gives this score",
}
"""What is found about the best method, and in words."""
SEPARATOR = " | "
ROUNDING = 1e-9
"""Share of a score that files of ten digits may be off by."""

Sizes = Mapping[str, Mapping[str, tuple[float, float]]]
"""Labelled and test points a draw (means), by data set and by what the splits distinguish."""


def answers(lines: pd.DataFrame, sizes: Sizes) -> pd.DataFrame:
    """Say for each data set and size which method is best.

    Parameters
    ----------
    lines : DataFrame
        From `gramworks.report.score_lines.score_lines`.
    sizes : mapping
        See `Sizes`; what is missing is not tested.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`. Each method stands for itself by its best setting, and the runner-up
        is the best other method. Controls that see test labels, and rows that lost draws others
        have, cannot win; ``left_out`` counts them. Where there is one method alone, its settings
        compete instead. ``p`` is of the corrected resampled t-test against the runner-up,
        ``p_same_points`` of the plain one, which asks about more draws of the same points alone;
        both are two-sided and adjusted for all of the ``others`` (Holm), and do not know that the
        best one was picked by its scores. ``alike`` lists those of the ``others`` that the
        corrected test, adjusted in the same way, does not tell from the best one, and
        ``alike_same_points`` those that the plain test does not. ``over_majority`` is the number
        of draws in which the best one scores better than always the commonest class, where that
        was run.
    """
    rows = [
        _answer(key, part, sizes.get(key[0], {}).get(key[1]))
        for key, part in lines.groupby(["dataset", "size", "metric"], sort=False)
        if not part["control"].all()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _answer(key: tuple, part: pd.DataFrame, size: tuple[float, float] | None) -> dict:
    higher = higher_is_better(key[2])
    table = part[~part["control"]].pivot_table(
        index="repeat", columns=["method", "setting"], values="value", sort=False
    )
    whole = table.loc[:, table.notna().all()]
    left_out = part.groupby(["method", "setting"]).ngroups - whole.shape[1]
    if whole.empty:
        whole, left_out = table, int(part.groupby(["method", "setting"])["control"].all().sum())
    means = settled(whole.mean())
    order = means.sort_values(ascending=not higher, kind="stable").index
    names = order.get_level_values(0)
    first_of: dict[tuple, tuple] = {}
    for line in order:
        first_of.setdefault(contender(names, *line), line)
    ranked = list(first_of.values())
    best = ranked[0]
    row = dict.fromkeys(COLUMNS, "") | dict.fromkeys(NUMBERS, math.nan)
    row |= dict(zip(("dataset", "size", "metric"), key, strict=True))
    row |= {"method": best[0], "setting": best[1], "mean": means[best]}
    row |= {"draws": 0, "finding": "alone", "others": 0}
    row |= {"rows": whole.shape[1], "left_out": left_out}
    if size is not None:
        row |= {"n_train": size[0], "n_test": size[1]}
    if len(ranked) == 1:
        return row
    second = ranked[1]
    row |= {"runner_up": second[0], "runner_up_setting": second[1]}
    row |= {"runner_up_mean": means[second]}
    row["others"] = len(ranked) - 1
    row["over_majority"] = _over_majority(whole, best, higher)
    row["advantage"] = abs(means[best] - means[second])
    sign = 1.0 if higher else -1.0
    tests, plain = [], []
    for other in ranked[1:]:
        differences = sign * _differences(whole[best], whole[other])
        if size is None or len(differences) < 2 or size[0] <= 0:
            return row | {"finding": "not tested", "draws": len(differences)}
        tests.append(corrected_t_test(differences, *size))
        plain.append(corrected_t_test(differences, size[0], 0))
        row["draws"] = row["draws"] or len(differences)
    # Adjusted alike, so that what is real is never among those not told from the best.
    adjusted, same_points = holm([t.p for t in tests]), holm([t.p for t in plain])
    row |= {"standard_error": tests[0].standard_error, "p": adjusted[0]}
    row |= {"p_same_points": same_points[0]}
    row |= {"finding": _finding(adjusted[0], same_points[0])}
    if abs(tests[0].difference) <= ROUNDING * abs(whole[[best, second]]).max().max():
        row["finding"] = "equal"
    named = [" ".join(contender(names, *line)) for line in ranked[1:]]
    for key, found in (("alike", adjusted), ("alike_same_points", same_points)):
        alike = [name for name, p in zip(named, found, strict=True) if p >= ALPHA]
        row[key] = SEPARATOR.join(alike)
    return row


def _over_majority(whole: pd.DataFrame, best: tuple, higher: bool) -> float:
    """Count the draws that are better than the commonest class; NaN where there is none."""
    if (MAJORITY, "") not in whole.columns or best[0] == MAJORITY:
        return math.nan
    differences = _differences(whole[best], whole[MAJORITY, ""])
    return float((differences > 0 if higher else differences < 0).sum())


def _differences(scores: pd.Series, others: pd.Series) -> np.ndarray:
    """Subtract draw by draw; what the ten digits of score files cannot tell from 0 is 0."""
    both = pd.concat([scores, others], axis=1).dropna().to_numpy()
    if not len(both):
        return np.zeros(0)
    differences = both[:, 0] - both[:, 1]
    least = ROUNDING * abs(both).max()
    if abs(differences.mean()) <= least:
        differences = differences - differences.mean()
    return np.where(abs(differences) <= least, 0.0, differences)


def _finding(p: float, p_same_points: float) -> str:
    if p < ALPHA:
        return "real"
    return "on these points" if p_same_points < ALPHA else "not told apart"
