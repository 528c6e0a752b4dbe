"""Find method modules by file name: `margin-nonnegative` is methods/margin_nonnegative.py.

A module with ``FAMILY = True`` serves numbered names: `single-2` is methods/single.py with
index 2. Files that begin with an underscore hold what several methods share. Nothing is listed
anywhere, so that a new method edits no existing file.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from gramworks.errors import ConfigError, suggest
from gramworks.fields import validated
from gramworks.problem import Outcome, Problem

_FOLDER = Path(__file__).parent
NEEDS = ("grams", "features", "strings", "graphs")
TASKS = ("binary", "multiclass", "regression", "structured", "vectors")
GRAM_USES = ("eigenpairs", "rows", "full")
"""What a method needs of Gram matrices, from the least: eigenpairs that `learn` has made, the rows
of the labelled points, or all values."""
READ_WHOLE = 256 * 2**20
"""Bytes of a Gram matrix that is read whole, once, though each draw needs a part of its rows."""

GROWTH = {"fit": 2.0, "learn": 3.0}
"""Exponents of a method that states none: a product with the Gram matrix or more a draw, its
factorisation once."""

MOST_GROWTH = 6.0

OWN_DRAWS_ALONE = (
    "splits of kind own-draws are for methods that label points themselves, such as optimal-target "
    "with draws and n_labelled, or need none; state other splits, or leave the method out"
)
OWN_DRAWS_WANTED = (
    "state splits: {kind: own-draws, repeats: ...}, or leave out draws and what belongs to it"
)


@dataclass(frozen=True)
class Method:
    """A method of the workflow."""

    name: str
    """As in study files, for example single-2."""
    module: ModuleType
    index: int | None
    """The number of a family's member, None elsewhere."""

    @property
    def needs(self) -> tuple[str, ...]:
        """What `Problem` must hold: a selection of `NEEDS`."""
        return self.module.NEEDS

    @property
    def tasks(self) -> tuple[str, ...]:
        """Tasks it is made for: a selection of `TASKS`."""
        return self.module.TASKS

    @property
    def metrics(self) -> tuple[str, ...]:
        """Patterns of the metrics it returns beside the scores of its predictions."""
        return getattr(self.module, "METRICS", ())

    @property
    def learns(self) -> bool:
        """Whether it has a `learn` function, run once for all draws."""
        return hasattr(self.module, "learn")

    @property
    def resumes(self) -> bool:
        """Whether its `learn` keeps steps that are done, and takes them as `steps`."""
        return self.learns and "steps" in inspect.signature(self.module.learn).parameters

    @property
    def takes_parts(self) -> bool:
        """Whether draws may leave points out although it learns from all: it says so itself."""
        return bool(getattr(self.module, "PARTS_OF_POINTS", False))

    def sees_test_labels(self, params: BaseModel) -> bool:
        """Whether a row of these parameters gets all labels.

        A module states SEES_TEST_LABELS, True or a function of the parameters.
        """
        stated = getattr(self.module, "SEES_TEST_LABELS", False)
        return bool(stated(params) if callable(stated) else stated)

    def labelled_by(self, params: BaseModel) -> str:
        """Who labels points in a row of these parameters: "splits", "method", or "any" for none.

        A module states LABELLED_BY, a word or a function of the parameters.
        """
        stated = getattr(self.module, "LABELLED_BY", "splits")
        return stated(params) if callable(stated) else stated

    def gram_use(self, params: BaseModel) -> str:
        """Tell what a row needs of each Gram matrix: one of `GRAM_USES`.

        A module states GRAMS, a word or a function of the parameters; "full" where it does not.
        With "rows" a kernel may be a `gramworks.stored_grams.GramRows` instead of an array, with
        "eigenpairs" `fit` does not look at it.
        """
        stated = getattr(self.module, "GRAMS", "full")
        return stated(params) if callable(stated) else stated

    def widest_gram_use(
        self, settings: Iterable[dict[str, Any]], parameters: dict[str, Any], where: str
    ) -> str:
        """Tell what the rows of some settings need of Gram matrices: the most of `gram_use`."""
        rows = [self.parameters({**parameters, **setting}, where) for setting in settings]
        return max(map(self.gram_use, rows), key=GRAM_USES.index)

    def growth(self, stage: str) -> float:
        """Give the power of the number of points with which "fit" (a draw) or "learn" grows.

        A module states GROWTH for either stage, as benchmarks/scaling.py measures it. Times of one
        data set are estimated from another's by it; no score depends on it.
        """
        stated = getattr(self.module, "GROWTH", {})
        if not isinstance(stated, dict) or not all(
            name in GROWTH and type(power) in (int, float) and 0 <= power <= MOST_GROWTH
            for name, power in stated.items()
        ):
            raise ConfigError(
                f"{self.module.__file__}: GROWTH is {stated!r}; state a power from 0 to "
                f"{MOST_GROWTH:g} for fit, for learn or for both, such as {GROWTH}."
            )
        return {**GROWTH, **stated}[stage]

    def predicts(self, params: BaseModel) -> str:
        """Tell what a row predicts: "targets", or the "classes" behind strings and vectors.

        A module states PREDICTS, a word or a function of the parameters.
        """
        stated = getattr(self.module, "PREDICTS", "targets")
        return stated(params) if callable(stated) else stated

    def misfit(
        self, params: BaseModel, task: str, rows: int | None, columns: int | None = None
    ) -> str:
        """Say why such data cannot be had with these parameters; empty where they can.

        A module that knows has a function `misfit` of parameters, task, and numbers of points and
        of features (None where they are not known).
        """
        if task not in self.tasks:
            return (
                f"it is made for {', '.join(self.tasks)}, the data are {task}; name the data sets "
                "that are in `datasets:` of the method, or leave it out"
            )
        ask = getattr(self.module, "misfit", None)
        return ask(params, task, rows, columns) if ask else ""

    def parameters(self, values: dict[str, Any], where: str) -> BaseModel:
        """Validate settings and parameters from a study file (ConfigError with the key)."""
        return validated(self.module.Params, values, f"{where}: method {self.name}")

    def fit(self, problem: Problem, params: BaseModel) -> Outcome:
        """Run the method on one draw."""
        if self.index is None:
            return self.module.fit(problem, params)
        return self.module.fit(problem, params, self.index)


