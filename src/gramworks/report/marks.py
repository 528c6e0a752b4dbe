"""Look of a method, class or kernel: colour, line and shape, so that any one of the three may fail.

A method has one look in all figures of all studies: it goes by the method's name alone.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gramworks.report.figures import INK

if TYPE_CHECKING:
    import pandas as pd

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", INK,
)  # fmt: skip
"""Okabe and Ito's colours; yellow, which white paper swallows, is a brown."""
MARKERS = "os^vDPX*"
LINES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""Solid, dashed, dotted, dash-dotted: one for each round through the colours."""
ORDER = (
    "cluster-kernel", "svm", "transductive-svm", "random-walk",
    "spectral-representation", "label-propagation", "self-training", "label-spreading",
    "margin-nonnegative", "margin-free", "alignment-nonnegative", "alignment-free",
    "centred-alignment", "invariance", "uniform", "majority",
    "kernel-dependency", "optimal-target", "kernel-ridge", "knn",
    "kernel-pca", "hopfield", "svm-one-vs-rest", "mixture-kernel",
    "transductive-linear-discrimination", "virtual-sample-svm", "laplacian-svm", "svm-gaussian-cv",
    "oracle", "single-2", "single-3", "single-1",
)  # fmt: skip
"""Methods whose looks are chosen: those of one paper differ in colour where they can, and those of
one study in shape where it has no more than there are shapes, or in line and colour else. Others
need no place here, they get looks of further rounds."""


@dataclass(frozen=True)
class Mark:
    """How something is drawn."""

    colour: str
    line: str | tuple
    marker: str


def colour(place: int) -> str:
    """Give the colour of the n-th thing in a plot."""
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    """Give the shape of the n-th thing in a plot: pairs with a colour repeat after 64."""
    return MARKERS[shifted(place) % len(MARKERS)]


def mark(place: int) -> Mark:
    """Give the look of the n-th thing in a plot."""
    return Mark(colour(place), LINES[place // len(COLOURS) % len(LINES)], marker(place))


def shifted(place: int) -> int:
    """Shift every further round through the colours, so that pairs with a shape are new."""
    return place + 3 * (place // len(COLOURS))


def places(names: Iterable[str]) -> dict[str, int]:
    """Give each name a number, by its first appearance."""
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def method_mark(method: str) -> Mark:
    """Give the look of a method, whatever else is in the plot."""
    if method in ORDER:
        return mark(ORDER.index(method))
    number = re.search(r"-(\d{1,9})$", method)  # members of a family stand one after the other
    further = int(number[1]) if number else zlib.crc32(method.encode("utf-8", "replace"))
    return mark(len(ORDER) + further % len(ORDER))


def marks_of(lines: pd.DataFrame, labels: list[str]) -> dict[str, Mark]:
    """Give the look of each label: its method's; one a label where settings of a method compete.

    Parameters
    ----------
    lines : DataFrame
        Rows with a ``method``.
    labels : list of str
        Of these rows, as from `gramworks.report.score_lines.labels_of`.
    """
    methods = dict(zip(labels, lines["method"], strict=True))
    used = {(method,) for label, method in methods.items() if label == method}
    free = (place for place in itertools.count() if ORDER[place : place + 1] not in used)
    return {
        label: method_mark(method) if label == method else mark(next(free))
        for label, method in methods.items()
    }
