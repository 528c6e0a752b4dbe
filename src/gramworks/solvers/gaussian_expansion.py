"""Functions of a Gaussian RKHS that are sums of local averages and derivatives at the points."""

from __future__ import annotations

import numpy as np

from gramworks.kernels.distances import squared_distances
from gramworks.kernels.gaussian_kernel import gaussian
from gramworks.kernels.tiles import fill
from gramworks.kernels.vectors import as_pair


class GaussianExpansion:
    """Sums of E_js and D_jd, and what these functionals are on such a sum, in closed form.

    E_js(f) is the average of f around x_j under a Gaussian density of width theta_s, with
    theta_0 = 0: f(x_j) itself. D_jd(f) is the derivative of f at x_j along axis d. With
    w^2 = sigma^2 + theta_s^2 + theta_r^2 and n features

        <E_is, E_jr> = (w / sigma)^-n exp(-|x_i - x_j|^2 / (2 w^2)),

    of which D takes derivatives in x_i and x_j (Zhang, Lee and Teh, NIPS 26 (2013), equation (8)
    and section 4.3, where the averages are of widths whose squares add, as densities' do).

    Parameters
    ----------
    X : ndarray of shape (t, n)
    width : float
        sigma.
    spreads : sequence of float
        theta_1, theta_2, ...; 0 is always the first.

    Attributes
    ----------
    gram : ndarray of shape (t, t)
        Gaussian kernel of the points.
    axes : int
        Number of axes of D: min(t, n). The data are turned to their principal axes where these are
        fewer than the features; along what is orthogonal to all points the derivatives of every
        k(x_j, .) at the points are 0, so that those functionals change nothing.
    """

    averages = True
    derivatives = True

    def __init__(self, X, width, spreads=(), turn=True):
        self.X = np.asarray(X, dtype=np.float64)
        self.width = float(width)
        self.spreads = np.array([0.0, *spreads])
        self._squares = fill(squared_distances(self.X))
        self._centre = self.X.mean(axis=0)
        points = self.X - self._centre  # so that differences of products lose nothing
        self._turn = None
        if turn and points.shape[1] > points.shape[0]:
            self._turn = np.linalg.svd(points, full_matrices=False)[2].T
            points = points @ self._turn
        self.points = np.ascontiguousarray(points)
        self._grams = {0.0: self._between(self._squares, 0.0)}
        self.gram = self._grams[0.0]
        self._extended = np.column_stack([self.points, np.ones(len(points))])

    @property
    def axes(self) -> int:
        """Number of axes of D."""
        return self.points.shape[1]

    def single(self) -> GaussianExpansion:
        """Give the same in float32."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        for name in ("points", "gram", "_extended"):
            setattr(other, name, getattr(self, name).astype(np.float32))
        other._grams = {0.0: other.gram}
        return other

    def product(self, values, fields, *, want_values=True, want_fields=True):
        """Apply the functionals to sums of them: the Gram matrix of all E and D times a block.

        Equation (11) of the paper, with its n x t matrices transposed: three products of t^2 n
        operations a right-hand side, and memory for one t x t matrix.

        Parameters
        ----------
        values : ndarray of shape (r, s, t) or None
            Coefficients of E, r right-hand sides for s spreads; None for 0.
        fields : ndarray of shape (r, t, axes) or None
            Coefficients of D.
        want_values, want_fields : bool
            Which of the two to work out.

        Returns
        -------
        values : ndarray of shape (r, s, t) or None
        fields : ndarray of shape (r, t, axes) or None
        """
        r = len(fields if values is None else values)
        t, n = self.points.shape
        kind = self.points.dtype
        out_values = np.zeros((r, len(self.spreads), t), kind) if want_values else None
        out_fields = np.zeros((r, t, n), kind) if want_fields else None
        if fields is not None:
            self._from_fields(fields, out_values, out_fields)
        if values is not None:
            self._from_values(values, out_values, out_fields)
        return out_values, out_fields

    def _from_fields(self, fields, out_values, out_fields):
        X, K, variance = self.points, self.gram, self.width**2
        t, n = X.shape
        inner = np.empty((t, t), X.dtype)
        right = np.empty((t, n + 1), X.dtype)
        for k, A in enumerate(fields):
            np.matmul(X, A.T, out=inner)  # x_i . A_j
            own = inner.diagonal().copy()
            if out_values is not None:
                for s in range(1, len(self.spreads)):
                    w2 = variance + self.spreads[s] ** 2
                    Q = self._pairs(self.spreads[s] ** 2) * (inner - own)
                    out_values[k, s] += Q.sum(axis=1) / w2
            # sum_j K_ij (x_i - x_j) . A_j [x_i - x_j], multiplied out so that one pass over
            # the t x t matrix suffices
            inner *= K
            left = inner @ self._extended
            np.multiply(X, -own[:, None], out=right[:, :n])
            right[:, :n] += X.dtype.type(variance) * A
            right[:, n] = -own
            left += K @ right
            if out_values is not None:
                out_values[k, 0] += left[:, n] / variance
            if out_fields is not None:
                G = left[:, :n]
                G -= left[:, n:] * X
                out_fields[k] += G / X.dtype.type(variance**2)

    def _from_values(self, values, out_values, out_fields):
        X = self.points
        for s in range(values.shape[1]):
            coefficients = values[:, s]
            if not coefficients.any():
                continue
            if out_values is not None:
                for other in range(len(self.spreads)):
                    spread = self.spreads[s] ** 2 + self.spreads[other] ** 2
                    out_values[:, other] += coefficients @ self._pairs(spread)
            if out_fields is not None:
                spread = self.spreads[s] ** 2
                pairs = self._pairs(spread)
                for k, c in enumerate(coefficients):
                    moved = pairs @ (self._extended * c[:, None])
                    G = moved[:, :-1] - moved[:, -1:] * X
                    out_fields[k] += G / X.dtype.type(self.width**2 + spread)

    def kernel_columns(self, rows: slice, *, want_values=True, want_fields=True):
        """Apply the functionals to k(x_a, .) for the points a of a slice.

        Returns
        -------
        values : ndarray of shape (r, s, t) or None
        fields : ndarray of shape (r, t, axes) or None
        """
        squares, points = self._squares[rows], self.points[rows]
        return self._columns(squares, points, want_values, want_fields)

    def new_columns(self, X_new, *, want_values=True, want_fields=True):
        """Apply the functionals to k(x, .) for new points x, as `kernel_columns`."""
        X_new, old = as_pair(X_new, self.X)
        squares = fill(squared_distances(X_new, old))
        points = X_new - self._centre
        points = points if self._turn is None else points @ self._turn
        return self._columns(squares, points, want_values, want_fields)

    def new_gram(self, X_new):
        """Kernel between new points and these, (n_new, t)."""
        return gaussian(X_new, self.X, width=self.width)

    def _columns(self, squares, points, want_values, want_fields):
        values = fields = None
        if want_values:
            values = np.stack(
                [self._between(squares, spread**2) for spread in self.spreads], axis=1
            ).astype(self.points.dtype, copy=False)
        if want_fields:
            K = self._between(squares, 0.0).astype(self.points.dtype, copy=False)
            fields = points[:, None].astype(K.dtype) - self.points[None]
            fields *= (K / K.dtype.type(self.width**2))[:, :, None]
        return values, fields

    def direction_rows(self, i, directions, others) -> np.ndarray:
        """Inner products of derivatives along directions at x_i with those at all points.

        Parameters
        ----------
        i : int
        directions : ndarray of shape (m, axes)
            At x_i.
        others : ndarray of shape (t, l, axes) or None
            At each point; None for the axes.

        Returns
        -------
        ndarray of shape (m, t, l)
        """
        differences = self.points[i] - self.points
        along = directions @ differences.T
        if others is None:
            back, both = differences, directions[:, None, :]
        else:
            back = np.einsum("jln,jn->jl", others, differences)
            both = np.tensordot(directions, others, (1, 2))
        variance = self.width**2
        rows = variance * both - along[:, :, None] * back[None]
        rows *= (self.gram[i] / variance**2)[None, :, None]
        return rows

    def axis_factor(self) -> np.ndarray:
        """Give the t x t matrix of which N is near the Kronecker product with the identity."""
        return self.gram / self.width**2

    def swap_factor(self) -> np.ndarray:
        """Y such that N A is near (K / sigma^2) A + Y A' Y, of shape (t, axes).

        K_ij = d_i d_j exp(x_i . x_j / sigma^2) with d_i = exp(-|x_i|^2 / (2 sigma^2)); its first
        term d_i d_j in equation (8) leaves, beside what is of low rank, d_i x_i . A_j d_j x_j /
        sigma^4.
        """
        d = np.exp(np.einsum("ij,ij->i", self.points, self.points) / (-2.0 * self.width**2))
        return self.points * (d / self.width**2)[:, None]

    def gradient_products(self) -> np.ndarray:
        """P_ab = sum_i <grad k(x_a, .)(x_i), grad k(x_b, .)(x_i)>, by four t x t products."""
        X, K = self.points, self.gram
        inner = X @ X.T
        cross = (K * inner) @ K
        P = inner * (K @ K) - cross - cross.T + (K * inner.diagonal()) @ K
        return P / self.width**4

    def own_blocks(self, directions) -> np.ndarray:
        """Inner products of derivatives along directions at one point, (t, m, m)."""
        return directions @ directions.transpose(0, 2, 1) / self.width**2

    def _pairs(self, spread):
        if spread not in self._grams:
            self._grams[spread] = self._between(self._squares, spread).astype(
                self.points.dtype, copy=False
            )
        return self._grams[spread]

    def _between(self, squares, spread):
        """<E_is, E_jr> from squared distances, with spread = theta_s^2 + theta_r^2."""
        ratio = 1.0 + spread / self.width**2
        power = squares / (-2.0 * ratio * self.width**2)
        power -= 0.5 * self.X.shape[1] * np.log(ratio)
        return np.exp(power, out=power)
