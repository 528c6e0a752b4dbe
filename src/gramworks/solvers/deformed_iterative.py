"""The deformed kernel by preconditioned conjugate gradients with the structured product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.solvers.conjugate_gradients import conjugate_gradients
from gramworks.solvers.deformed_dense import relative_residuals

SINGLE_TOL = 1e-5  # down to here the products may be of float32
_BATCH = 2**23  # numbers in a block of right-hand sides
_ROUNDS = 4  # times that what rounding left is solved for again


@dataclass(frozen=True)
class IterativeDeformation:
    """A deformed kernel and how near it is.

    Attributes
    ----------
    kernel : ndarray of shape (t, t)
        Exactly symmetric, and semidefinite to rounding whatever the residuals.
    solution : ndarray of shape (t, p)
        b_a, rows near (I / (2 nu) + N)^-1 Z.
    residual : float
        Largest relative residual |Z_a - (I / (2 nu) + N) b_a| / |Z_a|, worked out anew in float64.
    error : float
        Bound on what any entry of the kernel may be off: 2 nu max |Z_a - (I / (2 nu) + N) b_a|^2,
        since the inverse is at most 2 nu.
    iterations : int
        Of the slowest right-hand side.
    """

    kernel: np.ndarray
    solution: np.ndarray
    residual: float
    error: float
    iterations: int


def deform_iteratively(
    system, nu, preconditioner, *, tol, max_iterations=1000, single=None, log=None
) -> IterativeDeformation:
    """Deform a kernel: K~ = K - Z' (I / (2 nu) + N)^-1 Z, solved to a relative residual.

    From b_a with residuals r_a the kernel is K - Z'B - B'R (symmetric, since B'R is B'Z - B'AB with
    A = I / (2 nu) + N). It differs from the deformed one by R' A^-1 R alone: of second order in the
    residuals, and never below it, hence semidefinite.

    Parameters
    ----------
    system : FunctionalSystem
    nu : float
    preconditioner : Preconditioner
        Of this system.
    tol : float
        Relative residual wanted of every right-hand side.
    max_iterations : int
        Of a right-hand side; where they do not suffice, `residual` says so.
    single : bool, optional
        Products in float32, residuals in float64. Default: where `tol` is at least 1e-5.
    log : callable, optional
        Receives progress lines.

    Returns
    -------
    IterativeDeformation
        Memory: twice t x p numbers of the working precision.
    """
    t, p = system.points, system.count
    single = tol >= SINGLE_TOL if single is None else single
    kind = np.float32 if single else np.float64
    working = system.single() if single else system
    inverse = preconditioner.at(nu, kind)
    shift = kind(0.5 / nu)
    B, R = np.empty((t, p), kind), np.empty((t, p), kind)
    values = np.empty((t, t))
    residuals, sizes, most = np.empty(t), np.empty(t), 0
    step = max(1, min(t, _BATCH // p))

    def multiply(P):
        product = working.product(P)[0]
        product += shift * P
        return product

    for start in range(0, t, step):
        rows = slice(start, min(start + step, t))
        Z = system.columns(rows)
        b, missed, aim, used = np.zeros_like(Z), Z, tol, 0
        for _ in range(_ROUNDS):
            more, _, count = conjugate_gradients(
                multiply, inverse, missed.astype(kind), tol=0.9 * aim,
                max_iterations=max_iterations - used,
            )  # fmt: skip
            used += count
            b = (b + more).astype(kind).astype(np.float64)
            NB, values[rows] = system.product(b)
            missed = Z - NB - b / (2.0 * nu)
            found = relative_residuals(Z, Z - missed)
            worst = found.max(initial=0.0)
            if worst <= tol or used >= max_iterations:
                break
            aim = tol / worst  # of the smaller right-hand side that is left
        B[rows], R[rows] = b, missed
        residuals[rows], sizes[rows] = found, np.linalg.norm(missed, axis=1)
        most = max(most, used)
        if log is not None:
            log(
                f"nu = {nu:g}: {rows.stop} of {t} columns, {used} iterations, "
                f"relative residual {found.max(initial=0.0):.1e}"
            )
    kernel = system.expansion.gram - values - B @ R.T
    return IterativeDeformation(
        0.5 * (kernel + kernel.T), B, float(residuals.max(initial=0.0)),
        float(2.0 * nu * sizes.max(initial=0.0) ** 2), most,
    )  # fmt: skip
