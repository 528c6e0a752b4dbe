"""The kernel between outputs, which stands for the loss: what a study states, ready to compute.

|Phi(y) - Phi(y')|^2 = l(y, y) + l(y', y') - 2 l(y, y') (Weston et al. 2002, section 2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gramworks.datasets.dataset import OUTPUT_TASKS
from gramworks.errors import KernelError
from gramworks.kernels.identifiers import families, family_module, of_pairs, parse_kernel, takes
from gramworks.kernels.output_kernels import zero_one
from gramworks.kernels.tiles import fill
from gramworks.kernels.transforms import normalise

if TYPE_CHECKING:
    from gramworks.datasets.dataset import Dataset

Outputs = np.ndarray | list[str]
CLASSES, NUMBERS = "zero-one", "linear"
"""Output kernels of classes and of real values, which no study states."""
_PAIRS = 256  # losses computed at a time


@dataclass(frozen=True)
class OutputKernel:
    """One kernel between outputs, its parameters fixed."""

    id: str
    """zero-one for classes, else a kernel identifier"""
    parameters: dict[str, Any] = field(default_factory=dict, hash=False)
    """Of its family; what depends on the data was resolved on all outputs of the data set, since
    it is part of the loss"""

    def gram(self, outputs: Outputs) -> np.ndarray:
        """Compute the Gram matrix of outputs.

        Parameters
        ----------
        outputs : (n,) class codes or real values, (n, k) vectors, or n strings

        Returns
        -------
        ndarray of shape (n, n), float64
            Of the linear kernel with the outputs' mean as origin: no loss changes, and outputs far
            from zero keep their digits.
        """
        if self.id == CLASSES:
            return zero_one(outputs)
        kernel = parse_kernel(self.id)
        if isinstance(outputs, np.ndarray) and outputs.ndim == 1:
            outputs = outputs[:, None]
        if self.id == NUMBERS:
            outputs = outputs - outputs.mean(axis=0)
        L = fill(family_module(kernel.family).prepare(outputs, **self.parameters))
        if "unit" in kernel.transforms:
            L = normalise(L)  # by each output alone: no size of others tells what is zero
        return L

    def losses(self, truth: Outputs, predicted: Outputs) -> np.ndarray:
        """Compute |Phi(y) - Phi(y^)|^2 of each pair of outputs.

        Parameters
        ----------
        truth, predicted : n outputs each

        Returns
        -------
        ndarray of shape (n,)
            Not negative; 0 for equal outputs.
        """
        if self.id == NUMBERS:  # from the differences, which lose nothing
            gaps = np.subtract(truth, predicted).reshape(len(truth), -1)
            return np.einsum("ij,ij->i", gaps, gaps)
        found = []
        for start in range(0, len(truth), _PAIRS):
            pair = truth[start : start + _PAIRS], predicted[start : start + _PAIRS]
            n = len(pair[0])
            both = [*pair[0], *pair[1]] if isinstance(truth, list) else np.concatenate(pair)
            L = self.gram(both)
            squares = np.diagonal(L)
            found.append(squares[:n] + squares[n:] - 2.0 * np.diagonal(L, n))
        return np.maximum(np.concatenate(found), 0.0)


def output_kernel_of(dataset: Dataset, identifier: str | None) -> OutputKernel:
    """Make the output kernel of a data set.

    Parameters
    ----------
    dataset : Dataset
    identifier : str or None
        What the study states: a kernel identifier where outputs are strings or vectors, None for
        classes (zero-one) and real values (linear).

    Raises
    ------
    KernelError
        No identifier, or one that does not compare such outputs.
    """
    if dataset.task not in OUTPUT_TASKS:
        if identifier is not None:
            raise KernelError(f"output_kernel {identifier!r}: {misfit(dataset.task, identifier)}.")
        return OutputKernel(NUMBERS if dataset.task == "regression" else CLASSES)
    reason = misfit(dataset.task, identifier)
    if reason:
        raise KernelError(f"output_kernel {identifier!r} on data set {dataset.id!r}: {reason}.")
    kernel = parse_kernel(identifier)
    family, parameters = family_module(kernel.family), kernel.parameters
    if hasattr(family, "resolve"):
        parameters = family.resolve(dataset.y, **parameters)
    return OutputKernel(kernel.id, parameters)


def misfit(task: str, identifier: str | None) -> str:
    """Say what is wrong with an output kernel for a task; empty when nothing is.

    Raises
    ------
    KernelError
        An unknown identifier.
    """
    if task not in OUTPUT_TASKS:
        if identifier is None:
            return ""
        return f"the task is {task}, whose output kernel is fixed; leave output_kernel out"
    wanted, example = {
        "structured": ("strings", "subsequence-l3-d0.01"),
        "vectors": ("vectors", "gaussian-median"),
    }[task]
    if identifier is None:
        return f"outputs are {wanted}; state the kernel between them, such as {example}"
    kernel = parse_kernel(identifier)
    if takes(kernel.family) != wanted:
        return f"outputs are {wanted}; state a kernel that compares them, such as {example}"
    if not of_pairs(kernel.family):
        usable = ", ".join(
            name for name in sorted(families()) if of_pairs(name) and takes(name) == wanted
        )
        return (
            f"{kernel.family} compares two points by all others beside them, so that a loss would "
            f"depend on what else is predicted; state one of {usable}"
        )
    if kernel.view is not None or {"centred", "mapped"} & {*kernel.transforms}:
        return "an output kernel has no view, and is neither centred nor mapped; -unit is allowed"
    return ""
