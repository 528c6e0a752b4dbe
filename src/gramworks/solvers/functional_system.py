"""Functionals on an RKHS: their Gram matrix N, dense and as products, and their values."""

from __future__ import annotations

import numpy as np

_BLOCK = 2**24  # numbers in a block of right-hand sides


class FunctionalSystem:
    """Representers z_j of functionals L_j: N_ij = <z_i, z_j> and z_j(x) = L_j(k(x, .)).

    Zhang, Lee and Teh, NIPS 26 (2013) 2031-2039, sections 3 to 5.

    Parameters
    ----------
    expansion : GaussianExpansion, PolynomialExpansion or GramExpansion
        Inner products of values and derivatives at the t points.
    families : sequence of AxisDerivatives, DirectionDerivatives, ValueDifferences
        What combinations of them the functionals are.

    Attributes
    ----------
    points, count : int
        t, and p, the number of functionals.
    """

    def __init__(self, expansion, families):
        self.expansion = expansion
        self.families = list(families)
        self.points = len(expansion.gram)
        self.ends = np.cumsum([0, *(family.count for family in self.families)])
        self.count = int(self.ends[-1])
        self.uses_values = any(family.uses_values for family in self.families)
        self.uses_fields = any(family.uses_fields for family in self.families)

    def single(self) -> FunctionalSystem:
        """Give the same in float32, for products at half the cost."""
        families = [family.single() for family in self.families]
        return FunctionalSystem(self.expansion.single(), families)

    def reduced(self) -> FunctionalSystem:
        """Give a system of as few functionals as easily found with the same sum of squares."""
        families = [f.reduced() if hasattr(f, "reduced") else f for f in self.families]
        return FunctionalSystem(self.expansion, families)

    def product(self, B, *, want_functionals=True):
        """Multiply N, and give the functions sum_j b_j z_j at the points.

        Parameters
        ----------
        B : ndarray of shape (r, count)
            A right-hand side a row.
        want_functionals : bool
            False leaves out N B.

        Returns
        -------
        NB : ndarray of shape (r, count) or None
        Zb : ndarray of shape (r, t)
            sum_j b_j z_j(x_i).
        """
        values, fields = self._scatter(B)
        found = self.expansion.product(
            values, fields, want_fields=want_functionals and self.uses_fields
        )
        return self._gather(*found) if want_functionals else None, found[0][:, 0]

    def columns(self, rows: slice) -> np.ndarray:
        """L_j(k(x_a, .)) for the points a of a slice, (r, count)."""
        wants = {"want_values": self.uses_values, "want_fields": self.uses_fields}
        return self._gather(*self.expansion.kernel_columns(rows, **wants))

    def new_columns(self, X_new) -> np.ndarray:
        """L_j(k(x, .)) = z_j(x) for new points x, (r, count)."""
        wants = {"want_values": self.uses_values, "want_fields": self.uses_fields}
        return self._gather(*self.expansion.new_columns(X_new, **wants))

    def dense(self) -> np.ndarray:
        """N itself, of shape (count, count) and exactly symmetric."""
        if len(self.families) == 1 and self.uses_fields:
            N = self._dense_derivatives(self.families[0])
        else:
            N = np.empty((self.count, self.count))
            step = max(1, _BLOCK // max(1, self.count))
            for start in range(0, self.count, step):
                stop = min(start + step, self.count)
                unit = np.zeros((stop - start, self.count))
                unit[np.arange(stop - start), np.arange(start, stop)] = 1.0
                N[start:stop] = self.product(unit)[0]
        _symmetrise(N)
        return N

    def _dense_derivatives(self, family):
        t, m = self.points, family.count // self.points
        directions = getattr(family, "directions", None)
        N = np.empty((t, m, t * m))
        for i in range(t):
            own = np.eye(m) if directions is None else directions[i]
            N[i] = self.expansion.direction_rows(i, own, directions).reshape(m, -1)
        return N.reshape(t * m, t * m)

    def _scatter(self, B):
        values = fields = None
        for family, start, stop in zip(self.families, self.ends, self.ends[1:], strict=False):
            more_values, more_fields = family.scatter(B[:, start:stop])
            values = more_values if values is None else _add(values, more_values)
            fields = more_fields if fields is None else _add(fields, more_fields)
        return values, fields

    def _gather(self, values, fields):
        if len(self.families) == 1:
            return self.families[0].gather(values, fields)
        return np.concatenate([f.gather(values, fields) for f in self.families], axis=1)


def _add(first, second):
    return first if second is None else first + second


def _symmetrise(N):
    """Average with the transpose in place, by blocks of rows."""
    step = 1024
    for start in range(0, len(N), step):
        rows = slice(start, start + step)
        block = 0.5 * (N[rows, start:] + N[start:, rows].T)
        N[rows, start:] = block
        N[start:, rows] = block.T
