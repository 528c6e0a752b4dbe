"""The problem in the weights that a bundle method solves at every step, by a cone solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_matrix

from gramworks.solvers.domains import Multipliers


@dataclass(frozen=True)
class MasterSolution:
    """Where the model is lowest, and a lower bound of the objective over the domain."""

    point: np.ndarray
    bound: float


def solve_master(domain, cuts, centre, curvature, *, scale, accuracy=1e-10):
    """Minimise max_k (constant_k + slope_k z) + (z - centre)' curvature (z - centre) / 2.

    Parameters
    ----------
    domain : Simplex or PsdSlice
    cuts : sequence of Cut
    centre : ndarray of shape (d,)
    curvature : ndarray of shape (d, d) or None
        None: without the second term.
    scale : float
        Size of the objective, for the tolerances of the cone solver.
    accuracy : float
        These tolerances.

    Returns
    -------
    MasterSolution or None
        None where the cone solver failed. `bound` is recomputed from the multipliers of the
        cuts: any convex combination of these lies below the objective.
    """
    import clarabel  # comes with cvxpy; 0.1 s to import

    limits = domain.constraints()
    d = domain.size
    constants = np.array([cut.constant for cut in cuts]) / scale
    slopes = np.array([cut.slope for cut in cuts]) / scale
    rows = [
        np.append(limits.normal, 0.0)[None],
        np.hstack([slopes, -np.ones((len(cuts), 1))]),
        np.hstack([-limits.rows, np.zeros((limits.rows.shape[0], 1))]),
    ]
    right = [np.ones(1), -constants, -limits.limits]
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(len(cuts) + limits.rows.shape[0])]
    for block in limits.blocks:
        triangles = _triangles(block)
        rows.append(np.vstack([-triangles, np.zeros((1, triangles.shape[1]))]).T)
        right.append(np.zeros(triangles.shape[1]))
        cones.append(clarabel.PSDTriangleConeT(block.shape[1]))
    matrix, right = np.vstack(rows), np.concatenate(right)

    quadratic, linear = np.zeros((d + 1, d + 1)), np.append(np.zeros(d), 1.0)
    if curvature is not None:
        quadratic[:d, :d] = np.triu(curvature) / scale
        linear[:d] = -(curvature @ centre) / scale
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.direct_solve_method = "qdldl"
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
    settings.presolve_enable = settings.chordal_decomposition_enable = False
    for equilibrate in (False, True):  # as a rule all is of size 1 already
        settings.equilibrate_enable = equilibrate
        answer = clarabel.DefaultSolver(
            _sparse(quadratic), linear, _sparse(matrix), right, cones, settings
        ).solve()
        status = str(answer.status)
        if status == "Solved":
            break
    if status not in ("Solved", "AlmostSolved", "InsufficientProgress", "MaxIterations"):
        return None
    x, duals = np.array(answer.x), np.array(answer.z)
    if not (np.isfinite(x).all() and np.isfinite(duals).all()):
        return None
    shares = np.maximum(duals[1 : len(cuts) + 1], 0.0)
    if not shares.sum() > 0:
        return None
    shares /= shares.sum()
    position = 1 + len(cuts)
    on_rows = np.maximum(duals[position : position + limits.rows.shape[0]], 0.0)
    position += limits.rows.shape[0]
    on_blocks = []
    for block in limits.blocks:
        size = block.shape[1] * (block.shape[1] + 1) // 2
        on_blocks.append(_matrix(duals[position : position + size], block.shape[1]))
        position += size
    bound = domain.bound_below(
        float(shares @ constants), shares @ slopes, Multipliers(on_rows, on_blocks)
    )
    return MasterSolution(x[:d], bound * scale)


def _sparse(matrix):
    """Give all entries in CSC form; looking for zeros would take longer than the solution."""
    rows, columns = matrix.shape
    entries = np.ravel(matrix, order="F")
    indices = np.tile(np.arange(rows, dtype=np.int32), columns)
    starts = np.arange(0, entries.size + 1, rows, dtype=np.int32)
    return csc_matrix((entries, indices, starts), shape=matrix.shape)


def _triangles(block):
    """Give the upper triangle of each by columns, off-diagonal entries times sqrt(2)."""
    columns, rows = np.tril_indices(block.shape[1])
    return block[:, rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0))


def _matrix(triangle, k):
    """Undo `_triangles`."""
    columns, rows = np.tril_indices(k)
    matrix = np.zeros((k, k))
    matrix[rows, columns] = triangle / np.where(rows == columns, 1.0, np.sqrt(2.0))
    return matrix + np.tril(matrix.T, -1)
