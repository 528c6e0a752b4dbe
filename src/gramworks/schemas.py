"""Generate the JSON schemas and the commented defaults from the configuration models."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import yaml
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from gramworks.config import RunConfig
from gramworks.studies.study_file import Study, StudyDataset, StudyMethod

_HEAD = "Generated from the models by `gramworks schema --write`; do not edit by hand."


def generated_files() -> dict[str, str]:
    """Return the content of every generated file by its name in workflow/schemas/."""
    return {
        "config.schema.json": _schema(RunConfig),
        "study.schema.json": _schema(Study),
        "config.defaults.yaml": _defaults("A run configuration, such as config.yaml", RunConfig),
        "study.defaults.yaml": _defaults(
            "A study file, config/studies/{name}.yaml",
            Study,
            datasets=StudyDataset,
            methods=StudyMethod,
        ),
    }


def write_schemas(folder: str | Path) -> list[Path]:
    """Write the generated files into a folder; return their paths."""
    paths = []
    for name, text in generated_files().items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def _schema(model: type[BaseModel]) -> str:
    schema = {"$comment": _HEAD, **model.model_json_schema()}
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def _defaults(title: str, model: type[BaseModel], **nested: type[BaseModel]) -> str:
    lines = [f"# {title}: every key with its default.", f"# {_HEAD}", ""]
    for name, field in model.model_fields.items():
        lines += _field(name, field)
        if name in nested:
            lines.append("  # for each name:")
            for inner, inner_field in nested[name].model_fields.items():
                lines += ["  " + line for line in _field(inner, inner_field, commented=True)]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _field(name: str, field, commented: bool = False) -> list[str]:
    text = " ".join((field.description or "").split())
    lines = [f"# {line}" for line in textwrap.wrap(text, 90)]
    required = field.is_required() and field.default is PydanticUndefined
    if required:
        return [*lines, f"# {name}:   (required)"]
    value = yaml.safe_dump(field.get_default(call_default_factory=True), default_flow_style=True)
    shown = value.removesuffix("...\n").strip()
    return [*lines, f"{'# ' if commented else ''}{name}: {shown}"]
