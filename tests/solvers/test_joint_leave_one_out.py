"""The two ways of solving are one: through the rank of the kernel, and dense."""

import numpy as np

from gramworks.solvers.joint_leave_one_out import minimise_joint_leave_one_out
from gramworks.solvers.target_error import error_spectrum, kernel_eigenpairs


def test_low_rank_and_dense_paths_agree_at_the_switch():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 5))
    spectrum = error_spectrum(kernel_eigenpairs(X @ X.T), 0.4)
    for m in (17, 19, 20, 21, 25):  # 2 x 5 < 30 - m, or not
        known = np.arange(30) < m
        u = rng.choice([-1.0, 1.0], size=(m, 2))
        near = rng.normal(size=(30 - m, 2))
        found = minimise_joint_leave_one_out(spectrum, known, u, near, 0.5)
        G = (spectrum.vectors * spectrum.fits) @ spectrum.vectors.T
        M = (np.eye(30) - G) / (1 - np.diag(G))[:, None]
        C = M.T @ M
        right = 0.5 * near - C[np.ix_(~known, known)] @ u
        dense = np.linalg.solve(C[np.ix_(~known, ~known)] + 0.5 * np.eye(30 - m), right)
        np.testing.assert_allclose(found, dense, atol=1e-10)
