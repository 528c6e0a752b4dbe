"""What K1, K2, ... stand for: said beside the tables and answers that name them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study

_NAMED = re.compile(r"kernel=|(.+-)?weight-\d+$|single-\d+$")
"""Settings, metrics and methods that speak of base kernels by their names."""


def kernel_names(study: Study, datasets: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Say what the names of base kernels mean, where something shown uses them.

    Parameters
    ----------
    study : Study
    datasets : iterable of str
        Whose kernels are meant.
    texts : iterable of str
        Settings, metrics and methods that are shown.

    Returns
    -------
    list of str
        Such as "Kernels: K1 linear, K2 gaussian-w1"; a sentence for each set of kernels, with the
        data sets that have it where there are several.
    """
    if not any(_NAMED.match(text) or ";kernel=" in text for text in texts):
        return []
    sets: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for dataset in dict.fromkeys(datasets):
        known = study.datasets.get(dataset)
        if found := (known and known.kernels) or study.kernels:
            sets.setdefault(tuple(found.items()), []).append(dataset)
    return [
        f"Kernels{' of ' + ', '.join(names) if len(sets) > 1 else ''}: "
        + ", ".join(f"{name} {kernel}" for name, kernel in found)
        for found, names in sets.items()
    ]
