"""`gramworks new`: from the user's files to a study that runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gramworks.datasets.dataset import kind_of
from gramworks.datasets.facts import facts_of
from gramworks.datasets.kept_files import sha256_of
from gramworks.datasets.registry import dataset_ids, own_ids
from gramworks.datasets.store import write_dataset
from gramworks.errors import ConfigError, GramworksError
from gramworks.owndata.findings import Findings
from gramworks.owndata.kernel_choice import choose_kernels, choose_precomputed
from gramworks.owndata.method_choice import choose_methods
from gramworks.owndata.originals import describe_original
from gramworks.owndata.places import DATASETS, STUDIES, config_of
from gramworks.owndata.points import slug
from gramworks.owndata.split_choice import choose_splits
from gramworks.owndata.study_text import study_values, write_config, write_entry, write_study
from gramworks.owndata.trial import try_methods
from gramworks.owndata.understanding import Request, Understood, understand
from gramworks.provenance import provenance
from gramworks.strict_yaml import parse_yaml
from gramworks.studies.study_checks import check_study
from gramworks.studies.study_file import Study
from gramworks.whole_files import write_text

FEW_SETTINGS = 1500
"""Rows beyond which methods that take one kernel are tried on one, not on two."""


@dataclass(frozen=True)
class NewStudy:
    """What was written."""

    name: str
    understood: Understood
    findings: Findings
    written: list[Path]
    methods: int
    kernels: int
    left_out: dict[str, str]
    """Methods that the study has not, or not on one kernel, with the reason; empty where the study
    stays as it is."""


def new_study(
    request: Request,
    *,
    name: str | None = None,
    command: list[str] | None = None,
    update: bool = False,
    say: Callable[[str], None] = print,
) -> NewStudy:
    """Read the user's files and write a data set, a study and a configuration into `own/`.

    Parameters
    ----------
    request : Request
    name : str, optional
        Of data set and study; None: made of the first file's name.
    command : list of str, optional
        What makes the same request again.
    update : bool
        Whether the data set is there already, and its study stays as it is.
    say : callable
        Receives findings as they are complete, so that they are told even if an error follows.

    Raises
    ------
    DataError, ConfigError
        What is wrong with the files, or files of that name are there.
    """
    title = " + ".join(path.name for path in request.files)
    findings = Findings()
    name = _free_name(name, request.files[0], update, findings)
    _check_place()
    try:
        found = understand(name, request, findings)
        if found.precomputed:
            choice = choose_precomputed(found.dataset)
        else:
            choice = choose_kernels(found.dataset, findings)
        splits = choose_splits(found.target)
    finally:
        for text in findings.said:
            say(f"  {text}")
        for text in findings.warnings:
            say(f"! {text}")
    if splits.warning:
        findings.warn(splits.warning)
        say(f"! {splits.warning}")
    left_out: dict[str, str] = {}
    written = [_write_dataset(found, request, title, command or [], findings)]
    study_path = STUDIES / f"{name}.yaml"
    try:
        shown = f"{title}: {found.target.name}"
        shown = "".join(c if c.isprintable() else " " for c in shown)[:200]

        def values(methods: dict) -> dict:
            return study_values(name, shown, found.dataset.task, choice, splits, methods)

        def check(methods: dict) -> None:
            check_study(Study.model_validate(values(methods)))

        methods = choose_methods(
            found.dataset, choice, check, few=found.dataset.rows > FEW_SETTINGS
        )
        try_methods(found.dataset, choice, methods, square_views=found.precomputed)
        if not methods.bodies:
            raise ConfigError(f"no registered method suits {found.dataset.task} data like these.")
        if not (update and study_path.is_file()):
            text = write_study(values(methods.bodies), choice, splits, methods)
            check_study(Study.model_validate(parse_yaml(text, str(study_path))))
            write_text(study_path, text)
            write_text(config_of(name), write_config(name))
            written += [study_path, config_of(name)]
            left_out = methods.left_out
    except (GramworksError, OSError, KeyboardInterrupt) as error:
        if not update:
            for path in (DATASETS / f"{name}.yaml", DATASETS / f"{name}.h5"):
                path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ConfigError(f"own/ cannot be written ({error}).") from None
        raise
    return NewStudy(
        name, found, findings, written, len(methods.bodies), len(choice.kernels), left_out
    )


def _check_place() -> None:
    """See that files can be written, before anything else is done."""
    for folder in (DATASETS, STUDIES):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise ConfigError(
                f"{folder}/ cannot be written ({error.strerror or error}); own data sets and "
                "studies lie there. Work in a folder of yours, or remove what is in the way."
            ) from None


def _free_name(stated: str | None, first: Path, update: bool, findings: Findings) -> str:
    name = stated or slug(first.resolve().stem)
    if stated and slug(stated) != stated:
        raise ConfigError(
            f"--name {stated!r}: small letters, digits, '.' and '-' are allowed; {slug(stated)!r} "
            "would do."
        )
    if name in dataset_ids() or Path(f"config/studies/{name}.yaml").exists():
        if stated:
            raise ConfigError(
                f"--name {name}: a registered data set or study has this name; take another."
            )
        taken, name = name, f"my-{name}"
        findings.say(
            f"data set and study are called {name}, since {taken} is a registered one "
            "(--name states another)"
        )
    # without its study a data set is what a command that was ended has left
    whole = name in own_ids() and (STUDIES / f"{name}.yaml").is_file()
    if whole and not update:
        raise ConfigError(
            f"{DATASETS / name}.yaml is there already. Read its files again with `gramworks new "
            f"--update {name}`, state another --name, or remove it, {STUDIES / name}.yaml and "
            f"{config_of(name)}."
        )
    return name


def _write_dataset(
    found: Understood, request: Request, title: str, command: list[str], findings: Findings
) -> Path:
    dataset = found.dataset
    table = DATASETS / f"{dataset.id}.h5"
    write_dataset(table, dataset, recipe="as-read", provenance=provenance("new", source=title))
    originals = [describe_original(path) for path in found.originals]
    kinds = {name: kind_of(view) for name, view in dataset.views.items()}
    values = {
        "id": dataset.id,
        "title": "".join(c if c.isprintable() else " " for c in title),
        "task": dataset.task,
        "sources": [
            {
                "kind": "own",
                "format": "prepared",
                "files": [
                    {
                        "path": table.name,
                        "sha256": sha256_of(table),
                        "bytes": table.stat().st_size,
                    }
                ],
                "originals": [original.model_dump() for original in originals],
                "command": command,
            }
        ],
        "licence": "yours",
        "citation": "your own data",
        "caveats": list(findings.warnings),
        "target": {"name": found.target.name, "classes": dataset.classes},
        "facts": facts_of(dataset).model_dump(),
    }
    path = DATASETS / f"{dataset.id}.yaml"
    write_text(path, write_entry(values, findings) + f"# views: {kinds or 'none'}\n")
    return path
