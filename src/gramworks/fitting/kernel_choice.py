"""Choosing among kernels over all points, and C, by stratified cross-validation on the labelled.

The kernels are made of all points without labels, so that points held out count as unlabelled by
themselves: a fold only takes rows and columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_choice, check_positive, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.solvers.one_vs_rest import solve_path
from gramworks.solvers.ridge import ridge_path

LOSSES = ("hinge", "squared")


@dataclass(frozen=True)
class KernelChoice:
    """A choice of kernel and C, and what it was made from.

    Attributes
    ----------
    index : int
        Which of the kernels.
    C : float
    errors : ndarray of shape (number of kernels, number of C)
        Share of the labelled points predicted wrong by the machine of the other folds; C ascending.
    C_on_edge : bool
        Whether C is an end of its grid.
    not_converged : int
        Fits that met the cap on steps; they are scored as they stand.
    """

    index: int
    C: float
    errors: np.ndarray
    C_on_edge: bool
    not_converged: int


def stratified_folds(codes, folds, generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Cut labelled points into folds with the classes dealt out evenly.

    Parameters
    ----------
    codes : ndarray of shape (l,), int
        Class codes.
    folds : int
        At least 2. A class of fewer members is in so many folds only; where all classes have
        fewer, there are as many folds as the largest has members.
    generator : numpy.random.Generator

    Returns
    -------
    list of (train, test) index arrays

    Raises
    ------
    FitError
        No class has two members.
    """
    most = int(np.bincount(codes).max())
    folds = min(check_whole(folds, "folds", least=2), most)
    if folds < 2:
        raise FitError(
            f"cross-validation wants a class of two labelled points; {codes.size} points have "
            "one a class: label more, or state one value for each parameter"
        )
    cut = StratifiedKFold(folds, shuffle=True, random_state=int(generator.integers(2**31)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes smaller than the folds
        return list(cut.split(codes, codes))


def choose_kernel(
    blocks: Sequence[np.ndarray],
    y,
    *,
    C_grid,
    loss="hinge",
    folds=5,
    generator=None,
    tol=1e-3,
    max_iter=100_000,
) -> KernelChoice:
    """Choose kernel and C with the fewest errors on held-out labelled points.

    Parameters
    ----------
    blocks : sequence of ndarrays of shape (l, l)
        Each kernel between the labelled points, in the order of preference among equals.
    y : array-like of shape (l,)
        Their labels.
    C_grid : sequence of float
    loss : {"hinge", "squared"}
        Of |w|^2/2 + C sum loss; squared is (y - f)^2 with y of -1 and +1.
    folds : int
    generator : numpy.random.Generator, optional
        Where the folds come from.
    tol, max_iter
        Of the machines with hinge loss, as of `gramworks.solvers.one_vs_rest.solve_path`.

    Returns
    -------
    KernelChoice
        Of equally good pairs the one of the first kernel, then of the smallest C. With one kernel
        and one C nothing is fitted.

    Raises
    ------
    FitError
        Grid, loss or labels are not usable.
    """
    loss = check_choice(loss, "loss", LOSSES)
    C_grid = np.array(sorted({check_positive(C, "C_grid") for C in C_grid}))
    if C_grid.size == 0 or len(blocks) == 0:
        raise FitError(f"there are {len(blocks)} kernels and {C_grid.size} C; state one of each")
    errors = np.zeros((len(blocks), C_grid.size))
    not_converged = 0
    if errors.size > 1:
        labels = encode_labels(y, len(blocks[0]))
        codes, signs = labels.codes, labels.signs()
        generator = np.random.default_rng() if generator is None else generator
        for train, test in stratified_folds(codes, folds, generator):
            alone = np.unique(codes[train])
            for row, block in enumerate(blocks):
                if alone.size == 1:  # the other class has one member, which is held out
                    errors[row] += np.sum(codes[test] != alone[0])
                    continue
                inner, outer = (block.take(rows, 0).take(train, 1) for rows in (train, test))
                values, failed = _path_values(
                    inner, outer, signs[:, train], C_grid, loss, tol, max_iter
                )
                chosen = values[..., 0] > 0 if len(signs) == 1 else values.argmax(axis=2)
                errors[row] += (chosen != codes[test]).sum(axis=1)
                not_converged += failed
        errors /= codes.size
    row, column = np.unravel_index(np.argmin(errors), errors.shape)
    return KernelChoice(
        index=int(row),
        C=float(C_grid[column]),
        errors=errors,
        C_on_edge=bool(C_grid.size > 1 and column in (0, C_grid.size - 1)),
        not_converged=not_converged,
    )


def _path_values(inner, outer, signs, C_grid, loss, tol, max_iter):
    """Give decision values (k, number of test points, q), and how many fits met the cap."""
    if loss == "squared":
        coefficients, intercepts = ridge_path(inner, signs.T, 0.5 / C_grid)
        return outer @ coefficients + intercepts[:, None], 0
    path = solve_path(inner, signs, C_grid, tol=tol, max_iter=max_iter)
    values = [outer @ machine.coefficients.T + machine.intercepts for machine in path]
    return np.array(values), sum(not machine.converged for machine in path)
