"""Verdicts: whether a measured mean is the published one, as far as its draws can tell.

Two means of random draws are compared by the standard error of their difference. The draws are
splits of one and the same data set, so that, given the data, they are independent and the
spread over the square root of their number is the standard error of their mean.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from gramworks.metric_means import BY_INVERSE
from gramworks.report.published import Published

Direction = Literal["lower", "higher", "two-sided"]

DIRECTIONS: tuple[tuple[str, Direction], ...] = (
    (r"(.+-)?(error|loss)(-percent)?|seconds", "lower"),
    (r"(.+-)?(accuracy(-percent)?|auc|roc|correlation)|fraction-better-than-.+", "higher"),
    (r"topics-improved-of-\d+", "higher"),
    (r"(weight-\d+|omega-half|margin|C|(.+-)?eigenvalue|(.+-)?cutoff)", "two-sided"),
)
"""Patterns of metric names and which way is better; two-sided has no better."""

BOUNDED = (
    (r".+-percent", 100.0),
    (r"(.+-)?(auc|roc|correlation(-\d+)?)|fraction-.+", 1.0),
)
"""Patterns of metrics that lie between 0 and a largest value."""

VERDICTS = {
    "agrees": "no difference that the draws could tell from chance and rounding",
    "better": "better than published by more than the resolution",
    "worse": "worse than published by more than the resolution",
    "higher": "higher than published by more than the resolution; neither way is better",
    "lower": "lower than published by more than the resolution; neither way is better",
    "not-comparable": "measured, but no verdict can be given; with a reason",
    "not-run": "not measured in this run; with a reason",
    "measured-only": "measured; the paper prints no number here",
}
"""All verdicts, in the order of summaries, with what they mean."""

REASONS = {
    "other-data": "the data differ from the paper's",
    "other-size": "the number of points differs from the paper's",
    "protocol-not-stated": "the paper does not state how the number was made",
    "chosen-by-hand": "the paper shows a draw that its authors picked; no rule gives it",
    "published-only": "the paper's data cannot be had",
    "one-repeat": "one repeat has no spread, and the paper gives none that could stand in",
    "method-not-in-run": "the method was not run",
    "dataset-not-in-run": "the data set was not run",
    "setting-not-in-run": "the method was run with other settings",
    "source-not-embedded": "the data must be fetched, and the run takes embedded data only",
    "source-unreachable": "no source of the data could be reached",
    "failed": "every repeat failed",
    "skipped": "every repeat was skipped",
    "metric-not-measured": "the method was run and does not give this number",
}
"""Typed reasons beside not-comparable and not-run."""


@dataclass(frozen=True)
class Judgement:
    """Outcome of one comparison."""

    verdict: str
    reason: str = ""
    difference: float = math.nan
    """measured minus published"""
    resolution: float = math.nan
    """Smallest difference that the test could see: two standard errors of the difference."""
    measured_se: float = math.nan
    published_se: float = math.nan
    """Standard error of the published mean, without its rounding."""
    assumed_spread: str = ""
    """"published" or "measured": the side whose spread was taken from the other one."""


def direction(metric: str) -> Direction:
    """Say which way a metric is better; one that is not in `DIRECTIONS` is two-sided."""
    return next((way for text, way in DIRECTIONS if re.fullmatch(text, metric)), "two-sided")


def largest_value(metric: str) -> float | None:
    """Give the largest value of a metric that lies between 0 and one, by `BOUNDED`."""
    return next((top for text, top in BOUNDED if re.fullmatch(text, metric)), None)


def judge(
    metric: str,
    mean: float,
    sd: float,
    n: int,
    published: Published,
    *,
    not_comparable: str | None = None,
) -> Judgement:
    """Compare a measured mean with a published number.

    Parameters
    ----------
    metric : str
        Its direction turns higher and lower into better and worse.
    mean, sd : float
        Measured mean and sample standard deviation over repeats; `sd` is NaN for one repeat.
    n : int
        Number of repeats.
    published : Published
    not_comparable : str, optional
        Typed reason why no verdict is given; difference and resolution are given all the same.

    Returns
    -------
    Judgement

    Notes
    -----
    A published standard deviation over k draws is divided by sqrt(k). Where no spread was
    published, our own with the same number of draws is taken. One measured repeat takes a
    published standard deviation as its own; without one there is no verdict. Rounding adds
    d^2 / 12 for a last digit d (the variance of a uniform error of half a digit either way), so
    that numbers without any spread agree when they agree within rounding. Values of `BY_INVERSE`
    agree where both count as infinite.
    """
    difference = mean - published.value
    infinite = BY_INVERSE.get(metric, math.inf)
    if min(mean, published.value) > infinite and not not_comparable:
        return Judgement("agrees", "", difference)
    published_se = published.standard_error
    assumed = ""
    if n > 1:
        measured_se = sd / math.sqrt(n)
        if published_se is None:
            published_se, assumed = measured_se, "published"
    elif published.draws is not None:
        measured_se, assumed = published.spread, "measured"
    else:
        known = math.nan if published_se is None else published_se
        return Judgement(
            "not-comparable", not_comparable or "one-repeat", difference, published_se=known
        )
    rounding = published.last_digit**2 / 12
    resolution = 2 * math.sqrt(measured_se**2 + published_se**2 + rounding)
    verdict = "not-comparable" if not_comparable else _side(metric, difference, resolution)
    return Judgement(
        verdict, not_comparable or "", difference, resolution, measured_se, published_se, assumed
    )


def _side(metric: str, difference: float, resolution: float) -> str:
    # The margin keeps a difference of exactly the resolution from hanging on the last bit.
    if abs(difference) <= resolution * (1 + 1e-9):
        return "agrees"
    way = direction(metric)
    if way == "two-sided":
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == (way == "higher") else "worse"
