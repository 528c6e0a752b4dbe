"""SVMs of one class against the rest, over a grid of C."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramworks.solvers.svm_dual import solve_svm


class Machines(NamedTuple):
    """The machines of one C: y_i alpha_i (q, l), intercepts (q,), and how the search ended."""

    coefficients: np.ndarray
    intercepts: np.ndarray
    converged: bool
    n_iter: int


def solve_path(K, signs, C_grid, *, tol=1e-3, max_iter=100_000):
    """Solve the machines of all label rows for every C.

    Where no coefficient of a machine sits at its bound, no larger C changes the machine: it is
    taken over instead of being solved again.

    Parameters
    ----------
    K : ndarray of shape (l, l)
    signs : ndarray of shape (q, l)
        Labels -1 and +1, a row for each machine.
    C_grid : sequence of float, ascending
    tol : float
        LIBSVM's tolerance.
    max_iter : int
        Cap on LIBSVM's steps for each machine and C.

    Yields
    ------
    Machines
        `converged` where all met `tol`; `n_iter` sums LIBSVM's steps.
    """
    machines, bound = None, 0.0
    for C in C_grid:
        machines = [
            machines[row]
            if machines and machines[row].converged and machines[row].alpha.max() < bound
            else solve_svm(K, y, C, tol=tol, max_iter=max_iter)
            for row, y in enumerate(signs)
        ]
        bound = C
        yield Machines(
            signs * [machine.alpha for machine in machines],
            np.array([machine.intercept for machine in machines]),
            all(machine.converged for machine in machines),
            sum(machine.n_iter for machine in machines),
        )


def solve_ridge_path(K, signs, C_grid, *, tol=1e-3, max_iter=100_000):
    """Solve the 2-norm soft margin machines, 1/C on the diagonal, for every C.

    Parameters, and what is yielded, as of `solve_path`.
    """
    for C in C_grid:
        gram = K.copy()
        gram[np.diag_indices_from(gram)] += 1.0 / C
        # with w = 0 the criterion is l C: no coefficient can be larger
        yield from solve_path(gram, signs, [C * K.shape[0]], tol=tol, max_iter=max_iter)
