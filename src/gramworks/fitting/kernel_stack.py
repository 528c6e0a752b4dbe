"""A list of kernels that scikit-learn's model selection slices on both axes."""

from __future__ import annotations

import numpy as np

from gramworks.errors import FitError
from gramworks.masked_values import refuse_masked


class KernelStack:
    """Several kernels over the same points, sliced together like one precomputed kernel.

    scikit-learn would cut a list of kernels along the list. It slices what has a square `shape`
    as ``X[np.ix_(rows, columns)]`` for estimators tagged as pairwise; this class hands the slice
    on to every kernel.

    Parameters
    ----------
    kernels : sequence of m arrays of shape (n_rows, n_columns)
        Not copied.

    Attributes
    ----------
    kernels : tuple of m arrays
    shape : tuple
        Shape of each kernel.
    """

    def __init__(self, kernels):
        refuse_masked(kernels, "kernels", FitError)
        self.kernels = tuple(np.asarray(K) for K in kernels)
        shapes = [K.shape for K in self.kernels]
        if not shapes or len(shapes[0]) != 2 or len(set(shapes)) > 1:
            raise FitError(
                f"kernels have shapes {shapes}; a stack wants one or more matrices of one shape"
            )
        self.shape = shapes[0]

    def __getitem__(self, key):
        return KernelStack([K[key] for K in self.kernels])

    def __repr__(self):
        return f"KernelStack({len(self.kernels)} kernels of {self.shape[0]} x {self.shape[1]})"
