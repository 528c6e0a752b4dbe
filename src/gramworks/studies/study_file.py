"""Study files: config/studies/{study}.yaml, one comparison of methods on data sets each."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    field_validator,
    model_validator,
)

from gramworks.datasets.entry_sources import Label
from gramworks.datasets.splits import AnySpec, SplitSpec
from gramworks.errors import ConfigError, suggest
from gramworks.fields import Count, Name, StrictModel, Unique, check_name, validated
from gramworks.kernels.identifiers import parse_kernel
from gramworks.settings import format_setting, parse_setting, plain_scalar, plain_value
from gramworks.strict_yaml import load_yaml

Incomparable = Literal[
    "other-data", "other-size", "protocol-not-stated", "published-only", "chosen-by-hand"
]


_PARTS = re.compile(r"\d+|\D+").findall


def _canonical_kernels(value: Any) -> Any:
    """Accept a list (labelled K1, K2, ...) or a mapping, and bring identifiers to one form."""
    if isinstance(value, str):
        raise ValueError(f"kernels are a list or a mapping; for one write [{value}]")
    if isinstance(value, list):
        value = {f"K{i}": kernel for i, kernel in enumerate(value, 1)}
    if isinstance(value, dict):
        # K2 before K10, and the order in the file does not matter.
        keys = sorted(value, key=lambda k: [int(p) if p.isdigit() else p for p in _PARTS(str(k))])
        return {key: parse_kernel(str(value[key])).id for key in keys}
    return value


Kernels = Annotated[dict[Name, str], BeforeValidator(_canonical_kernels), Field(min_length=1)]


def _label_list(value: Any) -> Any:
    if isinstance(value, str) and value != "all":
        raise ValueError(f"labels are a list, or the word all; for one label write [{value}]")
    return value


def _values(value: Any) -> list:
    return value if isinstance(value, list) else [value]


class StudyDataset(StrictModel):
    """One data set of a study."""

    recipe: Name = "none"
    """Normalisation recipe, fitted on all points."""
    kernels: Kernels | None = None
    """Base kernels for this data set, K1, K2, ... to kernel identifiers; null: the study's."""
    labels: Literal["all"] | Annotated[list[Label], Unique, Field(min_length=1)] | None = None
    """Classes, or labels of a point, that are told from the rest one by one, each a binary task;
    `all` takes all. Rows then have the setting label=..., and rows without it are the means. null:
    the data set's own task."""
    positive: Annotated[list[Label], Unique, Field(min_length=1)] | None = None
    """Classes that are told from all others together, as one binary task: digits 5 to 9 from 0 to
    4, say. Splits go by the classes all the same. null: the data set's own task."""
    repeats: Annotated[Count, Field(ge=1)] | None = None
    """Repeats of the splits on this data set, the first so many of the study's, where all of them
    would take too long; null: all."""
    splits: SplitSpec | None = None
    """Splits of this data set instead of the study's, as for a stand-in without given partitions;
    rows stand beside published ones where they distinguish the same settings. null: the study's."""
    published_as: Name | None = None
    """The data set whose published numbers stand beside the measured ones; null: its own."""
    not_comparable: Incomparable | None = None
    """Why no verdict is given against the published numbers, if none is."""
    output_kernel: Annotated[str, AfterValidator(lambda text: parse_kernel(text).id)] | None = None
    """The kernel between outputs that are strings or vectors, which stands for the loss; null where
    they are classes or numbers."""
    note: str = ""
    """Said beside the data set in every table."""

    _labels = field_validator("labels", mode="before")(_label_list)


