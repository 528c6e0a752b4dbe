"""The kernel of least 1-norm soft margin criterion among nonnegative combinations.

Lanckriet et al., JMLR 5 (2004), Theorem 17 and (34): minimise over mu >= 0, sum_i mu_i r_i = c
the convex function omega_C(sum_i mu_i K_i), omega_C(K) = max_a 2a'e - a'G(K)a over
0 <= a <= C, a'y = 0. At fixed a the bracket is affine in mu, so that each machine fitted gives a
cut that is valid everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError, KernelError
from gramworks.solvers.bundle import Cut, minimise_on_simplex, relative_gap
from gramworks.solvers.proved_products import EPS, multiply
from gramworks.solvers.svm_dual import SvmSolution, lengthen, solve_svm


@dataclass(frozen=True)
class MarginSolution:
    """Weights of the base kernels, and the machines of the combined kernel.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        mu; exactly 0 for kernels of zero trace.
    omega : float
        The criterion at the weights, an upper bound of its minimum; summed over label rows.
    objective : float
        omega / 2, as the paper's tables print it.
    gap : float
        (upper - lower) / upper of omega, certified.
    converged : bool
        Whether `gap` is as small as was asked.
    n_iter, n_svm : int
        Cutting planes, and machines fitted for them.
    bounds : list of (float, float)
        Lower and upper bound of omega after every cut.
    machines : list of SvmSolution
        One for each row of labels.
    """

    weights: np.ndarray
    omega: float
    gap: float
    converged: bool
    n_iter: int
    n_svm: int
    bounds: list[tuple[float, float]]
    machines: list[SvmSolution]

    @property
    def objective(self) -> float:
        """Half of omega, |w|^2/2 + C sum xi."""
        return 0.5 * self.omega


def minimise_soft_margin(
    grams, signs, traces, C, *, total=None, gap=1e-6, max_iter=300, max_steps=1_000_000
):
    """Minimise omega_C(sum_i mu_i K_i) over mu >= 0 with sum_i mu_i traces_i = total.

    Parameters
    ----------
    grams : sequence of m ndarrays of shape (l, l)
        Positive semidefinite base kernels on the labelled points; read only.
    signs : ndarray of shape (l,) or (q, l)
        Labels -1 and +1; with q rows the sum of the q criteria is minimised.
    traces : ndarray of shape (m,)
        Traces over all points, labelled or not.
    C : float
        Bound of the dual coefficients, positive and finite.
    total : float, optional
        Trace of the combined kernel; default: the sum of `traces`.
    gap : float
        Wanted relative gap between the certified bounds.
    max_iter : int
        Cap on cutting planes.
    max_steps : int
        Cap on LIBSVM's steps in one machine.

    Returns
    -------
    MarginSolution

    Raises
    ------
    FitError
        C, total or the labels are not usable.
    KernelError
        A trace is negative or not finite, or all are zero.
    """
    signs = np.atleast_2d(np.asarray(signs, dtype=np.float64))
    traces = np.asarray(traces, dtype=np.float64)
    used = _usable(traces)
    total = float(traces.sum()) if total is None else float(total)
    if not (np.isfinite(total) and total > 0):
        raise FitError(f"the trace of the combined kernel is {total!r}; allowed: a positive number")
    if not gap > 0:
        raise FitError(f"the wanted relative gap is {gap!r}; allowed: a positive number")

    # every kernel at the full trace: the weights become shares in the simplex, whatever the
    # scale of a kernel
    scales = total / traces[used]
    blocks = [np.asarray(grams[i], dtype=np.float64) * s for i, s in zip(used, scales, strict=True)]
    n_svm = 0

    def evaluate(shares, accuracy):
        nonlocal n_svm
        combined = sum(share * block for share, block in zip(shares, blocks, strict=True) if share)
        machines = [solve_svm(combined, y, C, gap=accuracy, max_iter=max_steps) for y in signs]
        n_svm += len(machines)
        signed = [y * machine.alpha for y, machine in zip(signs, machines, strict=True)]
        return Cut(
            value=2.0 * sum(machine.primal for machine in machines),
            # less what the coefficients lack of a'y = 0: the cut holds as computed
            constant=2.0 * sum(_total(machine) for machine in machines),
            slope=-np.array(
                [
                    sum(
                        _square(block, v, 1e-2 * gap * machine.primal, machine.residual)
                        for v, machine in zip(signed, machines, strict=True)
                    )
                    for block in blocks
                ]
            ),  # fmt: skip
            payload=machines,
        )

    found = minimise_on_simplex(evaluate, len(blocks), gap=gap, max_iter=max_iter)
    weights = np.zeros(traces.shape[0])
    weights[used] = scales * found.point
    return MarginSolution(
        weights=weights,
        omega=found.best.value,
        gap=relative_gap(found.best.value, found.lower),
        converged=found.gap <= gap,
        n_iter=found.n_iter,
        n_svm=n_svm,
        bounds=found.bounds,
        machines=found.best.payload,
    )


def _usable(traces):
    for i, trace in enumerate(traces):
        if not np.isfinite(trace) or trace < 0:
            raise KernelError(
                f"kernel {i} has trace {trace:g}; a positive semidefinite kernel has a finite "
                "trace that is not negative"
            )
    used = np.flatnonzero(traces > np.finfo(float).tiny)
    if used.size == 0:
        raise KernelError(
            f"all {len(traces)} kernels have trace 0, so that no weights reach a positive trace; "
            "give at least one kernel that is not zero"
        )
    return used


def _total(machine):
    return (math.fsum(machine.alpha) - machine.residual) * (1 - 4 * EPS)


def _square(block, v, allowed, residual):
    """Bound v'Kv from above; only the rows and columns of support vectors where these are few."""
    support = np.flatnonzero(v)
    if support.size == 0:
        return 0.0
    if support.size < 0.4 * v.size:
        block, v = block[np.ix_(support, support)], v[support]
    *_, square, error = multiply(block, v, allowed)
    return lengthen(max(square + error, 0.0), residual, block) * (1 + 8 * EPS)
