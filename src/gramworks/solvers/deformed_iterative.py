"""The deformed kernel by preconditioned block conjugate gradients with the structured product."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from gramworks.solvers.block_conjugate_gradients import block_conjugate_gradients
from gramworks.solvers.deformed_dense import relative_residuals

SINGLE_TOL = 1e-5  # down to here the products may be of float32
_BLOCK = 96_000_000  # numbers in a block of right-hand sides, of which there are five
_CHUNK = 8  # right-hand sides whose products are worked out together
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
        Memory: twice t x p numbers of the working precision, and about 5e8 more for large p.
    """
    t, p = system.points, system.count
    single = tol >= SINGLE_TOL if single is None else single
    kind = np.float32 if single else np.float64
    working = system.single() if single else system
    inverse = preconditioner.at(nu, kind)
    multiply = _shifted(working, kind(0.5 / nu))
    B, R = np.empty((t, p), kind), np.empty((t, p), kind)
    values = np.empty((t, t))
    residuals, sizes, most = np.empty(t), np.empty(t), 0
    blocks = -(-t // max(1, min(t, _BLOCK // p)))
    for block in range(blocks):
        rows = slice(block, t, blocks)  # spread over the data, so that they are of all kinds
        name = f"nu = {nu:g}: columns {block + 1} of {blocks}"
        right, aim, used = _columns(system, rows, kind), tol, 0
        for attempt in range(_ROUNDS):
            more, _, count = block_conjugate_gradients(
                multiply, inverse, right, tol=0.9 * aim, max_iterations=max_iterations - used,
                log=None if log is None else partial(_tell, log, name),
            )  # fmt: skip
            used += count
            B[rows] = more if attempt == 0 else B[rows] + more
            del more
            for row in range(block, t, _CHUNK * blocks):
                part = slice(row, min(row + _CHUNK * blocks, t), blocks)
                R[part], values[part], residuals[part], sizes[part] = _check(
                    system, nu, part, B[part]
                )
            worst = residuals[rows].max(initial=0.0)
            if log is not None:
                log(f"{name}: {used} iterations, true relative residual {worst:.1e}")
            if worst <= tol or used >= max_iterations:
                break
            right, aim = R[rows].copy(), tol / worst  # of the smaller right-hand side left
        most = max(most, used)
    kernel = system.expansion.gram - values - B @ R.T
    return IterativeDeformation(
        0.5 * (kernel + kernel.T), B, float(residuals.max(initial=0.0)),
        float(2.0 * nu * sizes.max(initial=0.0) ** 2), most,
    )  # fmt: skip


def _columns(system, rows, kind):
    """Right-hand sides, a few at a time where they are not float64."""
    indices = range(*rows.indices(system.points))
    right = np.empty((len(indices), system.count), kind)
    for place, row in enumerate(indices):
        right[place] = system.columns(slice(row, row + 1))[0]
    return right


def _shifted(system, shift):
    def multiply(P):
        product = np.empty_like(P)
        for start in range(0, len(P), _CHUNK):
            part = slice(start, start + _CHUNK)
            product[part] = system.product(P[part])[0]
            product[part] += shift * P[part]
        return product

    return multiply


def _check(system, nu, rows, b):
    """Give residuals in float64, the values Z'b, and the relative and absolute sizes."""
    b = b.astype(np.float64)
    Z = system.columns(rows)
    NB, values = system.product(b)
    missed = Z - NB - b / (2.0 * nu)
    size = np.linalg.norm(missed, axis=1)
    return missed, values, relative_residuals(Z, Z - missed), size


def _tell(log, name, iteration, residual):
    log(f"{name}: iteration {iteration}, relative residual {residual:.1e}")
