"""An associative memory: a linear system on a closed hypercube.

J. Li, A. N. Michel and W. Porod (1989), Analysis and synthesis of a class of neural networks:
linear systems operating on a closed hypercube, IEEE Transactions on Circuits and Systems 36, pp.
1405-1422. The state in [-1, 1]^d follows x' = T x + I and stops at the faces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramworks.errors import FitError


@dataclass(frozen=True)
class Equilibria:
    """Where states came to rest.

    Attributes
    ----------
    states : ndarray of shape (n, d)
    converged : ndarray of shape (n,), bool
    n_iter : int
        Steps of the slowest.
    """

    states: np.ndarray
    converged: np.ndarray
    n_iter: int


@dataclass(frozen=True)
class HypercubeNet:
    """The system in steps of time: x <- clip(W x + b), W = e^(T step).

    Attributes
    ----------
    weights : ndarray of shape (d, d)
        W.
    bias : ndarray of shape (d,)
        b.
    rank : int
        Dimension of the affine space of the memories.
    """

    weights: np.ndarray
    bias: np.ndarray
    rank: int

    def equilibria(self, states, *, max_iter: int = 10_000, tol: float = 1e-9) -> Equilibria:
        """Follow states until they rest.

        Parameters
        ----------
        states : array-like of shape (n, d)
            Within [-1, 1].
        max_iter : int
        tol : float
            Largest change of a coordinate in a step, at which a state is at rest.

        Returns
        -------
        Equilibria

        Raises
        ------
        FitError
            States of another dimension or outside of the cube.
        """
        x = _in_the_cube(states, "states").copy()
        if x.shape[1] != self.bias.size:
            raise FitError(f"states has shape {x.shape}; the net has {self.bias.size} coordinates")
        converged, moving, step = np.zeros(len(x), bool), np.arange(len(x)), 0
        while moving.size and step < max_iter:
            step += 1
            new = np.clip(x[moving] @ self.weights.T + self.bias, -1.0, 1.0)
            change = np.abs(new - x[moving]).max(axis=1)
            x[moving] = new
            converged[moving[change <= tol]] = True
            moving = moving[change > tol]
        return Equilibria(x, converged, step)


def store_memories(memories, *, tau: float = 10.0, step: float = 0.15) -> HypercubeNet:
    """Make a net that rests at given corners of the cube.

    With P the projection on the span of differences of the memories, T = P - tau (I - P) and
    I = a - T a for the last memory a. So T x + I = x for all memories: at a corner, every
    coordinate is pushed outwards, against its face. Directions off the memories' affine space
    decay at rate tau, and those within it grow until they meet the faces.

    Parameters
    ----------
    memories : array-like of shape (m, d)
        Within [-1, 1]. Those that are corners are equilibria; of others the coordinates that are
        not at a face are driven on.
    tau : float
        Positive.
    step : float
        Of time, positive.

    Returns
    -------
    HypercubeNet

    Raises
    ------
    FitError
        Memories or parameters that are not usable.
    """
    A = _in_the_cube(memories, "memories")
    for name, value in (("tau", tau), ("step", step)):
        if not (np.isfinite(value) and value > 0):
            raise FitError(f"{name}={value!r}; allowed: a positive finite number")
    differences = A[:-1] - A[-1]
    d, rank = A.shape[1], 0
    P = np.zeros((d, d))
    if differences.any():
        _, sizes, directions = np.linalg.svd(differences, full_matrices=False)
        rank = int((sizes > sizes[0] * max(differences.shape) * np.finfo(float).eps).sum())
        P = directions[:rank].T @ directions[:rank]
    rest = np.eye(d) - P
    # e^(T step) and the integral of e^(T s) I over a step, on the two eigenspaces of T; I is
    # (1 + tau) (I - P) a, without part in the first
    weights = np.exp(step) * P + np.exp(-tau * step) * rest
    bias = -np.expm1(-tau * step) / tau * (1.0 + tau) * (rest @ A[-1])
    return HypercubeNet(weights, bias, rank)


def _in_the_cube(values, name) -> np.ndarray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise FitError(f"{name} has entries that are not numbers") from None
    if array.ndim != 2 or 0 in array.shape:
        raise FitError(f"{name} has shape {array.shape}; it is a matrix with at least one row")
    if not (np.abs(array) <= 1.0).all():  # NaN included
        i, j = np.argwhere(~(np.abs(array) <= 1.0))[0]
        raise FitError(
            f"{name} has {array[i, j]:g} at row {i}, column {j}; states are within [-1, 1]: scale "
            "the data"
        )
    return array
