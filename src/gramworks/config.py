"""The run configuration: what `config.yaml` may say. Its schema and defaults are generated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from gramworks.errors import ConfigError
from gramworks.fields import Count, Name, Number, StrictModel, Unique, validated
from gramworks.strict_yaml import load_yaml


class RunConfig(StrictModel):
    """One run of the workflow: which studies, on which data, in which pieces."""

    studies: Annotated[list[Name], Unique, Field(min_length=1)]
    """Studies to run: the names of files in config/studies/, without .yaml."""

    sources: Literal["embedded", "any"] = "embedded"
    """embedded: only data sets that are generated or come with a package from the package
    index. any: also those fetched from an https address or the mirror."""

    datasets: Annotated[list[Name], Unique, Field(min_length=1)] | None = None
    """Only these data sets of each study; null takes all that `sources` admits."""

    methods: Annotated[list[Name], Unique, Field(min_length=1)] | None = None
    """Only these methods of each study; null takes all."""

    repeats: Annotated[Count, Field(ge=1)] | None = None
    """At most this many repeats (splits) of each study; null takes what the study states."""

    mirror: str | None = None
    """A folder or base address looked at before the network, as <mirror>/<folder>/<file>.
    The environment variable GRAMWORKS_MIRROR does the same."""

    gram_memory_mb: Annotated[Count, Field(ge=64)] = 1024
    """Memory for one Gram job in MiB; a larger matrix is computed tile by tile into its file."""

    gram_rows_a_job: Annotated[Count, Field(ge=1)] = 20_000
    """Rows of a Gram matrix that one job computes. Of larger data sets several jobs compute blocks
    of rows, each into a file of its own, where the kernel can be made by rows; values are the same
    to the bit. Blocks end where tiles of up to 512 rows do, so that less than that changes
    nothing."""

    job_memory_mb: Annotated[Count, Field(ge=64)] | None = None
    """Memory that a job may have in MiB, of the machines that jobs run on; null: all of this
    machine's. Methods whose Gram matrices cannot fit are refused before anything is computed."""

    gram_precision: Literal["float64", "float32"] = "float64"
    """How values of Gram matrices are kept. float32: computed in float64 and rounded once, in half
    the space."""

    minutes_a_job: Annotated[Number, Field(gt=0, allow_inf_nan=False)] = 0.5
    """Draws are cut into jobs of about so many minutes, by measured rates; scores do not depend on
    it. On a cluster, where a job costs seconds to start, a few minutes are better."""


def load_config(values: dict[str, Any], where: str = "config.yaml") -> RunConfig:
    """Validate a run configuration.

    Parameters
    ----------
    values : dict
        The mapping that was read.
    where : str
        Named in errors.

    Returns
    -------
    RunConfig

    Raises
    ------
    ConfigError
        One line a fault: the key, the value found, what is allowed.
    """
    return validated(RunConfig, values, where)


def read_config(path: str | Path) -> RunConfig:
    """Read and validate a run configuration file (see `load_config`)."""
    return load_config(load_yaml(path), str(path))


def run_config(values: dict[str, Any], files: list[str | Path]) -> RunConfig:
    """Validate what the workflow engine merged, after a strict reading of the files it read.

    The engine's own reader keeps the last of two equal keys; reading the files again here
    refuses them with file and line.

    Parameters
    ----------
    values : dict
        The merged configuration, `--config` values included.
    files : list of path
        The files it came from.
    """
    where = " + ".join(str(file) for file in files) or "config"
    from_files: dict[str, Any] = {}
    for file in files:
        from_files |= load_yaml(file)
    unknown = set(from_files) - set(values)
    if unknown:  # cannot happen unless the engine changes how it merges
        raise ConfigError(f"{where}: keys {sorted(unknown)} were lost while merging.")
    return load_config(values, where)
