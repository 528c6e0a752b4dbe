"""Kernel identifiers, such as `gaussian-w0.5-centred-unit@expression`, and the module behind each.

A family is a module `*_kernel.py` in this folder, found by its file name, so that a new family
edits no existing file. It states

- ``PREFIX``: what its identifiers begin with, one word or more;
- ``GRAMMAR``: their form, for messages;
- ``parse(words)``: the remaining words to a dict of parameters;
- ``format(parameters)``: the way back, to words in canonical form;
- ``prepare(X, Z=None, **parameters)``: validates the data and returns `Blocks`; one that takes
  long has an argument ``log`` for progress lines as well, and one whose blocks share out their
  work themselves an argument ``threads``;
- optionally ``resolve(X, **parameters)``: replaces parameters that depend on the data;
- optionally ``TAKES``: ``"graph"`` or ``"strings"`` where it is not ``"vectors"``;
- optionally ``SEMIDEFINITE = False``: similarities that are a kernel only when mapped;
- optionally ``OF_PAIRS = True``: a value depends on its two points alone once parameters are
  resolved, so that the kernel can stand for a loss;
- optionally ``BY_ROWS = True``: tiles need nothing that costs as much as the matrix, and a job can
  compute some of its rows alone;
- optionally ``peak(X)``: bytes that ``prepare`` needs for a moment.

After the family's words come transformations, applied from left to right: ``-mapped`` (the
empirical kernel map), ``-centred`` (in feature space) and ``-unit`` (unit diagonal). Last comes
``@view``, the name of the view that the kernel is computed on; without it, it is the data set's X.
"""

from __future__ import annotations

import functools
import importlib
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import numpy as np

from gramworks.errors import KernelError, suggest
from gramworks.fields import NAME_PATTERN, check_name

TRANSFORMS = ("mapped", "centred", "unit")
KERNEL_PATTERN = f"{NAME_PATTERN}(?:@{NAME_PATTERN})?"
"""Identifiers in file names."""
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class KernelId:
    """A parsed kernel identifier."""

    family: str
    """What it begins with, the ``PREFIX`` of a family module."""
    parameters: dict[str, float | int | str] = field(hash=False)
    """Parameters of the family; ``{"width": "median"}`` where the data decide."""
    transforms: tuple[str, ...] = ()
    """Transformations in the order they are applied."""
    view: str | None = None
    """Name of the view it is computed on; None for X."""

    @property
    def id(self) -> str:
        """The canonical identifier: the shortest decimals, no exponents."""
        words = family_module(self.family).format(self.parameters)
        own = "-".join([self.family, *words, *self.transforms])
        return own if self.view is None else f"{own}@{self.view}"


def parse_kernel(identifier: str) -> KernelId:
    """Parse a kernel identifier.

    Parameters
    ----------
    identifier : str
        For example ``linear``, ``poly-d2-o1``, ``gaussian-w0.50-unit``,
        ``diffusion-b1-unit@interactions``.

    Returns
    -------
    KernelId
        Its ``id`` is the canonical form (0.50 becomes 0.5).

    Raises
    ------
    KernelError
        Names the identifier, what is wrong and the forms that are allowed.
    """
    if not isinstance(identifier, str):
        raise KernelError(f"kernel {identifier!r}: an identifier is text. {_forms()}")
    core, at, view = identifier.partition("@")
    if at:
        try:
            check_name(view)
        except ValueError as error:
            raise KernelError(f"kernel {identifier!r}: after @ comes a view; {error}.") from None
    family, words = _family_of(core)
    if family not in families():
        raise KernelError(
            f"kernel {identifier!r}: no family {family!r}; {suggest(family, families())}. "
            f"{_forms()}"
        )
    transforms: list[str] = []
    while words and words[-1] in TRANSFORMS:
        transforms.insert(0, words.pop())
    if len(set(transforms)) < len(transforms):
        raise KernelError(
            f"kernel {identifier!r}: each of {', '.join('-' + t for t in TRANSFORMS)} may stand "
            "once."
        )
    module = family_module(family)
    try:
        parameters = module.parse(words)
    except KernelError as error:
        raise KernelError(f"kernel {identifier!r}: {error} {_forms()}") from None
    kernel = KernelId(family, parameters, tuple(transforms), view if at else None)
    if not getattr(module, "SEMIDEFINITE", True) and "mapped" not in transforms:
        mapped = KernelId(family, parameters, ("mapped", *transforms), kernel.view)
        raise KernelError(
            f"kernel {identifier!r}: these similarities are not positive semidefinite, so no "
            f"kernel; take them under the empirical kernel map: {mapped.id}."
        )
    return kernel


