"""Field types of the configuration models, and validation errors in words."""

from __future__ import annotations

import datetime
import math
import re
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

from gramworks.errors import ConfigError, suggest

NAME_PATTERN = r"[A-Za-z0-9_.-]+"
"""Names become folders, wildcards and job names, so they keep to these characters."""

Model = TypeVar("Model", bound=BaseModel)


class StrictModel(BaseModel):
    """Base of all configuration models: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, protected_namespaces=(), use_attribute_docstrings=True
    )


def check_name(value: Any) -> str:
    """Return ``value`` when it is a valid name; raise ValueError saying what is allowed."""
    if isinstance(value, datetime.date):
        raise ValueError(f"a bare date ({value}) is read as a date, not a name; put it in quotes")
    if not isinstance(value, str):
        raise ValueError(f"a name is text, found {value!r}; put it in quotes if it is meant so")
    if not re.fullmatch(NAME_PATTERN, value) or not value.strip("."):
        raise ValueError(
            f"the name {value!r} is not usable; allowed are letters, digits, '_', '.' and '-' "
            f"({NAME_PATTERN}), and not dots alone"
        )
    return value


def _number(value: Any) -> Any:
    """Accept numbers that YAML 1.1 reads as text (1e-3, "0.2"); refuse booleans and dates."""
    if isinstance(value, bool):
        raise ValueError(f"expected a number, found {value}")
    if isinstance(value, str):
        try:
            value = float(value) if not re.fullmatch(r"[-+]?\d+", value.strip()) else int(value)
        except ValueError:
            raise ValueError(f"expected a number, found the text {value!r}") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"expected a finite number, found {value}")
    return value


def _unique(values: list) -> list:
    twice = sorted({str(value) for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} stands more than once; name each once")
    return values


Name = Annotated[str, BeforeValidator(check_name)]
Number = Annotated[float, BeforeValidator(_number)]
Count = Annotated[int, BeforeValidator(_number)]
Unique = AfterValidator(_unique)


def validated(model: type[Model], values: Any, where: str) -> Model:
    """Validate ``values`` and turn what is wrong into one readable error.

    Parameters
    ----------
    model : pydantic model class
    values : mapping
    where : str
        What is being read, for example a file name; it opens every line of the message.

    Raises
    ------
    ConfigError
        One line a fault: the key, the value found, what is allowed.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        lines = [_fault(model, fault, where) for fault in error.errors(include_url=False)]
        raise ConfigError("\n".join(dict.fromkeys(lines))) from None


# What pydantic puts into a place beside keys: which of several kinds of values it tried.
_BRANCH = re.compile(r"function-.*|(literal|list|dict|tuple|set)\[.*")
_PLAIN_BRANCH = re.compile(r"(constrained-)?(float|int|str|bool)")


def _fault(model: type[BaseModel], fault: dict, where: str) -> str:
    path = [part for part in fault["loc"] if not _BRANCH.fullmatch(str(part))]
    if len(path) > 1 and _PLAIN_BRANCH.fullmatch(str(path[-1])):
        path.pop()
    key = ".".join(str(part) for part in path)
    kind = fault["type"]
    if kind == "extra_forbidden":
        return f"{where}: unknown key {key!r}; {suggest(path[-1], _keys_beside(model, path))}."
    if kind == "missing":
        return f"{where}: key {key!r} is missing; add it."
    message = fault["msg"].removeprefix("Value error, ")
    found = fault.get("input")
    if kind == "literal_error" and isinstance(found, str):
        allowed = re.findall(r"'([^']*)'", fault["ctx"]["expected"])
        return f"{where}: {key}: no {found!r}; {suggest(found, allowed)}."
    shown = "null" if found is None else repr(found)
    shown = shown if len(shown) < 80 else shown[:77] + "..."
    place = f"{where}: {key}" if key else where
    return f"{place}: {message} (found {shown})."


def _keys_beside(model: type[BaseModel], path: list) -> list[str]:
    """List the valid keys at the level where an unknown key was found."""
    current: Any = model
    for part in path[:-1]:
        options = _models_inside(current)
        chosen = [m for m in options if getattr(m.model_fields.get("kind"), "default", "") == part]
        if chosen:  # the tag of a discriminated union stands in the path
            current = chosen[0]
            continue
        inside = [m.model_fields[part].annotation for m in options if part in m.model_fields]
        current = inside[0] if inside else current
    return sorted({key for option in _models_inside(current) for key in option.model_fields})


def _models_inside(annotation: Any) -> list[type[BaseModel]]:
    """Find the models in an annotation, through Optional, unions, lists, dicts and Annotated."""
    if hasattr(annotation, "model_fields"):
        return [annotation]
    return [m for inner in getattr(annotation, "__args__", ()) for m in _models_inside(inner)]
