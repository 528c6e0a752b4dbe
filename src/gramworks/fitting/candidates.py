"""The pre-image step: which of some given outputs is nearest to a point of the output space."""

from __future__ import annotations

import numpy as np

from gramworks.errors import FitError
from gramworks.fitting.inputs import check_new
from gramworks.solvers.output_components import OutputComponents, nearest


def choose_outputs(components: OutputComponents, found, candidates=None) -> np.ndarray:
    """Choose the output whose projections are nearest; of equally near ones the first.

    Parameters
    ----------
    components : OutputComponents
    found : ndarray of shape (n_new, p)
        Projections that were predicted.
    candidates : array-like of shape (n_cand, n), optional
        Output kernel to the n training outputs; default: these themselves.

    Returns
    -------
    ndarray of shape (n_new,), int
        Row numbers of candidates, or of training outputs. Constant training outputs have no
        components; the candidate whose kernel values are nearest to theirs is taken then.

    Raises
    ------
    FitError, KernelError
        Candidates that are empty or no kernel values to the training outputs.
    """
    if candidates is None:
        return nearest(found, components.projections)
    if np.size(candidates) == 0:
        raise FitError("candidates is empty; give at least one output to choose from")
    L_new = check_new(
        candidates, components.means.size, "candidates",
        count="n_cand", rows="candidates", known="training outputs",
    )  # fmt: skip
    if not components.eigenvalues.size:
        return np.repeat(nearest(components.means[None], L_new), len(found))
    return nearest(found, components.project(L_new))
