"""The decomposition of centred base kernels, made once for all draws."""

from __future__ import annotations

import numpy as np

from gramworks.methods._left_to_draws import left_to_draws
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Problem
from gramworks.solvers.target_error import KernelEigenpairs, kernel_eigenpairs


def learn(kernels, X, settings, parameters, log) -> dict[str, np.ndarray]:
    """Decompose the kernels that the settings name; the first where they name none."""
    named = [s.get("kernel", parameters.get("kernel")) for s in settings]
    arrays = {}
    for name in dict.fromkeys(name or next(iter(kernels)) for name in named):
        if name in kernels:  # a draw that wants another one says so
            with left_to_draws(f"kernel {name}", log):
                pairs = kernel_eigenpairs(kernels[name])
                arrays |= {f"{name}-values": pairs.values, f"{name}-vectors": pairs.vectors}
    return arrays


def missing_components(found: int, wanted: int) -> dict[str, str]:
    """Say of correlations with components beyond those that there are that they are undefined."""
    return {
        f"correlation-{k}": f"the kernel gives {found} components, {wanted} are asked for"
        for k in range(found + 1, wanted + 1)
    }


def chosen_eigenpairs(problem: Problem, params: OneKernel) -> KernelEigenpairs:
    """Give the eigenpairs of the chosen kernel, computed here where no `learn` has run."""
    name = params.kernel or next(iter(problem.kernels))
    if f"{name}-values" in problem.shared:
        return KernelEigenpairs(problem.shared[f"{name}-values"], problem.shared[f"{name}-vectors"])
    return kernel_eigenpairs(chosen_kernel(problem, params))
