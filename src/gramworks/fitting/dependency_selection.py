"""Hyperparameters of predictors of any output, by cross-validation inside the training points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_positive, check_square, check_whole
from gramworks.fitting.neighbours import rank_by_distance
from gramworks.solvers.output_components import nearest, output_components
from gramworks.solvers.ridge_path import ridge_path

_EQUAL = 1e-10  # of the largest loss: means this near are equal but for rounding


@dataclass(frozen=True)
class DependencyChoice:
    """What cross-validation chose for kernel dependency estimation.

    Attributes
    ----------
    gram : int
        Position of the input kernel.
    ridge : float
        As the grid has it.
    losses : ndarray of shape (n_grams, n_ridges)
        Mean loss over the held-out points, columns in the order of the grid given.
    on_edge : dict of str to bool
        Whether the choice is the first or last of several: "gram", and "ridge" in order of size.
    """

    gram: int
    ridge: float
    losses: np.ndarray
    on_edge: dict[str, bool]


@dataclass(frozen=True)
class NeighboursChoice:
    """What cross-validation chose for nearest neighbours.

    Attributes
    ----------
    neighbours : int
    losses : ndarray of shape (n_grid,)
        Mean loss over the held-out points.
    on_edge : bool
        Whether the choice is the smallest or the largest of several.
    """

    neighbours: int
    losses: np.ndarray
    on_edge: bool


def output_losses(L) -> np.ndarray:
    """Give all losses |Phi(y_i) - Phi(y_j)|^2 = l_ii + l_jj - 2 l_ij of a Gram matrix (n, n)."""
    own = np.diagonal(L)
    return np.maximum(own[:, None] + own - 2.0 * L, 0.0)


def select_dependency(
    grams: Sequence[np.ndarray | Callable[[], np.ndarray]],
    L,
    ridges,
    *,
    folds: Sequence[np.ndarray],
    loss=None,
    n_components=None,
    per_point: bool = False,
) -> DependencyChoice:
    """Choose input kernel and ridge of `KernelDependency` with training outputs as candidates.

    The outputs are decomposed once a fold, each input kernel once a fold for all ridges.

    Parameters
    ----------
    grams : sequence of arrays of shape (n, n), or of functions that return one
        Input kernels, such as one of each width; a function is called once.
    L : array-like of shape (n, n)
        Gram matrix of the outputs.
    ridges : sequence of float
    folds : sequence of arrays of int
        Held-out rows of each fold; the other rows train.
    loss : array-like of shape (n, n), optional
        loss[i, j] of predicting output j where i is true; default: `output_losses`.
    n_components : None, int or float
        As of `KernelDependency`.
    per_point : bool
        Multiply each ridge by the number of training points, as the paper's gamma stands.

    Returns
    -------
    DependencyChoice
        The smallest mean loss; of equal ones the earlier kernel, then the larger ridge.

    Raises
    ------
    FitError, KernelError
        Empty grids, matrices of different sizes, or folds that leave nothing to train on.
    """
    L = check_square(L, "L")
    n = L.shape[0]
    ridges = np.array([check_positive(ridge, "ridges") for ridge in ridges])
    if hasattr(grams, "ndim") and grams.ndim == 2:
        raise FitError(
            f"grams has shape {np.shape(grams)}; it is a list of kernels: for one K give [K]"
        )
    if not len(grams) or not ridges.size:
        raise FitError(f"{len(grams)} grams and {ridges.size} ridges; give at least one of each")
    losses = _loss_matrix(loss, L)
    parts = _parts(folds, n)
    decomposed = [output_components(L[np.ix_(t, t)], n_components) for t, _ in parts]
    found = np.zeros((len(grams), ridges.size))
    for position, gram in enumerate(grams):
        name = f"grams[{position}]"
        K = check_square(gram() if callable(gram) else gram, name)
        if K.shape != L.shape:
            raise FitError(f"{name} has shape {K.shape} and L {L.shape}; all are over n points")
        for (train, test), components in zip(parts, decomposed, strict=True):
            path = ridge_path(K[np.ix_(train, train)])
            outer = K[np.ix_(test, train)]
            scaled = ridges * (train.size if per_point else 1)
            predictions = path.predictions(outer, components.projections, scaled)
            for column, values in enumerate(predictions):
                chosen = train[nearest(values, components.projections)]
                found[position, column] += losses[test, chosen].sum()
    found /= sum(test.size for _, test in parts)
    order = np.argsort(-ridges, kind="stable")
    row, column = np.unravel_index(_first_least(found[:, order]), found.shape)
    return DependencyChoice(
        gram=int(row),
        ridge=float(ridges[order[column]]),
        losses=found,
        on_edge={"gram": _on_edge(row, len(grams)), "ridge": _on_edge(column, ridges.size)},
    )


def select_neighbours(
    K, L, grid: Sequence[int], *, folds: Sequence[np.ndarray], loss=None
) -> NeighboursChoice:
    """Choose the number of neighbours of `OutputNeighbours` with training outputs as candidates.

    Parameters
    ----------
    K, L : array-like of shape (n, n)
        Gram matrices of inputs and outputs.
    grid : sequence of int
        Numbers of neighbours; those beyond the smallest training part are not possible.
    folds, loss
        As in `select_dependency`.

    Returns
    -------
    NeighboursChoice
        The smallest mean loss; of equal ones the smaller number.

    Raises
    ------
    FitError, KernelError
        As `select_dependency`, or more neighbours than there are training points.
    """
    K, L = check_square(K), check_square(L, "L")
    if K.shape != L.shape:
        raise FitError(f"K has shape {K.shape} and L {L.shape}; both are over the same points")
    losses = _loss_matrix(loss, L)
    parts = _parts(folds, len(L))
    most = min(train.size for train, _ in parts)
    of = f"the {most} training points of the smallest fold"
    numbers = [check_whole(k, "grid", most=most, of=of) for k in grid]
    if not numbers:
        raise FitError("grid is empty; give at least one number of neighbours")
    found = np.zeros(len(numbers))
    squares = np.diagonal(K)
    for train, test in parts:
        components = output_components(L[np.ix_(train, train)])
        ranked = rank_by_distance(K[np.ix_(test, train)], squares[train])
        for position, k in enumerate(numbers):
            means = components.projections[ranked[:, :k]].mean(axis=1)
            chosen = train[nearest(means, components.projections)]
            found[position] += losses[test, chosen].sum()
    found /= sum(test.size for _, test in parts)
    order = np.argsort(numbers, kind="stable")
    best = _first_least(found[order])
    return NeighboursChoice(int(numbers[order[best]]), found, _on_edge(best, len(numbers)))


def _loss_matrix(loss, L):
    if loss is None:
        return output_losses(L)
    loss = np.asarray(loss, dtype=np.float64)
    if loss.shape != L.shape or not np.isfinite(loss).all():
        raise FitError(f"loss has shape {loss.shape}; allowed: finite numbers of shape {L.shape}")
    return loss


def _parts(folds, n):
    if not hasattr(folds, "__iter__"):
        raise FitError(
            f"folds={folds!r}; it is a list of the held-out rows of each fold, such as "
            "[test for _, test in KFold(5).split(K)]"
        )
    parts = []
    for number, fold in enumerate(folds):
        test = _rows(fold)
        if test is None:
            raise FitError(
                f"folds[{number}] is {_shown(fold)}; allowed: the numbers of its held-out rows, at "
                "least one: np.flatnonzero of a mask, test alone of a pair (train, test)"
            )
        if test.min() < 0 or test.max() >= n or np.unique(test).size < test.size:
            raise FitError(f"folds[{number}] has rows outside of 0..{n - 1}, or a row twice")
        train = np.setdiff1d(np.arange(n), test)
        if not train.size:
            raise FitError(f"folds[{number}] holds out all {n} points; none are left to train on")
        parts.append((train, test))
    if not parts:
        raise FitError("folds is empty; give at least one")
    return parts


def _rows(fold):
    """Give the numbers of a fold's rows, or None where it holds something else."""
    try:
        test = np.asarray(fold)
    except ValueError:  # parts of unequal lengths
        return None
    return test if test.dtype.kind in "iu" and test.ndim == 1 and test.size else None


def _shown(fold) -> str:
    if isinstance(fold, np.ndarray):
        return f"an array of shape {fold.shape} and type {fold.dtype}"
    return f"a {type(fold).__name__} of {len(fold)}" if hasattr(fold, "__len__") else repr(fold)


def _first_least(losses) -> int:
    """Find the first of the smallest losses, equal but for rounding, in row order."""
    return int((losses <= losses.min() + _EQUAL * np.abs(losses).max()).argmax())


def _on_edge(position, size) -> bool:
    """One value alone is no choice, so no edge."""
    return bool(size > 1 and position in (0, size - 1))
