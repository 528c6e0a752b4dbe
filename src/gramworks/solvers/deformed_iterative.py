"""The deformed kernel by preconditioned block conjugate gradients with the structured product."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gramworks.solvers.block_conjugate_gradients import block_conjugate_gradients
from gramworks.solvers.deformed_dense import relative_residuals

SINGLE_TOL = 1e-5  # down to here the products may be of float32
_BLOCK = 96_000_000  # numbers in a block of right-hand sides, of which there are five
_CHUNK = 8  # right-hand sides whose products are worked out together
_ROUNDS = 4  # times that what rounding left is solved for again
ERROR_SHARE = 10.0  # times tol of the largest diagonal entry: for the error, whose bound is high
_PATIENCE = 50  # iterations without a smaller residual that float32, or a later round, is given


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
    met : bool
        Whether the relative residual is within `tol`, and the error within ten times that part
        of the largest diagonal entry of the kernel.
    """

    kernel: np.ndarray
    solution: np.ndarray
    residual: float
    error: float
    iterations: int
    met: bool


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
        Relative residual wanted of every right-hand side; the bound on the error is wanted below
        ten times this part of the largest diagonal entry of K~.
    max_iterations : int
        Of a right-hand side; where they do not suffice, `met` says so.
    single : bool, optional
        Products in float32, residuals in float64; where that does not get there, all is solved
        anew in float64. Default: where `tol` is at least 1e-5.
    log : callable, optional
        Receives progress lines.

    Returns
    -------
    IterativeDeformation
        Memory: twice t x p numbers of the working precision, and about 5e8 more for large p.
    """
    options = {"tol": tol, "max_iterations": max_iterations, "log": log}
    if not (tol >= SINGLE_TOL if single is None else single):
        return _solve(system, nu, preconditioner, np.float64, **options)
    found = _solve(system, nu, preconditioner, np.float32, **options)
    if found.met:
        return found
    iterations = found.iterations
    if log is not None:
        log(
            f"nu = {nu:g}: float32 got to a relative residual of {found.residual:.1e} and an error "
            f"of {found.error:.1e}; once more in float64"
        )
    del found
    again = _solve(system, nu, preconditioner, np.float64, **options)
    return replace(again, iterations=iterations + again.iterations)


def _solve(system, nu, preconditioner, kind, *, tol, max_iterations, log):
    """Solve all systems by products of one precision; rows that got worse stay as they were."""
    t, p = system.points, system.count
    single = kind is np.float32
    with np.errstate(all="ignore"):  # what leaves float32 is seen in the residuals
        working = system.single() if single else system
        inverse = preconditioner.at(nu, kind)
        multiply = _shifted(working, kind(0.5 / nu))
    B, R = np.zeros((t, p), kind), np.empty((t, p), kind)
    values, sizes = np.zeros((t, t)), np.empty(t)
    residuals, most = np.empty(t), 0
    diagonal = system.expansion.gram.diagonal()
    blocks = -(-t // max(1, min(t, _BLOCK // p)))
    for block in range(blocks):
        own = slice(block, t, blocks)  # spread over the data, so that they are of all kinds
        rows = np.arange(t)[own]
        name = f"nu = {nu:g}: block {block + 1} of {blocks}"
        for row in rows:
            Z = system.columns(slice(row, row + 1))[0]
            sizes[row] = np.linalg.norm(Z)
            with np.errstate(over="ignore"):
                R[row] = Z
        residuals[rows] = sizes[rows] > 0
        aim, used = tol, 0
        for attempt in range(_ROUNDS):
            with np.errstate(all="ignore"):
                more, _, count = block_conjugate_gradients(
                    multiply, inverse, R[own].copy(), tol=0.9 * aim,
                    max_iterations=max_iterations - used,
                    patience=_PATIENCE if single or attempt else None,
                    log=None if log is None else partial(_tell, log, name),
                )  # fmt: skip
                more += B[own]
            used += count
            better = False
            for start in range(0, len(rows), _CHUNK):
                part = rows[start : start + _CHUNK]
                better |= _keep_better(
                    system, nu, part, more[start : start + _CHUNK], B, R, values, residuals, sizes
                )
            del more
            worst, error = residuals[own].max(), 2.0 * nu * sizes[own].max() ** 2
            taken = np.einsum("ij,ij->i", B[own], R[own]) + values[rows, rows]
            largest = max((diagonal[own] - taken).max(), np.finfo(np.float64).tiny)
            share = error / (ERROR_SHARE * largest)
            if log is not None:
                log(f"{name}: {used} iterations, true relative residual {worst:.1e}")
            if (worst <= tol and share <= tol) or used >= max_iterations or not better:
                break
            # of the smaller right-hand sides left; the error falls with the square
            aim = min(tol / worst, 0.9 * np.sqrt(tol / share) if share > tol else 1.0)
        most = max(most, used)
    kernel = system.expansion.gram - values - B @ R.T
    kernel = 0.5 * (kernel + kernel.T)
    residual, error = float(residuals.max()), float(2.0 * nu * sizes.max() ** 2)
    met = residual <= tol and error <= ERROR_SHARE * tol * kernel.diagonal().max()
    return IterativeDeformation(kernel, B, residual, error, most, bool(met))


def _keep_better(system, nu, rows, b, B, R, values, residuals, sizes) -> bool:
    """Take those solutions of some rows whose residuals, in float64, are below those there."""
    b = b.astype(np.float64)
    with np.errstate(all="ignore"):
        Z = system.columns(rows)
        NB, found = system.product(b)
        missed = Z - NB - b / (2.0 * nu)
        relative = relative_residuals(Z, Z - missed)
        better = relative < residuals[rows]  # never of what is not finite
    kept = rows[better]
    B[kept], R[kept], values[kept] = b[better], missed[better], found[better]
    residuals[kept] = relative[better]
    sizes[kept] = np.linalg.norm(missed[better], axis=1)
    return bool(better.any())


def _shifted(system, shift):
    def multiply(P):
        product = np.empty_like(P)
        for start in range(0, len(P), _CHUNK):
            part = slice(start, start + _CHUNK)
            product[part] = system.product(P[part])[0]
            product[part] += shift * P[part]
        return product

    return multiply


def _tell(log, name, iteration, residual):
    log(f"{name}: iteration {iteration}, relative residual {residual:.1e}")
