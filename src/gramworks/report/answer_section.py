"""The answer in words: what the page says first about each study."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd

from gramworks.fitting.task_metrics import METRICS_OF_TASK
from gramworks.report.answers import FINDINGS, SEPARATOR
from gramworks.report.cells import number, two_digits
from gramworks.report.kernel_names import kernel_names
from gramworks.report.one_class import one_class_notes
from gramworks.report.raw_files import RawFiles
from gramworks.report.results import StudyResults
from gramworks.report.verdicts import largest_value
from gramworks.settings import parse_setting

MOST_OPEN = 12
"""Rows up to which a study's table is open from the start."""
MOST_SENTENCES = 6
"""Rows up to which each is said in a sentence above the table."""
_SIZES = {"n_labelled": "labelled", "n_test": "test points"}
_TOLD = {
    "real": "The difference is real: it would show on new data of this kind (p {p}).",
    "on these points": (
        "That would last with more draws of these points (p {p_same_points}), but new data of this "
        "kind may turn it (p {p})."
    ),
    "not told apart": "The draws cannot tell the two apart (p {p}).",
    "equal": "The two score the same.",
    "not tested": "There are too few draws for a test.",
    "alone": "",
}
_OPEN = {
    "on these points": (
        "That would last with more draws of these points (p {p_same_points}), but new data of this "
        "kind may do anything: {why}."
    ),
    "not told apart": (
        "The draws cannot tell the two apart, not even on these points (p {p_same_points}), and "
        "new data may do anything: {why}."
    ),
}
"""The same where the corrected test has no word on new data, see `_no_word`."""
_WHY = "draws of {n_train:.0f} labelled and {n_test:.0f} test points share too many points to tell"
_SHARE = re.compile(r"(.+-)?(accuracy|loss)|test-error")
"""Further metrics from 0 to 1, mostly."""

_ONE_CLASS = "the commonest class"
_CHANCE = {
    "regression": "the mean of the labelled points",
    "structured": "one output",
    "vectors": "one output",
}
"""What `majority` predicts, by task."""
_ONE = {
    "real": "The best method is ahead of the next one on new data, too.",
    "on these points": "The best method is ahead of the next one on these points, on new data "
    "perhaps not.",
    "not told apart": "The draws cannot tell the best method from the next one.",
    "equal": "The best method and the next one score the same.",
}


def answer_section(found: StudyResults, raw: RawFiles) -> dict[str, Any]:
    """Gather what the template shows of one study.

    Returns
    -------
    dict
        ``summary`` (a sentence), ``kernels`` (sentences), ``rows`` (of `answer_row`),
        ``sentences`` that say them where they are few, ``ranks`` (sentences), ``one_class`` (of
        `one_class_notes`) and ``open``.
    """
    rows = [answer_row(row, raw, found.study.name) for row in found.answers.to_dict("records")]
    return {
        "name": found.study.name,
        "title": found.study.title,
        "summary": _summary(rows),
        "kernels": kernel_names(
            found.study,
            (row["dataset"] for row in rows),
            (row[key] for row in rows for key in ("setting", "runner_up_setting", "method")),
        ),
        "rows": rows,
        "ranks": [_rank_sentence(part) for _, part in _sizes(found.ranks)],
        "sentences": [_sentence(row) for row in rows] if len(rows) <= MOST_SENTENCES else [],
        "one_class": one_class_notes(found.one_class, lambda size: size_words(size, math.nan)),
        "open": len(rows) <= MOST_OPEN and any(row["finding"] != "alone" for row in rows),
    }


