"""The model of a registry entry: what one resources/datasets/{id}.yaml may say."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, field_validator, model_validator

from gramworks.datasets.entry_sources import EMBEDDED, Label, Sha256, Source
from gramworks.fields import Count, Name, StrictModel, Unique


class Column(StrictModel):
    """One feature, or ``count`` features of one kind with ``{}`` in the name for the number."""

    name: str
    type: Literal["numeric", "nominal"] = "numeric"
    count: Annotated[Count, Field(ge=1)] = 1
    start: Annotated[Count, Field(ge=0)] = 1
    """Number of the first of ``count`` features."""
    values: Annotated[list[Label], Unique] = []
    """Values of a nominal feature; their order gives the codes."""
    encode: Literal["one-hot", "codes"] | None = None
    """How a nominal feature becomes numbers."""
    view: Name | None = None
    """View that the column belongs to beside being a feature; its columns make a block."""
    description: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> Column:
        if self.count > 1 and "{}" not in self.name:
            raise ValueError(f"{self.count} columns need '{{}}' in their name, found {self.name!r}")
        nominal = self.type == "nominal"
        if bool(self.values) != nominal or bool(self.encode) != nominal:
            raise ValueError(
                f"column {self.name!r}: nominal columns state both values and encode "
                "(one-hot or codes), numeric ones neither"
            )
        return self


class Feature(NamedTuple):
    """One feature of the table, numbers filled in."""

    name: str
    values: list[str]
    """Empty for a numeric one."""
    one_hot: bool
    view: str | None = None

    @property
    def encoded(self) -> list[str]:
        """Names of the columns that it becomes."""
        return [f"{self.name}={v}" for v in self.values] if self.one_hot else [self.name]


class Target(StrictModel):
    """The column to predict."""

    name: str = "class"
    classes: Annotated[list[Label], Unique] = []
    """Class names in the order of their codes, labels in the order of their columns, or what
    structured outputs stand for; empty for a real-valued target."""
    labels: dict[Label, Label] = {}
    """Label in the file to class name; empty: files have the class names."""
    others: Literal["refuse", "drop-rows"] = "refuse"
    """What happens to rows with a label that is not listed."""


class ViewFacts(StrictModel):
    """What identifies a view, beside its part in the checksum."""

    columns: Annotated[Count, Field(ge=1)] | None = None
    """Features, or points for a graph; null for strings."""
    nonzeros: Annotated[Count, Field(ge=0)] | None = None
    """Stored entries of a CSR view, both directions of a graph's edges; null for others."""


class Facts(StrictModel):
    """What identifies the parsed data, row order included."""

    rows: Annotated[Count, Field(ge=1)]
    unlabelled: Annotated[Count, Field(ge=0)] = 0
    """Rows without a target; they are not counted in `classes`."""
    columns: Annotated[Count, Field(ge=1)] | None = None
    """Features after encoding; null for strings."""
    classes: dict[Label, Count] = {}
    """Class name to number of rows; in multilabel data label to number of rows that have it, in
    structured data group to number of rows."""
    partitions: dict[Annotated[Count, Field(ge=1)], Annotated[Count, Field(ge=1)]] = {}
    """Number of training rows to number of given partitions of that size."""
    views: dict[Name, ViewFacts] = {}
    """By name."""
    checksum: Sha256
    """Of the parsed arrays, see `gramworks.datasets.checksums.checksum`."""


class DatasetEntry(StrictModel):
    """One data set: what it is, where it comes from, and how to recognise it."""

    id: Name
    title: str
    task: Literal["binary", "multiclass", "regression", "multilabel", "structured"]
    papers: list[str] = []
    """Papers that use it, by their short names."""
    sources: Annotated[list[Source], Field(min_length=1)]
    """In order of preference."""
    sort: Literal["lexicographic"] | None = None
    """Sorts the parsed rows, for sources that differ in row order only."""
    licence: str
    citation: str
    caveats: list[str] = []
    columns: list[Column] = []
    target: Target
    missing: Literal["refuse", "drop-rows", "mean"] = "refuse"
    """Rows with a missing value: refuse the data set, drop the row, or put in the column's mean
    (its most frequent value where it is nominal)."""
    facts: Facts | None = None
    """Needed before use; `python -m gramworks.datasets.state_facts ID` says them."""

    @field_validator("id")
    @classmethod
    def _visible(cls, value: str) -> str:
        if value.startswith("."):
            raise ValueError(f"an id does not begin with a dot, found {value!r}")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> DatasetEntry:
        classes = self.target.classes
        wanted = {"binary": len(classes) == 2, "multiclass": len(classes) > 2}
        if not wanted.get(self.task, self.task != "regression" or not classes):
            raise ValueError(f"task {self.task!r} does not fit {len(classes)} classes")
        if self.facts and set(self.facts.classes) != set(classes):
            raise ValueError(f"facts.classes names other classes than target.classes ({classes})")
        for source in self.sources:
            strangers = set((getattr(source, "labels", None) or {}).values()) - set(classes)
            if strangers:
                raise ValueError(f"labels lead to {sorted(strangers)}, allowed are {classes}")
        multiple = self.task in ("multilabel", "structured")
        if self.sort and (multiple or any(column.view for column in self.columns)):
            raise ValueError("only single targets without views can be sorted")
        if set(self.target.labels.values()) - set(classes):
            raise ValueError(f"target.labels leads to classes that are not among {classes}")
        self._check_file_names()
        return self

    def _check_file_names(self) -> None:
        kept: dict[str, str] = {"manifest.json": ""}
        for source in self.sources:
            names = [file.name for file in source.files]
            if len(set(names)) < len(names):
                raise ValueError(f"a source keeps two files under one name: {sorted(names)}")
            for file in source.files:
                if kept.setdefault(file.name, file.sha256) != file.sha256:
                    raise ValueError(f"two different files would be kept as {file.name!r}")

    @property
    def embedded(self) -> bool:
        """Whether it can be had from packages alone: generated, installed or in a wheel."""
        return any(source.kind in EMBEDDED for source in self.sources)

    def features(self) -> list[Feature]:
        """List the features of the table in order, numbered names filled in."""
        return [
            Feature(
                column.name.replace("{}", str(column.start + i)),
                column.values,
                column.encode == "one-hot",
                column.view,
            )
            for column in self.columns
            for i in range(column.count)
        ]
