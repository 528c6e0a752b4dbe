"""What the methods share that take one of the study's base kernels."""

from __future__ import annotations

import numpy as np

from gramworks.fields import Name, StrictModel
from gramworks.problem import Problem, Skip


class OneKernel(StrictModel):
    """Settings of methods that take one kernel."""

    kernel: Name | None = None
    """Which of the study's kernels, for example K2; null: the first."""


def chosen_kernel(problem: Problem, params: OneKernel) -> np.ndarray:
    """Return the Gram matrix (n, n) that ``params.kernel`` names."""
    name = params.kernel or next(iter(problem.kernels))
    if name not in problem.kernels:
        raise Skip(f"there is no kernel {name!r}; the study has {', '.join(problem.kernels)}")
    return problem.kernels[name]
