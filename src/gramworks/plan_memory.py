"""Which methods' Gram matrices cannot fit into the memory of a job, said before any is computed.

What is counted is what a job holds at least, so that a refusal is certain.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from gramworks.datasets.normalisation import task_after
from gramworks.datasets.recipe_rows import rows_after
from gramworks.datasets.registry import load_entry
from gramworks.datasets.splits import (
    AnySpec,
    ClassCounts,
    Drawn,
    Given,
    KFold,
    Labelled,
    RandomFraction,
    Subsets,
    leaves_points_out,
)
from gramworks.errors import ConfigError
from gramworks.methods.registry import load_method
from gramworks.studies.fewer_rows import fewer_rows

if TYPE_CHECKING:
    from gramworks.plan import Plan

_ALTERNATIVE = "nystroem-ridge"
_RANK = 500


def check_memory(plan: Plan) -> None:
    """Check all methods of a run.

    Raises
    ------
    ConfigError
        The study, the method, the data set, what is needed and allowed in GB, and what would fit.
    """
    limit = 2**20 * plan.config.job_memory_mb if plan.config.job_memory_mb else _physical()
    for study, dataset, method in plan.pairs if limit else ():
        if "grams" not in load_method(method).needs:
            continue
        rows = rows_after(plan.studies[study].datasets[dataset].recipe, load_entry(dataset))
        if rows is None or not rows.exact:  # there may be fewer
            continue
        use, what, needed = _needed(plan, study, dataset, method, rows.most)
        if needed > limit:
            instead = _instead(plan, study, dataset, method, rows.most, limit, needed, use)
            raise ConfigError(
                f"study {study}: method {method} on data set {dataset}: {what} of {rows.most} "
                f"points: {needed / 1e9:.4g} GB are needed, a job may have {limit / 1e9:.3g} GB "
                f"({_source(plan)}). {instead}"
            )


def _needed(plan: Plan, study: str, dataset: str, method: str, n: int) -> tuple[str, str, int]:
    """Give what is used of the matrices, in words too, and the bytes that it takes."""
    body = plan.studies[study].methods[method]
    use = load_method(method).widest_gram_use(
        body.combinations(), body.parameters, f"study {study}"
    )
    kernels = len(plan.kernels(study, dataset, method))
    if use == "full":
        word = "the Gram matrix" if kernels == 1 else f"the {kernels} Gram matrices"
        return use, word, 8 * kernels * n * n
    if use == "eigenpairs":
        return use, "a Gram matrix and its eigenvectors", 2 * 8 * n * n
    spec = plan.studies[study].splits_of(dataset)
    # Draws that leave points out read fewer columns; half of those of subsets leave none out.
    certain = spec.kind == "subsets" or not leaves_points_out(spec)
    labelled = (certain and labelled_points(spec, n)) or 1
    return use, f"{labelled} rows, those of the labelled points,", 8 * labelled * n


def labelled_points(spec: AnySpec, n: int) -> int | None:
    """Give the labelled points of the largest draw of n points; None where they are not stated."""
    match spec:
        case Labelled():
            return min(max(spec.sizes), n)
        case Drawn() | Subsets() | Given(labelled=int()):
            return min(spec.labelled, n)
        case ClassCounts():
            return min(max(sum(counts.values()) for counts in spec.labelled.values()), n)
        case RandomFraction():
            return n - math.ceil(spec.test * n)
        case KFold():
            return n // spec.folds if spec.train_on == "one" else n - -(-n // spec.folds)
    return None


def _instead(
    plan: Plan,
    study: str,
    dataset: str,
    method: str,
    n: int,
    limit: float,
    needed: int,
    use: str,
) -> str:
    """Say what would fit."""
    ways = []
    # Matrices grow with the square of the points, rows of few labelled ones with the points.
    part = limit / needed
    most = _two_digits(int(n * (part if use == "rows" else math.sqrt(part))))
    if recipe := fewer_rows(plan.studies[study], dataset, most):
        ways.append(f"recipe: {recipe}")
    rank = min(_RANK, n, _two_digits(int(limit / (4 * 8 * n))))
    if (kernel := _for_landmarks(plan, study, dataset, method)) and rank >= 2:
        ways.append(
            f"the method {_ALTERNATIVE} with kernel: {kernel} and rank: {rank} instead, whose "
            f"features take {8 * n * rank / 1e9:.2g} GB"
        )
    ways.append("machines with more memory (state job_memory_mb)")
    return f"State {', or '.join(ways)}; or leave the method out."


def _for_landmarks(plan: Plan, study: str, dataset: str, method: str) -> str | None:
    """Name the first kernel that the alternative can take on this data set."""
    from gramworks.methods.nystroem_ridge import is_usable

    entry, body = load_entry(dataset), plan.studies[study].datasets[dataset]
    task = "binary" if body.labels or body.positive else task_after(entry.task, body.recipe)
    if task not in load_method(_ALTERNATIVE).tasks or entry.facts.columns is None:
        return None
    kernels = plan.kernels(study, dataset, method).values()
    return next((kernel for kernel in kernels if is_usable(kernel)), None)


def _two_digits(number: int) -> int:
    """Round down to two digits, which read well."""
    step = 10 ** max(len(str(number)) - 2, 0)
    return number // step * step


def _physical() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # a system that does not tell
        return 0.0


def _source(plan: Plan) -> str:
    stated = plan.config.job_memory_mb
    return f"job_memory_mb: {stated}" if stated else "the memory of this machine"
