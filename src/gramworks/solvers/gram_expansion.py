"""Functions that are sums of k(x_j, .) for a kernel known by its Gram matrix alone."""

from __future__ import annotations

import numpy as np

from gramworks.fitting.inputs import check_new


class GramExpansion:
    """Values at the points for any kernel; derivatives and averages want a formula.

    Parameters
    ----------
    gram : ndarray of shape (t, t)
    """

    averages = False
    derivatives = False
    spreads = np.zeros(1)

    def __init__(self, gram):
        self.gram = gram

    def product(self, values, fields=None, *, want_values=True, want_fields=False):
        """Give the functions with coefficients (r, 1, t) at the points."""
        return values @ self.gram, None

    def kernel_columns(self, rows: slice, *, want_values=True, want_fields=False):
        """Values of k(x_a, .) at the points, (r, 1, t)."""
        return self.gram[rows][:, None], None

    def new_columns(self, K_new, *, want_values=True, want_fields=False):
        """Give the same from the kernel between new points and those of the fit."""
        return check_new(K_new, len(self.gram))[:, None], None

    def new_gram(self, K_new):
        """Check the kernel between new points and those of the fit; a copy of it, (n_new, t)."""
        return check_new(K_new, len(self.gram)).copy()
