"""What a job that runs draws reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits, read_splits
from gramworks.datasets.store import read_dataset
from gramworks.gram import read_gram
from gramworks.label_tasks import group_against_rest
from gramworks.methods.registry import READ_WHOLE, load_method
from gramworks.shared import read_shared
from gramworks.stored_grams import GramRows


class DrawInputs:
    """The input files of a job, each read once however many pieces need it.

    Parameters
    ----------
    inputs : object
        With the paths ``table``, ``splits``, ``grams`` (named by their kernels) and ``shared``
        (named by their methods).
    """

    def __init__(self, inputs: Any) -> None:
        self._table, self._splits = str(inputs.table), str(inputs.splits)
        self._grams = {_stem(path): str(path) for path in inputs.grams}
        self._shared = {_stem(path): str(path) for path in inputs.shared}
        self._kernels: dict[str, np.ndarray] = {}

    def paths(self, method: str, slice_: Mapping[str, Any]) -> list[str]:
        """List the files that a method reads."""
        grams = [self._grams[kernel] for _, kernel in slice_["kernels"]]
        shared = [self._shared[method]] if method in self._shared else []
        return [self._table, self._splits, *grams, *shared]

    def read(self, method: str, slice_: Mapping[str, Any]) -> dict[str, Any]:
        """Read what a method needs; Gram matrices that it does not need are let go.

        Parameters
        ----------
        method : str
        slice_ : mapping
            As `gramworks.plan.Plan.fit_slice` makes it.

        Returns
        -------
        dict
            Arguments of `gramworks.draws.run_draws` but for the method, the study and the repeats.
        """
        wanted = dict(slice_["kernels"])
        self._kernels = {k: K for k, K in self._kernels.items() if k in wanted.values()}
        use = load_method(method).widest_gram_use(slice_["settings"], slice_["parameters"], method)
        kernels = {name: self._kernel(kernel, use) for name, kernel in wanted.items()}
        data, positive = self.dataset, slice_.get("positive")
        return {
            "settings": slice_["settings"],
            "parameters": slice_["parameters"],
            "dataset": group_against_rest(data, positive) if positive else data,
            "splits": self.splits,
            "kernels": kernels,
            "output_kernel": slice_.get("output_kernel"),
            "shared": read_shared(self._shared[method]) if method in self._shared else None,
        }

    def _kernel(self, kernel: str, use: str) -> np.ndarray | GramRows:
        """Give a matrix, or its rows as they are asked for where these are all that is needed."""
        path = self._grams[kernel]
        if kernel not in self._kernels:
            rows = GramRows(path)
            if use == "eigenpairs" or (use == "rows" and 8 * len(rows) ** 2 > READ_WHOLE):
                return rows
            self._kernels[kernel] = read_gram(path)
            self._kernels[kernel].setflags(write=False)
        return self._kernels[kernel]

    @cached_property
    def dataset(self) -> Dataset:
        """The normalised data set."""
        return read_dataset(self._table)

    @cached_property
    def splits(self) -> dict[str, Splits]:
        """Splits by setting."""
        return read_splits(self._splits)


def _stem(path: str | Path) -> str:
    # not Path.stem of gaussian-w0.5, which has a dot of its own: only .h5 goes
    return Path(path).name.removesuffix(".h5")
