"""Choosing C and a Gaussian width by inner cross-validation, without a new Gram matrix.

With K = exp(-|x-z|^2 / (2 w^2)) the kernel of width f w is K ** (1 / f^2), element by element.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gramworks.errors import FitError, KernelError
from gramworks.fitting.inputs import LARGEST, check_positive, check_square, check_whole
from gramworks.fitting.labels import encode_labels
from gramworks.solvers.one_vs_rest import solve_path, solve_ridge_path

_LARGEST_KEPT = 32 * 2**20  # bytes of one kernel that is kept for all partitions


@dataclass(frozen=True)
class SvmChoice:
    """A choice of C and width, and what it was made from.

    Attributes
    ----------
    C, factor : float
        The chosen bound, and the width relative to that of the kernel given.
    accuracies : ndarray of shape (number of factors, number of C)
        Mean accuracy (in 0..1) over the partitions, rows and columns in ascending order; NaN
        where a pair was dropped before the last partition.
    factors, C_grid : ndarray
        The grids, ascending.
    on_edge : dict of str to bool
        Whether "C" and "width" sit on an end of their grid.
    not_converged : int
        Fits that met the cap of LIBSVM's steps; they are scored as they stand.
    n_fits : int
    """

    C: float
    factor: float
    accuracies: np.ndarray
    factors: np.ndarray
    C_grid: np.ndarray
    not_converged: int
    n_fits: int
    on_edge: dict[str, bool] = field(default_factory=dict)


def draw_partitions(codes, *, partitions, test_fraction, generator):
    """Draw random partitions that keep the shares of the classes.

    Parameters
    ----------
    codes : ndarray of shape (l,), int
    partitions : int
    test_fraction : float
        Between 0 and 1. At least one member of each class stays in training.
    generator : numpy.random.Generator

    Returns
    -------
    list of (train, test) index arrays, sorted

    Raises
    ------
    FitError
        Numbers out of range, or no class has members to spare for a test.
    """
    if not check_positive(test_fraction, "test_fraction") < 1:
        raise FitError(f"test_fraction={test_fraction!r}; allowed: between 0 and 1")
    partitions = check_whole(partitions, "partitions")
    members = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    sizes = [min(round(test_fraction * own.size), own.size - 1) for own in members]
    if sum(sizes) == 0:
        raise FitError(
            f"classes of {[own.size for own in members]} labelled points leave no test point at "
            f"test_fraction={test_fraction:g}: label more, or raise it"
        )
    drawn = []
    for _ in range(partitions):
        shuffled = [generator.permutation(own) for own in members]
        held = [own[:size] for own, size in zip(shuffled, sizes, strict=True)]
        kept = [own[size:] for own, size in zip(shuffled, sizes, strict=True)]
        drawn.append((np.sort(np.concatenate(kept)), np.sort(np.concatenate(held))))
    return drawn


def select_gaussian_svm(
    K,
    y,
    labelled=None,
    *,
    C_grid,
    width_factors=(1.0,),
    partitions=5,
    test_fraction=0.2,
    generator=None,
    max_iter=100_000,
    tol=1e-3,
    ridge=False,
    race=None,
    drawn=None,
):
    """Choose C and the width of a Gaussian kernel by mean accuracy over random partitions.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Gaussian kernel of some width over all points; only read. With `width_factors=(1,)` any
        kernel will do.
    y, labelled
        As in `KernelSVM.fit`.
    C_grid : sequence of float
    width_factors : sequence of float
        Widths relative to that of K.
    partitions : int
        Random stratified partitions of the labelled points.
    test_fraction : float
        Share of each partition that is predicted.
    generator : numpy.random.Generator, optional
    max_iter : int
        Cap on LIBSVM's steps in each fit: small widths and large C may otherwise take for ever.
    tol : float
        LIBSVM's tolerance.
    ridge : bool
        Use C as the 2-norm soft margin does: 1/C on the diagonal, coefficients not bounded.
    race : float, optional
        Drop a pair after a partition, from the second on, when it is worse than the best one so
        far by more than so many standard errors of the difference; None: try all pairs on all
        partitions. Of the test points met so far, b are right with the best pair only and c with
        this one only: (b - c) / sqrt(b + c) standard errors (McNemar 1947), divided by
        sqrt(r) where each point was met r > 1 times on average. With 4 the choice is that of the
        full grid but for pairs that are all but equally good.
    drawn : list of (train, test) index arrays, optional
        Places among the labelled points, such as folds; instead of random partitions.

    Returns
    -------
    SvmChoice
        Of equally good pairs the one with the smallest C, then the smallest width.

    Raises
    ------
    FitError
        Grids, labels or sizes are not usable.
    KernelError
        K is not a Gaussian kernel where other widths are asked for.
    """
    tol, max_iter = check_positive(tol, "tol"), check_whole(max_iter, "max_iter")
    race = None if race is None else check_positive(race, "race")
    C_grid, factors = _grid(C_grid, "C_grid"), _grid(width_factors, "width_factors")
    K = check_square(K)
    labels = encode_labels(y, K.shape[0], labelled)
    block = K if labels.labelled.all() else K[np.ix_(labels.labelled, labels.labelled)]
    logarithms = None if np.array_equal(factors, [1.0]) else _logarithms(block, factors)
    codes, signs = labels.codes[labels.labelled], labels.signs()
    generator = np.random.default_rng() if generator is None else generator
    drawn = drawn or draw_partitions(
        codes, partitions=partitions, test_fraction=test_fraction, generator=generator
    )
    solve = solve_ridge_path if ridge else solve_path
    stay = np.ones((factors.size, C_grid.size), bool)
    right = np.zeros((len(drawn), max(len(test) for _, test in drawn), *stay.shape), bool)
    not_converged = n_fits = 0
    powers = _Powers(block, logarithms)
    for number, (train, test) in enumerate(drawn):
        for row in np.flatnonzero(stay.any(axis=1)):
            gram = powers.of(factors[row])
            # rows and then columns: twice as fast as both at once
            inner, outer = (gram.take(rows, 0).take(train, 1) for rows in (train, test))
            columns = np.flatnonzero(stay[row])
            path = solve(inner, signs[:, train], C_grid[columns], tol=tol, max_iter=max_iter)
            for column, machines in zip(columns, path, strict=True):
                values = outer @ machines.coefficients.T + machines.intercepts
                chosen = values[:, 0] > 0 if len(signs) == 1 else values.argmax(axis=1)
                right[number, : test.size, row, column] = chosen == codes[test]
                not_converged += not machines.converged
                n_fits += 1
        if race is not None and number:
            seen = sum(len(test) for _, test in drawn[: number + 1])
            stay &= ~_much_worse(right[: number + 1], stay, race, seen / codes.size)
    sizes = np.array([len(test) for _, test in drawn])
    accuracies = (right.sum(axis=1) / sizes[:, None, None]).mean(axis=0)
    accuracies[~stay] = np.nan
    # rounding of equal means is no preference; by columns: smallest C first
    best = np.nanargmax(np.round(accuracies, 12).T)
    column, row = np.unravel_index(best, accuracies.T.shape)
    return SvmChoice(
        C=float(C_grid[column]),
        factor=float(factors[row]),
        accuracies=accuracies,
        factors=factors,
        C_grid=C_grid,
        not_converged=not_converged,
        n_fits=n_fits,
        on_edge={"C": _on_edge(column, C_grid), "width": _on_edge(row, factors)},
    )


class _Powers:
    """The kernel at several widths, kept where all of them take little memory."""

    def __init__(self, block, logarithms):
        self._block, self._logarithms, self._kept = block, logarithms, {}

    def of(self, factor):
        if self._logarithms is None:
            return self._block
        if factor not in self._kept:
            gram = np.exp(self._logarithms / factor**2)
            if gram.nbytes > _LARGEST_KEPT:
                return gram
            self._kept[factor] = gram
        return self._kept[factor]


def _much_worse(right, stay, race, met):
    """Tell which pairs are worse than the best by `race` standard errors and more."""
    scores = np.where(stay, right.sum(axis=(0, 1)), -1)
    best = right[(..., *np.unravel_index(scores.argmax(), scores.shape))][..., None, None]
    ahead = (best & ~right).sum(axis=(0, 1))
    behind = (~best & right).sum(axis=(0, 1))
    return ahead - behind > race * np.sqrt((ahead + behind) * max(met, 1.0))


def _grid(values, name):
    try:
        grid = np.sort([check_positive(value, name) for value in values])
    except (TypeError, FitError):
        grid = np.empty(0)
    if grid.size == 0:
        raise FitError(
            f"{name} is {values!r}; allowed: a list of positive numbers up to {LARGEST:g}"
        )
    if np.any(np.diff(grid) == 0):
        raise FitError(f"{name} is {list(values)!r}; a value stands there twice")
    return grid


def _on_edge(position, grid):
    """One value alone is no choice, so no edge."""
    return bool(grid.size > 1 and position in (0, grid.size - 1))


def _logarithms(block, factors):
    if block.min() < 0 or block.max() > 1 + 1e-12:
        raise KernelError(
            f"K has entries from {block.min():g} to {block.max():g}; a Gaussian kernel has them "
            "in 0..1, and only of that do powers give other widths: use width_factors=(1,)"
        )
    if factors[-1] > 1 and block.min() < np.finfo(float).tiny:
        raise KernelError(
            "K is so narrow that entries vanish in float64, and wider kernels cannot be made "
            "from it: give K of a larger width and smaller width_factors"
        )
    with np.errstate(divide="ignore"):
        return np.log(np.minimum(block, 1.0))
