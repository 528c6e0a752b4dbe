"""How many rows a data set has under a recipe, by the registry's facts: before it is read."""

from __future__ import annotations

from typing import NamedTuple

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.normalisation import THEN
from gramworks.datasets.row_selection import FIRST, TRAINING


class RecipeRows(NamedTuple):
    """A number of rows."""

    most: int
    exact: bool
    """Whether there are so many; else there may be fewer."""


def rows_after(recipe: str, entry: DatasetEntry) -> RecipeRows | None:
    """Count the rows of a data set under a recipe.

    Parameters
    ----------
    recipe : str
        One that `gramworks.datasets.recipe_checks.recipe_misfit` finds nothing against.
    entry : DatasetEntry

    Returns
    -------
    RecipeRows
        None without facts.
    """
    if entry.facts is None:
        return None
    rows, exact = entry.facts.rows, True
    for step in recipe.split(THEN):
        if part := TRAINING.fullmatch(step):
            # Rows of neither part of the given partition go too, and facts do not count them.
            given = next(iter(entry.facts.partitions), int(part[1]))
            rows, exact = rows - max(given - int(part[1]), 0), False
        elif (first := FIRST.fullmatch(step)) and first[2] == "rows":
            rows, exact = min(int(first[1]), rows), True
        elif first:
            rows = min(rows, int(first[1]) * len(entry.target.classes))
    return RecipeRows(rows, exact)


def most_rows(entry: DatasetEntry, recipe: str = "none") -> int:
    """Return the number of points that a data set has at most under a recipe.

    Parameters
    ----------
    entry : DatasetEntry
        Without facts it counts as 1000 points: such an entry is refused before a job runs.
    recipe : str
    """
    found = rows_after(recipe, entry)
    return 1000 if found is None else found.most
