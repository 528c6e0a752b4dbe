"""Base kernels for points nobody has looked at: linear, polynomial, Gaussians around the median."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gramworks.datasets.dataset import kind_of
from gramworks.datasets.normalisation import normalise_dataset
from gramworks.errors import DataError, KernelError
from gramworks.kernels.gaussian_kernel import median_width
from gramworks.kernels.identifiers import families, write_number
from gramworks.owndata.findings import Findings, counted

if TYPE_CHECKING:
    from gramworks.datasets.dataset import Dataset, Points

WIDTH_FACTORS = (0.25, 0.5, 2.0)
"""Further widths, relative to the median distance."""
MOST_WIDTHS_OF_VIEWS = 2
MOST_LETTERS = 150_000
"""Of all strings; comparing subsequences takes time in the square of it."""
STRING_KERNELS = {"subsequence": "subsequence-l3-d0.5", "spectrum": "spectrum-l3"}
"""Family to the kernel that is taken of it, where the family is there."""


@dataclass
class KernelChoice:
    """Kernels of a study, by the names K1, K2, ..."""

    recipe: str
    """Normalisation of the points before."""
    kernels: dict[str, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    width_factors: dict[str, float] = field(default_factory=dict)
    """Width of each Gaussian kernel, by its name, relative to the median distance."""
    gaussian: str | None = None
    """Identifier of one Gaussian kernel at the median width, for methods that vary the width."""

    def add(self, identifier: str, comment: str, width_factor: float | None = None) -> None:
        """Add a kernel; of a Gaussian one, state its width relative to the median distance."""
        name = f"K{len(self.kernels) + 1}"
        self.kernels[name], self.comments[name] = identifier, comment
        if width_factor is not None:
            self.width_factors[name] = width_factor

    def typical(self) -> list[str]:
        """Name two kernels for methods that take one: a local and a global one, where there are."""
        names = list(self.kernels)
        local = next((n for n in names if "median" in self.kernels[n]), names[-1])
        other = next((n for n in names if n != local), local)
        return list(dict.fromkeys([local, other]))

    def narrow(self) -> list[str]:
        """Name the Gaussian kernels below the median width, the narrowest first."""
        below = [name for name, factor in self.width_factors.items() if factor < 1]
        return sorted(below, key=self.width_factors.__getitem__)


def choose_kernels(dataset: Dataset, findings: Findings) -> KernelChoice:
    """Choose the normalisation and the kernels for a data set.

    Widths are computed on all points after normalisation, without labels.

    Raises
    ------
    DataError
        Strings, and no kernel on strings.
    """
    kind = kind_of(dataset.X)
    recipe = {"dense": "standardise", "csr": "unit-rows", "strings": "none"}[kind]
    choice = KernelChoice(recipe)
    made = normalise_dataset(dataset, recipe)
    parts = any(kind_of(view) == "dense" for view in made.views.values())
    if kind == "dense" and parts:  # X holds the features of all parts
        _add_gaussian(choice, made.X, "", "all features together", findings)
    else:
        _add(choice, made.X, "", findings, every_width=not made.views or kind == "dense")
    for name, view in made.views.items():
        _add(choice, view, f"@{name}", findings, every_width=False)
    return choice


def choose_precomputed(dataset: Dataset) -> KernelChoice:
    """Take each given Gram matrix as a kernel, on a scale of its own."""
    choice = KernelChoice("none")
    for name in dataset.views:
        if (np.diagonal(dataset.views[name]) > 0).all():
            choice.add(f"precomputed-unit@{name}", "as given, scaled to unit diagonal")
        else:
            choice.add(f"precomputed@{name}", "as given; a point has no similarity to itself")
    return choice


def _add(choice: KernelChoice, X: Points, at: str, findings: Findings, every_width: bool) -> None:
    if isinstance(X, list):
        _add_strings(choice, X, at, findings)
        return
    zero = int((_squared_lengths(X) == 0).sum())
    if zero:
        findings.warn(
            f"{counted(zero, 'row')} of {X.shape[0]} are zero in all features, and so like no "
            "other under the linear kernel, which is therefore not scaled to unit diagonal"
        )
        choice.add(f"linear{at}", "linear; not scaled, since some rows are zero")
    else:
        choice.add(f"linear-unit{at}", "linear, scaled to unit diagonal")
    if every_width:
        choice.add(f"poly-d2-o1-unit{at}", "all products of two features")
    width = _add_gaussian(choice, X, at, "width: the median distance of two points", findings)
    for factor in WIDTH_FACTORS if every_width else ():
        rounded = float(f"{width * factor:.3g}")
        identifier = f"gaussian-w{write_number(rounded)}{at}"
        choice.add(identifier, f"{factor:g} times the median", factor)


def _squared_lengths(X: Points) -> np.ndarray:
    squares = X.multiply(X) if hasattr(X, "multiply") else X * X
    return np.asarray(squares.sum(axis=1)).ravel()


def _add_gaussian(
    choice: KernelChoice, X: Points, at: str, comment: str, findings: Findings
) -> float:
    try:
        width, word = median_width(X), "median"
    except KernelError:
        width = float(f"{np.sqrt(2 * X.shape[1]):.3g}")
        word = f"w{write_number(width)}"
        comment = "the median distance is 0; this is that of standardised points"
        findings.warn(
            "more than half of all pairs of points are equal, so that their median distance is 0; "
            f"the widths are chosen around {width:g} instead"
        )
    identifier = f"gaussian-{word}{at}"
    choice.gaussian = choice.gaussian or identifier
    choice.add(identifier, comment, 1.0)
    return width


def _add_strings(choice: KernelChoice, X: list[str], at: str, findings: Findings) -> None:
    found = [kernel for family, kernel in STRING_KERNELS.items() if family in families()]
    letters = sum(map(len, X))
    if letters > MOST_LETTERS and len(found) > 1:
        findings.warn(
            f"the strings have {letters} letters in all, too many to compare their subsequences in "
            f"short time: {found.pop(0)} is left out"
        )
    if not found:
        raise DataError(
            f"no kernel on strings is among {', '.join(families())}; leave the strings out with "
            "--ignore, or make them features."
        )
    for kernel in found:
        choice.add(f"{kernel}{at}", "shared subsequences or substrings of three letters")