class StudyMethod(StrictModel):
    """One method of a study."""

    settings: Annotated[list[dict[str, Any]], Field(min_length=1)] = [{}]
    """What distinguishes rows, such as criterion or C; lists are multiplied out."""
    parameters: dict[str, Any] = {}
    """What all rows share, such as grids; not part of the setting."""
    kernels: Kernels | None = None
    """Kernels this method wants instead of the data set's."""
    datasets: Annotated[list[Name], Unique, Field(min_length=1)] | None = None
    """Data sets of the study that this method runs on; null: all."""
    chunk: Annotated[Count, Field(ge=1)] | None = None
    """At most so many repeats in one job; null: the study's."""
    not_comparable: dict[Name, Incomparable] = {}
    """Why rows get no verdict against the published numbers, by a key that their setting has, as in
    `{draw: chosen-by-hand}`."""

    @field_validator("settings", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, dict) else value

    @field_validator("settings")
    @classmethod
    def _plain_settings(cls, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for block in blocks:
            for key, value in block.items():
                if value == []:
                    raise ValueError(f"{key} is an empty list; state one value or more")
        return [
            {key: [plain_scalar(scalar) for scalar in _values(block[key])] for key in sorted(block)}
            for block in blocks
        ]

    @field_validator("parameters")
    @classmethod
    def _plain_parameters(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        return {key: plain_value(value) for key, value in parameters.items()}

    @model_validator(mode="after")
    def _excused_settings(self) -> StudyMethod:
        stated = sorted({key for block in self.settings for key in block})
        for key in self.not_comparable:
            if key not in stated:
                raise ValueError(
                    f"not_comparable: no setting has the key {key!r}; {suggest(key, stated)}"
                )
        return self

    def excuse(self, setting: str) -> str | None:
        """Give the reason why a row, by its setting as text, gets no verdict; None: it gets one."""
        keys = parse_setting(setting)
        return next((why for key, why in self.not_comparable.items() if key in keys), None)

    def combinations(self) -> list[dict[str, Any]]:
        """Multiply lists out: one dict of scalars a row of the tables, each once, in order."""
        rows: dict[str, dict[str, Any]] = {}
        for block in self.settings:
            for values in itertools.product(*block.values()):
                row = dict(zip(block, values, strict=True))
                rows[format_setting(row)] = row
        return [rows[text] for text in sorted(rows)]


class Study(StrictModel):
    """A comparison of methods on data sets, with its protocol."""

    name: Name
    """The study's name; equal to the file's name."""
    title: str
    """One line for headings."""
    paper: Name | None = None
    """The paper whose published numbers are compared."""
    summary: str = ""
    """What is done, in a few sentences; shown in the report."""
    findings: list[str] = []
    """What came out and why some numbers differ, a sentence or two each; shown in the report."""
    datasets: Annotated[dict[Name, StudyDataset], Field(min_length=1)]
    """Data sets by identifier."""
    splits: SplitSpec
    """How points are divided into labelled, unlabelled and test."""
    kernels: Kernels | None = None
    """Base kernels for data sets that state none."""
    methods: Annotated[dict[Name, StudyMethod], Field(min_length=1)]
    """Methods by name."""
    metrics: Annotated[list[Name], Unique, Field(min_length=1)]
    """Metrics shown in the tables, in this order."""
    chunk: Annotated[Count, Field(ge=1)] | None = None
    """At most so many repeats of a method in one job; null: as many as the run's `minutes_a_job`
    admits. Scores do not depend on it."""
    predictions: Annotated[Count, Field(ge=0)] = 0
    """Repeats, the first so many of every row, whose predictions are kept point by point, for
    ROC curves, confusion matrices and a map of the points in the report; 0: none. They are fitted
    again for it."""

    @field_validator("datasets", "methods", mode="before")
    @classmethod
    def _empty_bodies(cls, value: Any) -> Any:
        """Let `single-1:` stand for `single-1: {}`."""
        if isinstance(value, dict):
            for key in value:
                check_name(key)
            for key, body in value.items():
                if body is not None and not isinstance(body, (dict, BaseModel)):
                    raise ValueError(
                        f"{key} wants keys of its own in braces or on indented lines, such as "
                        f"{{}} or {{note: text}}; found {body!r}"
                    )
            return {key: {} if body is None else body for key, body in value.items()}
        return value

    def splits_of(self, dataset: str) -> AnySpec:
        """Return how the points of a data set are divided: its own way, or the study's.

        Draws are seeded one by one, so that fewer repeats are the first of all.
        """
        body = self.datasets[dataset]
        spec = body.splits or self.splits
        least = min(filter(None, (spec.repeats, body.repeats)), default=None)
        return spec.model_copy(update={"repeats": least})

    def base_kernels(self, dataset: str, method: str | None = None) -> dict[str, str]:
        """Return the kernels of a data set (or those a method wants), K1, K2, ... to identifier."""
        own = self.methods[method].kernels if method else None
        found = own or self.datasets[dataset].kernels or self.kernels
        if found is None:
            raise ConfigError(
                f"study {self.name}: data set {dataset!r} has no kernels; state `kernels:` for it "
                "or for the whole study."
            )
        return found


def load_study(path: str | Path) -> Study:
    """Read and validate one study file.

    Raises
    ------
    ConfigError
        With the file and key of each fault; also when `name` differs from the file's name.
    """
    path = Path(path)
    study = validated(Study, load_yaml(path), str(path))
    if study.name != path.stem:
        raise ConfigError(
            f"{path}: name is {study.name!r}, the file's name says {path.stem!r}; make them equal."
        )
    return study


def load_studies(names: list[str], *folders: str | Path) -> list[Study]:
    """Load the named studies of some folders.

    Raises
    ------
    ConfigError
        An unknown name, with the valid ones; a name that two folders have.
    """
    available: dict[str, Path] = {}
    for path in (path for folder in folders for path in sorted(Path(folder).glob("*.yaml"))):
        twin = available.setdefault(path.stem, path)
        if twin != path and path.stem in names:
            raise ConfigError(f"studies: {twin} and {path} have one name; give one another.")
    for name in names:
        if name not in available:
            raise ConfigError(
                f"studies: no study {name!r} in {' or '.join(map(str, folders))}; "
                f"{suggest(name, available)}."
            )
    return [load_study(available[name]) for name in names]
