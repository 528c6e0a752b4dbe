"""Splits of a data set into labelled, unlabelled and test points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field, field_validator, model_validator

from gramworks.datasets.entry_sources import Label
from gramworks.datasets.split_draws import (
    Draw,
    draw_classes,
    draw_folds,
    draw_fraction,
    draw_from_part,
    draw_labelled,
    draw_subsets,
    draw_test,
    is_classes,
)
from gramworks.errors import DataError, suggest
from gramworks.fields import Count, Name, Number, StrictModel, Unique
from gramworks.hdf5 import atomic, damaged, opened, read_json, write_array, write_json

Positive = Annotated[Count, Field(ge=1)]


class RandomFraction(StrictModel):
    """A random share of the points is the test set, the rest is labelled."""

    kind: Literal["random-fraction"] = "random-fraction"
    test: Annotated[Number, Field(gt=0, lt=1)]
    """Share of test points; their number is rounded to the nearest, halves up."""
    repeats: Positive
    stratified: bool = False
    """Whether every class has its share in the test set, rounded by largest remainders."""


class Labelled(StrictModel):
    """A stated number of labelled points, for each of several sizes."""

    kind: Literal["labelled"] = "labelled"
    sizes: Annotated[list[Positive], Field(min_length=1), Unique]
    scheme: Literal["stratified", "balanced", "free"] = "free"
    """stratified: each class its share, one at least. balanced: each class the same number, what
    is left over going to classes chosen at random. free: any points, each class present."""
    repeats: Positive
    test: Literal["rest"] | Positive = "rest"
    """All other points are the test set, or this many; the others are then unlabelled."""


class KFold(StrictModel):
    """Repeated cross-validation; row ``repeat * folds + fold`` is the draw of that fold."""

    kind: Literal["k-fold"] = "k-fold"
    folds: Annotated[Count, Field(ge=2)]
    repeats: Positive
    stratified: bool = True
    """Whether classes are dealt out evenly; each then needs as many members as there are folds."""
    train_on: Literal["rest", "one"] = "rest"
    """What is labelled. `rest`: all but one fold, which is the test set. `one`: one fold, and all
    others are the test set."""


class HeldOut(StrictModel):
    """A stated number of test points, for each of several sizes; the others are labelled."""

    kind: Literal["test-sizes"] = "test-sizes"
    sizes: Annotated[list[Positive], Field(min_length=1), Unique]
    repeats: Positive


class Drawn(StrictModel):
    """Stated numbers of labelled and of test points; the rest is unlabelled."""

    kind: Literal["drawn"] = "drawn"
    labelled: Positive
    test: Positive
    repeats: Positive


class OwnDraws(StrictModel):
    """No labelled and no test points: methods draw labelled points themselves, many a repeat."""

    kind: Literal["own-draws"] = "own-draws"
    repeats: Positive


class Given(StrictModel):
    """The partitions that come with the data set."""

    kind: Literal["given"] = "given"
    sizes: Annotated[list[Positive], Field(min_length=1), Unique] | None = None
    """Numbers of training rows, each of them a setting of its own; null: all partitions."""
    labelled: Positive | None = None
    """Draws that many labelled rows at random out of the training rows, of the partitions in turn.
    null: all training rows are labelled."""
    rest: Literal["unlabelled", "left-out"] = "unlabelled"
    """What rows are that are neither labelled nor test; those left out are no points of a draw's
    problem (kernels are centred and scaled with them all the same)."""
    repeats: Positive | None = None
    """The first so many partitions (of each size), or with `labelled` so many draws; null: as many
    as there are partitions."""


class Subsets(StrictModel):
    """Disjoint subsets of a pool of training rows, each once the labelled part.

    Two settings: in `n_labelled=40` the rest of the pool is the test set, and points out of the
    pool are no part of the problem; in `n_labelled=40;test=held-out` these are the test set, and
    the rest of the pool is unlabelled.
    """

    kind: Literal["subsets"] = "subsets"
    pool: Positive
    """The first so many training rows of the given partition; without one, so many random rows."""
    labelled: Positive
    """Size of a subset."""
    repeats: Positive
    """Number of subsets."""

    @model_validator(mode="after")
    def _fit_in(self) -> Subsets:
        if self.labelled * self.repeats > self.pool or self.labelled == self.pool:
            raise ValueError(
                f"{self.repeats} disjoint subsets of {self.labelled} points are more than a pool "
                f"of {self.pool}, or all of it; raise pool, or lower repeats"
            )
        return self


class ClassCounts(StrictModel):
    """Stated numbers of labelled points of stated classes; other classes are left out.

    Each selection is a setting, `classes=4-9`; all other points of its classes are the test set.
    """

    kind: Literal["class-counts"] = "class-counts"
    labelled: Annotated[dict[Name, dict[Label, Positive]], Field(min_length=1)]
    """By the name of a selection, its classes with the number of labelled points of each."""
    repeats: Positive

    @field_validator("labelled")
    @classmethod
    def _several(cls, value: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        for name, counts in value.items():
            if len(counts) < 2:
                raise ValueError(
                    f"{name} has {len(counts)} class, which leaves nothing to tell apart; state two"
                )
        return {name: dict(sorted(value[name].items())) for name in sorted(value)}


AnySpec: TypeAlias = (
    RandomFraction | Labelled | KFold | HeldOut | Drawn | OwnDraws | Given | Subsets | ClassCounts
)
SplitSpec = Annotated[AnySpec, Field(discriminator="kind")]


@dataclass(frozen=True)
class Splits:
    """Row indices, one draw a row, padded with -1 at the end."""

    labelled: np.ndarray
    """(repeats, size) int64"""
    unlabelled: np.ndarray
    """Neither labelled nor test"""
    test: np.ndarray

    @property
    def repeats(self) -> int:
        """Number of draws."""
        return len(self.labelled)

    def draw(self, repeat: int) -> Draw:
        """Return (labelled, unlabelled, test) of one draw, without the padding."""
        rows = (part[repeat] for part in (self.labelled, self.unlabelled, self.test))
        labelled, unlabelled, test = (row[row >= 0] for row in rows)
        return labelled, unlabelled, test


def goes_by_classes(spec: AnySpec) -> bool:
    """Whether draws are stratified, or state numbers of points by class."""
    scheme = getattr(spec, "scheme", "free")
    stated = isinstance(spec, ClassCounts) or getattr(spec, "stratified", False)
    return stated or scheme != "free"


def make_splits(
    spec: AnySpec,
    y: np.ndarray,
    *,
    study: str,
    dataset: str,
    partitions: list[tuple[np.ndarray, np.ndarray]] | None = None,
    classes: Sequence[str] = (),
    unlabelled: np.ndarray | None = None,
    behind: bool = False,
) -> dict[str, Splits]:
    """Draw the splits of one data set in one study.

    Each draw has its own seed, made of study, data set, setting and repeat: more repeats, other
    sizes or another order of drawing leave a draw as it was.

    Parameters
    ----------
    spec : SplitSpec
    y : (n,) int class codes, (n,) float real values, or (n, k) zeros and ones of multilabel data
        As `gramworks.datasets.dataset.Dataset.strata` gives them.
    study, dataset : str
        The identity of the draws.
    partitions : list of (train, test), optional
        Given ones, for ``kind: given``.
    classes : sequence of str, optional
        Names of the class codes, for ``kind: class-counts``.
    unlabelled : (n,) bool, optional
        Points whose target nobody knows: draws are made of the others, and these are among the
        unlabelled points of each.
    behind : bool
        Whether the codes are of what stands behind strings or vectors. Nobody learns them then,
        so that only draws that state it go by them, and a labelled part may lack some.

    Returns
    -------
    dict of str to Splits
        By setting: ``n_labelled=16`` and so on where sizes are stated (``n_test=16`` where those
        of the test are), ``classes=4-9`` where classes are, else the one setting "".
        Indices stand in ascending order in each draw, those of whole given partitions as given.

    Raises
    ------
    DataError
        When a class has too few members, sizes do not fit the number of points, or there are no
        (or not enough) given partitions.
    """
    y = np.asarray(y)
    if unlabelled is not None and unlabelled.any():
        if partitions:
            raise DataError(
                f"study {study!r}, data set {dataset!r}: given partitions and points without a "
                "target do not go together; leave these points out."
            )
        known = np.flatnonzero(~unlabelled)
        found = make_splits(
            spec, y[known], study=study, dataset=dataset, classes=classes, behind=behind
        )  # fmt: skip
        return {s: _among(draws, known, np.flatnonzero(unlabelled)) for s, draws in found.items()}
    where = f"study {study!r}, data set {dataset!r}"
    if is_classes(y) and len(y) and y.min() < 0:
        raise DataError(f"{where}: class codes are 0, 1, ..., found {int(y.min())}.")

    if behind and not goes_by_classes(spec):
        y = np.arange(len(y), dtype=np.float64)

    def identity(setting: str, repeat: int) -> tuple[str | int, ...]:
        return ("split", study, dataset, setting, repeat)

    match spec:
        case Given():
            return {
                setting: _padded(_given(spec, size, partitions, len(y), where, setting, identity))
                for setting, size in split_settings(spec).items()
            }
        case KFold():
            one = spec.train_on == "one"
            draws = [
                draw
                for r in range(spec.repeats)
                for draw in draw_folds(
                    y, spec.folds, spec.stratified, identity("", r), where, one=one
                )
            ]
            return {"": _padded(draws)}
        case RandomFraction():
            return {
                "": _padded([
                    draw_fraction(y, spec.test, spec.stratified, identity("", r), where)
                    for r in range(spec.repeats)
                ])
            }  # fmt: skip
        case Drawn():
            return {
                "": _padded([
                    draw_labelled(y, spec.labelled, "free", spec.test, identity("", r), where)
                    for r in range(spec.repeats)
                ])
            }  # fmt: skip
        case Subsets():
            draws = draw_subsets(
                len(y), spec.pool, spec.labelled, spec.repeats, partitions, identity("", 0), where
            )
            return {
                setting: _padded(found)
                for setting, found in zip(split_settings(spec), draws, strict=True)
            }
        case OwnDraws():
            none = np.zeros(0, dtype=np.int64)
            return {"": _padded([(none, np.arange(len(y)), none)] * spec.repeats)}
        case ClassCounts():
            return {
                setting: _padded([
                    draw_classes(y, _codes(counts, classes, where), identity(setting, r), where)
                    for r in range(spec.repeats)
                ])
                for setting, counts in zip(
                    split_settings(spec), spec.labelled.values(), strict=True
                )
            }  # fmt: skip
        case HeldOut():
            return {
                setting: _padded([
                    draw_test(y, size, identity(setting, r), where) for r in range(spec.repeats)
                ])
                for setting, size in split_settings(spec).items()
            }  # fmt: skip
    return {
        setting: _padded([
            draw_labelled(y, size, spec.scheme, spec.test, identity(setting, r), where)
            for r in range(spec.repeats)
        ])
        for setting, size in split_settings(spec).items()
    }  # fmt: skip


def _codes(counts: dict[str, int], classes: Sequence[str], where: str) -> dict[int, int]:
    """Give the numbers of labelled points by class code."""
    for label in counts:
        if label not in classes:
            raise DataError(f"{where}: no class {label!r}; {suggest(label, classes)}.")
    return {list(classes).index(label): number for label, number in counts.items()}


def _among(draws: Splits, known: np.ndarray, others: np.ndarray) -> Splits:
    """Give draws of some points the row numbers of all; the other points are unlabelled."""
    found = []
    for repeat in range(draws.repeats):
        labelled, unlabelled, test = (known[part] for part in draws.draw(repeat))
        found.append((labelled, np.sort(np.concatenate([unlabelled, others])), test))
    return _padded(found)


def leaves_points_out(spec: AnySpec) -> bool:
    """Tell whether draws leave points out, which are no part of their problems then."""
    return spec.kind in ("subsets", "class-counts") or getattr(spec, "rest", "") == "left-out"


def split_settings(spec: AnySpec) -> dict[str, int | None]:
    """Map the settings that splits distinguish to their sizes; "" where no sizes are stated."""
    if spec.kind == "subsets":
        own = f"n_labelled={spec.labelled}"
        return {own: spec.labelled, f"{own};test=held-out": spec.labelled}
    if spec.kind == "class-counts":
        return {f"classes={name}": sum(own.values()) for name, own in spec.labelled.items()}
    sizes = getattr(spec, "sizes", None)
    counted = "n_test" if spec.kind == "test-sizes" else "n_labelled"
    return {f"{counted}={size}": size for size in sizes} if sizes else {"": None}


def _given(
    spec: Given,
    size: int | None,
    partitions: list | None,
    n: int,
    where: str,
    setting: str,
    identity: Callable[[str, int], tuple[str | int, ...]],
) -> list[Draw]:
    if not partitions:
        raise DataError(f"{where}: the data set has no given partitions; choose another kind.")
    chosen = [pair for pair in partitions if size is None or len(pair[0]) == size]
    if not chosen:
        found = sorted({len(train) for train, _ in partitions})
        raise DataError(
            f"{where}: no given partition has {size} training rows; there are ones of {found}."
        )
    if spec.labelled is not None:
        draws = [
            draw_from_part(n, *chosen[r % len(chosen)], spec.labelled, identity(setting, r), where)
            for r in range(spec.repeats or len(chosen))
        ]
    elif spec.repeats is not None and spec.repeats > len(chosen):
        raise DataError(
            f"{where}: {spec.repeats} given partitions are asked for, there are {len(chosen)}."
        )
    else:
        draws = []
        for train, test in chosen[: spec.repeats]:
            rest = np.setdiff1d(np.arange(n), np.concatenate([train, test]))
            draws.append((np.asarray(train), rest, np.asarray(test)))
    if spec.rest == "left-out":
        nothing = np.zeros(0, dtype=np.int64)
        draws = [(labelled, nothing, test) for labelled, _, test in draws]
    return draws


def _padded(draws: list[Draw]) -> Splits:
    parts = []
    for position in range(3):
        rows = [draw[position] for draw in draws]
        padded = np.full((len(rows), max(map(len, rows))), -1, dtype=np.int64)
        for i, row in enumerate(rows):
            padded[i, : len(row)] = row
        parts.append(padded)
    return Splits(*parts)


def write_splits(path: str | Path, splits: dict[str, Splits], provenance: dict) -> None:
    """Write a split file: groups by setting ("all" for the setting "")."""
    with atomic(path, "splits") as file:
        write_json(file, "provenance", provenance)
        write_json(file, "settings", list(splits))
        for setting, draws in splits.items():
            group = file.create_group(f"splits/{setting or 'all'}")
            for name in ("labelled", "unlabelled", "test"):
                write_array(group, name, getattr(draws, name))


def read_splits(path: str | Path) -> dict[str, Splits]:
    """Read what `write_splits` wrote, in the order of its settings.

    Raises
    ------
    FileDamaged
        When it is missing, damaged or of another kind.
    """
    with opened(path, "splits") as file:
        found = {}
        for setting in read_json(file, "settings"):
            group = file[f"splits/{setting or 'all'}"]
            parts = [group[name][()] for name in ("labelled", "unlabelled", "test")]
            if any(p.ndim != 2 or p.dtype.kind != "i" or len(p) != len(parts[0]) for p in parts):
                raise damaged(path, f"setting {setting!r} is not three tables of row indices")
            found[setting] = Splits(*parts)
        return found
