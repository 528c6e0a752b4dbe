"""Which Gram matrices several jobs compute, and which rows each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gramworks.datasets.recipe_rows import rows_after
from gramworks.datasets.registry import load_entry
from gramworks.gram_files import block_name
from gramworks.kernels.identifiers import made_by_rows, needs_sums
from gramworks.kernels.tiles import stripes

if TYPE_CHECKING:
    from gramworks.plan import Plan


def stripes_of(plan: Plan, dataset: str, recipe: str, kernel: str) -> list[slice]:
    """List the rows that jobs of their own compute; none where one job computes all.

    That is so up to ``gram_rows_a_job`` rows, for kernels that cannot be made by rows, and where
    the registry does not tell the number of rows.
    """
    rows = rows_after(recipe, load_entry(dataset))
    most = plan.config.gram_rows_a_job
    if rows is None or not rows.exact or rows.most <= most or not made_by_rows(kernel):
        return []
    found = stripes(rows.most, most)
    return found if len(found) > 1 else []  # one tile is more than a job's rows: one job


def blocks(plan: Plan, dataset: str, recipe: str, kernel: str) -> list[str]:
    """List the files of the blocks of a Gram matrix, in order; none where one job computes it."""
    folder = f"results/gram/{dataset}/{recipe}/{kernel}"
    return [f"{folder}/{block_name(rows)}" for rows in stripes_of(plan, dataset, recipe, kernel)]


def sums(plan: Plan, dataset: str, recipe: str, kernel: str) -> list[str]:
    """List the files of row sums that each block needs; none where nothing is centred."""
    if not needs_sums(kernel):
        return []
    return [f"{path.removesuffix('.h5')}.sums.h5" for path in blocks(plan, dataset, recipe, kernel)]