def answer_row(row: dict, raw: RawFiles, study: str) -> dict[str, Any]:
    """Turn one row of `gramworks.report.answers.answers` into texts."""
    means = [value for value in (row["mean"], row["runner_up_mean"]) if value == value]
    # what the draws do not tell apart has no digits below those of the error
    unsure = row["finding"] == "not told apart"
    known = math.nan if unsure else row["advantage"]
    shown = _decimals(row["standard_error"], known, max(map(abs, means), default=0.0))
    ahead = _text(row["advantage"], shown)
    least = 0.1 * row["standard_error"] if unsure else 0.0
    if ahead and float(ahead) == 0 and row["advantage"] > least:
        ahead = two_digits(row["advantage"])
    alike, here = (
        row[key].split(SEPARATOR) if row[key] else [] for key in ("alike", "alike_same_points")
    )
    no_word = _no_word(row)
    return {
        **{key: row[key] for key in ("dataset", "metric", "method", "setting", "finding")},
        "size": size_words(row["size"], row["n_train"]),
        "order": _order(row["size"], row["n_train"]),
        "mean": _text(row["mean"], shown),
        "runner_up": row["runner_up"],
        "runner_up_setting": row["runner_up_setting"],
        "runner_up_mean": _text(row["runner_up_mean"], shown),
        "advantage": ahead,
        "error": two_digits(row["standard_error"]),
        "p": p_text(row["p"]),
        "p_order": row["p"] if row["p"] == row["p"] else None,
        "p_same_points": p_text(row["p_same_points"]),
        "why": _WHY.format(**row) if no_word else "",
        "told": FINDINGS[row["finding"]],
        "alike": alike,
        "alike_here": here,
        "over_count": f"{row['over_majority']:.0f} of {row['draws']}",
        "over": _over(row["over_majority"], row["draws"], row["metric"]),
        "others": row["others"],
        "draws": row["draws"],
        "rows": row["rows"],
        "left_out": row["left_out"],
        "link": raw.rows(study, row["dataset"], row["method"]),
        "runner_up_link": raw.rows(study, row["dataset"], row["runner_up"]),
    }


def size_words(size: str, n_train: float) -> str:
    """Write what the splits distinguish: "16 labelled", or the mean number where nothing does."""
    parts = [
        f"{value} {_SIZES[key]}" if key in _SIZES else f"{key}={value}"
        for key, value in parse_setting(size).items()
    ]
    if not any(key in size for key in _SIZES) and n_train == n_train:
        parts.insert(0, f"{n_train:.0f} labelled")
    return ", ".join(parts)


def _order(size: str, n_train: float) -> float:
    """Give the number that rows of the table sort by."""
    found = parse_setting(size)
    stated = next((found[key] for key in _SIZES if key in found), n_train)
    return stated if stated == stated else 0


def p_text(p: float) -> str:
    """Print a p value: two digits, not below a thousandth."""
    if math.isnan(p):
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def _sentence(row: dict[str, Any]) -> dict[str, str]:
    """Say one row in words, in parts between which the method stands."""
    where = ", ".join(part for part in (row["dataset"], row["size"]) if part)
    score = f"{row['metric']} {row['mean']}"
    if row["finding"] == "equal":
        score += f", as {row['runner_up']} has"
    elif row["runner_up"]:
        lead = f"{row['advantage']} ahead of"
        if row["finding"] == "not told apart":  # rounded means need not differ by just that
            lead = f"about {lead}" if float(row["advantage"]) else "next to nothing ahead of"
        score += f", {lead} {row['runner_up']} ({row['runner_up_mean']})"
    p = {k: row[k] if row[k].startswith("<") else f"= {row[k]}" for k in ("p", "p_same_points")}
    over = f"{row['method']} is {row['over']}." if row["over"] else ""
    words = (_OPEN if row["why"] else _TOLD)[row["finding"]].format(**p, why=row["why"])
    told = " ".join(filter(None, (words, over)))
    return {"where": where, "score": score, "told": told}


