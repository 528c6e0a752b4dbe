"""Normalisation recipes, fitted on all points (transductive), in float64."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from gramworks.datasets.dataset import Dataset, Points
from gramworks.datasets.feature_selection import PATTERN as DISCRIMINANT
from gramworks.datasets.feature_selection import select_discriminant
from gramworks.datasets.output_columns import PATTERN as TO_REST
from gramworks.datasets.output_columns import columns_to_rest
from gramworks.datasets.row_selection import (
    FIRST,
    TRAINING,
    select_first,
    select_first_of_classes,
    select_training,
)
from gramworks.errors import DataError, suggest

RECIPES = ("none", "standardise", "unit-range", "unit-rows", "zero-mean-unit-length")
RECIPE_FORMS = (
    *RECIPES,
    "discriminant-100",
    "training-2000",
    "first-1000-rows",
    "first-100-a-class",
    "columns-128-to-rest",
    "signed",
)
"""What messages name; the numbers of features and of rows are free."""
THEN = "-then-"
"""Between the steps of a recipe, such as first-1000-rows-then-standardise."""
_SIGNED = re.compile("signed")
_STEPS = (DISCRIMINANT, TRAINING, FIRST, TO_REST, _SIGNED)


def is_recipe(name: str) -> bool:
    """Whether a study can state this recipe."""
    return all(
        step in RECIPES or any(form.fullmatch(step) for form in _STEPS) for step in name.split(THEN)
    )


def task_after(task: str, recipe: str) -> str:
    """Tell the task of a data set under a recipe: vectors, where features become the output."""
    return "vectors" if any(TO_REST.fullmatch(step) for step in recipe.split(THEN)) else task


def normalise_dataset(dataset: Dataset, recipe: str) -> Dataset:
    """Normalise the points of a data set and its dense views, each by itself.

    Sparse views, which are graphs or word counts, and views of strings stay as they are. Constant
    features and zero rows are told in the notes. The recipe discriminant-100 first keeps the 100
    features that tell the classes best by all labels, and then standardises; training-2000 keeps
    the first 2000 training rows of the given partition, and its test rows, as they are;
    first-1000-rows and first-100-a-class (so many of each class) keep the first rows;
    columns-128-to-rest makes all features but the first 128 the outputs; signed makes grey values
    of 0 to 1 those of -1 to 1. Steps joined by ``-then-`` are done one after the other.

    Raises
    ------
    DataError
        As `normalise`.
    """
    if THEN in recipe:
        for step in recipe.split(THEN):
            dataset = normalise_dataset(dataset, step)
        return dataset
    selection = DISCRIMINANT.fullmatch(recipe)
    if selection:
        return normalise_dataset(select_discriminant(dataset, int(selection[1])), "standardise")
    part = TRAINING.fullmatch(recipe)
    if part:
        return normalise_dataset(select_training(dataset, int(part[1])), "none")
    first = FIRST.fullmatch(recipe)
    if first:
        select = select_first if first[2] == "rows" else select_first_of_classes
        return normalise_dataset(select(dataset, int(first[1])), "none")
    if _SIGNED.fullmatch(recipe):
        return _signed(normalise_dataset(dataset, "none"))
    given = TO_REST.fullmatch(recipe)
    if given:
        return columns_to_rest(normalise_dataset(dataset, "none"), int(given[1]))
    notes = list(dataset.notes)
    X = normalise(dataset.X, recipe, notes=notes)
    views = {}
    for name, view in dataset.views.items():
        told: list[str] = []
        dense = isinstance(view, np.ndarray)
        views[name] = normalise(view, recipe, notes=told) if dense else view
        notes += [f"view {name!r}: {note}" for note in told]
    return replace(dataset, X=X, views=views, notes=notes)


def _signed(dataset: Dataset) -> Dataset:
    X = dataset.X
    if not isinstance(X, np.ndarray) or X.min(initial=0.0) < 0 or X.max(initial=1.0) > 1:
        found = f"{X.min():g} to {X.max():g}" if isinstance(X, np.ndarray) else dataset.kind
        raise DataError(
            f"recipe signed on data set {dataset.id!r}: it wants dense features from 0 to 1, found "
            f"{found}; leave it out where they are from -1 to 1 already."
        )
    return replace(dataset, X=2.0 * X - 1.0)


def normalise(X: Points, recipe: str, *, notes: list[str] | None = None) -> Points:
    """Normalise points.

    ===================== ============================================================
    none                  as they are
    standardise           each feature to mean 0 and standard deviation 1 (divisor n)
    unit-range            each feature to [0, 1]
    unit-rows             each row to Euclidean length 1
    zero-mean-unit-length each feature to mean 0 and Euclidean length 1 over the points
    ===================== ============================================================

    Parameters
    ----------
    X : (n, d) array, CSR matrix, or list of strings
    recipe : str
        One of `RECIPES`.
    notes : list of str, optional
        Receives what is worth telling: constant features, which become zeros, and zero rows,
        which have no direction and stay zero.

    Returns
    -------
    Same kind as X, float64

    Raises
    ------
    DataError
        For an unknown recipe, values that are not finite, or a recipe that the kind of points
        does not admit: strings admit none, CSR admits none and unit-rows.
    """
    notes = [] if notes is None else notes
    if recipe not in RECIPES:
        raise DataError(f"no normalisation recipe {recipe!r}; {suggest(recipe, RECIPES)}.")
    if isinstance(X, list):
        if recipe != "none":
            raise DataError(f"strings cannot be normalised by {recipe!r}; use none.")
        return X
    if not isinstance(X, np.ndarray) and hasattr(X, "tocsr"):
        return _normalise_csr(X, recipe, notes)
    X = np.array(X, dtype=np.float64)
    if X.ndim != 2:
        raise DataError(f"points to normalise have shape {X.shape}, expected (n, d).")
    _check_finite(X)
    match recipe:
        case "none":
            return X
        case "unit-rows":
            X = _scaled(X, axis=1)
            return X / _row_lengths(np.abs(X).max(axis=1, initial=0), X, notes)[:, None]
    X = _scaled(X, axis=0)
    match recipe:
        case "unit-range":
            low = X.min(axis=0)
            return (X - low) / _scales(X.max(axis=0) - low, X, notes)
    centred = X - X.mean(axis=0)
    # A second pass takes out what rounding left when values are large beside their spread.
    centred -= centred.mean(axis=0)
    lengths = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    if recipe == "standardise":
        lengths = lengths / np.sqrt(len(X))
    constant = X.max(axis=0) == X.min(axis=0)
    centred[:, constant] = 0.0
    return centred / _scales(np.where(constant, 0.0, lengths), X, notes)


def _scaled(X: np.ndarray, axis: int) -> np.ndarray:
    """Bring the largest entry of each row or column to 0.5..1: no square over- or underflows.

    A power of two changes no digit, and every recipe but none takes a common factor out again.
    """
    _, exponents = np.frexp(np.abs(X).max(axis=axis, initial=0, keepdims=True))
    return np.ldexp(X, -exponents)


def _check_finite(values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        position = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise DataError(f"points to normalise have {values[position]} at position {position}.")


def _scales(scales: np.ndarray, X: np.ndarray, notes: list[str]) -> np.ndarray:
    constant = np.flatnonzero(scales == 0)
    if len(constant):
        shown = ", ".join(str(i + 1) for i in constant[:10]) + ", ..." * (len(constant) > 10)
        notes.append(f"{len(constant)} of {X.shape[1]} features are constant, now zero: {shown}")
    return np.where(scales == 0, 1.0, scales)


def _row_lengths(largest: np.ndarray, X: np.ndarray, notes: list[str]) -> np.ndarray:
    zero = np.flatnonzero(largest == 0)
    if len(zero):
        shown = ", ".join(str(i + 1) for i in zero[:10]) + ", ..." * (len(zero) > 10)
        notes.append(f"{len(zero)} of {X.shape[0]} rows are zero and stay zero: {shown}")
    scale = np.where(largest == 0, 1.0, largest)
    lengths = scale * np.sqrt(((X / scale[:, None]) ** 2).sum(axis=1))
    return np.where(largest == 0, 1.0, lengths)


def _normalise_csr(X, recipe: str, notes: list[str]):
    X = X.tocsr().astype(np.float64)
    _check_finite(X.data)
    if recipe == "none":
        return X
    if recipe != "unit-rows":
        raise DataError(
            f"recipe {recipe!r} would fill a sparse matrix {X.shape}; sparse data sets admit "
            "none and unit-rows."
        )
    X.sum_duplicates()
    counts = np.diff(X.indptr)
    largest = np.zeros(X.shape[0])
    np.maximum.at(largest, np.repeat(np.arange(X.shape[0]), counts), np.abs(X.data))
    # as for dense rows: by a power of two, which changes no digit
    X.data = np.ldexp(X.data, -np.repeat(np.frexp(largest)[1], counts))
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    zero = np.flatnonzero(lengths == 0)
    if len(zero):
        notes.append(f"{len(zero)} of {X.shape[0]} rows are zero and stay zero")
    lengths[zero] = 1.0
    X.data = X.data / np.repeat(lengths, counts)
    return X
