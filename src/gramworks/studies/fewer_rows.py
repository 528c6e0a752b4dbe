"""The recipe that makes a data set of a study small enough, where the study still works with it."""

from __future__ import annotations

from math import floor

from gramworks.datasets.normalisation import THEN
from gramworks.datasets.registry import load_entry
from gramworks.datasets.row_selection import FIRST, TRAINING
from gramworks.datasets.splits import AnySpec, ClassCounts, KFold, Labelled, RandomFraction
from gramworks.errors import ConfigError
from gramworks.studies.study_checks import check_study
from gramworks.studies.study_file import Study


def fewer_rows(study: Study, dataset: str, most: int) -> str | None:
    """Name a recipe under which a data set has some rows at most.

    Parameters
    ----------
    study : Study
    dataset : str
    most : int
        Number of rows.

    Returns
    -------
    str or None
        The data set's recipe, and then the first rows, of each class as many where there are
        classes: tables are often sorted by them. None where classes could be lost, where the
        splits want the given partitions or more points than are left, and where the study would
        be refused for another reason.
    """
    entry, body = load_entry(dataset), study.datasets[dataset]
    spec, classes = study.splits_of(dataset), entry.target.classes
    if entry.facts is None or entry.facts.unlabelled or spec.kind == "given":
        return None  # nobody knows how many of the first rows have a target
    if classes and (entry.task == "multilabel" or _drops_unseen(body.recipe)):
        return None
    each = most // (len(classes) or 1)
    if not each or not _has_room(spec, each * (len(classes) or 1), each, len(classes)):
        return None
    step = f"first-{each}-a-class" if classes else f"first-{each}-rows"
    recipe = step if body.recipe == "none" else f"{body.recipe}{THEN}{step}"
    smaller = study.datasets | {dataset: body.model_copy(update={"recipe": recipe})}
    try:
        check_study(study.model_copy(update={"datasets": smaller}))
    except ConfigError:
        return None
    return recipe


def _drops_unseen(recipe: str) -> bool:
    """Tell whether a recipe drops rows of classes that the facts do not count."""
    found = [FIRST.fullmatch(step) for step in recipe.split(THEN)]
    by_row = any(first and first[2] == "rows" for first in found)
    return by_row or any(TRAINING.fullmatch(step) for step in recipe.split(THEN))


def _has_room(spec: AnySpec, rows: int, each: int, classes: int) -> bool:
    """Tell whether splits can be made of some rows, of each class as many.

    `check_study` compares the sizes that splits state with the rows; here is what goes by classes
    or by shares.
    """
    match spec:
        case ClassCounts():
            return all(n < each for counts in spec.labelled.values() for n in counts.values())
        case KFold():
            return spec.folds <= (each if spec.stratified else rows)
        case RandomFraction():
            return 0 < floor(spec.test * rows + 0.5) <= rows - max(classes, 1)
        case Labelled() if spec.scheme == "balanced":
            return -(-max(spec.sizes) // max(classes, 1)) <= each
    return True