def _no_word(row: dict) -> bool:
    """Tell whether few labels and many test points make the corrected error say nothing.

    It is half of what the score can be then, or ten times a difference that these points show.
    """
    if row["finding"] not in _OPEN or not row["n_test"] > row["n_train"]:
        return False
    largest = largest_value(row["metric"])
    if largest is not None:
        half = largest / 2
    elif _SHARE.fullmatch(row["metric"]):
        half = 0.5
    else:  # without an end: the score itself
        half = max(abs(row["mean"]), abs(row["runner_up_mean"]))
    many = row["finding"] == "on these points" and row["standard_error"] >= 10 * row["advantage"]
    return row["standard_error"] >= half or many


def _over(count: float, draws: int, metric: str) -> str:
    """Say how often the best method was better than one that learns nothing."""
    if count != count or not draws or not count:
        return ""
    task = next((task for task, metrics in METRICS_OF_TASK.items() if metric in metrics), "")
    return f"better than always {_CHANCE.get(task, _ONE_CLASS)} in {count:.0f} of {draws} draws"


def _summary(rows: list[dict]) -> str:
    if not rows:
        return "Nothing was measured here that has a better side."
    if all(row["finding"] in ("alone", "not tested") for row in rows):
        return "There is nothing to test here: too few methods, draws or known sizes."
    real = sum(row["finding"] == "real" for row in rows)
    same = sum(row["finding"] == "on these points" for row in rows)
    if len(rows) == 1:
        return _ONE[rows[0]["finding"]]
    cases = "cases (data sets and sizes)"
    more = f"; in {same} {'more' if real else 'of them'} it is on other draws of these points"
    more *= bool(same)
    if not real:
        return (
            f"In none of {len(rows)} {cases} is the best method surely ahead of the next one on "
            f"new data{more}."
        )
    at = f"all {len(rows)}" if real == len(rows) else f"{real} of {len(rows)}"
    return f"In {at} {cases} the best method is ahead of the next one on new data, too{more}."


def _sizes(ranks: pd.DataFrame) -> list[tuple]:
    return list(ranks.groupby(["size", "metric"], sort=False))


def _rank_sentence(part: pd.DataFrame) -> str:
    first = part.iloc[0]
    at = size_words(first["size"], math.nan)
    best = [str(m) for m, r in zip(part["method"], part["average_rank"], strict=True)
            if r == first["average_rank"]]  # fmt: skip
    alike = (part["average_rank"] - first["average_rank"] < first["critical_distance"]).sum() - 1
    p = p_text(first["p"])
    differ = "the methods differ" if first["p"] < 0.05 else "no difference of the methods shows"
    return (
        f"{first['metric']} over {first['datasets']} data sets{', ' + at if at else ''}: "
        f"{' and '.join(best)} {'has' if len(best) == 1 else 'have'} the best average rank, "
        f"{first['average_rank']:.2f} of {len(part)}; {differ} (Friedman's test, p "
        f"{p if p.startswith('<') else '= ' + p}), and {alike} of {len(part) - 1} others lie "
        f"within the critical difference of {first['critical_distance']:.2f}."
    )


def _decimals(error: float, advantage: float, mean: float) -> int:
    """Choose decimals that show the smaller known one of error and advantage with two digits.

    They are at most four, or four digits of the mean where it is small.
    """
    tiny = 1e-9 * mean  # rounding is no error
    known = min(
        (v for v in (error, advantage) if v == v and v > tiny), default=0.1 * min(mean, 1) or 0.1
    )
    most = max(4, 3 - math.floor(math.log10(mean))) if mean > 0 else 4
    return min(most, max(0, 1 - math.floor(math.log10(known))))


def _text(value: float, decimals: int) -> str:
    """Print a number with the decimals; such as 1.25e-08 where they are many."""
    if value != value:
        return ""
    if decimals <= 6 or value == 0:
        decimals = min(decimals, 6)
        return number(value, decimals) if abs(value) < 1e5 else f"{value:.{decimals}f}"
    return f"{value:.{max(0, decimals + math.floor(math.log10(abs(value))))}e}"
