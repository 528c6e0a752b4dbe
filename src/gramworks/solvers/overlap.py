"""Whether classes overlap in the feature space of a kernel of low rank, by linear programming."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpstrf
from scipy.optimize import linprog

DENSEST = 0.5  # rank per point up to which the programme is cheaper than machines of large C


def overlap(K, signs):
    """Say whether no hyperplane separates the classes.

    Parameters
    ----------
    K : ndarray of shape (l, l)
        Positive semidefinite; read only.
    signs : ndarray of shape (l,)

    Returns
    -------
    bool
        True: the programme y (F w + b) >= 1, with K = F F', is infeasible. False: it is
        feasible, or not tried since the rank is high.
    """
    scale = K.diagonal().max()
    if not scale > 0:
        return True
    factor, order, rank, _ = dpstrf(K / scale, tol=1e-12, lower=1)
    if rank > DENSEST * signs.size:
        return False
    features = np.empty((signs.size, rank))
    features[order - 1] = np.tril(factor)[:, :rank]
    rows = -signs[:, None] * np.hstack([features, np.ones((signs.size, 1))])
    answer = linprog(
        np.zeros(rank + 1), A_ub=rows, b_ub=-np.ones(signs.size), bounds=(None, None),
        method="highs",
    )  # fmt: skip
    return answer.status == 2
