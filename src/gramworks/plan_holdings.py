"""What a job of a method holds: matrices over all points, some of their rows, or less than that.

A method module says it: NEEDS, GRAMS, and HOLDS where there is no Gram matrix. HOLDS is a function
of the parameters of all settings, of the number of points and of the labelled points. It is read
here and not in the registry of methods, which jobs import: no job depends on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gramworks.methods.registry import READ_WHOLE, load_method
from gramworks.plan_memory import labelled_points

if TYPE_CHECKING:
    from pydantic import BaseModel

    from gramworks.plan import Plan


def gram_use(plan: Plan, study: str, method: str, n: int) -> str:
    """Tell what draws read of each Gram matrix: a word of `GRAM_USES`, or "none"."""
    found, body = load_method(method), plan.studies[study].methods[method]
    if "grams" not in found.needs:
        return "none"
    use = found.widest_gram_use(body.combinations(), body.parameters, f"study {study}")
    return "full" if use == "rows" and 8 * n * n <= READ_WHOLE else use


def held_numbers(
    plan: Plan, study: str, dataset: str, method: str, n: int, stage: str
) -> float | None:
    """Count the numbers that a job holds instead of matrices over all points.

    Parameters
    ----------
    plan : Plan
    study, dataset, method : str
    n : int
        Number of points.
    stage : {"fit", "learn"}

    Returns
    -------
    float or None
        A job takes three times as much memory. None where it holds matrices over all points.
    """
    found, use = load_method(method), gram_use(plan, study, method, n)
    labelled = labelled_points(plan.studies[study].splits_of(dataset), n) or n
    if not found.needs:
        return 0.0
    if use == "none" and hasattr(found.module, "HOLDS"):
        return float(found.module.HOLDS(_parameters(plan, study, method), n, labelled))
    if use == "rows" and stage == "fit":
        # The rows of each kernel, and two copies of those of one.
        return (len(plan.grams(study, dataset, method)) + 2) * labelled * n / 3
    return None


def kernels_held(plan: Plan, study: str, dataset: str, method: str, n: int, stage: str) -> int:
    """Count the Gram matrices of a job, or the kernels of which `learn` kept eigenvectors."""
    files = len(plan.grams(study, dataset, method))
    if stage == "fit" and gram_use(plan, study, method, n) == "eigenpairs":
        rows = _parameters(plan, study, method)
        if all(hasattr(params, "kernel") for params in rows):
            first = next(iter(plan.kernels(study, dataset, method)))
            return len({params.kernel or first for params in rows})
    return files


def _parameters(plan: Plan, study: str, method: str) -> list[BaseModel]:
    """Give the parameters of each setting."""
    found, body = load_method(method), plan.studies[study].methods[method]
    return [
        found.parameters({**body.parameters, **setting}, f"study {study}")
        for setting in body.combinations()
    ]
