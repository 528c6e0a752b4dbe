"""What is asked of base kernels, and said of them."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import cho_factor

from gramworks.errors import KernelError
from gramworks.solvers.psd_slice import ROUNDING


def check_semidefinite(gram, position, allowed=1e-8, criterion="the margin criterion"):
    """Refuse a base kernel with a negative eigenvalue (KernelError with its number).

    Parameters
    ----------
    gram : ndarray of shape (l, l)
    position : int
        Its place among the kernels, for the message.
    allowed : float
        Size of a negative eigenvalue that counts as rounding, of a bound of the largest.
    criterion : str
        What is minimised or maximised, for the message.
    """
    size = np.abs(gram).sum(axis=1).max()  # bounds the largest eigenvalue
    if size == 0:
        return
    try:  # a Cholesky factor costs a tenth of the eigenvalues, which are for the message
        shifted = gram.copy(order="C")
        shifted[np.diag_indices_from(shifted)] += allowed * size
        cho_factor(shifted.T, overwrite_a=True, check_finite=False)  # as LAPACK lays it out
    except np.linalg.LinAlgError:
        values = np.linalg.eigvalsh(gram)
        raise KernelError(
            f"kernels[{position}] is not positive semidefinite on the points it is used on: its "
            f"smallest eigenvalue is {values[0]:.3g}, the largest {values[-1]:.3g}; {criterion} "
            "is convex for positive semidefinite kernels only: clip the eigenvalues or take "
            "another kernel"
        ) from None


def tell_left_out(size, stacklevel):
    """Warn where combinations of kernels were taken for zero that are more than rounding."""
    if size > ROUNDING:
        warnings.warn(
            f"the kernels depend on each other up to {size:.1g}; that difference is taken for "
            "zero, and the gap is over the combinations without it: leave out a kernel, or give "
            "the difference itself",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
