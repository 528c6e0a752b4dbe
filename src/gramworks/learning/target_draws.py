"""Optimal targets of many random choices of labelled points, and how they tell the classes."""

from __future__ import annotations

import numpy as np

from gramworks.fitting.metrics import absolute_correlations
from gramworks.solvers.target_error import ErrorSpectrum, general_components, solve_targets

_AT_ONCE = 500  # draws in one go: their matrices fit in the cache of small problems


def draw_correlations(spectrum: ErrorSpectrum, signs, n_labelled, draws, generator, components=1):
    """Correlate the generalised components of random draws with the true labels.

    Each draw labels `n_labelled` points, any of them, and sees their labels alone; a draw may have
    one class.

    Parameters
    ----------
    spectrum : ErrorSpectrum
    signs : ndarray of shape (n,)
        True labels, -1 and +1.
    n_labelled, draws : int
    generator : numpy.random.Generator
    components : int
        How many, y* the first.

    Returns
    -------
    ndarray of shape (draws, components)
        Absolute linear correlations over all n points; NaN where the kernel gives fewer.
    """
    n = signs.size
    found = np.full((draws, components), np.nan)
    for start in range(0, draws, _AT_ONCE):
        part = slice(start, min(start + _AT_ONCE, draws))
        size = part.stop - part.start
        known = draw_rows(n, n_labelled, size, generator)
        y = targets_of(spectrum, signs, known)
        if components == 1:
            found[part, 0] = absolute_correlations(signs, y.T)
            continue
        vectors = general_components(spectrum, y, components)[1]
        found[part, : vectors.shape[2]] = absolute_correlations(
            signs, vectors.transpose(1, 0, 2).reshape(n, -1)
        ).reshape(size, -1)
    return found


def draw_rows(n, m, draws, generator):
    """Draw m distinct rows of n, ascending, `draws` times: (draws, m)."""
    return np.sort(generator.random((draws, n)).argpartition(m - 1, axis=1)[:, :m], axis=1)


def targets_of(spectrum: ErrorSpectrum, signs, known):
    """Give y* of each draw of known rows, (draws, n), with u = signs / sqrt(n)."""
    n, m = signs.size, known.shape[1]
    u = signs[known] / np.sqrt(n)
    found = solve_targets(spectrum, known, u, np.sqrt((n - m) / n))
    y = np.empty((len(known), n))
    mask = np.zeros(y.shape, dtype=bool)
    np.put_along_axis(mask, known, True, axis=1)
    y[mask], y[~mask] = u.ravel(), found.targets.ravel()
    return y
