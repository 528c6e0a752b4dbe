"""What a job that runs draws reads: the files that the rules `fit` and `predict` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gramworks.datasets.splits import read_splits
from gramworks.datasets.store import read_dataset
from gramworks.gram import read_gram
from gramworks.label_tasks import group_against_rest
from gramworks.shared import read_shared


def read_draws(inputs: Any, slice_: Mapping[str, Any]) -> dict[str, Any]:
    """Read the inputs of a job.

    Parameters
    ----------
    inputs : object
        With the paths ``table``, ``splits``, ``grams`` (in the order of the slice's kernels) and
        ``shared`` (one or none).
    slice_ : mapping
        As `gramworks.plan.Plan.fit_slice` makes it.

    Returns
    -------
    dict
        Arguments of `gramworks.draws.run_draws` but for the method, the study and the repeats.
    """
    names = [name for name, _ in slice_["kernels"]]
    kernels = {name: read_gram(path) for name, path in zip(names, inputs.grams, strict=True)}
    for K in kernels.values():
        K.setflags(write=False)
    data, positive = read_dataset(inputs.table), slice_.get("positive")
    return {
        "settings": slice_["settings"],
        "parameters": slice_["parameters"],
        "dataset": group_against_rest(data, positive) if positive else data,
        "splits": read_splits(inputs.splits),
        "kernels": kernels,
        "output_kernel": slice_.get("output_kernel"),
        "shared": read_shared(inputs.shared[0]) if inputs.shared else None,
    }