def method_names() -> list[str]:
    """List the registered methods; a family stands as `single-1`."""
    names = []
    for stem in _stems():
        name = stem.replace("_", "-")
        names.append(f"{name}-1" if getattr(_module(stem), "FAMILY", False) else name)
    return names


def load_method(name: str) -> Method:
    """Find a method by name.

    Raises
    ------
    ConfigError
        When there is none; lists the valid names.
    """
    module = _module(method_module(name).rpartition(".")[2])
    index = re.search(r"-(\d+)$", name)
    return Method(name, module, int(index[1]) if getattr(module, "FAMILY", False) else None)


def method_module(name: str) -> str:
    """Return the name of a method's module, a root of its jobs' fingerprint."""
    stems = _stems()
    stem = name.replace("-", "_")
    own = stem in stems and name == stem.replace("_", "-")
    if own and not getattr(_module(stem), "FAMILY", False):
        return f"gramworks.methods.{stem}"
    family = re.fullmatch(r"(.+)_([1-9]\d*)", stem)
    if family and family[1] in stems and getattr(_module(family[1]), "FAMILY", False):
        return f"gramworks.methods.{family[1]}"
    raise ConfigError(f"methods: no method {name!r}; {suggest(name, method_names())}.")


def _stems() -> list[str]:
    return _listed(_FOLDER, os.stat(_FOLDER).st_mtime_ns)


@cache
def _listed(folder: Path, _modified: int) -> list[str]:
    return sorted(
        name.removesuffix(".py")
        for name in os.listdir(folder)
        if name.endswith(".py") and name != "registry.py" and not name.startswith("_")
    )


def _module(stem: str) -> ModuleType:
    try:
        return importlib.import_module(f"gramworks.methods.{stem}")
    except (SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise ConfigError(
            f"{_FOLDER / stem}.py{line}: the method cannot be loaded "
            f"({type(error).__name__}: {error}); mend the file or take it away."
        ) from error
