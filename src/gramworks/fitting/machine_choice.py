"""Choosing C and a further weight of two-class machines by stratified cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gramworks.fitting.kernel_choice import stratified_folds
from gramworks.solvers.convex_losses import Losses, Penalties, class_costs
from gramworks.solvers.joint_machine import solve_joint
from gramworks.solvers.svm_certificate import find_intercept

ROUGH_TOL = 1e-3  # relative gap of the machines of the folds, far below what labels depend on


@dataclass(frozen=True)
class MachineChoice:
    """A choice of weights, and what it was made from.

    Attributes
    ----------
    row, column : int
        Positions in the two grids.
    errors : ndarray
        Error on held-out points for all pairs: a share of them, or the mean over the two classes.
    not_converged : int
        Machines of the folds that missed the wanted accuracy; they are scored as they stand.
    """

    row: int
    column: int
    errors: np.ndarray
    not_converged: int


def choose_machine(
    signs, folds, generator, fit_fold: Callable, shape, *, class_balanced=False
) -> MachineChoice:
    """Choose a pair of weights with the least error on held-out points.

    Parameters
    ----------
    signs : ndarray of shape (l,)
        Labels of -1 and +1.
    folds : int
    generator : numpy.random.Generator
    fit_fold : callable
        Gives, for the train and test rows of a fold, decision values (rows, columns, number of test
        points), and how many machines missed the wanted accuracy.
    shape : (int, int)
        Sizes of the two grids; with one pair nothing is fitted.
    class_balanced : bool
        Count errors as shares of each class, and take the mean of the two.

    Returns
    -------
    MachineChoice
        Of equally good pairs the one of the first row, then of the first column.
    """
    wrong = np.zeros((2, *shape))
    not_converged = 0
    if shape != (1, 1):
        codes = (signs > 0).astype(np.int64)
        for train, test in stratified_folds(codes, folds, generator):
            if np.unique(codes[train]).size == 1:  # the only member of a class is held out
                values = np.full((*shape, test.size), signs[train[0]])
            else:
                values, failed = fit_fold(train, test)
                not_converged += failed
            misses = (values > 0) != (codes[test] == 1)
            for code in (0, 1):
                wrong[code] += misses[..., codes[test] == code].sum(axis=-1)
    sizes = np.array([np.sum(signs < 0), np.sum(signs > 0)])
    if class_balanced:
        errors = (wrong / sizes[:, None, None]).mean(axis=0)
    else:
        errors = wrong.sum(axis=0) / signs.size
    errors = np.round(errors, 12)  # rounding of equal means is no preference
    row, column = np.unravel_index(np.argmin(errors), errors.shape)
    return MachineChoice(int(row), int(column), errors, not_converged)


def joint_values(
    M, inner, outer, signs, *, loss, penalty, epsilon, C_grid, nu_grid, class_balanced, bias=True
) -> tuple[np.ndarray, int]:
    """Give decision values of the machines on points and functionals, for all nu and C.

    Parameters
    ----------
    M : ndarray
        Gram matrix of points and functionals.
    inner : ndarray of int
        Where the training points stand in it, and after them their functionals.
    outer : ndarray of int
        Where the points stand whose values are wanted.
    signs : ndarray of shape (number of training points,)
    loss, penalty, epsilon, class_balanced, bias
        As of `gramworks.fitting.invariance_machine.InvarianceMachine`.
    C_grid, nu_grid : sequence of float

    Returns
    -------
    values : ndarray of shape (number of nu, number of C, number of points)
    not_converged : int
    """
    block, rows = M[np.ix_(inner, inner)], M[np.ix_(outer, inner)]
    values = np.empty((len(nu_grid), len(C_grid), len(outer)))
    failed = 0
    for i, nu in enumerate(nu_grid):
        used = len(inner) if nu > 0 else signs.size  # functionals without weight have no part
        for j, C in enumerate(C_grid):
            losses = Losses(loss, signs, class_costs(signs, C, class_balanced))
            found = solve_joint(
                block[:used, :used], losses, Penalties(penalty, nu, epsilon), bias=bias,
                tol=ROUGH_TOL,
            )  # fmt: skip
            values[i, j] = rows[:, :used] @ found.coefficients + found.intercept
            failed += not found.converged
    return values, failed


def weighted_path(K, rows, signs, C_grid: Sequence[float], class_balanced):
    """Give decision values of support vector machines for all C, ascending.

    Parameters
    ----------
    K : ndarray of shape (l, l)
    rows : ndarray of shape (n, l)
        Kernel between the points whose values are wanted and those of the fit.
    signs : ndarray of shape (l,)
    C_grid : sequence of float
        Ascending: each machine is the start of the next.
    class_balanced : bool
        Divide the losses of each class by its number of points.

    Returns
    -------
    values : ndarray of shape (number of C, n)
    not_converged : int
    """
    from gramworks.solvers.sequential_minimal import minimise_weighted  # numba is slow to import

    K = np.ascontiguousarray(K)
    beta, slopes = np.zeros(signs.size), signs.astype(np.float64)
    values, failed = [], 0
    for C in C_grid:
        costs = class_costs(signs, C, class_balanced)
        _, _, done = minimise_weighted(K, signs, costs, beta, slopes)
        # where all coefficients sit at bounds, rounding would decide on the intercept
        intercept, _ = find_intercept(signs - slopes, signs, costs)
        values.append(rows @ beta + intercept)
        failed += not done
    return np.array(values), failed
