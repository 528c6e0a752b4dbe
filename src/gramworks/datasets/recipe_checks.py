"""What a recipe asks of a data set, checked against the registry's facts before it is read."""

from __future__ import annotations

from dataclasses import dataclass

from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.feature_selection import PATTERN as DISCRIMINANT
from gramworks.datasets.normalisation import THEN
from gramworks.datasets.output_columns import PATTERN as TO_REST
from gramworks.datasets.row_selection import FIRST, TRAINING


@dataclass
class _Size:
    """What is known of the points between two steps; None where it is not."""

    columns: int | None
    rows: int | None
    classes: dict[str, int] | None
    training: int | None
    """Training rows of the one given partition; 0 without partitions."""


def recipe_misfit(recipe: str, entry: DatasetEntry) -> str:
    """Say why a recipe cannot be followed on a data set; empty where nothing is known against it.

    Parameters
    ----------
    recipe : str
        One that `gramworks.datasets.normalisation.is_recipe` knows.
    entry : DatasetEntry
        Without facts nothing is known.
    """
    if entry.facts is None:
        return ""
    facts = entry.facts
    sizes = [train for train, count in facts.partitions.items() for _ in range(count)]
    one_class = entry.task in ("binary", "multiclass", "structured") and facts.classes
    size = _Size(
        columns=facts.columns,
        rows=facts.rows,
        classes=dict(facts.classes) if one_class else {},
        training=sizes[0] if len(sizes) == 1 else 0 if not sizes else None,
    )
    for step in recipe.split(THEN):
        if reason := _columns_misfit(step, size, bool(facts.views)) or _rows_misfit(step, size):
            return f"{step}: {reason}"
    return ""


def columns_after(recipe: str, entry: DatasetEntry) -> int | None:
    """Count the features of a data set under a recipe that can be followed on it.

    Parameters
    ----------
    recipe : str
        One that `recipe_misfit` finds nothing against.
    entry : DatasetEntry

    Returns
    -------
    int or None
        None without facts, and of points that are no vectors.
    """
    columns = entry.facts.columns if entry.facts else None
    for step in recipe.split(THEN):
        columns = _kept_columns(step) or columns
    return columns


def _kept_columns(step: str) -> int | None:
    """Tell how many features a step keeps, None where it keeps all."""
    cut = TO_REST.fullmatch(step) or DISCRIMINANT.fullmatch(step)
    return int(cut[1]) if cut else None


def _columns_misfit(step: str, size: _Size, views: bool) -> str:
    given, count = TO_REST.fullmatch(step), _kept_columns(step)
    if count is None:
        return ""
    if size.columns is None:
        return "its points are strings, which have no features; state another recipe"
    if given and views:
        return "it has views, and features that are outputs want none; state another recipe"
    most = size.columns - 1 if given else size.columns
    if count > most:
        rest = ", so that some are outputs" if given else ""
        return f"it has {size.columns} features; state up to {most}{rest}"
    size.columns = count
    return ""


def _rows_misfit(step: str, size: _Size) -> str:
    first, part = FIRST.fullmatch(step), TRAINING.fullmatch(step)
    if part and size.training is not None and int(part[1]) > size.training:
        return f"it has {size.training} given training rows; state up to that many, or none of it"
    if part:
        size.rows = size.classes = None
        size.training = int(part[1])
    if not first:
        return ""
    count = int(first[1])
    if first[2] == "rows":
        if size.rows is not None and count > size.rows:
            return f"it has {size.rows} rows; state up to that many"
        size.rows, size.classes = count, None
    elif size.classes is not None:
        if not size.classes:
            return "its points are not of one class each; state first-1000-rows, say"
        short = min(size.classes, key=size.classes.get)
        if count > size.classes[short]:
            return f"class {short!r} has {size.classes[short]} rows; state up to that many"
        size.classes = dict.fromkeys(size.classes, count)
        size.rows = count * len(size.classes)
    size.training = 0  # given partitions are dropped
    return ""
