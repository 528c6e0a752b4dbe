"""Which further looks at data and kernels a run takes: alignments, maps of points, predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gramworks.plan import Plan

MOST_KERNELS = 20
"""More base kernels than that are not compared two by two."""


def view_grams(plan: Plan, study: str, dataset: str) -> dict[str, str]:
    """Map the base kernels that a run uses on a data set to their files, each once."""
    found: dict[str, str] = {}
    for method in plan.methods_on(study, dataset):
        kernels = plan.kernels(study, dataset, method).values()
        found |= dict(zip(kernels, plan.grams(study, dataset, method), strict=True))
    return found


def alignments(plan: Plan, study: str) -> list[str]:
    """List the files of alignments of a study: a data set with two kernels or more each."""
    return [
        f"results/alignments/{study}/{dataset}.csv"
        for dataset in plan.datasets(study)
        if 2 <= len(view_grams(plan, study, dataset)) <= MOST_KERNELS
    ]


def maps(plan: Plan, study: str) -> list[str]:
    """List the files of maps of points: the data sets of a study that keeps predictions."""
    return [
        f"results/maps/{study}/{dataset}.csv"
        for dataset in plan.datasets(study)
        if plan.studies[study].predictions and view_grams(plan, study, dataset)
    ]


def predictions(plan: Plan, study: str) -> list[str]:
    """List the files of predictions of a study that keeps them; not for labels one by one."""
    if not plan.studies[study].predictions:
        return []
    return [
        f"results/predictions/{study}/{dataset}/{method}.csv"
        for s, dataset, method in plan.pairs
        if s == study and not plan.labels(study, dataset)
    ]


def views(plan: Plan, study: str) -> list[str]:
    """List all files of this module for a study."""
    return [*alignments(plan, study), *maps(plan, study), *predictions(plan, study)]
