"""Functions of a polynomial RKHS that are sums of values and derivatives at the points."""

from __future__ import annotations

import numpy as np

from gramworks.kernels.polynomial_kernel import polynomial
from gramworks.kernels.vectors import as_pair


class PolynomialExpansion:
    """Sums of values E_j and derivatives D_jd at the points for k(x, z) = (<x, z> + offset)^r.

    With u = <x_i, x_j> + offset (Zhang, Lee and Teh, NIPS 26 (2013), equation (7))

        <D_id, D_je> = r (r - 1) u^(r-2) x_i^e x_j^d + r u^(r-1) [d = e],

    where the first term is absent for r = 1, so that nothing is divided by u.

    Parameters
    ----------
    X : ndarray of shape (t, n)
    degree : int
    offset : float

    Attributes
    ----------
    gram : ndarray of shape (t, t)
    axes : int
        min(t, n), as in `GaussianExpansion`.
    """

    averages = False
    derivatives = True
    spreads = np.zeros(1)

    def __init__(self, X, degree, offset=1.0, turn=True):
        self.X = np.asarray(X, dtype=np.float64)
        self.degree = int(degree)
        self._turn = None
        points = self.X
        if turn and points.shape[1] > points.shape[0]:
            self._turn = np.linalg.svd(points, full_matrices=False)[2].T
            points = points @ self._turn
        self.points = np.ascontiguousarray(points)
        self.gram = polynomial(self.X, degree=self.degree, offset=offset)  # which checks it
        self.offset = float(offset)
        self.slope, self.bend = self._powers(self.X, self.X)

    @property
    def axes(self) -> int:
        """Number of axes of D."""
        return self.points.shape[1]

    def single(self) -> PolynomialExpansion:
        """Give the same in float32."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        for name in ("points", "gram", "slope", "bend"):
            setattr(other, name, getattr(self, name).astype(np.float32))
        return other

    def product(self, values, fields, *, want_values=True, want_fields=True):
        """Apply the functionals to sums of them, as `GaussianExpansion.product`."""
        X = self.points
        r = len(fields if values is None else values)
        out_values = np.zeros((r, 1, len(X)), X.dtype) if want_values else None
        out_fields = np.zeros((r, *X.shape), X.dtype) if want_fields else None
        if fields is not None:
            for k, A in enumerate(fields):
                inner = X @ A.T  # x_i . A_j
                if out_values is not None:
                    out_values[k, 0] += np.einsum("ij,ij->i", self.slope, inner)
                if out_fields is not None:
                    inner *= self.bend
                    out_fields[k] += inner @ X
                    out_fields[k] += self.slope @ A
        if values is not None:
            coefficients = values[:, 0]
            if out_values is not None:
                out_values[:, 0] += coefficients @ self.gram
            if out_fields is not None:
                for k, c in enumerate(coefficients):
                    out_fields[k] += self.slope @ (X * c[:, None])
        return out_values, out_fields

    def kernel_columns(self, rows: slice, *, want_values=True, want_fields=True):
        """Apply the functionals to k(x_a, .) for the points a of a slice."""
        values = self.gram[rows][:, None] if want_values else None
        fields = self.slope[rows][:, :, None] * self.points[rows][:, None] if want_fields else None
        return values, fields

    def new_columns(self, X_new, *, want_values=True, want_fields=True):
        """Apply the functionals to k(x, .) for new points x."""
        X_new, old = as_pair(X_new, self.X)
        values = fields = None
        if want_values:
            values = polynomial(X_new, old, degree=self.degree, offset=self.offset)[:, None]
        if want_fields:
            points = X_new if self._turn is None else X_new @ self._turn
            fields = self._powers(X_new, old)[0][:, :, None] * points[:, None]
        return values, fields

    def new_gram(self, X_new):
        """Kernel between new points and these, (n_new, t)."""
        return polynomial(X_new, self.X, degree=self.degree, offset=self.offset)

    def direction_rows(self, i, directions, others) -> np.ndarray:
        """Inner products of derivatives along directions, as `GaussianExpansion`."""
        along = directions @ self.points.T
        if others is None:
            back, both = np.broadcast_to(self.points[i], self.points.shape), directions[:, None]
        else:
            back = others @ self.points[i]
            both = np.tensordot(directions, others, (1, 2))
        rows = self.bend[i][None, :, None] * along[:, :, None] * back[None]
        rows += self.slope[i][None, :, None] * both
        return rows

    def axis_factor(self) -> np.ndarray:
        """Give the t x t matrix of which N is near the Kronecker product with the identity."""
        return self.slope

    def swap_factor(self) -> np.ndarray:
        """Y such that N A is near (slope) A + Y A' Y, exactly so for degree 2, (t, axes)."""
        r = self.degree
        return np.sqrt(r * (r - 1) * self.offset ** max(r - 2, 0)) * self.points

    def gradient_products(self) -> np.ndarray:
        """P_ab = sum_i <grad k(x_a, .)(x_i), grad k(x_b, .)(x_i)>, by two t x t products."""
        return (self.points @ self.points.T) * (self.slope @ self.slope)

    def own_blocks(self, directions) -> np.ndarray:
        """Inner products of derivatives along directions at one point, (t, m, m)."""
        slope, bend = self.slope.diagonal(), self.bend.diagonal()
        along = np.einsum("imn,in->im", directions, self.points)
        blocks = slope[:, None, None] * (directions @ directions.transpose(0, 2, 1))
        blocks += bend[:, None, None] * along[:, :, None] * along[:, None, :]
        return blocks

    def _powers(self, X, Z):
        """Give r u^(r-1) and r (r-1) u^(r-2)."""
        r, o = self.degree, self.offset
        ones = np.ones((len(X), len(Z)))
        slope = r * polynomial(X, Z, degree=r - 1, offset=o) if r > 1 else ones
        if r < 2:
            return slope, np.zeros_like(ones)
        bend = r * (r - 1) * (polynomial(X, Z, degree=r - 2, offset=o) if r > 2 else ones)
        return slope, bend