def takes(family: str) -> str:
    """Say what points a family compares: vectors, graph or strings."""
    return getattr(family_module(family), "TAKES", "vectors")


def of_pairs(family: str) -> bool:
    """Tell whether a value of a family depends on its two points alone, not on others beside."""
    return getattr(family_module(family), "OF_PAIRS", False)


def made_by_rows(identifier: str) -> bool:
    """Tell whether jobs can compute rows of a kernel's matrix without computing all of it first."""
    kernel = parse_kernel(identifier)
    by_rows = getattr(family_module(kernel.family), "BY_ROWS", False)
    return by_rows and "mapped" not in kernel.transforms


def needs_sums(identifier: str) -> bool:
    """Tell whether rows of a kernel's matrix need the row sums of the whole one, to be centred."""
    return "centred" in parse_kernel(identifier).transforms


def kernel_module(identifier: str) -> str:
    """Name the module that computes a kernel, a root of the workflow's fingerprint."""
    return family_module(parse_kernel(identifier).family).__name__


@functools.cache
def families() -> dict[str, ModuleType]:
    """Find the families: every `*_kernel.py` of this package, by its ``PREFIX``."""
    package = __name__.rpartition(".")[0]
    found: dict[str, ModuleType] = {}
    for path in sorted(Path(__file__).parent.glob("*_kernel.py")):
        module = importlib.import_module(f"{package}.{path.stem}")
        if module.PREFIX in found:
            raise KernelError(
                f"{path.name} and {found[module.PREFIX].__name__} share PREFIX {module.PREFIX!r}."
            )
        found[module.PREFIX] = module
    return found


def family_module(family: str) -> ModuleType:
    """Return the module of a family by its first word (KernelError if there is none)."""
    try:
        return families()[family]
    except KeyError:
        raise KernelError(f"no kernel family {family!r}; {suggest(family, families())}") from None


def read_number(word: str, letter: str, meaning: str) -> float:
    """Read a word such as ``w0.5``.

    Parameters
    ----------
    word : str
        What was found.
    letter : str
        The letter it begins with.
    meaning : str
        What it is, for the message.

    Returns
    -------
    float
        Non-negative and finite.
    """
    if not word.startswith(letter) or not _NUMBER.fullmatch(word[len(letter) :]):
        raise KernelError(
            f"{word!r} should be {letter} and the {meaning} in plain decimals, "
            f"such as {letter}0.001 (no sign, no exponent)."
        )
    value = float(word[len(letter) :])
    if not math.isfinite(value):
        raise KernelError(f"{word!r}: the {meaning} is too large for a float64.")
    return value


def write_number(value: float) -> str:
    """Write a number in the fewest decimals that read back to it, without exponent."""
    return np.format_float_positional(value, trim="-")


def _family_of(core: str) -> tuple[str, list[str]]:
    """Split an identifier into the longest prefix that fits, or its first word, and the words."""
    words = core.split("-")
    for count in range(len(words), 0, -1):
        family = "-".join(words[:count])
        if family in families():
            return family, words[count:]
    return words[0], words[1:]


def _forms() -> str:
    forms = ", ".join(module.GRAMMAR for module in families().values())
    return (
        f"Allowed: {forms}, each followed by -mapped, -centred and -unit if wanted, in any order, "
        "and by @view for a view of the data set."
    )
