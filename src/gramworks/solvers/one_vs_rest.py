"""SVMs of one class against the rest, for one C or over a grid of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gramworks.solvers.svm_certificate import find_intercept
from gramworks.solvers.svm_dual import solve_svm


class Machines(NamedTuple):
    """The machines of one C: y_i alpha_i (q, l), intercepts (q,), and how the search ended."""

    coefficients: np.ndarray
    intercepts: np.ndarray
    converged: bool
    n_iter: int


def solve_machines(K, signs, C, *, tol=1e-3, max_iter=100_000):
    """Solve the 1-norm soft margin machines of all label rows by LIBSVM.

    Parameters
    ----------
    K, signs, tol, max_iter
        As of `solve_path`.
    C : float

    Returns
    -------
    Machines
    """
    found = [solve_svm(K, y, C, tol=tol, max_iter=max_iter) for y in signs]
    return Machines(
        signs * [machine.alpha for machine in found],
        np.array([machine.intercept for machine in found]),
        all(machine.converged for machine in found),
        sum(machine.n_iter for machine in found),
    )


def solve_path(K, signs, C_grid, *, tol=1e-3, max_iter=100_000):
    """Solve the 1-norm soft margin machines of all label rows for every C.

    Parameters
    ----------
    K : ndarray of shape (l, l)
    signs : ndarray of shape (q, l)
        Labels -1 and +1, a row for each machine.
    C_grid : sequence of float, ascending
    tol : float
        LIBSVM's tolerance.
    max_iter : int
        Cap on two-coefficient steps for each machine and C.

    Returns
    -------
    list of Machines
        One for each C; `converged` where all met `tol`; `n_iter` sums their steps.
    """
    C_grid = np.asarray(C_grid, dtype=np.float64)
    return _solve(K, signs, C_grid, np.zeros(C_grid.size), tol, max_iter)


def solve_ridge_path(K, signs, C_grid, *, tol=1e-3, max_iter=100_000):
    """Solve the 2-norm soft margin machines, 1/C on the diagonal, for every C.

    Parameters, and what is returned, as of `solve_path`.
    """
    C_grid = np.asarray(C_grid, dtype=np.float64)
    # with w = 0 the criterion is l C: no coefficient can be larger
    return _solve(K, signs, C_grid * K.shape[0], 1.0 / C_grid, tol, max_iter)


def _solve(K, signs, bounds, ridges, tol, max_iter):
    from gramworks.solvers.sequential_minimal import minimise_path  # numba takes long to import

    paths = [minimise_path(K, y, bounds, ridges, tol=tol, max_iter=max_iter) for y in signs]
    machines = []
    for number in range(bounds.size):
        intercepts = [
            find_intercept(scores[number], y)[0]
            for (_, scores, _, _), y in zip(paths, signs, strict=True)
        ]
        machines.append(
            Machines(
                signs * [alphas[number] for alphas, *_ in paths],
                np.array(intercepts),
                all(converged[number] for *_, converged in paths),
                int(sum(steps[number] for _, _, steps, _ in paths)),
            )
        )
    return machines
