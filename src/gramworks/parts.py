"""Draws cut into jobs: pieces of a method's repeats, packed into parts of about equal length.

A piece is some repeats of one method on one data set. A part is what one job fits: several small
pieces, since a start of Python takes longer than the draws of most methods, or one large one. The
cut decides neither seeds nor rows, so that no score depends on it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from gramworks.datasets.recipe_rows import most_rows
from gramworks.datasets.registry import load_entry
from gramworks.methods.registry import load_method
from gramworks.rates import OWN, SHIPPED, Rates, estimate, guess, read_rates

if TYPE_CHECKING:
    from gramworks.plan import Plan


class Piece(NamedTuple):
    """Repeats ``first`` to ``last``, both included, of a method."""

    method: str
    first: int
    last: int


def seconds_of(plan: Plan, study: str, dataset: str, method: str) -> float:
    """Estimate the seconds of one repeat of a method, all its settings together."""
    rows = most_rows(load_entry(dataset), plan.studies[study].datasets[dataset].recipe)
    growth = load_method(method).growth("fit")
    found = estimate(rates_of(plan, "fit"), study, dataset, method, rows, growth)
    if found is not None:
        return found
    return guess(rows, len(json.loads(plan.settings_slice(study, dataset, method))), growth)


def rates_of(plan: Plan, stage: str) -> list[Rates]:
    """Read the rates of a stage: those of this machine, then the shipped ones."""
    return [_rates(str(path), stage) for path in (plan.root / OWN, SHIPPED)]


@cache
def _rates(path: str, stage: str) -> Rates:
    return read_rates(path, stage)


def pieces(plan: Plan, study: str, dataset: str, method: str) -> list[Piece]:
    """Cut a method's repeats into pieces of nearly equal length.

    None is longer than the configuration's ``minutes_a_job`` by estimate, unless it is one repeat,
    nor holds more repeats than the study's ``chunk``.
    """
    n = plan.n_repeats(study, dataset)
    spec = plan.studies[study]
    seconds = seconds_of(plan, study, dataset, method)
    fitting = int(min(60 * plan.config.minutes_a_job / seconds, n)) if seconds else n
    size = min(max(fitting, 1), spec.methods[method].chunk or spec.chunk or n)
    size = ceil(n / ceil(n / size))
    return [Piece(method, start, min(start + size, n) - 1) for start in range(0, n, size)]


def parts(plan: Plan, study: str, dataset: str) -> dict[str, list[Piece]]:
    """Pack the pieces of all methods on a data set into parts, by name.

    In the order of the study: a part is closed before it would get longer than ``minutes_a_job``.
    Methods that learn something first are kept apart from those that need not wait.
    """
    limit = 60 * plan.config.minutes_a_job
    found: dict[str, list[Piece]] = {}
    methods = sorted(plan.methods_on(study, dataset), key=lambda m: load_method(m).learns)
    for _, together in groupby(methods, key=lambda m: load_method(m).learns):
        pending: list[Piece] = []
        length = 0.0
        for method in together:
            seconds = seconds_of(plan, study, dataset, method)
            for piece in pieces(plan, study, dataset, method):
                takes = seconds * (piece.last - piece.first + 1)
                if pending and length + takes > limit:
                    found[_name(pending)] = pending
                    pending, length = [], 0.0
                pending.append(piece)
                length += takes
        if pending:
            found[_name(pending)] = pending
    return found


def _name(content: list[Piece]) -> str:
    """Name a part by its first piece and what follows, such as svm.0-9 or svm.0-29+3.1f9c04.

    Parts of other content have other names, also where the engine has lost its records.
    """
    method, first, last = content[0]
    name = f"{method}.{first}-{last}"
    if len(content) == 1:
        return name
    digest = hashlib.sha256(repr([tuple(piece) for piece in content]).encode()).hexdigest()[:6]
    return f"{name}+{len(content) - 1}.{digest}"


def part_files(plan: Plan, study: str, dataset: str, method: str | None = None) -> list[str]:
    """List the files of the parts of a data set, or of those that hold a method's pieces."""
    return [
        f"results/draws/{study}/{dataset}/{name}.json"
        for name, content in plan.parts(study, dataset).items()
        if method is None or any(piece.method == method for piece in content)
    ]


def part_methods(plan: Plan, study: str, dataset: str, part: str) -> list[str]:
    """List the methods of a part, each once."""
    return list(dict.fromkeys(piece.method for piece in plan.parts(study, dataset)[part]))


def part_seconds(plan: Plan, study: str, dataset: str, part: str) -> float:
    """Estimate the seconds of a part's draws."""
    return sum(
        seconds_of(plan, study, dataset, piece.method) * (piece.last - piece.first + 1)
        for piece in plan.parts(study, dataset)[part]
    )


def part_grams(plan: Plan, study: str, dataset: str, part: str) -> list[str]:
    """List the Gram files that a part reads, each once."""
    return _once(plan.grams(study, dataset, m) for m in part_methods(plan, study, dataset, part))


def part_shared(plan: Plan, study: str, dataset: str, part: str) -> list[str]:
    """List the files of what draws share that a part reads."""
    return _once(plan.shared(study, dataset, m) for m in part_methods(plan, study, dataset, part))


def _once(lists: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(path for found in lists for path in found))
