"""Which points of a data set a kernel is computed on: X, or the view that its identifier names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gramworks.datasets.dataset import is_graph, kind_of
from gramworks.errors import KernelError, suggest
from gramworks.kernels.identifiers import parse_kernel, takes

if TYPE_CHECKING:
    from gramworks.datasets.dataset import Dataset, Points
    from gramworks.datasets.entry import Facts

_WORDS = {"vectors": "vectors of features", "graph": "a graph", "strings": "strings"}
_ADVICE = {
    "vectors": "take linear, poly-... or gaussian-...; correlation-t0.8-b1 makes a graph of them",
    "graph": "take diffusion-b1 there",
    "strings": "take a kernel on strings there, such as subsequence-l3-d0.5, or "
    "smith-waterman-mapped on proteins",
}


def points_for(dataset: Dataset, kernel: str) -> Points:
    """Return the points of a data set that a kernel is computed on.

    Raises
    ------
    KernelError
        No such view, or points that the kernel does not compare; says what is there.
    """
    kinds = {None: _kind(dataset.X, False)}
    kinds |= {name: _kind(view, is_graph(view)) for name, view in dataset.views.items()}
    _check(kernel, kinds, f"data set {dataset.id!r}")
    view = parse_kernel(kernel).view
    return dataset.X if view is None else dataset.views[view]


def check_points(facts: Facts, kernel: str, dataset: str) -> None:
    """Check the same before there are data, by what the registry says of the data set.

    Raises
    ------
    KernelError
        As `points_for`.
    """
    kinds = {None: "strings" if facts.columns is None else "vectors"}
    for name, view in facts.views.items():
        graph = view.nonzeros is not None and view.columns == facts.rows
        kinds[name] = "graph" if graph else "strings" if view.columns is None else "vectors"
    _check(kernel, kinds, f"data set {dataset!r}")


def _kind(points: Points, graph: bool) -> str:
    if kind_of(points) == "strings":
        return "strings"
    return "graph" if graph else "vectors"


def _check(kernel: str, kinds: Mapping[str | None, str], where: str) -> None:
    parsed = parse_kernel(kernel)
    views = [name for name in kinds if name is not None]
    if parsed.view not in kinds:
        known = suggest(parsed.view, views) if views else "it has none: leave out @ and the name"
        raise KernelError(f"kernel {kernel!r}: {where} has no view {parsed.view!r}; {known}.")
    found, wanted = kinds[parsed.view], takes(parsed.family)
    if found == wanted:
        return
    what = "X" if parsed.view is None else f"view {parsed.view!r}"
    fitting = [name for name in views if kinds[name] == wanted]
    other = f", or name a view with @: {', '.join(fitting)}" if fitting else ""
    raise KernelError(
        f"kernel {kernel!r}: {what} of {where} is {_WORDS[found]}, and {parsed.family} compares "
        f"{_WORDS[wanted].replace('a graph', 'nodes of a graph')}; {_ADVICE[found]}{other}."
    )
